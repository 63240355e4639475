/* SPDX-License-Identifier: MIT */
/* first-fit and best-fit: the discrete pool run over time.  In order of start, the placed neighbours
 * of a body are what is alive at its start, so the gaps between them are the pool's holes. */
#include "config.h"

#include "analysis/plan/answer.h"
#include "analysis/plan/order.h"
#include "analysis/plan/pack.h"
#include "analysis/plan/strategies.h"

static void
order_by_start(const TnBodies *bodies, uint32_t *order)
{
  g_autofree uint64_t *key = g_new(uint64_t, MAX(bodies->n, 1u));
  for (uint32_t b = 0; b < bodies->n; b++)
    key[b] = (uint64_t)bodies->start[b] ^ (1ull << 63);
  tn_order_by_key(key, bodies->n, order);
}

static void
plan(TnFit fit, const TnPlanProblem *problem, const TnPlanParams *params, TnPlanAnswer *answer)
{
  gint64 begun = g_get_monotonic_time();
  g_autoptr(TnBodies) bodies = tn_answer_begin(problem, answer);
  if (!bodies)
    return;
  char *message = NULL;
  g_autoptr(TnNeighbours) neighbours = tn_neighbours_new(bodies);
  g_autofree uint32_t *order = g_new(uint32_t, MAX(bodies->n, 1u));
  g_autofree tn_bytes *offset = g_new(tn_bytes, MAX(bodies->n, 1u));
  order_by_start(bodies, order);
  tn_bytes arena =
      tn_pack(neighbours, bodies, order, fit, 0, params->progress, offset, &message);
  tn_answer_finish(answer, bodies, params, offset, arena, 0, message, begun);
}

static void
plan_first_fit(const TnPlanProblem *problem, const TnPlanParams *params, TnPlanAnswer *answer)
{
  plan(TN_FIT_LOWEST, problem, params, answer);
}

static void
plan_best_fit(const TnPlanProblem *problem, const TnPlanParams *params, TnPlanAnswer *answer)
{
  plan(TN_FIT_TIGHTEST, problem, params, answer);
}

const TnStrategy tn_strategy_first_fit = {
    "first-fit", "a discrete pool over time: the lowest hole that fits", plan_first_fit};
const TnStrategy tn_strategy_best_fit = {
    "best-fit", "a discrete pool over time: the smallest hole that fits", plan_best_fit};
