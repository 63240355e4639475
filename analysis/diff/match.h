/* SPDX-License-Identifier: MIT */
/* Which buffer of A is which of B: rounds from the surest sign to the weakest; a pair once made
 * stays. */
#pragma once

#include "analysis/diff/diff.h"
#include "analysis/diff/ops.h"

/* One side while it is matched. */
typedef struct {
  const TnStudy *study;
  const TnGraph *graph; /* NULL: not a graph whose lives are computed */
  uint64_t *strings;    /* by string id */
  TnDiffOps ops;        /* of the graph */
  uint32_t *output_index; /* by tensor: which output of its producer; NULL without a graph */
  uint32_t *places;     /* by op row: its place in the order; NULL without a graph */
  uint32_t *partner;    /* by buffer: the other side's buffer; TN_NONE */
  uint8_t *match;       /* by buffer: TnDiffMatch */
  uint8_t *is_alone;    /* by buffer: a person said that it has no partner; may be NULL */
} TnDiffRows;

typedef struct {
  TnDiffRows a, b;
  bool is_same_document;
  uint32_t *op_of_a; /* NULL unless both are graphs */
  TnDiffAxis *axis;
} TnDiffMatcher;

/* Fills both sides' partners and the axis.  False where cancelled. */
bool tn_diff_match(TnDiffMatcher *matcher, TnProgress *progress);
void tn_diff_matcher_init(TnDiffMatcher *matcher,
                          const TnStudy *a,
                          const TnStudy *b,
                          const TnDiffParams *params);
void tn_diff_matcher_clear(TnDiffMatcher *matcher);

/* ---- one round (match-round.c) ------------------------------------------------------------------
 */

typedef struct {
  uint64_t *key_a, *key_b;     /* by buffer; 0: takes no part.  Owned by the caller */
  uint64_t *value_a, *value_b; /* by buffer: what orders those of one key; NULL: their sizes */
  TnDiffMatch match;
  bool is_strict; /* only those whose values are the same too; else what is left of a key pairs up
                     in the order of the rows, between those that are the same (by the order
                     alone, where these are fewer than half) */
  bool is_even;   /* only keys that both sides have equally often */
} TnDiffRound;

/* Pairs the buffers that have no partner yet and whose keys are the same; where a key has several,
 * as sequences of values.  A pair whose producers stand for other ops is refused.
 * O(n log n). */
void tn_diff_round(TnDiffMatcher *matcher, const TnDiffRound *round);

/* ---- the axis (match-axis.c) --------------------------------------------------------------------
 */

/* Of graphs from their ops, else from the pairs that there are.  Owned by the caller. */
TnDiffAxis *tn_diff_match_axis(const TnDiffMatcher *matcher);
