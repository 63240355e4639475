/* SPDX-License-Identifier: MIT */
/* The picture of two files compared: drawn off the main thread, zoomed and pointed at here. */
#pragma once

#include "app/window/diff-model.h"
#include "render/draw-diff.h"

#include <gtk/gtk.h>

#define TN_TYPE_DIFF_CANVAS (tn_diff_canvas_get_type())
G_DECLARE_FINAL_TYPE(TnDiffCanvas, tn_diff_canvas, TN, DIFF_CANVAS, GtkWidget)

/* Keeps the model. */
GtkWidget *tn_diff_canvas_new(TnDiffModel *model);
TnDiffModel *tn_diff_canvas_get_model(TnDiffCanvas *canvas);
/* A layout that was drawn before is there at once. */
void tn_diff_canvas_set_layout(TnDiffCanvas *canvas, TnDiffLayout layout);
TnDiffLayout tn_diff_canvas_get_layout(TnDiffCanvas *canvas);
/* What is shown is drawn, in the size that the widget has now. */
bool tn_diff_canvas_is_drawn(TnDiffCanvas *canvas);
/* Draws one more layout where nothing else is to do: what blinks is there when it is wanted. */
void tn_diff_canvas_prepare(TnDiffCanvas *canvas, TnDiffLayout layout);
