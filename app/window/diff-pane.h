/* SPDX-License-Identifier: MIT */
/* Two files beside each other: the pictures in three layouts (over and under, one laid over the other,
 * the difference as a map) or either alone in turn, the list of what changed, the causes that add
 * up. */
#pragma once

#include "app/window/diff-model.h"

#include <gtk/gtk.h>

#define TN_TYPE_DIFF_PANE (tn_diff_pane_get_type())
G_DECLARE_FINAL_TYPE(TnDiffPane, tn_diff_pane, TN, DIFF_PANE, GtkBox)

/* Keeps both sessions; compares them off the main thread. */
GtkWidget *tn_diff_pane_new(TnSession *a, TnSession *b);
TnDiffModel *tn_diff_pane_get_model(TnDiffPane *pane);
/* "a.pickle ↔ b.pickle"; owned by the caller. */
char *tn_diff_pane_build_title(TnDiffPane *pane);
/* What was changed in this comparison and can be taken back; the pane's own. */
TnUndo *tn_diff_pane_get_undo(TnDiffPane *pane);
/* The layout that is chosen: one of the three. */
TnDiffLayout tn_diff_pane_get_layout(TnDiffPane *pane);
/* The part of the common axis that is on screen; false while there is no picture. */
bool tn_diff_pane_get_shown(TnDiffPane *pane, TnView *out_shown);
void tn_diff_pane_set_layout(TnDiffPane *pane, TnDiffLayout layout);
void tn_diff_pane_show_all(TnDiffPane *pane);
/* The selected pair over the whole width. */
void tn_diff_pane_show_selected(TnDiffPane *pane);
void tn_diff_pane_toggle_causes(TnDiffPane *pane);
void tn_diff_pane_toggle_table(TnDiffPane *pane);
/* The other way round. */
void tn_diff_pane_swap(TnDiffPane *pane);
/* Draws again: the units are others. */
void tn_diff_pane_invalidate(TnDiffPane *pane);
