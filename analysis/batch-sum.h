/* SPDX-License-Identifier: MIT */
/* A running sum of what is held where batches never run together: what has no label, and on top of it the
 * batch that holds most. */
#pragma once

#include "analysis/live-index.h"
#include "data/buffers.h"
#include "data/graph.h"

typedef struct {
  uint32_t *slot;  /* by place: 0 without a label, else the number of its batch, from 1 */
  uint32_t *label; /* by slot: string id; [0] is 0 */
  uint32_t n, width; /* batches; leaves of the tree, a power of two */
  tn_bytes plain;  /* without a label */
  tn_bytes *most;  /* shape 2 width: each node the larger of its two, leaves from `width` on */
} TnBatchSum;

/* Of `n` rows, whose places in `rows` (NULL: all rows of the table) the sum knows them by.  NULL where
 * none has a label: a plain sum tells.  All sums begin with 0.  O(n + labels log labels). */
TnBatchSum *tn_batch_sum_new(const TnBuffers *buffers, const tn_index *rows, uint32_t n);
void tn_batch_sum_free(TnBatchSum *sum);

/* All sums are 0 again. */
void tn_batch_sum_reset(TnBatchSum *sum);

/* Adds to the sum of the batch of the row at that place; false where that does not fit.
 * O(log batches). */
bool tn_batch_sum_add(TnBatchSum *sum, uint32_t place, tn_bytes change);

/* False where it does not fit. */
bool tn_batch_sum_total(const TnBatchSum *sum, tn_bytes *out_total);

/* The label (string id) of the batch that holds most, the lowest of several; 0 where none holds anything. */
uint32_t tn_batch_sum_label(const TnBatchSum *sum);

/* The same label of what `n` rows (in any order; NULL: all of the table) hold at a tick: in a gap the
 * window that they keep.  0 where no batch holds anything.  O(n). */
uint32_t
tn_batch_sum_label_at(const TnBuffers *buffers, const tn_index *rows, uint32_t n, tn_tick tick);

/* The same of what a sweep that has come to the tick has alive. */
uint32_t
tn_batch_sum_label_of_sweep(const TnBuffers *buffers, const TnLiveSweep *sweep, tn_tick tick);

/* Drops of rows (tn_index) that are alive at the tick those of other batches than that. */
void tn_batch_sum_keep(const TnBuffers *buffers, GArray *rows, tn_tick tick);

/* Whether ops are of two batches or more.  Orders and what is moved out are reckoned with all that is held,
 * as if batches ran together: then neither proves anything. */
bool tn_batch_sum_has_several(const TnGraph *graph);

/* Whether a row counts where `label` does. */
static inline bool
tn_batch_sum_counts(const TnBuffers *buffers, tn_index row, uint32_t label)
{
  return !buffers->batch || !buffers->batch[row] || buffers->batch[row] == label;
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC(TnBatchSum, tn_batch_sum_free)
