/* SPDX-License-Identifier: MIT */
/* Why an arena is larger than what is needed at once, by cause.  The causes add up: each is how much the
 * largest sum of live bytes grows when the rule is applied on top of those before it.
 *
 *   arena = needed + rounding + kept apart + neighbours + batches + streams + misfit
 */
#pragma once

#include "analysis/study.h"

typedef struct {
  tn_bytes arena;
  tn_bytes needed;     /* largest sum of contents (without padding) alive at once */
  tn_bytes rounding;   /* padding and blocks of 512 */
  tn_bytes apart;      /* inputs and outputs of the caller's, and what shares with nobody */
  tn_bytes neighbours; /* contiguous stretches live as long as any of their members */
  tn_bytes batches;    /* each space's largest batch has a region of its own */
  tn_bytes streams;    /* at most: each stream's own peak, as far as the arena is that large */
  tn_bytes misfit;     /* the rest: places of unequal sizes, holes of the order of placement */
  tn_bytes theory;     /* needed + rounding: GE's theory_min of one memory type */
} TnPlanGap;

/* Of a study with an arena; false where it has none, or several spaces with one each that do not add
 * up.  O(n log n) for each cause. */
bool tn_plan_gap_find(const TnStudy *study, TnPlanGap *out_gap);
