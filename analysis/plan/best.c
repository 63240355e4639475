/* SPDX-License-Identifier: MIT */
/* All strategies in a sensible order, until an arena equals the bound. */
#include "config.h"

#include "analysis/plan/strategies.h"

static const TnStrategy *const heuristics[] = {
    &tn_strategy_greedy_size,      &tn_strategy_greedy_area, &tn_strategy_best_fit,
    &tn_strategy_greedy_conflicts, &tn_strategy_greedy_start,
};

static bool
is_better(const TnPlanAnswer *a, const TnPlanAnswer *b)
{
  if (!a->offset || !b->offset)
    return a->offset && !b->offset;
  return a->arena < b->arena;
}

static void
take(TnPlanAnswer *best, TnPlanAnswer *answer, const TnStrategy *strategy,
     const TnPlanParams *params, uint32_t n)
{
  GArray *tried = best->tried;
  tn_plan_tries_add(tried, strategy->name, answer);
  if (!best->strategy || is_better(answer, best)) {
    best->tried = NULL;
    tn_plan_answer_clear(best);
    *best = *answer;
    *answer = (TnPlanAnswer){0};
    best->tried = tried;
    best->strategy = strategy->name;
    if (params->improved && best->offset)
      params->improved(best->offset, n, best->arena, params->improved_payload);
  }
  tn_plan_answer_clear(answer);
}

static void
plan(const TnPlanProblem *problem, const TnPlanParams *params, TnPlanAnswer *best)
{
  gint64 begun = g_get_monotonic_time();
  best->tried = tn_plan_tries_new();
  for (gsize i = 0; i < G_N_ELEMENTS(heuristics); i++) {
    TnPlanAnswer answer = {0};
    heuristics[i]->plan(problem, params, &answer);
    take(best, &answer, heuristics[i], params, problem->n);
    if (best->is_optimal || !best->offset || tn_progress_is_cancelled(params->progress))
      break;
  }
  best->seconds = (double)(g_get_monotonic_time() - begun) / G_USEC_PER_SEC;
}

const TnStrategy tn_strategy_best = {
    "best", "all strategies in a sensible order until the bound is reached", plan};
