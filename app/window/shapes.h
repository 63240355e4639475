/* SPDX-License-Identifier: MIT */
/* The free dimensions of a model: the values in use, others to read it under, and several of them
 * side by side (shape buckets). */
#pragma once

#include "app/window/session.h"

#include <gtk/gtk.h>

#define TN_TYPE_SHAPES (tn_shapes_get_type())
G_DECLARE_FINAL_TYPE(TnShapes, tn_shapes, TN, SHAPES, GtkPopover)

/* `apply`: called with NAME → N (owned by the callee) when the user wants the model read so, and
 * whether it is then to be compared with what is shown. */
GtkWidget *tn_shapes_new(void (*apply)(GHashTable *bindings, bool is_compared, gpointer data),
                         gpointer data);
void tn_shapes_set_session(TnShapes *shapes, TnSession *session);
/* Whether the session's document has dimensions to set. */
bool tn_shapes_has_any(TnSession *session);
