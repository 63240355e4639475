/* SPDX-License-Identifier: MIT */
/* Text over several lines. */
#pragma once

#include "render/paint.h"

#define TN_LINE_HEIGHT 1.4 /* of the text's size */

/* The words of `text` in lines of at most `width` (but for a single word that is wider), at most
 * `most` lines (an ellipsis ends the last where words are left).  style->max_width is not used.
 * Owned by the caller. */
GPtrArray *tn_wrap(const TnPaint *paint, const char *text, double width, guint most,
                   const TnTextStyle *style);
/* How many these are. */
guint tn_wrap_count(const TnPaint *paint, const char *text, double width, guint most,
                    const TnTextStyle *style);
double tn_wrap_line_height(const TnPaint *paint, const TnTextStyle *style);

/* Paints them from `top` on.  Returns the height that they took. */
double tn_paint_wrapped(const TnPaint *paint, const char *text, double x, double top, double width,
                        guint most, const TnTextStyle *style);
