/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/budget/spill-search.h"

#include "analysis/budget/spill-greedy.h"

#include <math.h>
#include <string.h>

/* ---- branch and bound ------------------------------------------------------------------ */

typedef struct {
  const TnSpillModel *model;
  const TnSpillSearch *search;
  TnSpillRun run;
  TnSpillPlan plan;
  TnSpillFound *found;
  uint32_t *not_before; /* by idle stretch: it is there up to this place */
  bool *is_way_fixed;   /* by op */
  bool is_over;
} Bound;

static void branch(Bound *bound);

static void
take(Bound *bound, const TnSpillOutcome *outcome)
{
  TnSpillFound *found = bound->found;
  if (found->is_found && outcome->seconds >= found->outcome.seconds)
    return;
  found->is_found = true;
  found->outcome = *outcome;
  tn_spill_plan_copy(&found->plan, &bound->plan, bound->model);
}

static void
try_moves(Bound *bound, uint32_t i, uint32_t at)
{
  const TnIdle *idle = tn_spill_idle(bound->model, i);
  TnSpillChoice *choice = &bound->plan.choice[i];
  if (idle->move != TN_IDLE_CANDIDATE)
    return;
  for (uint32_t back = at + 1; back <= idle->to && !bound->is_over; back++)
    for (int early = idle->from > idle->made ? 1 : 0; early >= 0 && !bound->is_over; early--) {
      *choice = (TnSpillChoice){TN_SPILL_MOVE, early, at, back};
      branch(bound);
    }
  *choice = (TnSpillChoice){0};
}

static void
try_recompute(Bound *bound, uint32_t i)
{
  const TnIdle *idle = tn_spill_idle(bound->model, i);
  TnSpillChoice *choice = &bound->plan.choice[i];
  /* It is gone from right after its use, or not at all. */
  if (idle->recompute != TN_IDLE_CANDIDATE || bound->not_before[i] > (uint32_t)(idle->from + 1))
    return;
  *choice = (TnSpillChoice){TN_SPILL_RECOMPUTE, false, (uint32_t)(idle->from + 1), idle->to};
  branch(bound);
  *choice = (TnSpillChoice){0};
}

static void
try_ways(Bound *bound, uint32_t op)
{
  const TnSpillModel *model = bound->model;
  uint32_t n = tn_spill_n_ways(model, op);
  uint32_t had = bound->plan.way[op];
  if (bound->is_way_fixed[op])
    return;
  bound->is_way_fixed[op] = true;
  for (uint32_t w = 0; w < n; w++) {
    if (tn_spill_way(model, op, w)->workspace >= tn_spill_way(model, op, had)->workspace)
      continue;
    bound->plan.way[op] = w;
    branch(bound);
  }
  bound->plan.way[op] = had;
}

/* The ops that run again before `at` and the one there; owned.  Of the run at hand. */
static GArray *
ops_at(const Bound *bound, uint32_t at)
{
  const uint32_t *first = bound->run.redo_first;
  GArray *ops = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  for (uint32_t r = first[at]; r < first[at + 1]; r++)
    g_array_append_val(ops, g_array_index(bound->run.redo_ops, uint32_t, r));
  g_array_append_val(ops, bound->model->order[at]);
  return ops;
}

/* Where `op` runs again before `at`, another of its results may be dropped as well: then it has its
 * room already when it is made, and no second one. */
static void
try_siblings(Bound *bound, uint32_t op, uint32_t at)
{
  const TnSpillModel *model = bound->model;
  if (op != model->order[at])
    for (uint32_t k = model->order_model->made_first[op];
         k < model->order_model->made_first[op + 1]; k++)
      for (uint32_t b = model->order_model->made[k], i = model->idle_first[b];
           i < model->idle_first[b + 1]; i++)
        if (tn_spill_idle(model, i)->to == at && !bound->plan.choice[i].kind)
          try_recompute(bound, i);
}

/* Something must give way at `at`: one branch for each that can, where all those tried before stay
 * there. */
static void
branch_at(Bound *bound, uint32_t at)
{
  const TnSpillModel *model = bound->model;
  g_autoptr(GArray) ops = ops_at(bound, at);
  g_autofree bool *was_fixed = g_new(bool, ops->len);
  g_autofree uint32_t *had = g_new(uint32_t, (gsize)model->idles->len + 1);
  for (guint k = 0; k < ops->len; k++) {
    uint32_t op = g_array_index(ops, uint32_t, k);
    was_fixed[k] = bound->is_way_fixed[op];
    try_siblings(bound, op, at);
    try_ways(bound, op);
  }
  for (uint32_t i = 0; i < model->idles->len && !bound->is_over; i++) {
    const TnIdle *idle = tn_spill_idle(model, i);
    had[i] = bound->not_before[i];
    if (idle->from >= (int32_t)at || idle->to <= at || bound->plan.choice[i].kind ||
        bound->not_before[i] > at)
      continue;
    try_moves(bound, i, at);
    try_recompute(bound, i);
    bound->not_before[i] = at + 1;
  }
  if (!bound->is_over)
    memcpy(bound->not_before, had, sizeof *had * model->idles->len);
  for (guint k = 0; k < ops->len; k++)
    bound->is_way_fixed[g_array_index(ops, uint32_t, k)] = was_fixed[k];
}

static void
branch(Bound *bound)
{
  const TnSpillSearch *search = bound->search;
  if (bound->is_over)
    return;
  if (bound->found->n_plans++ % 64 == 0 &&
      (g_get_monotonic_time() > search->deadline || tn_progress_is_cancelled(search->progress))) {
    bound->is_over = true;
    return;
  }
  TnSpillOutcome outcome = tn_spill_run(&bound->run, &bound->plan, search->budget, true);
  if (outcome.seconds == HUGE_VAL ||
      (bound->found->is_found && outcome.seconds >= bound->found->outcome.seconds - 1e-12))
    return;
  if (outcome.over_at != TN_NONE) {
    branch_at(bound, outcome.over_at);
    return;
  }
  outcome = tn_spill_run(&bound->run, &bound->plan, search->budget, false);
  take(bound, &outcome);
}

static bool
search_all(const TnSpillModel *model, const TnSpillSearch *search, TnSpillFound *found)
{
  Bound bound = {.model = model, .search = search, .found = found};
  tn_spill_run_init(&bound.run, model);
  tn_spill_plan_init(&bound.plan, model);
  bound.not_before = g_new0(uint32_t, (gsize)model->idles->len + 1);
  bound.is_way_fixed = g_new0(bool, (gsize)model->n + 1);
  for (uint32_t i = 0; i < model->n; i++)
    bound.plan.way[i] = tn_spill_first_way(model, i, search->budget);
  branch(&bound);
  tn_spill_run_clear(&bound.run);
  tn_spill_plan_clear(&bound.plan);
  g_free(bound.not_before);
  g_free(bound.is_way_fixed);
  return !bound.is_over;
}

void
tn_spill_search(const TnSpillModel *model,
                const TnSpillSearch *search,
                const TnSpillPlan *hint,
                TnSpillFound *out_found)
{
  uint32_t place;
  *out_found = (TnSpillFound){0};
  tn_spill_plan_init(&out_found->plan, model);
  if (tn_spill_smallest_budget(model, &place) > search->budget) {
    out_found->is_proved_impossible = true;
    return;
  }
  tn_spill_greedy(model, search, hint, out_found);
  if (!search->is_quick)
    out_found->is_optimal = search_all(model, search, out_found);
  out_found->is_proved_impossible = out_found->is_optimal && !out_found->is_found;
  out_found->is_optimal &= out_found->is_found;
}
