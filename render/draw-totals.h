/* SPDX-License-Identifier: MIT */
/* What reports say in totals only: a bar that adds up for each, and what can't be shown. */
#pragma once

#include "render/frame.h"

/* Draws the document's accounts one below the other, as many as there is room for; how many are left
 * out is said in the last line. */
void tn_draw_totals(const TnPaint *paint, const TnDocument *document, TnUnits units, TnRect rect);

/* In place of the maps of a study without buffers, in all of their room: the totals, or in words that
 * there is nothing to draw and which recording would allow it. */
void tn_draw_no_map(const TnPaint *paint, const TnView *view, TnRect rect);
