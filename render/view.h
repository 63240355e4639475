/* SPDX-License-Identifier: MIT */
/* What part of a study a picture shows, and what is marked in it.  A plain value: the window changes
 * a copy, a drawing thread keeps its own. */
#pragma once

#include "analysis/study.h"
#include "data/units.h"
#include "render/paint.h"

#include <math.h>

typedef struct {
  const TnStudy *study; /* prepared */
  double t0, t1;        /* ticks shown, t0 < t1 */
  bool is_clock;        /* the axis counts microseconds, where the study has a clock */
  double p0, p1;        /* places of the address map shown, from the bottom to the top, in bytes */
  double lane_top;      /* the first lane shown (may be broken) */
  double lane_height;   /* logical pixels, the gap included */
  TnUnits units;
  tn_index selected, hovered; /* TN_NONE: none */
  double cursor;        /* a tick; < 0: none */
  double r0, r1;        /* the range that was chosen, in ticks; r0 >= r1: none */
  const uint8_t *match; /* by buffer: 0 is dimmed (a search); NULL: no search */
  bool is_skyline;      /* of the window: the skyline stands where the offset map would */
  const TnTheme *theme; /* of layouts that choose colours (boxes); NULL: light */
  const TnCategories *groups; /* what a treemap groups by; NULL: what gives the colours */
} TnView;

/* The whole of a study, nothing marked. */
void tn_view_init(TnView *view, const TnStudy *study);

/* What part is shown as in another view, which may be one of a study that is gone; nothing else. */
static inline void
tn_view_take_part(TnView *view, const TnView *from)
{
  view->t0 = from->t0;
  view->t1 = from->t1;
  view->p0 = from->p0;
  view->p1 = from->p1;
  view->lane_top = from->lane_top;
  view->lane_height = from->lane_height;
}

/* Whether there is a live peak to speak of: of totals nothing is known to be alive. */
static inline bool
tn_view_has_live(const TnStudy *study)
{
  return study->buffers->n > 0 || study->live->peak > 0;
}

/* The whole ticks of the range that is chosen: those that it covers in part belong to it, as they do in the pictures. */
static inline void
tn_view_range_ticks(const TnView *view, tn_tick *out_from, tn_tick *out_to)
{
  *out_from = (tn_tick)view->r0;
  *out_to = MAX(MIN((tn_tick)ceil(view->r1), view->study->axis_end), *out_from + 1);
}

/* Keeps the view inside the study: never less than one tick, never beyond the axis and the map. */
void tn_view_clamp(TnView *view);

/* What can be shown least of `limit`: `least`, but never so little that its ends are one double (those are 512 apart
 * where ticks are nanoseconds since 1970). */
static inline double
tn_view_least(double limit, double least)
{
  return MIN(MAX(least, 8.0 * (nextafter(limit, INFINITY) - limit)), limit);
}

/* ---- time (view-time.c) ---- */

static inline bool
tn_view_is_clock(const TnView *view)
{
  return view->is_clock && view->study->clock;
}

/* Where a tick stands on the axis: the tick itself, or microseconds since the first one. */
static inline double
tn_view_at(const TnView *view, double tick)
{
  return tn_view_is_clock(view) ? tn_clock_at(view->study->clock, tick) : tick;
}

/* The tick of a place of the axis. */
double tn_view_tick_of(const TnView *view, double at);

/* Whether a tick stands in the time that is shown, its ends included. */
static inline bool
tn_view_shows_tick(const TnView *view, double tick)
{
  return tick >= view->t0 && tick <= view->t1;
}

/* Whether a tick's middle is shown, where the line of a peak or of a failed request stands. */
static inline bool
tn_view_has_tick(const TnView *view, tn_tick tick)
{
  return tn_view_shows_tick(view, (double)tick + 0.5);
}

/* How much of the axis is shown, in its units. */
static inline double
tn_view_width(const TnView *view)
{
  return tn_view_at(view, view->t1) - tn_view_at(view, view->t0);
}

/* The tick in the middle of what is shown. */
double tn_view_middle(const TnView *view);

/* Keeps the time inside the study: never less than a tick (a microsecond), never beyond its ends.
 */
void tn_view_clamp_time(TnView *view);
/* Zooms time by `factor` (> 1: closer) about the tick `about`. */
void tn_view_zoom_time(TnView *view, double factor, double about);
/* Moves by `part` of what is shown. */
void tn_view_pan_time(TnView *view, double part);
/* Moves so that a tick is in the middle. */
void tn_view_centre_time(TnView *view, double tick);
/* Moves so that [start, end) is in the middle, or begins the view where it is too wide. */
void tn_view_bring_time(TnView *view, double start, double end);
/* Shows [start, end) in the middle of `factor` times its width. */
void tn_view_fit_time(TnView *view, double start, double end, double factor);

/* Zooms addresses by `factor` about the place. */
void tn_view_zoom_places(TnView *view, double factor, double about);

static inline double
tn_view_x(const TnView *view, TnRect rect, double tick)
{
  return rect.x +
         (tn_view_at(view, tick) - tn_view_at(view, view->t0)) / tn_view_width(view) * rect.width;
}

static inline double
tn_view_tick(const TnView *view, TnRect rect, double x)
{
  return tn_view_tick_of(view, tn_view_at(view, view->t0) +
                                   (x - rect.x) / rect.width * tn_view_width(view));
}

/* The same view with all of the time, for a minimap. */
static inline TnView
tn_view_whole_time(const TnView *view)
{
  TnView whole = *view;
  whole.t0 = 0.0;
  whole.t1 = (double)view->study->axis_end;
  return whole;
}

/* The same view for a report, whatever stood in the window: its offset map is one, its bars begin with
 * the first. */
static inline TnView
tn_view_for_report(const TnView *view)
{
  TnView own = *view;
  own.is_skyline = false;
  own.lane_top = 0.0;
  return own;
}

static inline double
tn_view_y(const TnView *view, TnRect rect, double place)
{
  return rect.y + (view->p1 - place) / (view->p1 - view->p0) * rect.height;
}

static inline double
tn_view_place(const TnView *view, TnRect rect, double y)
{
  return view->p1 - (y - rect.y) / rect.height * (view->p1 - view->p0);
}

/* The buffer drawn at a point of the offset map, or TN_NONE.  Exact: the live set of the column's
 * peak tick.  *out_tick (may be NULL): that tick. */
tn_index tn_view_hit_offsets(const TnView *view, TnRect rect, double x, double y,
                             tn_tick *out_tick);
/* The buffer drawn at a point of the lifetime bars, or TN_NONE. */
tn_index tn_view_hit_lanes(const TnView *view, TnRect rect, double x, double y);

/* The rectangle of a buffer in either picture, not clipped (its own size, at least one pixel);
 * false where it has no place. */
bool tn_view_rect_offsets(const TnView *view, TnRect rect, tn_index buffer, TnRect *out_rect);
bool tn_view_rect_lanes(const TnView *view, TnRect rect, tn_index buffer, TnRect *out_rect);

/* The ticks of pixel column `column` of `n`: [*out_start, *out_end), at least one; false beyond the
 * axis.  By the clock a column has what was in force at its beginning and all that began in it. */
bool tn_view_column(const TnView *view, int column, int n, tn_tick *out_start, tn_tick *out_end);
