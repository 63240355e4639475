/* SPDX-License-Identifier: MIT */
/* Rows for lifetime bars: no two buffers of a lane live at the same tick; the lanes of large
 * buffers come first. */
#pragma once

#include "data/buffers.h"

typedef struct {
  uint32_t n;       /* lanes */
  uint32_t *first;  /* n + 1 indexes into rows */
  uint32_t *rows;   /* buffers by lane, by start */
  uint32_t *lane;   /* by buffer */
} TnLanes;

/* Buffers are grouped by size class (four to an octave, the largest first); within a class each
 * takes the lowest free lane in the order of starts.  O(n log n).
 * Method: interval partitioning with a heap of free lanes and one of ends. */
TnLanes *tn_lanes_new(const TnBuffers *buffers);
void tn_lanes_free(TnLanes *lanes);

/* The buffer of `lane` alive at `tick`, or TN_NONE.  O(log). */
tn_index tn_lanes_at(const TnLanes *lanes, const TnBuffers *buffers, uint32_t lane, tn_tick tick);
