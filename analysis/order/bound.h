/* SPDX-License-Identifier: MIT */
/* What no order can go below: the mandatory live sets.
 *
 * While op i runs, every buffer is alive that an ancestor of i makes (or that is there from the
 * start) and that i or a descendant of i reads (or that is kept):
 *
 *      ancestors ── makes ──►[ buffer ]── read by ──► descendants      i stands in between
 *
 * Source: the "mandatory live set" of design/orders-and-budgets.md; the same idea as the bound of
 * Inductor's memory passes, taken at every op instead of at both ends. */
#pragma once

#include "analysis/order/model.h"

/* Sets of ops before and after each op, shape n * n_words; NULL where that would pass 512 MiB. */
typedef struct {
  uint32_t n, n_words;
  uint64_t *before, *after;
} TnReach;

TnReach *tn_reach_new(const TnOrderModel *model);
void tn_reach_free(TnReach *reach);

/* At least this much is alive while op i runs, by op (shape n, filled), and the largest of them
 * (or what is alive before the first op, where that is more).  `reach` may be NULL: then only an
 * op's own operands, scratch and what is kept count.  O(buffers · readers · n / 64 + bits set). */
tn_bytes tn_order_bound(const TnOrderModel *model, const TnReach *reach, tn_bytes *out_by_op);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(TnReach, tn_reach_free)
