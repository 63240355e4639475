/* SPDX-License-Identifier: MIT */
/* Stretches of ops in which a plan's copies keep compute waiting.  What tn_spill_bound() proves is
 * proved of any stretches; those in which a good plan waits prove most. */
#pragma once

#include "analysis/budget/spill-run.h"

/* Moments of the op at place p, one after the other: 3p the op before it has ended, 3p + 1 the
 * copies out that it waits for have (and reloads may begin), 3p + 2 its reloads have, and what must
 * run again for it begins.
 *
 * Out: from the end of the op at `from` (-1: the start) to moment 3 to + 1.  In: from moment
 * 3 (from + 1) + 1 to 3 to + 2. */
typedef struct {
  bool is_out; /* which lane it is about */
  int32_t from, to;
  double value; /* seconds of the copies that must lie in it, less those of the ops in it */
} TnSpillWindow;

/* The moments at which a window begins and ends. */
static inline int64_t
tn_spill_window_begin(const TnSpillWindow *window)
{
  return 3 * ((int64_t)window->from + 1) + !window->is_out;
}

static inline int64_t
tn_spill_window_end(const TnSpillWindow *window)
{
  return 3 * (int64_t)window->to + (window->is_out ? 1 : 2);
}

/* Windows that do not overlap, ascending, with the largest sum of values; of the run's last
 * plan.  `before` (by place, n + 1): least seconds of the ops before it.  Owned. */
GArray *tn_spill_windows_new(const TnSpillRun *run, const TnSpillPlan *plan, const double *before);

/* Seconds of the ops inside. */
static inline double
tn_spill_window_inside(const TnSpillWindow *window, const double *before)
{
  return window->to > window->from + 1 ? before[window->to] - before[window->from + 1] : 0;
}
