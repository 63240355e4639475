/* SPDX-License-Identifier: MIT */
/* Where compute stands still for copies in a run, and how much of a copy that exposes: the rest of
 * it is hidden behind compute.
 *
 *   compute   |op0|op1|~~~~|op2|        ~~~~ a wait
 *   out         [====|####]             #### the exposed part of a copy
 */
#pragma once

#include "analysis/budget/spill-run.h"

typedef struct {
  double start, end; /* seconds, start < end */
  uint32_t place;    /* of the op that waits */
} TnSpillWait;

/* By place; their lengths add up to the outcome's wait_seconds.  Owned. */
GArray *tn_spill_waits_new(const TnSpillRun *run);
/* The part of [start, end) that waits cover, in seconds.  O(waits). */
double tn_spill_exposed(const GArray *waits, double start, double end);
