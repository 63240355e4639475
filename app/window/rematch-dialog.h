/* SPDX-License-Identifier: MIT */
/* Asks which buffer of the other side a selected one is. */
#pragma once

#include "app/window/diff-model.h"

#include <gtk/gtk.h>

/* For the selected pair: where it is in A (on both sides, or only there) its partner in B is asked
 * for, else its partner in A.  What is chosen is set on the model. */
void tn_rematch_dialog_show(GtkWindow *window, TnDiffModel *model);
