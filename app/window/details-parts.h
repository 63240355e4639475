/* SPDX-License-Identifier: MIT */
/* What the side pane says of a buffer, and of the device. */
#pragma once

#include "app/window/session.h"

#include <gtk/gtk.h>

/* Appends all facts of buffer `i`.  Returns whether it may share memory with `before` (TN_NONE: none), which is
 * worked out later (app/window/plan-facts.h), borrowed; NULL where no plan is shown. */
GtkWidget *tn_details_fill_buffer(GtkBox *content, TnSession *session, tn_index i, tn_index before);
/* Appends the figures, what is alive at the peak, the findings, and what reports say in totals only. */
void tn_details_fill_device(GtkBox *content, TnSession *session);
