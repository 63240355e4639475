/* SPDX-License-Identifier: MIT */
/* On the offset map of a plan, the parts of memory that have a name: memory types and segments as lines
 * across, zero copy as a bar at the right edge, batches dashed, neighbours as brackets. */
#pragma once

#include "render/view.h"

/* The key to what tn_draw_regions() draws, for the map's title; NULL where it draws nothing.  Owned by
 * the caller. */
char *tn_draw_region_words(const TnStudy *study);

/* Over the map, inside `plot` and in the frame's margin at its right. */
void tn_draw_regions(const TnPaint *paint, const TnView *view, TnRect plot);
