/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/budget/spill-windows.h"

#include <stdlib.h>

#define MOST_IN_A_ROW 256 /* copies looked back at */

/* A copy of the plan: it can't begin before the end of the op at `from` and must have ended for the
 * op at `to`. */
typedef struct {
  double start, end;
  int32_t from, to;
} Copy;

typedef struct {
  const TnSpillRun *run;
  const double *before;
  GArray *copies[2]; /* Copy, of the lane out and the lane in, in the order of their starts */
  GArray *windows;   /* TnSpillWindow: candidates */
} Finder;

static int
compare_copies(const void *x, const void *y)
{
  const Copy *a = x, *b = y;
  return a->start < b->start ? -1 : a->start > b->start;
}

static void
list_copies(Finder *finder, const TnSpillPlan *plan)
{
  const TnSpillRun *run = finder->run;
  for (guint i = 0; i < run->model->idles->len; i++) {
    const TnIdle *idle = tn_spill_idle(run->model, i);
    const TnSpillChoice *choice = &plan->choice[i];
    if (choice->kind != TN_SPILL_MOVE)
      continue;
    Copy out = {run->out_start[i], run->out_end[i], idle->made, (int32_t)choice->absent};
    Copy in = {run->in_start[i], run->in_end[i], (int32_t)choice->back - 1, (int32_t)idle->to};
    if (run->out_end[i] >= 0)
      g_array_append_val(finder->copies[0], out);
    g_array_append_val(finder->copies[1], in);
  }
  for (int lane = 0; lane < 2; lane++)
    if (finder->copies[lane]->len > 1)
      qsort(finder->copies[lane]->data, finder->copies[lane]->len, sizeof(Copy), compare_copies);
}

/* What the lane has to do inside beyond the compute that may hide it. */
static void
offer(Finder *finder, int lane, int32_t from, int32_t to, double copies)
{
  TnSpillWindow window = {lane == 0, from, to, 0};
  window.value = copies - tn_spill_window_inside(&window, finder->before);
  if (from < to && window.value > 1e-12)
    g_array_append_val(finder->windows, window);
}

/* Of each copy as the last one: the copies before it, as long as they follow each other without a
 * break, let the window begin where the latest of their makers ends. */
static void
offer_windows(Finder *finder, int lane)
{
  const GArray *copies = finder->copies[lane];
  for (guint last = 0; last < copies->len; last++) {
    const Copy *end = &g_array_index(copies, Copy, last);
    double sum = 0, starts = end->start;
    int32_t from = end->from, to = end->to;
    for (guint i = last + 1; i-- > 0 && last - i < MOST_IN_A_ROW;) {
      const Copy *copy = &g_array_index(copies, Copy, i);
      if (i < last && copy->end < starts - 1e-9)
        break;
      sum += copy->end - copy->start;
      starts = copy->start;
      from = MIN(from, copy->from);
      to = MAX(to, copy->to);
      offer(finder, lane, from, to, sum);
    }
  }
}

static int
compare_ends(const void *x, const void *y)
{
  int64_t a = tn_spill_window_end(x), b = tn_spill_window_end(y);
  if (a == b) {
    a = tn_spill_window_begin(x);
    b = tn_spill_window_begin(y);
  }
  return a < b ? -1 : a > b;
}

/* Weighted interval scheduling: best[t] is the largest sum of windows that end at moment t or
 * before. */
static GArray *
choose(GArray *windows, uint32_t n)
{
  gsize n_moments = 3 * ((gsize)n + 1);
  g_autofree double *best = g_new0(double, n_moments + 1);
  g_autofree uint32_t *taken = g_new(uint32_t, n_moments + 1);
  GArray *chosen = g_array_new(FALSE, FALSE, sizeof(TnSpillWindow));
  guint at = 0;
  if (windows->len > 1)
    qsort(windows->data, windows->len, sizeof(TnSpillWindow), compare_ends);
  for (gsize t = 0; t <= n_moments; t++) {
    taken[t] = TN_NONE;
    best[t] = t ? best[t - 1] : 0;
    for (; at < windows->len; at++) {
      const TnSpillWindow *window = &g_array_index(windows, TnSpillWindow, at);
      if (tn_spill_window_end(window) != (int64_t)t)
        break;
      double sum = best[tn_spill_window_begin(window)] + window->value;
      if (sum <= best[t])
        continue;
      best[t] = sum;
      taken[t] = at;
    }
  }
  for (gsize t = n_moments; t > 0;) {
    if (taken[t] == TN_NONE) {
      t--;
      continue;
    }
    const TnSpillWindow *window = &g_array_index(windows, TnSpillWindow, taken[t]);
    g_array_prepend_val(chosen, *window);
    t = (gsize)tn_spill_window_begin(window);
  }
  return chosen;
}

GArray *
tn_spill_windows_new(const TnSpillRun *run, const TnSpillPlan *plan, const double *before)
{
  Finder finder = {
      .run = run,
      .before = before,
      .copies = {g_array_new(FALSE, FALSE, sizeof(Copy)), g_array_new(FALSE, FALSE, sizeof(Copy))},
      .windows = g_array_new(FALSE, FALSE, sizeof(TnSpillWindow))};
  list_copies(&finder, plan);
  offer_windows(&finder, 0);
  offer_windows(&finder, 1);
  GArray *chosen = choose(finder.windows, run->model->n);
  g_array_unref(finder.copies[0]);
  g_array_unref(finder.copies[1]);
  g_array_unref(finder.windows);
  return chosen;
}
