/* SPDX-License-Identifier: MIT */
/* A plan with batch labels, batch by batch: the branches of a multi-batch graph, of which one runs. */
#pragma once

#include "analysis/study.h"

typedef struct {
  uint32_t label;   /* string id; 0: of no batch */
  uint32_t n;       /* buffers */
  tn_bytes total;   /* without reuse */
  tn_bytes peak;    /* alive at once */
  tn_bytes low, high; /* the place that it has: [low, high) over all spaces; TN_NOT_PLACED */
} TnBatch;

/* One for each label, the largest peak first, what has no label last.  Empty where there is no label.
 * O(n log n).  Free with g_array_unref(). */
GArray *tn_batches_new(const TnStudy *study);
