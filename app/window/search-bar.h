/* SPDX-License-Identifier: MIT */
/* The search and the filters of a tab.  What is typed is a search: its hits stand out, and Return
 * goes from one to the next.  Ctrl + Return keeps it as a filter: a chip below, until it is removed.
 * All filters and the search together make the session's match; each change can be undone.
 *
 * Signal: "counted" (how much is shown is another). */
#pragma once

#include "app/window/session.h"

#include <gtk/gtk.h>

#define TN_TYPE_SEARCH_BAR (tn_search_bar_get_type())
G_DECLARE_FINAL_TYPE(TnSearchBar, tn_search_bar, TN, SEARCH_BAR, GtkBox)

GtkWidget *tn_search_bar_new(TnSession *session);
/* Closing forgets the search, not the filters. */
void tn_search_bar_set_open(TnSearchBar *bar, bool is_open);
bool tn_search_bar_is_open(TnSearchBar *bar);
/* Puts a filter beside those that are there; see filter.h. */
void tn_search_bar_add_filter(TnSearchBar *bar, const char *term);
void tn_search_bar_clear_filters(TnSearchBar *bar);
guint tn_search_bar_count_filters(TnSearchBar *bar);
/* The next hit after the selection (`step` 1) or the one before it (-1), round the ends. */
void tn_search_bar_step(TnSearchBar *bar, int step);
/* "12 of 1,041 buffers · 3.20 GiB of 48.1 GiB shown"; owned by the caller. */
char *tn_search_bar_build_count(TnSearchBar *bar);
/* The filters and the search of another bar. */
void tn_search_bar_take(TnSearchBar *bar, TnSearchBar *from);
/* How many buffers fit; what is wrong with the search, NULL: nothing. */
uint32_t tn_search_bar_get_shown(TnSearchBar *bar);
const char *tn_search_bar_get_error(TnSearchBar *bar);
