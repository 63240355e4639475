/* SPDX-License-Identifier: MIT */
/* A step function of bytes over ticks, with exact extremes of any range.
 *
 *   bytes ^      +--+
 *         |   +--+  |        value[i] holds on [tick[i], tick[i + 1]);
 *         |---+     +-----   the last one up to `end`
 *         +---------------> tick
 *
 * Above the points lies a pyramid of 8-ary nodes, each with the place of its largest and smallest
 * point, so that the peak of a pixel column costs O(log n) and is never a sample beside it. */
#pragma once

#include "data/buffers.h"

#define TN_CURVE_LEVELS 12

typedef struct {
  uint32_t n; /* points, at least 1 */
  tn_tick *tick;
  tn_bytes *value;
  tn_tick end;
  tn_bytes peak;   /* the largest value */
  tn_tick peak_at; /* the first tick where it is reached */
  /* private: level k has one node for 8^(k+1) points; a node is the index of a point */
  uint32_t n_levels, level_n[TN_CURVE_LEVELS];
  uint32_t *highest[TN_CURVE_LEVELS], *lowest[TN_CURVE_LEVELS];
} TnCurve;

/* Bytes alive over [0, end): each buffer adds its bytes over its life, less its gaps; of batches, which
 * never run together, the one that has most at a tick counts there.
 * O(n log n), O(n + end) where ticks are dense.  NULL where a sum does not fit into 64 bits. */
TnCurve *tn_curve_new_for_buffers(const TnBuffers *buffers, tn_tick end);

/* The same of `n` rows alone, in any order, and all of them: whatever their batches. */
TnCurve *tn_curve_new_for_rows(const TnBuffers *buffers, const uint32_t *rows, uint32_t n, tn_tick end);

/* What tn_curve_new_for_buffers() gives of these rows alone: of their batches one counts. */
TnCurve *tn_curve_new_for_part(const TnBuffers *buffers, const uint32_t *rows, uint32_t n, tn_tick end);

/* Takes copies of `n` points (ticks strictly growing, the first one 0). */
TnCurve *tn_curve_new(const tn_tick *tick, const tn_bytes *value, uint32_t n, tn_tick end);
void tn_curve_free(TnCurve *curve);

/* The point whose step covers `tick` (clamped to the axis).  O(log n). */
uint32_t tn_curve_find(const TnCurve *curve, tn_tick tick);
tn_bytes tn_curve_at(const TnCurve *curve, tn_tick tick);

/* The largest value on [start, end) (at least one tick), and the first tick in it that has it.
 * O(log n).  `out_at` may be NULL. */
tn_bytes tn_curve_max(const TnCurve *curve, tn_tick start, tn_tick end, tn_tick *out_at);
tn_bytes tn_curve_min(const TnCurve *curve, tn_tick start, tn_tick end);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(TnCurve, tn_curve_free)
