/* SPDX-License-Identifier: MIT */
/* Which pixels a buffer takes in the dense layers: one rule for those who draw them (raster-*.c) and
 * for those who ask what was drawn at a point (view.c). */
#pragma once

#include "render/view.h"

/* The rows of a picture `height` pixels high that the places [low, high) take: [*out_first,
 * *out_stop), clipped.  Returns the share of its pixel that a span thinner than one covers (the
 * largest share of a pixel wins it), 1 for all others, which cover what came before them; 0 where
 * the span is out of sight. */
static inline float
tn_pixels_of_span(const TnView *view, int height, double per_byte, double low, double high,
                  int *out_first, int *out_stop)
{
  double top = (view->p1 - high) * per_byte, bottom = (view->p1 - low) * per_byte;
  if (bottom <= 0.0 || top >= height || bottom <= top)
    return 0.0f;
  if (bottom - top >= 1.0) {
    *out_first = top > 0.0 ? (int)(top + 0.5) : 0;
    *out_stop = bottom < height ? (int)(bottom + 0.5) : height;
    return 1.0f;
  }
  double middle = (top + bottom) / 2;
  *out_first = (int)CLAMP(middle, 0.0, height - 1.0);
  *out_stop = *out_first + 1;
  return (float)(bottom - top);
}

/* The bars of one lane from left to right, each at least one pixel wide.  Bars that share a pixel
 * with the one before are jumped over: the walk takes as many steps as there are pixels. */
typedef struct {
  const TnView *view;
  int width;
  double from, per_unit; /* of the axis: its left edge, pixels for a tick or a microsecond */
  uint32_t next, stop; /* of the study's lanes->rows */
  int free_from;
} TnLaneWalk;

/* `width`: of the picture, in device pixels. */
void tn_lane_walk_init(TnLaneWalk *walk, const TnView *view, uint32_t lane, int width);
/* The next bar and its columns [*out_x0, *out_x1); false where there is none. */
bool tn_lane_walk_next(TnLaneWalk *walk, tn_index *out_buffer, int *out_x0, int *out_x1);
