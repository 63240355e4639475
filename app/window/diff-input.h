/* SPDX-License-Identifier: MIT */
/* Wheel, drag, keys and pointing of the picture of two files; the map's own are the model. */
#pragma once

#include "app/window/diff-canvas.h"

void tn_diff_input_add(TnDiffCanvas *canvas);
/* A pair in words, over some lines; owned by the caller. */
char *tn_diff_input_describe(const TnDiff *diff, uint32_t pair);

/* ---- what it needs of the canvas ----------------------------------------------------------------- */

/* Copies of the picture (its parts are the canvas's) and of what is shown; false while it is not
 * there. */
bool
tn_diff_canvas_get_shown(TnDiffCanvas *canvas, TnDiffPicture *out_picture, TnView *out_shown);
/* Shows other ticks and places, within the limits. */
void tn_diff_canvas_show(TnDiffCanvas *canvas, const TnView *shown);
void tn_diff_canvas_show_all(TnDiffCanvas *canvas);
