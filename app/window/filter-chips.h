/* SPDX-License-Identifier: MIT */
/* The filters that hold, each a chip that can be edited or removed; seen while there are any.  Signals: "edit" and
 * "remove" with the filter's number (guint), "clear". */
#pragma once

#include <gtk/gtk.h>

#define TN_TYPE_FILTER_CHIPS (tn_filter_chips_get_type())
G_DECLARE_FINAL_TYPE(TnFilterChips, tn_filter_chips, TN, FILTER_CHIPS, GtkBox)

GtkWidget *tn_filter_chips_new(void);
/* `terms`: char *, copied. */
void tn_filter_chips_fill(TnFilterChips *chips, const GPtrArray *terms);
