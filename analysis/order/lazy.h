/* SPDX-License-Identifier: MIT */
/* Ops that lose nothing by waiting until the one op that needs them is next: those that free
 * nothing (they read no storage, or only kept ones), that one op alone comes after, and that take
 * no more while they run than that op does.  Typical: the unpacking of weights, before a
 * convolution.
 *
 *   x ──────────┐                 x ───┐
 *               ├─► conv    ⇒          ├──► unpack ──► conv
 *   unpack ─────┘                 (an edge from x's maker to unpack)
 *
 * Why that loses nothing: move such an op to just before its reader; all steps it passes hold less,
 * and at its new place it takes at most what the reader takes there. */
#pragma once

#include "analysis/order/model.h"

/* Edges (before << 32 | after, GArray of uint64_t, caller's) that make those ops wait. */
GArray *tn_order_lazy_edges(const TnOrderModel *model);
