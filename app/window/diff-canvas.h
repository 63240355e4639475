/* SPDX-License-Identifier: MIT */
/* The picture of two files compared: worked out and drawn off the main thread, zoomed and pointed at
 * here. */
#pragma once

#include "app/window/session.h"
#include "render/draw-diff.h"

#include <gtk/gtk.h>

#define TN_TYPE_DIFF_CANVAS (tn_diff_canvas_get_type())
G_DECLARE_FINAL_TYPE(TnDiffCanvas, tn_diff_canvas, TN, DIFF_CANVAS, GtkWidget)

/* Keeps both sessions. */
GtkWidget *tn_diff_canvas_new(TnSession *a, TnSession *b);
void tn_diff_canvas_set_layout(TnDiffCanvas *canvas, TnDiffLayout layout);
TnDiffLayout tn_diff_canvas_get_layout(TnDiffCanvas *canvas);
void tn_diff_canvas_swap(TnDiffCanvas *canvas);
/* Draws again: the units or the style are others. */
void tn_diff_canvas_invalidate(TnDiffCanvas *canvas);
/* "a.pickle ↔ b.pickle"; owned by the caller. */
char *tn_diff_canvas_build_title(TnDiffCanvas *canvas);
