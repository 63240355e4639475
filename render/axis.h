/* SPDX-License-Identifier: MIT */
/* Axes with round steps: below a plot, or at its left with a grid behind the data. */
#pragma once

#include "data/units.h"
#include "render/paint.h"

typedef enum {
  TN_AXIS_COUNT, /* whole numbers */
  TN_AXIS_BYTES,
  TN_AXIS_NANOSECONDS, /* written in s, ms, µs or ns */
  TN_AXIS_MILLIPERCENT /* written in per cent */
} TnAxisKind;

typedef struct {
  TnAxisKind kind;
  double low, high; /* at its ends, low < high */
  TnUnits units;    /* of bytes */
  const char *unit; /* below a plot: stands at the right end; NULL: nothing does */
} TnAxis;

/* Ticks and labels below `rect`'s top edge; `rect` is as wide as the plots above it. */
void tn_axis_draw_below(const TnPaint *paint, TnRect rect, const TnAxis *axis);
/* Hairlines across `plot` and labels at its left, `low` at its bottom. */
void tn_axis_draw_left(const TnPaint *paint, TnRect plot, const TnAxis *axis);

static inline double
tn_axis_x(const TnAxis *axis, TnRect plot, double value)
{
  return plot.x + (value - axis->low) / (axis->high - axis->low) * plot.width;
}

static inline double
tn_axis_y(const TnAxis *axis, TnRect plot, double value)
{
  return plot.y + (axis->high - value) / (axis->high - axis->low) * plot.height;
}
