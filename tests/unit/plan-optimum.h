/* SPDX-License-Identifier: MIT */
/* The smallest arena of a small table, by brute force over all offsets: labels, groups, no reuse,
 * gaps, what is fixed and alignments. */
#pragma once

#include "data/buffers.h"

/* No life of these tables ends after MOST_TICKS. */
enum { MOST_ROWS = 5, MOST_ARENA = 40, MOST_TICKS = 8 };

/* What the row holds at the tick, from its own start on. */
static inline void
window_of(const TnBuffers *b, uint32_t i, tn_tick tick, tn_bytes *low, tn_bytes *high)
{
  uint32_t n;
  const TnGap *gaps = tn_buffers_gaps(b, i, &n);
  *low = *high = 0;
  if (tick < b->start[i] || tick >= b->end[i])
    return;
  *high = b->bytes[i];
  for (uint32_t g = 0; g < n; g++)
    if (gaps[g].start <= tick && tick < gaps[g].end) {
      *low = gaps[g].low;
      *high = gaps[g].high;
    }
}

/* Of two labels one runs at a time; what has none lies beside all that has one. */
static inline bool
may_lie(const TnBuffers *b, uint32_t i, tn_bytes x, uint32_t j, tn_bytes y)
{
  if (x + b->bytes[i] <= y || y + b->bytes[j] <= x || !b->bytes[i] || !b->bytes[j])
    return true;
  if ((b->flags[i] | b->flags[j]) & TN_BUFFER_NO_REUSE)
    return false;
  if (b->batch && b->batch[i] != b->batch[j])
    return b->batch[i] && b->batch[j];
  for (tn_tick tick = 0; tick < MOST_TICKS; tick++) {
    tn_bytes low_i, high_i, low_j, high_j;
    window_of(b, i, tick, &low_i, &high_i);
    window_of(b, j, tick, &low_j, &high_j);
    if (low_i < high_i && low_j < high_j && x + low_i < y + high_j && y + low_j < x + high_i)
      return false;
  }
  return true;
}

/* Whether the row may follow what is placed of its group, the table's only one. */
static inline bool
may_follow(const TnBuffers *b, uint32_t row, const tn_bytes *offset, tn_bytes at)
{
  tn_bytes strictest = 1;
  if (!b->group || !b->group[row] || !b->bytes[row])
    return true;
  for (uint32_t i = 0; i < b->n; i++)
    if (b->group[i] && b->flags[row] & TN_BUFFER_GROUP_PADDED)
      strictest = MAX(strictest, b->alignment[i]);
  for (uint32_t i = row; i-- > 0;) {
    tn_bytes space = at - offset[i] - b->bytes[i];
    if (b->group[i] && b->bytes[i])
      return space >= 0 && space < strictest;
  }
  return true;
}

/* Whether rows from `row` on fit below `arena`. */
static inline bool
fits(const TnBuffers *b, uint32_t row, tn_bytes *offset, tn_bytes arena)
{
  if (row == b->n)
    return true;
  bool is_fixed = b->flags[row] & TN_BUFFER_FIXED, is_empty = b->bytes[row] == 0;
  tn_bytes first = is_fixed ? b->offset[row] : 0;
  tn_bytes last = is_fixed || is_empty ? first : arena - b->bytes[row];
  for (tn_bytes at = first; at <= last; at += b->alignment[row]) {
    bool is_free = (is_empty || at + b->bytes[row] <= arena) && may_follow(b, row, offset, at);
    for (uint32_t j = 0; j < row && is_free; j++)
      is_free = may_lie(b, row, at, j, offset[j]);
    offset[row] = at;
    if (is_free && fits(b, row + 1, offset, arena))
      return true;
  }
  return false;
}

/* -1: what is fixed contradicts the rest.  The table has alignments and at most MOST_ROWS rows. */
static inline tn_bytes
optimum(const TnBuffers *buffers)
{
  tn_bytes offset[MOST_ROWS];
  for (tn_bytes arena = 0; arena <= MOST_ARENA; arena++)
    if (fits(buffers, 0, offset, arena))
      return arena;
  return -1;
}
