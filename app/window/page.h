/* SPDX-License-Identifier: MIT */
/* One open file in a window: maps, side pane, table, status line. */
#pragma once

#include "app/window/bar-order.h"
#include "app/window/bookmark-list.h"
#include "app/window/maps.h"
#include "app/window/report-content.h"
#include "app/window/search-bar.h"
#include "app/window/session.h"

#include <gtk/gtk.h>

#define TN_TYPE_PAGE (tn_page_get_type())
G_DECLARE_FINAL_TYPE(TnPage, tn_page, TN, PAGE, GtkBox)

GtkWidget *tn_page_new(TnSession *session);
TnSession *tn_page_get_session(TnPage *page);
TnMaps *tn_page_get_maps(TnPage *page);
/* What the table and the side pane show as selected, for tests. */
tn_index tn_page_get_table_buffer(TnPage *page);
tn_index tn_page_get_details_buffer(TnPage *page);
const char *tn_page_get_sharing(TnPage *page);
/* "maps", "live-set", "flame", "oom"; of a graph "orders" and "budget".  Others change nothing. */
void tn_page_set_view(TnPage *page, const char *name);
const char *tn_page_get_view(TnPage *page);
/* The op that was chosen in the table of ops and nothing since; TN_NONE. */
uint32_t tn_page_get_chosen_op(TnPage *page);
/* The panel of edits; NULL where there is no graph.  Borrowed. */
GtkWidget *tn_page_get_edit_panel(TnPage *page);
void tn_page_show_edits(TnPage *page);
/* Whether there is such a view. */
bool tn_page_has_view(TnPage *page, const char *name);
void tn_page_toggle_details(TnPage *page);
void tn_page_toggle_table(TnPage *page);
void tn_page_set_search(TnPage *page, bool is_open);
TnSearchBar *tn_page_get_search(TnPage *page);
TnBookmarkList *tn_page_get_bookmarks(TnPage *page);
TnBarOrder *tn_page_get_bar_order(TnPage *page);
/* Shows what `old` showed: a page of the same file, read before. */
void tn_page_take_over(TnPage *page, TnPage *old);
/* The menu of the selected buffer, at the widget that has the focus. */
void tn_page_show_menu(TnPage *page);
/* What its views show, as it is now; owned by the caller. */
TnReportContent *tn_page_build_content(TnPage *page);
/* "GPU 0 · live peak 12.97 GiB · 5,163 events"; owned by the caller. */
char *tn_page_build_subtitle(TnPage *page);
