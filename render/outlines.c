/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "render/outlines.h"

#include "render/pixels.h"

#include <math.h>

#define LEAST 3.0 /* logical pixels: a rim of what is smaller would be all of it */
#define MOST 20000

/* The edges that lie in the plot, one device pixel wide. */
static void
paint_rim(const TnPaint *paint, TnRect r, TnRect plot)
{
  uint32_t color = paint->theme->text;
  double left = MAX(r.x, plot.x), right = MIN(r.x + r.width, plot.x + plot.width);
  double top = MAX(r.y, plot.y), bottom = MIN(r.y + r.height, plot.y + plot.height);
  double pixel = 1.0 / paint->scale;
  if (right - left < 1.0 || bottom - top < 1.0)
    return;
  if (r.y >= plot.y)
    tn_paint_hline(paint, left, top, right - left, color);
  if (r.y + r.height <= plot.y + plot.height)
    tn_paint_hline(paint, left, bottom - pixel, right - left, color);
  if (r.x >= plot.x)
    tn_paint_vline(paint, left, top, bottom - top, color);
  if (r.x + r.width <= plot.x + plot.width)
    tn_paint_vline(paint, right - pixel, top, bottom - top, color);
}

static bool
has_rim(const TnPaint *paint, const TnView *view, tn_index i)
{
  return paint->theme->has_outlines || (view->match && view->match[i]);
}

void
tn_draw_outlines_offsets(const TnPaint *paint, const TnView *view, TnRect plot)
{
  const TnBuffers *b = view->study->buffers;
  double least_bytes = LEAST * (view->p1 - view->p0) / plot.height;
  int drawn = 0;
  TnRect r;
  if (!paint->theme->has_outlines && !view->match)
    return;
  for (uint32_t i = 0; i < b->n && drawn < MOST; i++) {
    if (!has_rim(paint, view, i) || (double)b->bytes[i] < least_bytes ||
        (double)b->start[i] > view->t1 || (double)b->end[i] < view->t0 ||
        !tn_view_rect_offsets(view, plot, i, &r) || r.width < LEAST)
      continue;
    paint_rim(paint, r, plot);
    drawn++;
  }
}

void
tn_draw_outlines_lanes(const TnPaint *paint, const TnView *view, TnRect plot)
{
  const TnLanes *lanes = view->study->lanes;
  uint32_t first = (uint32_t)view->lane_top;
  uint32_t stop = MIN(first + (uint32_t)ceil(plot.height / view->lane_height) + 1, lanes->n);
  if ((!paint->theme->has_outlines && !view->match) || view->lane_height < LEAST + 1.0)
    return;
  for (uint32_t lane = first; lane < stop; lane++) {
    TnLaneWalk walk;
    TnRect r;
    tn_index buffer;
    int x0, x1;
    tn_lane_walk_init(&walk, view, lane, MAX((int)lround(plot.width), 1));
    while (tn_lane_walk_next(&walk, &buffer, &x0, &x1))
      if (x1 - x0 >= LEAST && has_rim(paint, view, buffer) && tn_view_rect_lanes(view, plot, buffer, &r))
        paint_rim(paint, r, plot);
  }
}
