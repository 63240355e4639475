/* SPDX-License-Identifier: MIT */
/* Exhaustive search where bodies are no boxes (windows, contiguous groups) and may interlock: then
 * a body can lie below, above or *inside* another, and no order of placing reaches all plans.
 *
 * Method: every body lies as low as what was decided lets it; a pair that overlaps there has to be
 * decided, one way or the other way round the stretch of differences that overlap; least solutions
 * of difference constraints (with alignment) by relaxation.  Complete, whatever the alignments. */
#pragma once

#include "analysis/plan/bodies.h"

typedef struct {
  const TnBodies *bodies;
  tn_bytes capacity;    /* plans up to this; lowered with each plan that is found */
  tn_bytes wanted;      /* > 0: stops at the first plan within it */
  gint64 deadline;      /* of g_get_monotonic_time() */
  TnProgress *progress; /* may be NULL */
  tn_bytes *offset;     /* out: the lowest plan found; untouched where there is none */
  bool has_found;       /* out */
  bool is_exhausted;    /* out: proved, no plan is lower than the one found (or than `need`) */
  tn_bytes need;        /* out: where exhausted and nothing found: no plan is smaller than this */
  uint64_t nodes;       /* out: added to */
} TnInterlock;

#define TN_INTERLOCK_SPANS_MAX 3000u

/* O(spans^2) before the search; does nothing beyond TN_INTERLOCK_SPANS_MAX spans. */
void tn_interlock_run(TnInterlock *interlock);
