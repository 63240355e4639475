/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/plan/plan-merge.h"

#include <string.h>

static TnPlanTry *
find_try(GArray *tried, const char *strategy)
{
  for (guint i = 0; i < tried->len; i++)
    if (strcmp(g_array_index(tried, TnPlanTry, i).strategy, strategy) == 0)
      return &g_array_index(tried, TnPlanTry, i);
  return NULL;
}

/* The better end of both, which are ordered so; that none fits is proved for both. */
static TnPlanStatus
better_status(TnPlanStatus a, TnPlanStatus b)
{
  TnPlanStatus least = MIN(a, b);
  bool is_proved = least == TN_PLAN_TOO_LARGE && (a == TN_PLAN_INFEASIBLE || b == TN_PLAN_INFEASIBLE);
  return is_proved ? TN_PLAN_INFEASIBLE : least;
}

static void
merge_tries(GArray *tried, const GArray *more)
{
  for (guint i = 0; i < more->len; i++) {
    const TnPlanTry *from = &g_array_index(more, TnPlanTry, i);
    TnPlanTry *to = find_try(tried, from->strategy), copy = *from;
    if (!to) {
      copy.strategy = g_strdup(from->strategy);
      g_array_append_val(tried, copy);
      continue;
    }
    bool is_better = to->arena_bytes < 0 || (from->arena_bytes >= 0 && from->arena_bytes < to->arena_bytes);
    to->arena_bytes = is_better ? from->arena_bytes : to->arena_bytes;
    to->seconds += from->seconds;
    to->status = better_status(to->status, from->status);
  }
}

static void
take_spaces(TnPlan *plan, const TnPlan *other, const TnBuffers *buffers)
{
  g_autofree bool *is_taken = g_new0(bool, plan->n_spaces);
  plan->largest_arena_bytes = 0;
  for (uint32_t s = 0; s < plan->n_spaces; s++) {
    is_taken[s] = other->space_arena[s] < plan->space_arena[s];
    if (is_taken[s]) {
      plan->arena_bytes -= plan->space_arena[s] - other->space_arena[s];
      plan->space_arena[s] = other->space_arena[s];
    }
    /* Where the spaces disagree about the winner, the largest space's names the plan. */
    if (is_taken[s] && plan->space_arena[s] >= plan->largest_arena_bytes)
      plan->strategy = other->strategy;
    plan->largest_arena_bytes = MAX(plan->largest_arena_bytes, plan->space_arena[s]);
  }
  for (uint32_t i = 0; i < plan->n; i++)
    if (is_taken[tn_buffers_space(buffers, i)])
      plan->offset[i] = other->offset[i];
}

/* What holds of one plan's bounds holds of the other. */
static void
join_claims(TnPlan *plan, const TnPlan *other, tn_bytes capacity)
{
  plan->lower_bound_bytes = MAX(plan->lower_bound_bytes, other->lower_bound_bytes);
  plan->proved_bound_bytes = MAX(plan->proved_bound_bytes, other->proved_bound_bytes);
  plan->is_optimal = plan->arena_bytes == plan->proved_bound_bytes;
  plan->status = capacity <= 0 || plan->largest_arena_bytes <= capacity
                     ? TN_PLAN_FOUND
                     : better_status(MAX(plan->status, TN_PLAN_TOO_LARGE), other->status);
}

void
tn_plan_merge(TnPlan *plan, TnPlan *other, const TnBuffers *buffers, tn_bytes capacity)
{
  if (plan->status == TN_PLAN_FAILED && other->status != TN_PLAN_FAILED) {
    TnPlan failed = *plan;
    *plan = *other;
    *other = failed;
  } else if (other->status != TN_PLAN_FAILED) {
    take_spaces(plan, other, buffers);
    join_claims(plan, other, capacity);
  }
  merge_tries(plan->tried, other->tried);
  plan->nodes += other->nodes;
  plan->seconds += other->seconds;
  tn_plan_free(other);
}
