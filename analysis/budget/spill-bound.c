/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/budget/spill-bound.h"

#include "analysis/budget/spill-relax.h"

#include <math.h>

#define MOST_ROUNDS 3000
#define PATIENCE 25 /* rounds without a better bound, then steps get shorter */

double
tn_spill_shortest(const TnSpillModel *model, tn_bytes budget)
{
  double sum = 0;
  for (uint32_t op = 0; op < model->n; op++)
    sum += tn_spill_way(model, op, tn_spill_first_way(model, op, budget))->seconds;
  return sum;
}

/* ---- ascent -------------------------------------------------------------------------------- */

/* Moves along the gradient, of prices and of weights in units of `unit` seconds; they stay within
 * what is allowed. */
static void
step(TnSpillRelax *relax, double goal, double unit)
{
  double norm = 0;
  for (uint32_t p = 0; p < relax->model->n; p++)
    if (relax->need[p] > 0)
      norm += relax->room[p] * relax->room[p];
  for (guint w = 0; w < relax->windows->len; w++)
    norm += relax->slack[w] * relax->slack[w] / (unit * unit);
  if (norm < 1e-18)
    return; /* no way leads up: what is left of the gradient is rounding */
  for (uint32_t p = 0; p < relax->model->n; p++)
    if (relax->need[p] > 0)
      relax->price[p] = MAX(relax->price[p] + goal / norm * relax->room[p], 0);
  for (guint w = 0; w < relax->windows->len; w++)
    relax->weight[w] =
        CLAMP(relax->weight[w] + goal / norm * relax->slack[w] / (unit * unit), 0, 1);
}

static bool
is_late(gint64 deadline)
{
  return deadline > 0 && g_get_monotonic_time() >= deadline;
}

/* `lost`: seconds that the plan at hand loses, above which no bound can be. */
static double
ascend(TnSpillRelax *relax, double lost, gint64 deadline)
{
  double best = -HUGE_VAL, stride = 1.5;
  int since = 0;
  for (int round = 0; round < MOST_ROUNDS && stride > 1e-4 && !is_late(deadline); round++) {
    double value = tn_spill_relax_value(relax);
    since = value > best + 1e-6 * lost ? 0 : since + 1;
    best = MAX(best, value);
    if (since >= PATIENCE) {
      stride /= 2;
      since = 0;
    }
    step(relax, stride * MAX(lost - value, 1e-6 * lost), lost);
  }
  return MAX(best, 0);
}

/* ---- windows ------------------------------------------------------------------------------- */

/* Neighbours of one lane joined in pairs; owned, NULL where there are none. */
static GArray *
join_windows(const GArray *windows)
{
  GArray *joined = g_array_new(FALSE, FALSE, sizeof(TnSpillWindow));
  for (guint w = 0; w < windows->len; w++) {
    TnSpillWindow window = g_array_index(windows, TnSpillWindow, w);
    const TnSpillWindow *next =
        w + 1 < windows->len ? &g_array_index(windows, TnSpillWindow, w + 1) : NULL;
    if (next && next->is_out == window.is_out) {
      window.to = next->to;
      w++;
    }
    g_array_append_val(joined, window);
  }
  if (joined->len < windows->len)
    return joined;
  g_array_unref(joined);
  return NULL;
}

/* Two windows that meet at the place with the greatest need. */
static GArray *
halves_new(const TnSpillRelax *relax)
{
  GArray *halves = g_array_new(FALSE, FALSE, sizeof(TnSpillWindow));
  uint32_t top = 0;
  for (uint32_t p = 0; p < relax->model->n; p++)
    top = relax->need[p] > relax->need[top] ? p : top;
  TnSpillWindow out = {true, -1, (int32_t)top, 0}, in = {false, (int32_t)top, 0, 0};
  for (uint32_t i = 0; i < relax->model->idles->len; i++) {
    const TnIdle *idle = tn_spill_idle(relax->model, i);
    if (idle->from < (int32_t)top && idle->to > top)
      in.to = MAX(in.to, (int32_t)idle->to);
  }
  g_array_append_val(halves, out);
  if (in.to > in.from)
    g_array_append_val(halves, in);
  return halves;
}

/* From coarse to fine: coarse windows see what the lanes can't do in all, fine ones what each op
 * waits for. */
static GPtrArray *
families_new(const TnSpillRelax *relax, const TnSpillPlan *plan, tn_bytes budget)
{
  GPtrArray *families = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
  TnSpillRun run;
  tn_spill_run_init(&run, relax->model);
  tn_spill_run(&run, plan, budget, false);
  for (GArray *next = tn_spill_windows_new(&run, plan, relax->before); next;
       next = join_windows(g_ptr_array_index(families, 0)))
    g_ptr_array_insert(families, 0, next);
  g_ptr_array_insert(families, 0, halves_new(relax));
  tn_spill_run_clear(&run);
  return families;
}

double
tn_spill_bound(const TnSpillModel *model, const TnSpillPlan *plan, tn_bytes budget, gint64 deadline)
{
  TnSpillRelax relax;
  TnSpillRun run;
  tn_spill_run_init(&run, model);
  double lost = tn_spill_run(&run, plan, budget, false).seconds - tn_spill_shortest(model, budget);
  tn_spill_run_clear(&run);
  if (!(lost > 0) || model->idles->len == 0)
    return 0;
  tn_spill_relax_init(&relax, model, budget);
  g_autoptr(GPtrArray) families = families_new(&relax, plan, budget);
  double bound = 0;
  for (guint f = 0; f < families->len && !is_late(deadline); f++) {
    gint64 now = g_get_monotonic_time();
    tn_spill_relax_set_windows(&relax, g_ptr_array_index(families, f));
    double found =
        ascend(&relax, lost, deadline > 0 ? now + (deadline - now) / (families->len - f) : 0);
    bound = MAX(bound, found);
  }
  tn_spill_relax_clear(&relax);
  return bound;
}
