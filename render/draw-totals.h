/* SPDX-License-Identifier: MIT */
/* What reports say in totals only: a bar that adds up for each, and what can't be shown. */
#pragma once

#include "data/document.h"
#include "data/units.h"
#include "render/paint.h"

/* Draws the document's accounts one below the other, as many as there is room for; how many are left
 * out is said in the last line. */
void tn_draw_totals(const TnPaint *paint, const TnDocument *document, TnUnits units, TnRect rect);
