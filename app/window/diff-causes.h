/* SPDX-License-Identifier: MIT */
/* Beside the pictures of a comparison: its figures, and the causes that add up to the difference; a
 * cause that is pressed shows its buffers alone. */
#pragma once

#include "app/window/diff-model.h"

#include <gtk/gtk.h>

#define TN_TYPE_DIFF_CAUSES (tn_diff_causes_get_type())
G_DECLARE_FINAL_TYPE(TnDiffCauses, tn_diff_causes, TN, DIFF_CAUSES, GtkBox)

GtkWidget *tn_diff_causes_new(TnDiffModel *model);
