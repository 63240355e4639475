/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/plan/answer.h"
#include "analysis/plan/greedy.h"
#include "analysis/plan/order.h"
#include "analysis/plan/pack.h"
#include "analysis/plan/strategies.h"

#include <string.h>

static uint64_t
life(const TnBodies *bodies, uint32_t b)
{
  return bodies->end[b] > bodies->start[b] ? (uint64_t)bodies->end[b] - (uint64_t)bodies->start[b]
                                           : 0;
}

static uint64_t
area(const TnBodies *bodies, uint32_t b)
{
  uint64_t product;
  if (__builtin_mul_overflow(life(bodies, b), (uint64_t)bodies->size[b], &product))
    return UINT64_MAX;
  return product;
}

/* Spans that share a section with one of the body's: an interval [first, last) meets all that
 * begin before `last` but those that end by `first`. */
static void
count_conflicts(const TnBodies *bodies, uint64_t *count)
{
  g_autofree uint32_t *begun = g_new0(uint32_t, (gsize)bodies->n_sections + 2);
  g_autofree uint32_t *ended = g_new0(uint32_t, (gsize)bodies->n_sections + 2);
  for (uint32_t i = 0; i < bodies->n_spans; i++) {
    begun[bodies->spans[i].first + 1]++;
    ended[bodies->spans[i].last]++;
  }
  for (uint32_t s = 0; s < bodies->n_sections; s++) {
    begun[s + 1] += begun[s];
    ended[s + 1] += ended[s];
  }
  for (uint32_t b = 0; b < bodies->n; b++) {
    count[b] = 0;
    for (uint32_t i = bodies->span_first[b]; i < bodies->span_first[b + 1]; i++)
      count[b] += begun[bodies->spans[i].last] - ended[bodies->spans[i].first];
  }
}

static void
fill_keys(const TnBodies *bodies, TnGreedy by, uint64_t *key)
{
  if (by == TN_GREEDY_CONFLICTS)
    count_conflicts(bodies, key);
  else
    for (uint32_t b = 0; b < bodies->n; b++)
      key[b] = by == TN_GREEDY_AREA ? area(bodies, b) : (uint64_t)bodies->size[b];
}

static uint64_t
start_key(const TnBodies *bodies, uint32_t b)
{
  return (uint64_t)bodies->start[b] ^ (1ull << 63);
}

static uint64_t
tie_key(const TnBodies *bodies, TnGreedy by, uint32_t b)
{
  if (by == TN_GREEDY_SIZE)
    return ~start_key(bodies, b);
  return by == TN_GREEDY_SIZE_LIFE ? life(bodies, b) : (uint64_t)bodies->size[b];
}

void
tn_greedy_order(const TnBodies *bodies, TnGreedy by, uint32_t *order)
{
  g_autofree uint64_t *key = g_new(uint64_t, MAX(bodies->n, 1u));
  /* Sorting by the tie-breaker first: the second sort keeps the order of equals. */
  for (uint32_t b = 0; b < bodies->n; b++)
    key[b] = tie_key(bodies, by, b);
  tn_order_by_key_descending(key, bodies->n, order);
  fill_keys(bodies, by, key);
  for (uint32_t b = 0; b < bodies->n; b++)
    key[b] = by == TN_GREEDY_START ? start_key(bodies, b) : ~key[b];
  tn_order_again(key, bodies->n, order);
}

tn_bytes
tn_greedy_begin(TnNeighbours *neighbours,
                const TnBodies *bodies,
                TnProgress *progress,
                gint64 deadline,
                tn_bytes *offset,
                char **out_message)
{
  static const TnGreedy tries[] = {TN_GREEDY_SIZE, TN_GREEDY_AREA, TN_GREEDY_SIZE_LIFE};
  gsize bytes = sizeof *offset * MAX(bodies->n, 1u);
  g_autofree uint32_t *order = g_new(uint32_t, MAX(bodies->n, 1u));
  g_autofree tn_bytes *other = g_malloc(bytes);
  tn_bytes arena = -1;
  for (gsize i = 0; i < G_N_ELEMENTS(tries); i++) {
    gint64 begun = g_get_monotonic_time();
    tn_greedy_order(bodies, tries[i], order);
    tn_neighbours_reset(neighbours);
    tn_bytes more = tn_pack(neighbours, bodies, order, TN_FIT_LOWEST, i ? arena - 1 : 0, progress,
                            i ? other : offset, i ? NULL : out_message);
    if (i == 0 && more < 0)
      return more;
    if (i && more >= 0)
      memcpy(offset, other, bytes);
    arena = i == 0 || more >= 0 ? more : arena;
    /* The next takes as long: not more than a tenth of what is left. */
    gint64 now = g_get_monotonic_time();
    if (arena <= bodies->fixed_bound || now + (now - begun) * 10 > deadline)
      break;
  }
  return arena;
}

static void
plan(TnGreedy by, const TnPlanProblem *problem, const TnPlanParams *params, TnPlanAnswer *answer)
{
  gint64 begun = g_get_monotonic_time();
  g_autoptr(TnBodies) bodies = tn_answer_begin(problem, answer);
  if (!bodies)
    return;
  char *message = NULL;
  g_autoptr(TnNeighbours) neighbours = tn_neighbours_new(bodies);
  g_autofree uint32_t *order = g_new(uint32_t, MAX(bodies->n, 1u));
  g_autofree tn_bytes *offset = g_new(tn_bytes, MAX(bodies->n, 1u));
  tn_greedy_order(bodies, by, order);
  tn_bytes arena =
      tn_pack(neighbours, bodies, order, TN_FIT_LOWEST, 0, params->progress, offset, &message);
  tn_answer_finish(answer, bodies, params, offset, arena, 0, message, begun);
}

static void
plan_by_size(const TnPlanProblem *problem, const TnPlanParams *params, TnPlanAnswer *answer)
{
  plan(TN_GREEDY_SIZE, problem, params, answer);
}

static void
plan_by_area(const TnPlanProblem *problem, const TnPlanParams *params, TnPlanAnswer *answer)
{
  plan(TN_GREEDY_AREA, problem, params, answer);
}

static void
plan_by_start(const TnPlanProblem *problem, const TnPlanParams *params, TnPlanAnswer *answer)
{
  plan(TN_GREEDY_START, problem, params, answer);
}

static void
plan_by_conflicts(const TnPlanProblem *problem, const TnPlanParams *params, TnPlanAnswer *answer)
{
  plan(TN_GREEDY_CONFLICTS, problem, params, answer);
}

const TnStrategy tn_strategy_greedy_size = {
    "greedy-size", "large buffers first, each into the lowest gap", plan_by_size, 0};
const TnStrategy tn_strategy_greedy_area = {
    "greedy-area", "largest size x life first, each into the lowest gap", plan_by_area, 0};
const TnStrategy tn_strategy_greedy_start = {
    "greedy-start", "in order of start, large first, each into the lowest gap", plan_by_start, 0};
const TnStrategy tn_strategy_greedy_conflicts = {
    "greedy-conflicts", "most neighbours in time first, each into the lowest gap",
    plan_by_conflicts, 0};
