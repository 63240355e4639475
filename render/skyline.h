/* SPDX-License-Identifier: MIT */
/* The skyline: x = time, y = a running sum.  Each column stacks what is alive at its peak tick, the
 * oldest at the ground; of batches, which never run together, the one that has most.  Good to see what
 * was alive; the heights are no addresses. */
#pragma once

#include "render/raster.h"

/* Bytes from the ground to the top of the picture, whatever part of the time is shown. */
double tn_skyline_height(const TnView *view);

/* O(columns x alive + starts in view). */
void tn_raster_skyline(const TnView *view, const TnTheme *theme, double scale, TnRaster *out);

/* The buffer drawn at a point of `rect`, or TN_NONE.  Exact: the live set of the column's peak tick. */
tn_index tn_skyline_hit(const TnView *view, TnRect rect, double x, double y);
