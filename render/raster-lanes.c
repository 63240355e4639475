/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "render/raster.h"

#include <math.h>
#include <string.h>

typedef struct {
  const TnView *view;
  const TnTheme *theme;
  TnRaster *out;
  double per_tick; /* device pixels */
  int y0, y1;      /* rows of the present lane */
} Lane;

static void
clear(TnRaster *out)
{
  for (int y = 0; y < out->height; y++)
    memset(out->pixels + (gsize)y * (gsize)out->stride, 0, (gsize)out->width * sizeof(uint32_t));
}

static void
fill(const Lane *lane, int x0, int x1, uint32_t color)
{
  for (int y = lane->y0; y < lane->y1; y++) {
    uint32_t *row = lane->out->pixels + (gsize)y * (gsize)lane->out->stride;
    for (int x = x0; x < x1; x++)
      row[x] = color;
  }
}

/* The first bar of rows[low, high) that ends after `tick`; ends grow within a lane. */
static uint32_t
first_ending_after(const TnStudy *study, uint32_t low, uint32_t high, double tick)
{
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if ((double)study->buffers->end[study->lanes->rows[middle]] <= tick)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Bars narrower than a pixel that share one are drawn once, then jumped over: the cost of a lane
 * is its pixels.  A bar is at least one pixel wide; wide neighbours keep a gap of one. */
static void
paint_lane(const Lane *lane, uint32_t row)
{
  const TnStudy *study = lane->view->study;
  const TnView *view = lane->view;
  uint32_t high = study->lanes->first[row + 1];
  uint32_t i = first_ending_after(study, study->lanes->first[row], high, view->t0);
  int free_from = 0;
  while (i < high) {
    uint32_t buffer = study->lanes->rows[i];
    double left = ((double)study->buffers->start[buffer] - view->t0) * lane->per_tick;
    double right = ((double)study->buffers->end[buffer] - view->t0) * lane->per_tick;
    if (left >= lane->out->width)
      return;
    int x0 = MAX((int)floor(MAX(left, 0.0) + 0.5), free_from);
    int x1 = MIN((int)floor(MIN(right, (double)lane->out->width) + 0.5), lane->out->width);
    x1 = MIN(MAX(x1, x0 + 1), lane->out->width);
    if (x0 < x1) {
      fill(lane, x0, x1 - x0 >= 4 && right < lane->out->width ? x1 - 1 : x1,
           tn_raster_color(view, lane->theme, buffer));
      free_from = x1;
    }
    double next = view->t0 + (double)(free_from + 0.5) / lane->per_tick;
    i++;
    if (i < high && (double)study->buffers->end[study->lanes->rows[i]] <= next)
      i = first_ending_after(study, i, high, next);
  }
}

void
tn_raster_lanes(const TnView *view, const TnTheme *theme, double scale, TnRaster *out)
{
  Lane lane = {.view = view,
               .theme = theme,
               .out = out,
               .per_tick = out->width / (view->t1 - view->t0)};
  double step = view->lane_height * scale;
  clear(out);
  for (uint32_t row = (uint32_t)view->lane_top; row < view->study->lanes->n; row++) {
    double top = ((double)row - view->lane_top) * step;
    if (top >= out->height)
      break;
    int gap = step >= 3.0 ? MAX((int)lround(scale), 1) : 0;
    lane.y0 = MAX((int)lround(top), 0);
    lane.y1 = MIN(MAX((int)lround(top + step) - gap, lane.y0 + 1), out->height);
    paint_lane(&lane, row);
  }
}
