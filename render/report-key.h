/* SPDX-License-Identifier: MIT */
/* The key to a picture of buffers that has no panel beside it. */
#pragma once

#include "render/view.h"

/* What the hues and (`with_lines`: where they have no labels) the dashed lines stand for, in at most
 * two lines from the top of `rect` on.
 * Returns the height that it took, the gap below it included; 0 where there is nothing to say. */
double tn_draw_report_key(const TnPaint *paint, const TnView *view, TnRect rect,
                          bool with_lines);
