/* SPDX-License-Identifier: MIT */
/* What an edit needs to be told: which of several operands, how many ops, which size. */
#pragma once

#include "app/window/edits.h"

#include <gtk/gtk.h>

/* Asks how many of `chain` (GArray of uint32_t, ops, each the only reader of the one before) become
 * one op. */
void tn_edit_dialog_fuse(GtkWindow *window, TnSession *session, const GArray *chain);
/* Asks which of `inputs` (GArray of uint32_t, tensors) `tensor` takes the memory of, or views. */
void tn_edit_dialog_alias(GtkWindow *window, TnSession *session, TnEditKind kind, uint32_t tensor,
                          const GArray *inputs);
/* Asks for another size, type or alignment. */
void tn_edit_dialog_tensor(GtkWindow *window, TnSession *session, uint32_t tensor);
/* Asks into how many ops. */
void tn_edit_dialog_split(GtkWindow *window, TnSession *session, uint32_t op);
