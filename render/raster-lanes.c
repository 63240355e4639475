/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "render/raster.h"

#include "render/pixels.h"

#include <math.h>
#include <string.h>

static void
clear(TnRaster *out)
{
  for (int y = 0; y < out->height; y++)
    memset(out->pixels + (gsize)y * (gsize)out->stride, 0, (gsize)out->width * sizeof(uint32_t));
}

static void
fill(TnRaster *out, int y0, int y1, int x0, int x1, uint32_t color)
{
  for (int y = y0; y < y1; y++) {
    uint32_t *row = out->pixels + (gsize)y * (gsize)out->stride;
    for (int x = x0; x < x1; x++)
      row[x] = color;
  }
}

/* The first bar of rows[low, high) that ends after `at` on the axis; ends grow within a lane. */
static uint32_t
first_ending_after(const TnView *view, uint32_t low, uint32_t high, double at)
{
  const TnStudy *study = view->study;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (tn_view_at(view, (double)study->buffers->end[study->lanes->rows[middle]]) <= at)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

void
tn_lane_walk_init(TnLaneWalk *walk, const TnView *view, uint32_t lane, int width)
{
  const TnLanes *lanes = view->study->lanes;
  uint32_t stop = lanes->first[lane + 1];
  double from = tn_view_at(view, view->t0);
  *walk = (TnLaneWalk){.view = view,
                       .width = width,
                       .from = from,
                       .per_unit = width / tn_view_width(view),
                       .next = first_ending_after(view, lanes->first[lane], stop, from),
                       .stop = stop};
}

bool
tn_lane_walk_next(TnLaneWalk *walk, tn_index *out_buffer, int *out_x0, int *out_x1)
{
  const TnView *view = walk->view;
  const TnStudy *study = view->study;
  while (walk->next < walk->stop) {
    uint32_t buffer = study->lanes->rows[walk->next];
    double end = tn_view_at(view, (double)study->buffers->end[buffer]);
    double left =
        (tn_view_at(view, (double)study->buffers->start[buffer]) - walk->from) * walk->per_unit;
    double right = (end - walk->from) * walk->per_unit;
    if (left >= walk->width)
      return false;
    /* What begins in the last half pixel is rounded into the picture, not behind it. */
    int x0 = MAX(MIN((int)(MAX(left, 0.0) + 0.5), walk->width - 1), walk->free_from);
    int x1 = (int)(CLAMP(right, 0.0, (double)walk->width) + 0.5);
    x1 = MIN(MAX(x1, x0 + 1), walk->width);
    if (x0 < x1)
      walk->free_from = x1;
    double next = walk->from + (walk->free_from + 0.5) / walk->per_unit;
    walk->next++;
    if (walk->next < walk->stop &&
        tn_view_at(view, (double)study->buffers->end[study->lanes->rows[walk->next]]) <= next)
      walk->next = first_ending_after(view, walk->next, walk->stop, next);
    if (x0 >= x1)
      continue;
    *out_buffer = buffer;
    *out_x0 = x0;
    *out_x1 = x1;
    return true;
  }
  return false;
}

/* Wide bars keep a gap of one pixel to what follows. */
static void
paint_lane(const TnView *view, const TnTheme *theme, TnRaster *out, uint32_t row, int y0, int y1)
{
  TnLaneWalk walk;
  tn_index buffer;
  int x0, x1;
  tn_lane_walk_init(&walk, view, row, out->width);
  while (tn_lane_walk_next(&walk, &buffer, &x0, &x1))
    fill(out, y0, y1, x0, x1 - x0 >= 4 && x1 < out->width ? x1 - 1 : x1,
         tn_raster_color(view, theme, buffer));
}

void
tn_raster_lanes(const TnView *view, const TnTheme *theme, double scale, TnRaster *out)
{
  double step = view->lane_height * scale;
  clear(out);
  for (uint32_t row = (uint32_t)view->lane_top; row < view->study->lanes->n; row++) {
    double top = ((double)row - view->lane_top) * step;
    if (top >= out->height)
      break;
    int gap = step >= 3.0 ? MAX((int)lround(scale), 1) : 0;
    int y0 = MAX((int)lround(top), 0);
    int y1 = MIN(MAX((int)lround(top + step) - gap, y0 + 1), out->height);
    paint_lane(view, theme, out, row, y0, y1);
  }
}
