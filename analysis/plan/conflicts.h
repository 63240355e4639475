/* SPDX-License-Identifier: MIT */
/* Rows that may not share memory although their lives are apart. */
#pragma once

#include "analysis/plan/bodies.h"

typedef struct {
  uint32_t a, b; /* rows of the problem */
} TnConflict;

/* Pairs beyond this are too many to plan with. */
#define TN_CONFLICTS_MOST 4000000u
/* … and so many rows and streams, or rows and rows, that were looked at for pairs. */
#define TN_CONFLICTS_LOOKS 4000000000u

/* Appends to `pairs` (TnConflict) what the streams and the traits of the problem forbid beyond lives,
 * batches and no-reuse marks: a row that begins later without having waited for all users of the
 * earlier, or lies in gaps of one of another stream; zero copy against a contiguous group; what is cleaned against data; where the problem keeps
 * them apart, unlabelled against labelled.  `body` by row: TN_NONE
 * for rows that need no place; rows of one body are never a pair.  False where there are more than
 * TN_CONFLICTS_MOST, or more than TN_CONFLICTS_LOOKS had to be looked at.  O(pairs + rows × streams × log ops). */
bool tn_conflicts_find(const TnPlanProblem *problem, const uint32_t *body, GArray *pairs);

/* Rows that are zero copy and may not share with each other (uint32_t), in row order; owned by the
 * caller. */
GArray *tn_conflicts_zero_copy_new(const TnPlanProblem *problem, const uint32_t *body);

/* Rows that never hold all of themselves (gaps or windows all their life), in row order (uint32_t), where
 * some other is no-reuse: that may be nowhere in their height, held or not.  Owned by the caller. */
GArray *tn_conflicts_hollow_new(const TnPlanProblem *problem, const uint32_t *body);
