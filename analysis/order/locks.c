/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/order/locks.h"

#include "analysis/order/walker.h"

static void
lock(const TnOrderModel *model, uint32_t buffer, uint32_t writer, GArray *edges)
{
  for (uint32_t k = model->reader_first[buffer]; k < model->reader_first[buffer + 1]; k++) {
    uint64_t edge = (uint64_t)model->reader[k] << 32 | writer;
    if (model->reader[k] != writer)
      g_array_append_val(edges, edge);
  }
}

GArray *
tn_order_lock_edges(const TnOrderModel *model, const uint32_t *order)
{
  GArray *edges = g_array_new(FALSE, FALSE, sizeof(uint64_t));
  TnWalker walker;
  tn_walker_init(&walker, model);
  for (uint32_t p = 0; p < model->n; p++) {
    uint32_t op = order[p];
    for (uint32_t k = model->pair_first[op]; k < model->pair_first[op + 1]; k++)
      if (walker.readers_left[model->pair[k].input] == 1)
        lock(model, model->pair[k].input, op, edges);
    tn_walker_run(&walker, op);
  }
  tn_walker_clear(&walker);
  return edges;
}
