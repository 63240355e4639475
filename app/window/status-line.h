/* SPDX-License-Identifier: MIT */
/* Below a page: which table, how much of it is shown, what lies under the pointer or is selected, and the moment of
 * the cursor or the range. */
#pragma once

#include "app/window/session.h"

#include <gtk/gtk.h>

#define TN_TYPE_STATUS_LINE (tn_status_line_get_type())
G_DECLARE_FINAL_TYPE(TnStatusLine, tn_status_line, TN, STATUS_LINE, GtkBox)

GtkWidget *tn_status_line_new(TnSession *session, GtkStack *tables);
/* "All 1,719 buffers · 20.69 GiB" */
void tn_status_line_set_count(TnStatusLine *line, const char *text);
/* Without tables where a view has the page for itself. */
void tn_status_line_set_has_tables(TnStatusLine *line, bool has_tables);
