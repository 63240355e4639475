/* SPDX-License-Identifier: MIT */
/* Branches that are copies of each other: they can be told apart by nothing but their ids, so that
 * of all orders only those need be looked at in which the first is never behind the second.
 *
 *        ┌─ a1 ─ a2 ─┐
 *   s ───┤           ├─── t        adds the edges a1 → b1, a2 → b2
 *        └─ b1 ─ b2 ─┘
 *
 * Why that loses nothing: from any order, swap the roles of the two wherever the second is ahead;
 * what is alive stays the same at every step. */
#pragma once

#include "analysis/order/model.h"

/* Edges (before << 32 | after, GArray of uint64_t, caller's) between copies of chains: same ops
 * before the first and after the last, same buffers read from outside, same sizes, scratch and
 * in-place pairs at each place, nothing else attached.  Chains with kept buffers are left alone. */
GArray *tn_order_symmetry_edges(const TnOrderModel *model);
