/* SPDX-License-Identifier: MIT */
/* When the buffers of a graph are worked on: each op takes three ticks of its place in the order, and
 * uses what it reads and writes, through views and what is written in place too. */
#pragma once

#include "data/document.h"

typedef struct {
  tn_tick last, busy;         /* end of the last use; ticks in use */
  tn_tick gap_start, gap_end; /* the longest stretch without a use */
  uint32_t holder;            /* op at the end of it; TN_NONE: none */
} TnUse;

/* By buffer (they must have their tensors), in the graph's own order; owned by the caller.
 * O(buffers + inputs and outputs of all ops). */
TnUse *tn_uses_new(const TnGraph *graph, const TnBuffers *buffers);
