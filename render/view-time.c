/* SPDX-License-Identifier: MIT */
/* The time a view shows.  It is kept in ticks, so that a cursor, a range and a place of the history
 * stay on their event whatever the axis counts; widths and distances are those of the axis. */
#include "config.h"

#include "render/view.h"

#include <math.h>

double
tn_view_tick_of(const TnView *view, double at)
{
  return tn_view_is_clock(view) ? tn_clock_tick(view->study->clock, at) : at;
}

double
tn_view_middle(const TnView *view)
{
  return tn_view_tick_of(view, (tn_view_at(view, view->t0) + tn_view_at(view, view->t1)) / 2);
}

/* The whole axis and the least that can be shown of it: a tick, or the clock's step. */
static double
axis_length(const TnView *view)
{
  return tn_view_is_clock(view) ? view->study->clock->total_us : (double)view->study->axis_end;
}

/* Shows `width` of the axis from `from` on, moved and cut to what there is. */
static void
set_axis(TnView *view, double from, double width)
{
  double limit = axis_length(view);
  width = CLAMP(width, tn_view_least(limit, 1.0), limit);
  from = CLAMP(from, 0.0, limit - width);
  view->t0 = tn_view_tick_of(view, from);
  view->t1 = tn_view_is_clock(view) ? tn_view_tick_of(view, from + width) : view->t0 + width;
}

void
tn_view_clamp_time(TnView *view)
{
  double limit = axis_length(view), from = tn_view_at(view, view->t0);
  double to = tn_view_at(view, view->t1), width = CLAMP(to - from, tn_view_least(limit, 1.0), limit);
  /* Ticks are left as they are where they can be: back and forth through the clock would wear them.
   */
  if (width != to - from || view->t0 < 0.0 || view->t1 > (double)view->study->axis_end)
    set_axis(view, (from + to) / 2 - width / 2, width);
}

void
tn_view_zoom_time(TnView *view, double factor, double about)
{
  double limit = axis_length(view), from = tn_view_at(view, view->t0);
  double width = tn_view_width(view), at = tn_view_at(view, about);
  double shown = CLAMP(width / factor, tn_view_least(limit, 1.0), limit);
  set_axis(view, at - (at - from) / width * shown, shown);
}

void
tn_view_pan_time(TnView *view, double part)
{
  double width = tn_view_width(view);
  set_axis(view, tn_view_at(view, view->t0) + part * width, width);
}

void
tn_view_centre_time(TnView *view, double tick)
{
  double width = tn_view_width(view);
  set_axis(view, tn_view_at(view, tick) - width / 2, width);
}

void
tn_view_bring_time(TnView *view, double start, double end)
{
  double from = tn_view_at(view, start), to = tn_view_at(view, end), width = tn_view_width(view);
  set_axis(view, to - from > width ? from : (from + to) / 2 - width / 2, width);
}

void
tn_view_fit_time(TnView *view, double start, double end, double factor)
{
  double from = tn_view_at(view, start), to = tn_view_at(view, end);
  double width = MAX(to - from, 1.0) * factor;
  set_axis(view, (from + to) / 2 - width / 2, width);
}

/* Where column `column` of `n` begins; of neighbours the same figure, so that no tick falls between
 * them. */
static double
column_edge(double from, double to, int column, int n)
{
  return column >= n ? to : from + (to - from) * column / n;
}

/* The ticks of [from, to) µs: what was in force at its beginning, and all that began in it. */
static bool
clock_column(const TnView *view, double from, double to, tn_tick *out_start, tn_tick *out_end)
{
  const TnClock *clock = view->study->clock;
  if (from >= clock->total_us)
    return false;
  /* Times are whole: an edge within a hair of one is meant to be it. */
  tn_tick start = tn_clock_first(clock, from - 1e-6);
  if (start > 0 && tn_clock_at(clock, (double)start) > from + 1e-6)
    start--;
  *out_start = start;
  *out_end = MAX(tn_clock_first(clock, to - 1e-6), start + 1);
  return true;
}

bool
tn_view_column(const TnView *view, int column, int n, tn_tick *out_start, tn_tick *out_end)
{
  double at = tn_view_at(view, view->t0), end = tn_view_at(view, view->t1);
  double from = column_edge(at, end, column, n), to = column_edge(at, end, column + 1, n);
  if (tn_view_is_clock(view))
    return clock_column(view, from, to, out_start, out_end);
  /* Within a hair of a whole tick the edge is meant to be that tick. */
  tn_tick first = (tn_tick)floor(MIN(from + 1e-9, 9.2e18));
  tn_tick stop = (tn_tick)ceil(MIN(to - 1e-9, 9.2e18));
  if (first >= view->study->axis_end)
    return false;
  *out_start = MAX(first, (tn_tick)0);
  *out_end = CLAMP(stop, *out_start + 1, view->study->axis_end);
  return true;
}
