/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "render/view.h"

#include "render/pixels.h"

#include <math.h>

void
tn_view_init(TnView *view, const TnStudy *study)
{
  *view = (TnView){.study = study,
                   .t0 = 0.0,
                   .t1 = (double)study->axis_end,
                   .p0 = 0.0,
                   .p1 = (double)MAX(study->map->height, (tn_bytes)1),
                   .lane_height = 15.0,
                   .selected = TN_NONE,
                   .hovered = TN_NONE,
                   .cursor = -1.0};
}

/* Moves [*low, *high) into [0, limit) and keeps its width where it can. */
static void
clamp_range(double *low, double *high, double limit, double least)
{
  double width = CLAMP(*high - *low, tn_view_least(limit, least), limit);
  double middle = (*low + *high) / 2;
  *low = CLAMP(middle - width / 2, 0.0, limit - width);
  *high = *low + width;
}

void
tn_view_clamp(TnView *view)
{
  tn_view_clamp_time(view);
  clamp_range(&view->p0, &view->p1, (double)MAX(view->study->map->height, (tn_bytes)1), 64.0);
  view->lane_top = CLAMP(view->lane_top, 0.0, MAX((double)view->study->lanes->n - 1.0, 0.0));
}

void
tn_view_zoom_places(TnView *view, double factor, double about)
{
  double limit = (double)MAX(view->study->map->height, (tn_bytes)1);
  double width = CLAMP((view->p1 - view->p0) / factor, tn_view_least(limit, 64.0), limit);
  double part = (about - view->p0) / (view->p1 - view->p0);
  view->p0 = CLAMP(about - part * width, 0.0, limit - width);
  view->p1 = view->p0 + width;
}

/* The buffer that the raster painted last at row `y` of a column at `tick`. */
static tn_index
painted_at(const TnView *view, tn_tick tick, int y, int height)
{
  const TnStudy *study = view->study;
  double per_byte = height / (view->p1 - view->p0);
  float cover = 0.0f;
  tn_index best = TN_NONE;
  TnLiveSweep sweep;
  tn_live_sweep_init(&sweep, study->index, tick);
  for (uint32_t i = 0; i < sweep.n; i++) {
    uint32_t row = sweep.alive[i].row;
    tn_bytes low = study->map->place[row];
    int first, stop;
    if (low == TN_NOT_PLACED)
      continue;
    bool is_marked = row == view->selected;
    double high = (double)low + (double)study->buffers->bytes[row];
    float share = tn_pixels_of_span(view, height, per_byte, (double)low, high, &first, &stop);
    bool is_here = share > 0.0f && y >= first && y < stop && (share >= 1.0f || share > cover);
    /* The marked one is painted over all others too, at least one pixel high. */
    if (is_marked && tn_pixels_of_span(view, height, per_byte, (double)low,
                                       MAX(high, (double)low + 1.0 / per_byte), &first, &stop) > 0 &&
        y >= first && y < stop) {
      best = row;
      break;
    }
    if (!is_here)
      continue;
    cover = share;
    best = row;
  }
  tn_live_sweep_clear(&sweep);
  return best;
}

tn_index
tn_view_hit_offsets(const TnView *view, TnRect rect, double x, double y, tn_tick *out_tick)
{
  int n = MAX((int)lround(rect.width), 1), height = MAX((int)lround(rect.height), 1);
  int column = CLAMP((int)(x - rect.x), 0, n - 1), row = CLAMP((int)(y - rect.y), 0, height - 1);
  tn_tick start, end, tick;
  if (!tn_view_column(view, column, n, &start, &end))
    return TN_NONE;
  tn_curve_max(view->study->live, start, end, &tick);
  if (out_tick)
    *out_tick = tick;
  /* A thin one is hit from the pixel beside it too, where nothing else is. */
  static const int near[] = {0, -1, 1};
  for (gsize i = 0; i < G_N_ELEMENTS(near); i++) {
    tn_index hit = painted_at(view, tick, row + near[i], height);
    if (hit != TN_NONE)
      return hit;
  }
  return TN_NONE;
}

tn_index
tn_view_hit_lanes(const TnView *view, TnRect rect, double x, double y)
{
  double lane = view->lane_top + (y - rect.y) / view->lane_height;
  if (lane < 0 || lane >= view->study->lanes->n)
    return TN_NONE;
  int n = MAX((int)lround(rect.width), 1), column = CLAMP((int)(x - rect.x), 0, n - 1);
  TnLaneWalk walk;
  tn_index buffer;
  int x0, x1;
  tn_lane_walk_init(&walk, view, (uint32_t)lane, n);
  while (tn_lane_walk_next(&walk, &buffer, &x0, &x1) && x0 <= column)
    if (column < x1)
      return buffer;
  return TN_NONE;
}

static TnRect
span(const TnView *view, TnRect rect, tn_index buffer)
{
  double left = tn_view_x(view, rect, (double)view->study->buffers->start[buffer]);
  double right = tn_view_x(view, rect, (double)view->study->buffers->end[buffer]);
  return (TnRect){left, 0, MAX(right - left, 1.0), 0};
}

bool
tn_view_rect_offsets(const TnView *view, TnRect rect, tn_index buffer, TnRect *out_rect)
{
  tn_bytes place = view->study->map->place[buffer];
  if (place == TN_NOT_PLACED || view->is_skyline)
    return false;
  *out_rect = span(view, rect, buffer);
  double top = tn_view_y(view, rect, (double)place + (double)view->study->buffers->bytes[buffer]);
  double bottom = tn_view_y(view, rect, (double)place);
  out_rect->y = top;
  out_rect->height = MAX(bottom - top, 1.0);
  return true;
}

bool
tn_view_rect_lanes(const TnView *view, TnRect rect, tn_index buffer, TnRect *out_rect)
{
  *out_rect = span(view, rect, buffer);
  out_rect->y = rect.y + ((double)view->study->lanes->lane[buffer] - view->lane_top) *
                             view->lane_height;
  out_rect->height = MAX(view->lane_height - 1.0, 1.0);
  return true;
}
