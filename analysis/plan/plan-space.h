/* SPDX-License-Identifier: MIT */
/* Some rows of a table as the problem that a strategy sees. */
#pragma once

#include "analysis/plan/plan.h"

/* Every column of the problem but `use_row` is the space's own copy. */
typedef struct {
  TnPlanProblem problem;
  tn_tick *lower, *upper;
  tn_bytes *size, *alignment, *fixed;
  tn_bytes *requested;
  uint32_t *batch, *group, *stream, *traits, *gap_first;
  uint8_t *flags, *kind;
  GArray *gaps;
} TnPlanSpace;

/* Fills a zeroed space with these rows of the table, aligned to `least` (0: nothing) at least.  `rows` is
 * borrowed while the space is used.  Cleared by tn_plan_space_clear(). */
void tn_plan_space_fill(TnPlanSpace *space, const TnBuffers *buffers, const uint32_t *rows, uint32_t n,
                        tn_bytes least);
void tn_plan_space_clear(TnPlanSpace *space);

/* Of two alignments, both of which offsets must be multiples of.  Where that passes 64 bits there is no
 * such plan, and none will be found: INT64_MAX. */
tn_bytes tn_plan_common_multiple(tn_bytes a, tn_bytes b);
