/* SPDX-License-Identifier: MIT */
/* Two axes of time laid over each other: stretches in which both sides do the same, and between
 * them what only one side does.  The common axis has room for both:
 *
 *   a       [0..5)[5..9)          ticks of a
 *   common  [0..5)[5..7)[7..11)
 *   b       [0..5)[5..7)[7..11)   two ticks that b has alone: a stands still there
 */
#pragma once

#include "data/types.h"

typedef struct {
  tn_tick a, b, length; /* [a, a + length) is [b, b + length) */
  tn_tick common;       /* where it begins on the common axis */
  tn_tick knots;        /* the ticks of all stretches before it */
} TnDiffStretch;

typedef struct {
  GArray *stretches; /* TnDiffStretch, growing on both sides, none touching the next on both */
  tn_tick a_end, b_end, end; /* of each side's axis and of the common one */
} TnDiffAxis;

typedef enum { TN_DIFF_A, TN_DIFF_B } TnDiffSide;

/* From single ticks that stand for each other (growing on both sides), `length` ticks long each.
 * O(n). */
TnDiffAxis *tn_diff_axis_new(
    const tn_tick *a, const tn_tick *b, uint32_t n, tn_tick length, tn_tick a_end, tn_tick b_end);
void tn_diff_axis_free(TnDiffAxis *axis);

/* A tick of one side on the common axis (growing, not strictly), a tick of the common axis on one
 * side (where the side stands still: its last tick before), and from side to side.  O(log n). */
tn_tick tn_diff_axis_to_common(const TnDiffAxis *axis, TnDiffSide side, tn_tick tick);
tn_tick tn_diff_axis_from_common(const TnDiffAxis *axis, TnDiffSide side, tn_tick tick);
tn_tick tn_diff_axis_map(const TnDiffAxis *axis, TnDiffSide from, tn_tick tick);

/* How many ticks before `tick` both sides have in common.  Two moments are the same where this is:
 * what one side has alone counts nothing.  O(log n). */
tn_tick tn_diff_axis_rank(const TnDiffAxis *axis, TnDiffSide side, tn_tick tick);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(TnDiffAxis, tn_diff_axis_free)
