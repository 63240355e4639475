/* SPDX-License-Identifier: MIT */
/* What of a comparison is shown: only A, both, only B; and by kind of change. */
#pragma once

#include "app/window/diff-model.h"

#include <gtk/gtk.h>

#define TN_TYPE_DIFF_CHIPS (tn_diff_chips_get_type())
G_DECLARE_FINAL_TYPE(TnDiffChips, tn_diff_chips, TN, DIFF_CHIPS, GtkBox)

GtkWidget *tn_diff_chips_new(TnDiffModel *model);
