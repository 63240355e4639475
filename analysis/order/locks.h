/* SPDX-License-Identifier: MIT */
/* Write-after-read edges: where an order lets an op write over an input, all other readers of that
 * input come before the op; the edges keep it so in every other order. */
#pragma once

#include "analysis/order/model.h"

/* Edges (before << 32 | after, GArray of uint64_t, caller's) that keep what `order` (legal) writes
 * in place in place.  The order itself keeps them all, so they close no cycle. */
GArray *tn_order_lock_edges(const TnOrderModel *model, const uint32_t *order);
