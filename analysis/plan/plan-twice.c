/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/plan/plan-twice.h"

#include "analysis/plan/plan-merge.h"
#include "analysis/plan/plan-table.h"
#include "analysis/plan/strategies.h"

/* ---- batches above the rest, and in one with it
 * ------------------------------------------------------------------------------------------ */

TnPlan *
tn_plan_both(const TnBuffers *buffers,
             const TnStrategy *strategy,
             tn_bytes alignment,
             const TnPlanParams *params,
             const bool *apart)
{
  gint64 begun = g_get_monotonic_time();
  TnPlanParams own = tn_plan_share_time(params, strategy, begun, 2);
  TnPlan *plan = tn_plan_table(buffers, strategy, alignment, &own, NULL, NULL);
  bool has_plan = plan->status != TN_PLAN_FAILED;
  if (has_plan && plan->is_optimal)
    return plan;
  tn_bytes stacked = has_plan ? plan->arena_bytes : INT64_MAX;
  own = tn_plan_share_time(params, strategy, begun, 1);
  own.improved = NULL; /* not every better one of these is better than the stacked */
  tn_plan_merge(plan, tn_plan_table(buffers, strategy, alignment, &own, NULL, apart), buffers,
                params->capacity);
  if (params->improved && plan->status != TN_PLAN_FAILED && plan->arena_bytes < stacked)
    params->improved(plan->offset, plan->n, plan->arena_bytes, params->improved_payload);
  return plan;
}

/* ---- streams that share nothing
 * ------------------------------------------------------------------------------------------ */

/* By row: its stream, where one alone uses it and all of its contiguous group; 0: several do.
 * Owned. */
static uint32_t *
find_classes(const TnBuffers *buffers, const TnStreamUses *uses)
{
  uint32_t *class = g_new0(uint32_t, MAX(buffers->n, 1u));
  g_autoptr(GHashTable) first = g_hash_table_new(NULL, NULL); /* group → row + 1 */
  g_autoptr(GHashTable) mixed = g_hash_table_new(NULL, NULL); /* groups */
  for (uint32_t i = 0; i < buffers->n; i++) {
    gpointer group = GUINT_TO_POINTER(buffers->group ? buffers->group[i] : 0);
    if (tn_stream_uses_are_of_one(uses, i, i))
      class[i] = tn_stream_uses_stream(uses, i) + 1;
    uint32_t had = group ? GPOINTER_TO_UINT(g_hash_table_lookup(first, group)) : 0;
    if (group && !had)
      g_hash_table_insert(first, group, GUINT_TO_POINTER(i + 1));
    else if (had && class[had - 1] != class[i])
      g_hash_table_add(mixed, group);
  }
  for (uint32_t i = 0; buffers->group && i < buffers->n; i++)
    if (g_hash_table_contains(mixed, GUINT_TO_POINTER(buffers->group[i])))
      class[i] = 0;
  return class;
}

/* Each stream's rows above those of the others, and what several use shares with nobody.  That
 * needs no list of pairs. */
static TnPlan *
plan_by_stream(const TnBuffers *buffers,
               const TnStrategy *strategy,
               tn_bytes alignment,
               const TnPlanParams *params)
{
  TnPlanParams own = tn_plan_share_time(params, strategy, g_get_monotonic_time(), 4);
  g_autofree uint32_t *class = find_classes(buffers, params->uses);
  g_autoptr(TnBuffers) alone = tn_buffers_copy(buffers);
  for (uint32_t i = 0; i < alone->n; i++)
    alone->flags[i] |= class[i] ? 0 : TN_BUFFER_NO_REUSE;
  own.uses = NULL;
  own.improved = NULL;
  return tn_plan_table(alone, strategy, alignment, &own, class, NULL);
}

/* What the lives alone ask for, whatever the streams. */
static tn_bytes
bound_of_lives(const TnBuffers *buffers, tn_bytes alignment)
{
  TnPlanParams params = TN_PLAN_PARAMS_INIT;
  g_autoptr(TnPlan) plan =
      tn_plan_table(buffers, &tn_strategy_first_fit, alignment, &params, NULL, NULL);
  return plan->status == TN_PLAN_FAILED ? 0 : plan->lower_bound_bytes;
}

bool
tn_plan_has_fixed_rows(const TnBuffers *buffers)
{
  bool has_fixed = false;
  for (uint32_t i = 0; i < buffers->n; i++)
    has_fixed |= buffers->flags[i] & TN_BUFFER_FIXED && buffers->offset[i] >= 0;
  return has_fixed;
}

/* What is proved of all plans, said of this one; what it proved itself is of its streams apart. */
static void
claim(TnPlan *plan, tn_bytes bound, tn_bytes capacity)
{
  plan->lower_bound_bytes = plan->proved_bound_bytes = bound;
  plan->is_optimal = plan->arena_bytes == bound;
  if (plan->status == TN_PLAN_INFEASIBLE || plan->status == TN_PLAN_TOO_LARGE)
    plan->status = plan->n_spaces == 1 && bound > capacity ? TN_PLAN_INFEASIBLE : TN_PLAN_TOO_LARGE;
  tn_plan_doubt_tries(plan->tried);
}

TnPlan *
tn_plan_streams(const TnBuffers *buffers,
                const TnStrategy *strategy,
                tn_bytes alignment,
                const TnPlanParams *params)
{
  gint64 begun = g_get_monotonic_time();
  tn_bytes bound = bound_of_lives(buffers, alignment);
  TnPlan *by_stream = plan_by_stream(buffers, strategy, alignment, params);
  if (by_stream->status != TN_PLAN_FAILED)
    claim(by_stream, bound, params->capacity);
  if (by_stream->status != TN_PLAN_FAILED && by_stream->is_optimal)
    return by_stream;
  TnPlanParams own = tn_plan_share_time(params, strategy, begun, 1);
  g_autofree bool *apart = tn_plan_find_apart(buffers, alignment);
  TnPlan *plan = apart ? tn_plan_both(buffers, strategy, alignment, &own, apart)
                       : tn_plan_table(buffers, strategy, alignment, &own, NULL, NULL);
  if (tn_progress_is_cancelled(params->progress)) {
    tn_plan_free(by_stream);
  } else {
    g_autofree char *why = g_strdup(plan->message);
    tn_plan_merge(plan, by_stream, buffers, params->capacity);
    if (why && plan->status != TN_PLAN_FAILED)
      plan->note = g_strdup_printf("in this plan streams share nothing with each other: %s", why);
  }
  plan->seconds = (double)(g_get_monotonic_time() - begun) / G_USEC_PER_SEC;
  return plan;
}
