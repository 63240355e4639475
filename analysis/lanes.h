/* SPDX-License-Identifier: MIT */
/* Rows for lifetime bars: no two buffers of a lane live at the same tick; the lanes of large
 * buffers come first. */
#pragma once

#include "analysis/uses.h"
#include "data/buffers.h"

/* What stands first; classes of four to an octave, so that few lanes hold many. */
typedef enum {
  TN_LANES_BY_SIZE,
  TN_LANES_BY_START, /* one class: the lowest free lane */
  TN_LANES_BY_LIFE,
  TN_LANES_BY_IDLE /* bytes times the ticks without a use; where uses are not known, times life */
} TnLaneSort;

typedef struct {
  uint32_t n;       /* lanes */
  uint32_t *first;  /* n + 1 indexes into rows */
  uint32_t *rows;   /* buffers by lane, by start */
  uint32_t *lane;   /* by buffer */
  TnLaneSort sort;
  uint32_t n_groups;    /* 0: not grouped */
  uint32_t *group_lane; /* n_groups + 1: where the lanes of each begin; NULL: not grouped */
} TnLanes;

/* Buffers are grouped by size class (four to an octave, the largest first); within a class each
 * takes the lowest free lane in the order of starts.  O(n log n).
 * Method: interval partitioning with a heap of free lanes and one of ends. */
TnLanes *tn_lanes_new(const TnBuffers *buffers);
/* The same with the classes of another figure, and with lanes of each group of their own, in the order
 * of groups.  `group` (by buffer, below n_groups) and `uses` (by buffer) may be NULL. */
TnLanes *tn_lanes_new_sorted(const TnBuffers *buffers, TnLaneSort sort, const uint32_t *group,
                             uint32_t n_groups, const TnUse *uses);
void tn_lanes_free(TnLanes *lanes);

/* The buffer of `lane` alive at `tick`, or TN_NONE.  O(log). */
tn_index tn_lanes_at(const TnLanes *lanes, const TnBuffers *buffers, uint32_t lane, tn_tick tick);
