/* SPDX-License-Identifier: MIT */
/* What a plan's tightness costs.  Where one buffer takes another's place, the op that begins the one
 * life has to wait for the op that ends the other; on one stream it would anyway, on several it would
 * not. */
#pragma once

#include "data/buffers.h"
#include "data/graph.h"

typedef struct {
  tn_index earlier, later; /* rows; `later` is the next to hold some byte of `earlier` */
} TnReusePair;

/* The pairs of a plan, by `later`'s start: `offset` has shape n, within each row's space.  Rows
 * without bytes or place are left out; rows whose lives overlap (gaps), and rows of different batches,
 * which never run together, make no pair.  Who had the place before a tenant of a gap or of another
 * batch is not forgotten for it: the next one of its own takes over from both.
 * Owned by the caller (TnReusePair rows).  O(n log n + pairs), where gaps or batches lie on each other
 * times how many do and how many pieces the later one is cut into: past 50 million of these a byte that
 * had more than 64 of them forgets them for the next, past 20 million the bytes of one that is cut into
 * more than 16 pieces do; then pairs may be missing, and *out_is_cut (may be NULL) is true.
 * Method: a map from address to its last tenants, cut by each new one in order of start. */
GArray *tn_reuse_pairs_new(const TnBuffers *buffers, const tn_bytes *offset, bool *out_is_cut);

/* Sets to 1 (`shares` has shape n) each row of a pair, and each that lies in another's place while both
 * live: in a gap, or against the rules.  Cost as above. */
void tn_reuse_mark_sharers(const TnBuffers *buffers, const tn_bytes *offset, uint8_t *shares);

/* How many waits between two ops the pairs add that no chain of the graph's operands or `after`
 * asks for: the op that ends `earlier`'s life → the op that begins `later`'s, each counted once.
 * `order`: op by place (shape n ops), lives on the axis of graph-lifetime.h (3 ticks per op).
 * -1 above 16,384 ops: the table of who waits for whom is square.  O(ops² / 64 × operands). */
int64_t tn_reuse_count_waits(const TnGraph *graph,
                             const uint32_t *order,
                             const TnBuffers *buffers,
                             const GArray *pairs);
