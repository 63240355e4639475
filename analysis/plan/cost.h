/* SPDX-License-Identifier: MIT */
/* What a plan costs beside its arena: waits between ops, and holes of the pool over time. */
#pragma once

#include "analysis/plan/plan.h"

/* ---- the cost of tightness ---------------------------------------------------------------------- */

/* Ops and what must run before what, op ids in an order that may run (every edge goes up). */
typedef struct {
  uint32_t n;
  const uint32_t *edge_first; /* n + 1 indexes into edge */
  const uint32_t *edge;       /* the ops that an op must come before */
} TnPlanOps;

/* Who writes and uses a buffer. */
typedef struct {
  const uint32_t *producer;   /* by buffer: the first op that writes it; TN_NONE: none */
  const uint32_t *user_first; /* n + 1 indexes into user */
  const uint32_t *user;       /* by buffer: ops that use it */
} TnPlanUses;

typedef struct {
  uint64_t n_reuses; /* pairs (buffer, the next tenant of some of its bytes) */
  uint64_t n_waits;  /* pairs of ops (user of the one, producer of the other) with no path between
                        them: a wait where they run on several streams.  Each pair counts once. */
} TnPlanWaits;

/* Counts the dependencies that reuse adds.  `offset` (shape problem->n) is a plan.  A buffer's life is
 * taken whole, gaps left out of account.
 * Method: tenants of address ranges in order of start; reachability for 64 producers at a time, as
 * bits carried against the edges.  O((ops / 64) (ops + edges) + reuses log reuses). */
TnPlanWaits tn_plan_count_waits(const TnPlanProblem *problem, const tn_bytes *offset,
                                const TnPlanOps *ops, const TnPlanUses *uses);

/* ---- the pool over time ------------------------------------------------------------------------- */

/* The pool after all that begins at `tick` is there. */
typedef struct {
  tn_tick tick;
  tn_bytes live;         /* bytes in use */
  tn_bytes high_water;   /* highest top so far: what the pool holds */
  tn_bytes largest_hole; /* below the high-water mark */
} TnPoolMoment;

/* All holes together are high_water - live; fragmentation = 1 - largest hole / all holes, 0 where
 * there is no hole. */
double tn_pool_fragmentation(const TnPoolMoment *moment);

/* The pool at each tick at which a buffer begins: a new array of TnPoolMoment, owned by the caller.
 * `offset` (shape n) is a plan without overlaps; gaps left out of account, empty lives skipped.
 * NULL where two buffers overlap.  O(n log n). */
GArray *tn_pool_new_trace(const TnPlanProblem *problem, const tn_bytes *offset);

typedef struct {
  tn_bytes moved; /* bytes that a compaction copies */
  tn_bytes won;   /* bytes by which the top of what is live falls */
} TnPoolCompaction;

/* What sliding all live buffers down at `tick` (in their order of address, aligned) would move and
 * win; fixed buffers stay.  O(n log n). */
TnPoolCompaction tn_pool_compact(const TnPlanProblem *problem, const tn_bytes *offset, tn_tick tick);
