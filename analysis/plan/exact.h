/* SPDX-License-Identifier: MIT */
/* Branch and bound over capacities: lowers the arena of a plan and raises its proved bound until
 * they meet or the time is over. */
#pragma once

#include "analysis/plan/bodies.h"

typedef struct {
  const TnBodies *bodies;
  const TnPlanParams *params; /* capacity: stops at the first plan within it; n_threads; improved */
  gint64 deadline;            /* of g_get_monotonic_time() */
  gint64 coarse_deadline;     /* of the same, for the first look at large parts; 0: no such look */
  tn_bytes *offset;           /* in: a plan; out: the best found.  Shape bodies->n */
  tn_bytes arena;             /* in, out: its arena */
  tn_bytes proved;            /* in: 0; out: no plan is smaller, >= bodies->fixed_bound */
  uint64_t nodes;             /* out: added to */
} TnExact;

/* Time lost to a deadline costs quality only: a bound that is returned was proved.  Where the
 * bodies are in independent parts, each is searched alone, the highest first. */
void tn_exact_run(TnExact *exact);
