/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/diff/causes.h"

#include "analysis/batch-sum.h"
#include "analysis/plan/occupancy.h"

/* What a buffer holds at a tick: its size, or what it keeps in a gap. */
static tn_bytes
held_at(const TnBuffers *b, tn_index row, tn_tick tick)
{
  tn_bytes low, high;
  return tn_occupancy_window(b, row, tick, &low, &high) ? high - low : 0;
}

typedef struct {
  const TnStudy *study;
  tn_tick peak_at;
  tn_index row;  /* TN_NONE: not on this side */
  tn_bytes held; /* at the side's own peak, where its batch counts */
} Side;

static Side
side_of(const TnStudy *study, uint32_t label, tn_index row)
{
  Side side = {study, study->live->peak_at, row, 0};
  if (row != TN_NONE && tn_batch_sum_counts(study->buffers, row, label))
    side.held = held_at(study->buffers, row, side.peak_at);
  return side;
}

/* Adds to a cause and to what the pair does to the peak. */
static bool
add(TnDiff *diff, uint32_t pair, TnDiffCause cause, tn_bytes bytes)
{
  if (bytes == 0)
    return true;
  diff->cause_n[cause]++;
  diff->pair_causes[pair] |= (uint16_t)(1u << cause);
  return tn_add(diff->cause[cause], bytes, &diff->cause[cause]) &&
         tn_add(diff->pair_bytes[pair], bytes, &diff->pair_bytes[pair]);
}

/* Counted at one peak only: because its life reaches farther on that side, or, where it would be
 * there at the moment of the other side's peak as well or its life only lies elsewhere, because
 * another moment, or another batch, is the peak. */
static TnDiffCause
cause_of_life(
    const TnDiff *diff, uint32_t pair, const Side *here, const Side *there, TnDiffSide side)
{
  unsigned changes = diff->pairs[pair].changes;
  unsigned wanted = side == TN_DIFF_B ? TN_CHANGE_LONGER : TN_CHANGE_SHORTER;
  tn_tick same = tn_diff_axis_map(diff->axis, side, here->peak_at);
  if (held_at(there->study->buffers, there->row, same) > 0 || !(changes & wanted))
    return TN_CAUSE_OTHER_MOMENT;
  return side == TN_DIFF_B ? TN_CAUSE_LIVES_LONGER : TN_CAUSE_LIVES_SHORTER;
}

/* At both peaks: what was asked for, and what rounding adds. */
static bool
add_size(TnDiff *diff, uint32_t pair, const Side *a, const Side *b)
{
  tn_bytes delta = b->held - a->held;
  tn_bytes asked = tn_buffers_requested(b->study->buffers, b->row) -
                   tn_buffers_requested(a->study->buffers, a->row);
  bool is_whole =
      a->held == a->study->buffers->bytes[a->row] && b->held == b->study->buffers->bytes[b->row];
  if (!is_whole) /* one of them has a gap there */
    return add(diff, pair, delta > 0 ? TN_CAUSE_LIVES_LONGER : TN_CAUSE_LIVES_SHORTER, delta);
  return add(diff, pair, TN_CAUSE_ROUNDING, delta - asked) &&
         add(diff, pair, asked > 0 ? TN_CAUSE_BIGGER : TN_CAUSE_SMALLER, asked);
}

/* `labels`: of the batch that counts at each side's peak. */
static bool
add_pair(TnDiff *diff, uint32_t pair, const uint32_t *labels)
{
  const TnDiffPair *p = &diff->pairs[pair];
  Side a = side_of(diff->a, labels[TN_DIFF_A], p->a), b = side_of(diff->b, labels[TN_DIFF_B], p->b);
  if (p->a == TN_NONE)
    return add(diff, pair, TN_CAUSE_NEW, b.held);
  if (p->b == TN_NONE)
    return add(diff, pair, TN_CAUSE_GONE, -a.held);
  if (a.held && b.held)
    return add_size(diff, pair, &a, &b);
  if (b.held)
    return add(diff, pair, cause_of_life(diff, pair, &b, &a, TN_DIFF_B), b.held);
  if (a.held)
    return add(diff, pair, cause_of_life(diff, pair, &a, &b, TN_DIFF_A), -a.held);
  return true;
}

static uint32_t
label_at_peak(const TnStudy *study)
{
  return tn_batch_sum_label_at(study->buffers, NULL, study->buffers->n, study->live->peak_at);
}

bool
tn_diff_find_causes(TnDiff *diff)
{
  uint32_t labels[] = {[TN_DIFF_A] = label_at_peak(diff->a), [TN_DIFF_B] = label_at_peak(diff->b)};
  diff->live_delta = diff->b->live->peak - diff->a->live->peak;
  for (uint32_t i = 0; i < diff->n; i++)
    if (!add_pair(diff, i, labels))
      return false;
  const TnDiffAccount *a = &diff->account_a, *b = &diff->account_b;
  diff->has_arena = a->arena >= 0 && b->arena >= 0;
  if (!diff->has_arena)
    return true;
  diff->arena_delta = b->arena - a->arena;
  diff->cause[TN_CAUSE_ALIGNMENT] = b->alignment - a->alignment;
  diff->cause[TN_CAUSE_FRAGMENTATION] = b->fragmentation - a->fragmentation;
  diff->cause[TN_CAUSE_SPACES] = b->spaces - a->spaces;
  diff->cause[TN_CAUSE_STREAMS] = b->streams - a->streams;
  return true;
}
