/* SPDX-License-Identifier: MIT */
/* Two files beside each other: A over B on one axis at one scale, the causes that add up. */
#pragma once

#include "app/window/session.h"

#include <gtk/gtk.h>

#define TN_TYPE_DIFF_PANE (tn_diff_pane_get_type())
G_DECLARE_FINAL_TYPE(TnDiffPane, tn_diff_pane, TN, DIFF_PANE, GtkWidget)

/* Keeps both sessions; compares them off the main thread. */
GtkWidget *tn_diff_pane_new(TnSession *a, TnSession *b);
/* "a.pickle ↔ b.pickle"; owned by the caller. */
char *tn_diff_pane_build_title(TnDiffPane *view);
/* The other way round. */
void tn_diff_pane_swap(TnDiffPane *view);
