/* SPDX-License-Identifier: MIT */
/* Local search for instances that exact search cannot close: guided ejection.
 *
 * Lower the ceiling a little, throw out what sticks out, and put it back where it throws out the
 * cheapest others, which are put back in their turn.  Every body that found no free place becomes
 * more expensive to throw out, so the search learns which bodies are the difficult ones.
 * Source of the idea: Nagata & Braeysy, "A powerful route minimization heuristic" (2009). */
#pragma once

#include "analysis/plan/bodies.h"

typedef struct {
  const TnBodies *bodies;
  const TnPlanParams *params; /* capacity: stops at the first plan within it; seed; improved */
  gint64 deadline;            /* of g_get_monotonic_time() */
  tn_bytes *offset;           /* in: a plan; out: the best found.  Shape bodies->n */
  tn_bytes arena;             /* in, out: its arena */
  uint64_t nodes;             /* out: added to, bodies put somewhere */
} TnSearch;

/* Improves the plan until the bound, the wanted capacity or the deadline.  Any constraint is kept.
 * O(neighbours log neighbours) a step, O(n) memory. */
void tn_search_run(TnSearch *search);
