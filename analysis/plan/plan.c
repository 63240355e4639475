/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/plan/bodies.h"
#include "analysis/plan/plan-table.h"
#include "analysis/plan/plan-twice.h"
#include "analysis/plan/plan.h"
#include "analysis/plan/strategies.h"

static const TnStrategy *const strategies[] = {
    &tn_strategy_greedy_size,  &tn_strategy_greedy_area,
    &tn_strategy_greedy_start, &tn_strategy_greedy_conflicts,
    &tn_strategy_first_fit,    &tn_strategy_best_fit,
    &tn_strategy_colour,       &tn_strategy_slots,
    &tn_strategy_ge,           &tn_strategy_search,
    &tn_strategy_exact,        &tn_strategy_best,
    NULL,
};

const TnStrategy *const *
tn_strategies(void)
{
  return strategies;
}

const TnStrategy *
tn_strategies_find(const char *name)
{
  for (const TnStrategy *const *strategy = strategies; *strategy; strategy++)
    if (g_strcmp0((*strategy)->name, name) == 0)
      return *strategy;
  return NULL;
}

void
tn_plan_answer_clear(TnPlanAnswer *answer)
{
  g_free(answer->offset);
  g_free(answer->message);
  if (answer->tried)
    g_array_unref(answer->tried);
  *answer = (TnPlanAnswer){0};
}

tn_bytes
tn_plan_lower_bound(const TnPlanProblem *problem)
{
  g_autofree char *message = NULL;
  g_autoptr(TnBodies) bodies = tn_bodies_new(problem, &message);
  return bodies ? bodies->lower_bound : -1;
}

static void
clear_try(gpointer data)
{
  g_free(((TnPlanTry *)data)->strategy);
}

GArray *
tn_plan_tries_new(void)
{
  GArray *tries = g_array_new(FALSE, TRUE, sizeof(TnPlanTry));
  g_array_set_clear_func(tries, clear_try);
  return tries;
}

void
tn_plan_tries_add(GArray *tries, const char *strategy, const TnPlanAnswer *answer)
{
  TnPlanTry try = {.strategy = g_strdup(strategy),
                   .arena_bytes = answer->offset ? answer->arena : -1,
                   .seconds = answer->seconds,
                   .status = answer->status};
  g_array_append_val(tries, try);
}

/* ---- a whole table ------------------------------------------------------------------------ */

/* GE keeps one of its variants for all memory types: the one with the smallest sum. */
static TnPlan *
plan_again(TnPlan *plan,
           const TnBuffers *buffers,
           const TnStrategy *strategy,
           tn_bytes alignment,
           const TnPlanParams *params)
{
  TnPlanParams own = *params;
  const TnPlanTry *best = NULL;
  for (guint i = 0; i < plan->tried->len; i++) {
    const TnPlanTry *try = &g_array_index(plan->tried, TnPlanTry, i);
    if (try->arena_bytes >= 0 && (!best || try->arena_bytes < best->arena_bytes))
      best = try;
  }
  if (!best)
    return plan;
  own.ge_variant = best->strategy;
  TnPlan *again = tn_plan_table(buffers, strategy, alignment, &own, NULL, NULL);
  g_array_unref(again->tried);
  again->tried = g_steal_pointer(&plan->tried);
  again->seconds += plan->seconds;
  tn_plan_free(plan);
  return again;
}

TnPlan *
tn_plan_new_for_buffers(const TnBuffers *buffers,
                        const TnStrategy *strategy,
                        tn_bytes alignment,
                        const TnPlanParams *params)
{
  if (params->uses && strategy != &tn_strategy_ge && !tn_plan_has_fixed_rows(buffers) &&
      tn_plan_is_within_reach(buffers, alignment))
    return tn_plan_streams(buffers, strategy, alignment, params);
  /* GE has batches of its own, and no fixed offsets: it says so of all rows. */
  g_autofree bool *apart = strategy != &tn_strategy_ge || tn_plan_has_fixed_rows(buffers)
                               ? tn_plan_find_apart(buffers, alignment)
                               : NULL;
  if (apart && strategy != &tn_strategy_ge)
    return tn_plan_both(buffers, strategy, alignment, params, apart);
  TnPlan *plan = tn_plan_table(buffers, strategy, alignment, params, NULL, apart);
  bool is_mixed = strategy == &tn_strategy_ge && plan->n_parts > 1 && !params->ge_variant &&
                  plan->status != TN_PLAN_FAILED;
  return is_mixed ? plan_again(plan, buffers, strategy, alignment, params) : plan;
}

const char *
tn_plan_reason(const TnPlan *plan)
{
  return plan->message ? plan->message : "the constraints contradict each other";
}

void
tn_plan_free(TnPlan *plan)
{
  if (!plan)
    return;
  g_free(plan->offset);
  g_free(plan->space_arena);
  if (plan->tried)
    g_array_unref(plan->tried);
  g_free(plan->message);
  g_free(plan->note);
  g_free(plan);
}
