/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "render/view.h"

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
  double width = CLAMP(*high - *low, MIN(least, limit), limit);
  double middle = (*low + *high) / 2;
  *low = CLAMP(middle - width / 2, 0.0, limit - width);
  *high = *low + width;
}

void
tn_view_clamp(TnView *view)
{
  clamp_range(&view->t0, &view->t1, (double)view->study->axis_end, 1.0);
  clamp_range(&view->p0, &view->p1, (double)MAX(view->study->map->height, (tn_bytes)1), 64.0);
  view->lane_top = CLAMP(view->lane_top, 0.0, MAX((double)view->study->lanes->n - 1.0, 0.0));
}

void
tn_view_zoom_time(TnView *view, double factor, double about)
{
  double limit = (double)view->study->axis_end;
  double width = CLAMP((view->t1 - view->t0) / factor, MIN(1.0, limit), limit);
  double part = (about - view->t0) / (view->t1 - view->t0);
  view->t0 = CLAMP(about - part * width, 0.0, limit - width);
  view->t1 = view->t0 + width;
}

void
tn_view_zoom_places(TnView *view, double factor, double about)
{
  double limit = (double)MAX(view->study->map->height, (tn_bytes)1);
  double width = CLAMP((view->p1 - view->p0) / factor, MIN(64.0, limit), limit);
  double part = (about - view->p0) / (view->p1 - view->p0);
  view->p0 = CLAMP(about - part * width, 0.0, limit - width);
  view->p1 = view->p0 + width;
}

void
tn_view_pan_time(TnView *view, double ticks)
{
  double limit = (double)view->study->axis_end, width = view->t1 - view->t0;
  view->t0 = CLAMP(view->t0 + ticks, 0.0, limit - width);
  view->t1 = view->t0 + width;
}

bool
tn_view_column(const TnView *view, int column, int n, tn_tick *out_start, tn_tick *out_end)
{
  double width = (view->t1 - view->t0) / n;
  double from = view->t0 + column * width, to = from + width;
  tn_tick start = (tn_tick)floor(from + 1e-9), end = (tn_tick)ceil(to - 1e-9);
  if (start >= view->study->axis_end)
    return false;
  *out_start = MAX(start, (tn_tick)0);
  *out_end = CLAMP(end, *out_start + 1, view->study->axis_end);
  return true;
}

tn_index
tn_view_hit_offsets(const TnView *view, TnRect rect, double x, double y, tn_tick *out_tick)
{
  const TnStudy *study = view->study;
  int n = MAX((int)rect.width, 1), column = CLAMP((int)(x - rect.x), 0, n - 1);
  tn_tick start, end, tick;
  if (!tn_view_column(view, column, n, &start, &end))
    return TN_NONE;
  tn_curve_max(study->live, start, end, &tick);
  if (out_tick)
    *out_tick = tick;
  double place = tn_view_place(view, rect, y);
  double pixel = (view->p1 - view->p0) / rect.height;
  TnLiveSweep sweep;
  tn_index best = TN_NONE;
  double best_distance = pixel; /* thinner than a pixel: the nearest one counts */
  tn_live_sweep_init(&sweep, study->index, tick);
  for (uint32_t i = 0; i < sweep.n; i++) {
    uint32_t row = sweep.alive[i].row;
    tn_bytes low = study->map->place[row];
    if (low == TN_NOT_PLACED || study->buffers->bytes[row] == 0)
      continue;
    double high = (double)low + (double)study->buffers->bytes[row];
    double distance = place < (double)low ? (double)low - place : place > high ? place - high : -1;
    if (distance < best_distance) {
      best_distance = distance;
      best = row;
    }
  }
  tn_live_sweep_clear(&sweep);
  return best;
}

tn_index
tn_view_hit_lanes(const TnView *view, TnRect rect, double x, double y)
{
  double lane = view->lane_top + (y - rect.y) / view->lane_height;
  const TnStudy *study = view->study;
  if (lane < 0 || lane >= study->lanes->n)
    return TN_NONE;
  int n = MAX((int)rect.width, 1), column = CLAMP((int)(x - rect.x), 0, n - 1);
  tn_tick start, end;
  if (!tn_view_column(view, column, n, &start, &end))
    return TN_NONE;
  /* Of the ticks under this pixel the first one with a bar. */
  uint32_t row = (uint32_t)lane, low = study->lanes->first[row], high = study->lanes->first[row + 1];
  uint32_t stop = high;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (study->buffers->end[study->lanes->rows[middle]] <= start)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == stop || study->buffers->start[study->lanes->rows[low]] >= end)
    return TN_NONE;
  return study->lanes->rows[low];
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
  if (place == TN_NOT_PLACED)
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
