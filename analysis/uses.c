/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/uses.h"

static void
use(TnUse *uses, const TnBuffers *b, tn_index i, uint32_t op, tn_tick tick)
{
  TnUse *used = &uses[i];
  tn_tick start = MAX(tick, b->start[i]), end = MIN(tick + 3, b->end[i]);
  if (start >= end || end <= used->last)
    return;
  if (start - used->last > used->gap_end - used->gap_start) {
    used->gap_start = used->last;
    used->gap_end = start;
    used->holder = op;
  }
  used->busy += end - start;
  used->last = end;
}

/* For each tensor the buffer that holds it: its own, or that of what it is a view of or written
 * over. */
static tn_index *
buffers_by_tensor_new(const TnGraph *graph, const TnBuffers *b)
{
  uint32_t n = graph->tensors->len;
  tn_index *holder = g_new(tn_index, n);
  for (uint32_t t = 0; t < n; t++)
    holder[t] = TN_NONE;
  for (tn_index i = 0; i < b->n; i++)
    if (b->tensor[i] < n)
      holder[b->tensor[i]] = i;
  for (uint32_t p = 0; p < graph->order->len; p++) {
    const TnOp *op = tn_graph_op(graph, g_array_index(graph->order, uint32_t, p));
    for (uint32_t k = 0; k < op->n_views + op->n_in_place; k++) {
      bool is_view = k < op->n_views;
      const TnAlias *alias =
          is_view ? &g_array_index(graph->views, TnAlias, op->first_view + k)
                  : &g_array_index(graph->in_place, TnAlias, op->first_in_place + k - op->n_views);
      if (holder[alias->output] == TN_NONE)
        holder[alias->output] = holder[alias->input];
    }
  }
  return holder;
}

TnUse *
tn_uses_new(const TnGraph *graph, const TnBuffers *b)
{
  g_autofree tn_index *holder = buffers_by_tensor_new(graph, b);
  TnUse *uses = g_new0(TnUse, b->n);
  for (tn_index i = 0; i < b->n; i++) {
    uses[i].last = uses[i].gap_start = uses[i].gap_end = b->start[i];
    uses[i].holder = TN_NONE;
  }
  for (uint32_t p = 0; p < graph->order->len; p++) {
    uint32_t row = g_array_index(graph->order, uint32_t, p);
    const TnOp *op = tn_graph_op(graph, row);
    for (uint32_t k = 0; k < op->n_inputs + op->n_outputs; k++) {
      uint32_t tensor =
          k < op->n_inputs
              ? g_array_index(graph->inputs, uint32_t, op->first_input + k)
              : g_array_index(graph->outputs, uint32_t, op->first_output + k - op->n_inputs);
      if (tensor != TN_NONE && holder[tensor] != TN_NONE)
        use(uses, b, holder[tensor], row, 3 * (tn_tick)p);
    }
  }
  return uses;
}
