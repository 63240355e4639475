/* SPDX-License-Identifier: MIT */
/* Text over several lines. */
#pragma once

#include "render/paint.h"

#define TN_LINE_HEIGHT 1.4 /* of the text's size */

/* Paints the words of `text` in lines of at most `width` from `top` on, at most `most` lines (an
 * ellipsis ends the last where words are left).  style->max_width is not used.  Returns the height
 * that it took. */
double tn_paint_wrapped(const TnPaint *paint, const char *text, double x, double top, double width,
                        int most, const TnTextStyle *style);
