/* SPDX-License-Identifier: MIT */
/* Builds a model of an order search row by row: ops first, then buffers, edges, reads, pairs. */
#pragma once

#include "analysis/order/model.h"

typedef struct TnOrderDraft TnOrderDraft;

/* `n_ops` ops without operands, of unknown time, each its own origin. */
TnOrderDraft *tn_order_draft_new(uint32_t n_ops, bool is_kernel);
void tn_order_draft_set_op(TnOrderDraft *draft,
                           uint32_t op,
                           uint32_t origin,
                           double seconds,
                           tn_bytes scratch,
                           tn_bytes early_scratch);
void tn_order_draft_add_base(TnOrderDraft *draft, tn_bytes base, tn_bytes first_only);
/* `maker`: op or TN_NONE.  Returns the buffer's row. */
uint32_t
tn_order_draft_add_buffer(TnOrderDraft *draft, tn_bytes bytes, uint32_t maker, bool is_kept);
void tn_order_draft_set_tensor(TnOrderDraft *draft, uint32_t buffer, uint32_t tensor);
/* Edges and reads given twice count once; an edge from an op to itself is none. */
void tn_order_draft_add_edge(TnOrderDraft *draft, uint32_t before, uint32_t after);
void tn_order_draft_add_read(TnOrderDraft *draft, uint32_t op, uint32_t buffer);
void tn_order_draft_add_pair(TnOrderDraft *draft, uint32_t op, uint32_t output, uint32_t input);
/* Ends the draft (freed). */
TnOrderModel *tn_order_draft_finish(TnOrderDraft *draft);
