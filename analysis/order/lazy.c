/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/order/lazy.h"

/* The most that an op may write over its inputs. */
static tn_bytes
most_in_place(const TnOrderModel *model, uint32_t op)
{
  uint32_t first = model->pair_first[op], end = model->pair_first[op + 1];
  tn_bytes bytes = 0;
  for (uint32_t k = first; k < end; k++) {
    bool is_counted = false;
    for (uint32_t j = first; j < k; j++)
      is_counted |= model->pair[j].output == model->pair[k].output;
    bytes += is_counted ? 0 : model->bytes[model->pair[k].output];
  }
  return bytes;
}

static bool
frees_nothing(const TnOrderModel *model, uint32_t op)
{
  for (uint32_t k = model->read_first[op]; k < model->read_first[op + 1]; k++)
    if (!model->is_kept[model->read[k]] && model->bytes[model->read[k]] > 0)
      return false;
  return true;
}

/* Whether all that `op` makes lasts until its reader: else it would hold more while it runs. */
static bool
makes_lasting(const TnOrderModel *model, uint32_t op)
{
  return model->made_bytes[op] == model->lasting_bytes[op];
}

static bool
is_lazy(const TnOrderModel *model, uint32_t op)
{
  if (model->next_first[op + 1] - model->next_first[op] != 1 || !frees_nothing(model, op) ||
      !makes_lasting(model, op) || model->early_scratch[op] > 0)
    return false;
  uint32_t reader = model->next[model->next_first[op]];
  tn_bytes room = model->is_kernel ? model->made_bytes[reader] + model->scratch[reader] -
                                         most_in_place(model, reader)
                                   : 0;
  return model->scratch[op] <= room;
}

static void
add_edge(GArray *edges, uint32_t before, uint32_t after)
{
  uint64_t edge = (uint64_t)before << 32 | after;
  g_array_append_val(edges, edge);
}

static void
make_wait(const TnOrderModel *model, const bool *waits, uint32_t reader, GArray *edges)
{
  uint32_t last = TN_NONE, first = model->before_first[reader],
           end = model->before_first[reader + 1];
  for (uint32_t k = first; k < end; k++) {
    uint32_t op = model->before[k];
    if (!waits[op])
      continue;
    for (uint32_t j = first; j < end && last == TN_NONE; j++)
      if (!waits[model->before[j]])
        add_edge(edges, model->before[j], op);
    if (last != TN_NONE)
      add_edge(edges, last, op);
    last = op;
  }
}

GArray *
tn_order_lazy_edges(const TnOrderModel *model)
{
  GArray *edges = g_array_new(FALSE, FALSE, sizeof(uint64_t));
  g_autofree bool *waits = g_new0(bool, (gsize)model->n + 1);
  /* Inputs that nobody reads weigh on whichever op is first: then it matters which one that is. */
  if (model->first_only > 0)
    return edges;
  for (uint32_t i = 0; i < model->n; i++)
    waits[i] = is_lazy(model, i);
  for (uint32_t i = 0; i < model->n; i++)
    if (!waits[i] || model->before_first[i + 1] - model->before_first[i] == 0)
      make_wait(model, waits, i, edges);
  return edges;
}
