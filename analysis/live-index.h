/* SPDX-License-Identifier: MIT */
/* Which buffers are alive at a tick: checkpoints of the live set along the order of starts, and a
 * sweep onward from the nearest one. */
#pragma once

#include "data/buffers.h"

typedef struct {
  const TnBuffers *buffers; /* borrowed */
  uint32_t *order;          /* rows by start; NULL where the table is sorted already */
  uint32_t n_checkpoints;
  uint32_t *position; /* by checkpoint: a position in the order of starts; the first one is 0 */
  uint32_t *first;    /* n_checkpoints + 1 indexes into rows */
  uint32_t *rows;     /* of those at earlier positions, what outlives the last one's start */
} TnLiveIndex;

/* O(n log n) (O(n) where sorted).  A checkpoint stands at least 4096 starts, and at least as many
 * starts as rows are alive there, after the one before it: so all of them together name at most n
 * rows, however many are alive. */
TnLiveIndex *tn_live_index_new(const TnBuffers *buffers);
void tn_live_index_free(TnLiveIndex *index);

/* Fills `out_rows` (cleared, uint32_t) with the rows alive at `tick`, by start.
 * O(alive nearby + 4096). */
void tn_live_index_at(const TnLiveIndex *index, tn_tick tick, GArray *out_rows);

/* ---- a sweep over growing ticks ---------------------------------------------------------- */

typedef struct {
  tn_tick end;
  uint32_t row;
} TnLiveRow;

typedef struct {
  const TnLiveIndex *index;
  uint32_t next;    /* position in the order of starts */
  uint32_t n, capacity;
  TnLiveRow *alive;
} TnLiveSweep;

/* Alive at `tick`; then move on with _advance to a later one.  All in `sweep->alive[0, n)`. */
void tn_live_sweep_init(TnLiveSweep *sweep, const TnLiveIndex *index, tn_tick tick);
void tn_live_sweep_advance(TnLiveSweep *sweep, tn_tick tick);
void tn_live_sweep_clear(TnLiveSweep *sweep);

/* How a sweep whose next start is at position `next` gets to a later `tick`: onward, or (true) anew from
 * a checkpoint, where that is nearer than all the starts between.  Then it forgets what it holds, takes
 * of *out_rows[0, *out_n) what ends after `tick`, and goes on at position *out_next.
 * O(log checkpoints) at most. */
bool tn_live_index_jump(const TnLiveIndex *index, uint32_t next, tn_tick tick,
                        const uint32_t **out_rows, uint32_t *out_n, uint32_t *out_next);

static inline uint32_t
tn_live_index_row(const TnLiveIndex *index, uint32_t position)
{
  return index->order ? index->order[position] : position;
}

/* How many buffers start before `tick` (their positions come first).  O(log n). */
uint32_t tn_live_index_position(const TnLiveIndex *index, tn_tick tick);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(TnLiveIndex, tn_live_index_free)
