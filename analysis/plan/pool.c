/* SPDX-License-Identifier: MIT */
/* first-fit and best-fit: the discrete pool run over time.  Frees come before allocations at equal
 * ticks, allocations of one tick in row order.
 *
 * Where bodies are no boxes or some are fixed, they are packed in order of start instead: then the
 * placed neighbours of a body are what is alive at its start, and the gaps between them the holes.
 */
#include "config.h"

#include "analysis/plan/answer.h"
#include "analysis/plan/holes.h"
#include "analysis/plan/order.h"
#include "analysis/plan/pack.h"
#include "analysis/plan/strategies.h"
#include "data/hash.h"

#include <string.h>

/* Bodies left last, by size: a stack per size, through `before`. */
typedef struct {
  GHashTable *last; /* int64_t size -> body + 1 */
  uint32_t *before; /* by body: the one of its size left before it, TN_NONE */
} Freed;

/* What the run asks of a body, in one cache line: rows come in no order of time. */
typedef struct {
  tn_tick start, end;
  tn_bytes size, offset;
} Tenant;

typedef struct {
  const TnBodies *bodies;
  const TnPlanParams *params;
  bool is_best_fit;
  TnHoleTree *holes;
  Freed freed;
  Tenant *tenants;
} Pool;

static void
order_by_tick(const TnBodies *bodies, const tn_tick *tick, uint32_t *order)
{
  g_autofree uint64_t *key = g_new(uint64_t, MAX(bodies->n, 1u));
  for (uint32_t b = 0; b < bodies->n; b++)
    key[b] = (uint64_t)tick[b] ^ (1ull << 63);
  tn_order_by_key(key, bodies->n, order);
}

static void
remember_freed(Pool *pool, uint32_t b)
{
  Freed *freed = &pool->freed;
  gint64 size = pool->tenants[b].size;
  gpointer last = g_hash_table_lookup(freed->last, &size);
  freed->before[b] = last ? GPOINTER_TO_UINT(last) - 1 : TN_NONE;
  g_hash_table_replace(freed->last, g_memdup2(&size, sizeof size), GUINT_TO_POINTER(b + 1));
}

/* The place that a body of this size left last, if it is free and aligned; -1. */
static tn_bytes
take_freed(Pool *pool, uint32_t b)
{
  Freed *freed = &pool->freed;
  gint64 size = pool->tenants[b].size;
  gpointer last = g_hash_table_lookup(freed->last, &size);
  uint32_t other = last ? GPOINTER_TO_UINT(last) - 1 : TN_NONE;
  tn_bytes found = -1;
  for (; other != TN_NONE && found < 0; other = freed->before[other]) {
    tn_bytes offset = pool->tenants[other].offset;
    if (tn_bodies_align(pool->bodies, b, offset) == offset &&
        tn_hole_tree_are_free(pool->holes, offset, size))
      found = offset;
  }
  if (last)
    g_hash_table_replace(freed->last, g_memdup2(&size, sizeof size), GUINT_TO_POINTER(other + 1));
  return found;
}

static tn_bytes
allocate(Pool *pool, uint32_t b)
{
  tn_bytes size = pool->tenants[b].size, offset = -1;
  tn_bytes alignment = pool->bodies->alignment ? pool->bodies->alignment[b] : 1;
  if (pool->freed.last)
    offset = take_freed(pool, b);
  if (offset < 0)
    offset = pool->is_best_fit ? tn_hole_tree_tightest(pool->holes, size, alignment)
                               : tn_hole_tree_lowest(pool->holes, size, alignment);
  tn_hole_tree_take(pool->holes, offset, size);
  pool->tenants[b].offset = offset;
  return offset + size;
}

static void
release(Pool *pool, uint32_t b)
{
  tn_hole_tree_give(pool->holes, pool->tenants[b].offset, pool->tenants[b].size);
  if (pool->freed.last)
    remember_freed(pool, b);
}

static void
prefetch(const Pool *pool, const uint32_t *order, uint32_t i)
{
  const uint32_t ahead = 12;
  if (i + ahead < pool->bodies->n)
    __builtin_prefetch(&pool->tenants[order[i + ahead]], 1);
}

/* Returns the arena, -1 where cancelled. */
static tn_bytes
run(Pool *pool)
{
  const TnBodies *bodies = pool->bodies;
  g_autofree uint32_t *starts = g_new(uint32_t, MAX(bodies->n, 1u));
  g_autofree uint32_t *ends = g_new(uint32_t, MAX(bodies->n, 1u));
  tn_bytes arena = 0;
  order_by_tick(bodies, bodies->start, starts);
  order_by_tick(bodies, bodies->end, ends);
  for (uint32_t i = 0, k = 0; i < bodies->n; i++) {
    uint32_t b = starts[i];
    prefetch(pool, starts, i);
    while (pool->tenants[ends[k]].end <= pool->tenants[b].start) {
      prefetch(pool, ends, k);
      release(pool, ends[k++]);
    }
    tn_bytes top = allocate(pool, b);
    arena = MAX(arena, top);
    if (i % 1024 == 0 && tn_progress_is_cancelled(pool->params->progress))
      return -1;
  }
  return arena;
}

static tn_bytes
run_pool(const TnBodies *bodies, bool is_best_fit, const TnPlanParams *params, tn_bytes *offset)
{
  Pool pool = {.bodies = bodies,
               .params = params,
               .is_best_fit = is_best_fit,
               .holes = tn_hole_tree_new(bodies->n),
               .tenants = g_new(Tenant, MAX(bodies->n, 1u))};
  for (uint32_t b = 0; b < bodies->n; b++)
    pool.tenants[b] = (Tenant){bodies->start[b], bodies->end[b], bodies->size[b], 0};
  if (is_best_fit && params->prefers_last_freed) {
    pool.freed.last = g_hash_table_new_full(tn_int64_hash, g_int64_equal, g_free, NULL);
    pool.freed.before = g_new(uint32_t, MAX(bodies->n, 1u));
  }
  tn_bytes arena = run(&pool);
  for (uint32_t b = 0; b < bodies->n; b++)
    offset[b] = pool.tenants[b].offset;
  g_free(pool.tenants);
  tn_hole_tree_free(pool.holes);
  if (pool.freed.last)
    g_hash_table_unref(pool.freed.last);
  g_free(pool.freed.before);
  return arena;
}

static tn_bytes
run_pack(const TnBodies *bodies,
         bool is_best_fit,
         const TnPlanParams *params,
         tn_bytes *offset,
         char **out_message)
{
  g_autoptr(TnNeighbours) neighbours = tn_neighbours_new(bodies);
  g_autofree uint32_t *order = g_new(uint32_t, MAX(bodies->n, 1u));
  order_by_tick(bodies, bodies->start, order);
  return tn_pack(neighbours, bodies, order, is_best_fit ? TN_FIT_TIGHTEST : TN_FIT_LOWEST, 0,
                 params->progress, offset, out_message);
}

static void
plan(bool is_best_fit,
     const TnPlanProblem *problem,
     const TnPlanParams *params,
     TnPlanAnswer *answer)
{
  gint64 begun = g_get_monotonic_time();
  g_autoptr(TnBodies) bodies = tn_answer_begin(problem, answer);
  if (!bodies)
    return;
  char *message = NULL;
  g_autofree tn_bytes *offset = g_new(tn_bytes, MAX(bodies->n, 1u));
  tn_bytes arena = bodies->is_simple ? run_pool(bodies, is_best_fit, params, offset)
                                     : run_pack(bodies, is_best_fit, params, offset, &message);
  tn_answer_finish(answer, bodies, params, offset, arena, 0, message, begun);
}

static void
plan_first_fit(const TnPlanProblem *problem, const TnPlanParams *params, TnPlanAnswer *answer)
{
  plan(false, problem, params, answer);
}

static void
plan_best_fit(const TnPlanProblem *problem, const TnPlanParams *params, TnPlanAnswer *answer)
{
  plan(true, problem, params, answer);
}

const TnStrategy tn_strategy_first_fit = {
    "first-fit", "a discrete pool over time: the lowest hole that fits", plan_first_fit, 0};
const TnStrategy tn_strategy_best_fit = {
    "best-fit", "a discrete pool over time: the smallest hole that fits", plan_best_fit, 0};
