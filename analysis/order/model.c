/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/order/model.h"

#include "analysis/order/draft.h"
#include "data/graph-order.h"

#include <string.h>

/* ---- of a graph ------------------------------------------------------------------------ */

typedef struct {
  const TnGraph *graph;
  const TnStrings *strings;
  const TnGraphStorage *storage;
  const TnGraphLives *lives;
  TnOrderDraft *draft;
  uint32_t *buffer_of; /* by root; TN_NONE: a resident, or not in memory */
} Builder;

static bool
is_in_memory(const Builder *builder, uint32_t root)
{
  const TnGraphStorage *storage = builder->storage;
  return !storage->is_resident[root] &&
         (storage->made_at[root] != TN_NONE || storage->last_read[root] != TN_NONE ||
          storage->is_kept[root]);
}

static void
add_storages(Builder *builder)
{
  const TnGraphStorage *storage = builder->storage;
  for (uint32_t i = 0; i < storage->n; i++) {
    const TnTensor *tensor = tn_graph_tensor(builder->graph, i);
    tn_bytes used = 0;
    builder->buffer_of[i] = TN_NONE;
    if (storage->root[i] != i)
      continue;
    tn_runtime_tensor_bytes(builder->lives->runtime, tensor->bytes, builder->lives->alignment,
                            &used);
    if (is_in_memory(builder, i)) {
      builder->buffer_of[i] =
          tn_order_draft_add_buffer(builder->draft, used, tensor->producer, storage->is_kept[i]);
      tn_order_draft_set_tensor(builder->draft, builder->buffer_of[i], i);
    } else if (!storage->is_resident[i] && tensor->kind == TN_TENSOR_INPUT)
      tn_order_draft_add_base(builder->draft, 0, used);
  }
}

static void
add_operands(Builder *builder, uint32_t op_row, GArray *pairs, const TnGraphStorageParams *params)
{
  const TnOp *op = tn_graph_op(builder->graph, op_row);
  const uint32_t *inputs = tn_graph_inputs(builder->graph, op);
  for (uint32_t k = 0; k < op->n_inputs; k++)
    if (inputs[k] != TN_NONE && builder->buffer_of[builder->storage->root[inputs[k]]] != TN_NONE)
      tn_order_draft_add_read(builder->draft, op_row,
                              builder->buffer_of[builder->storage->root[inputs[k]]]);
  g_array_set_size(pairs, 0);
  tn_graph_storage_list_in_place(builder->graph, builder->strings, params, builder->storage, op_row,
                                 pairs);
  for (guint k = 0; k < pairs->len; k++) {
    TnAlias pair = g_array_index(pairs, TnAlias, k);
    tn_order_draft_add_pair(builder->draft, op_row, builder->buffer_of[pair.output],
                            builder->buffer_of[pair.input]);
  }
}

/* Scratch by op and phase, as the buffers of the graph's own order have it. */
static void
add_scratch(Builder *builder, const TnGraphLifetimeParams *params)
{
  const TnBuffers *buffers = builder->lives->buffers;
  uint32_t n = builder->graph->ops->len;
  g_autofree tn_bytes *phase = g_new0(tn_bytes, (gsize)n * 3 + 1);
  for (uint32_t i = 0; i < buffers->n; i++)
    if (buffers->kind[i] == TN_KIND_WORKSPACE)
      for (tn_tick t = buffers->start[i]; t < buffers->end[i]; t++)
        phase[(gsize)buffers->op[i] * 3 + (gsize)(t % 3)] += buffers->bytes[i];
  for (uint32_t i = 0; i < n; i++) {
    const tn_bytes *of = phase + (gsize)i * 3;
    bool is_kernel = params->model == TN_LIFETIME_KERNEL;
    tn_order_draft_set_op(builder->draft, i, i, tn_graph_op(builder->graph, i)->seconds,
                          MAX(MAX(of[1], of[2]), is_kernel ? of[0] : 0), is_kernel ? 0 : of[0]);
  }
}

static void
add_edges(Builder *builder)
{
  g_autoptr(TnEdges) edges = tn_edges_new(builder->graph);
  for (uint32_t i = 0; i < edges->n; i++)
    for (uint32_t e = edges->first[i]; e < edges->first[i + 1]; e++)
      tn_order_draft_add_edge(builder->draft, i, edges->next[e]);
}

TnOrderModel *
tn_order_model_new(const TnGraph *graph,
                   TnStrings *strings,
                   const TnGraphLifetimeParams *params,
                   GError **error)
{
  TnGraphStorageParams storage_params;
  TnGraphLifetimeParams own = *params;
  own.order = NULL;
  g_autoptr(TnGraphLives) lives = tn_graph_lives_new(graph, strings, &own, error);
  if (!lives)
    return NULL;
  tn_graph_lifetime_storage_params(graph, &own, &storage_params);
  g_autoptr(TnGraphStorage) storage = tn_graph_storage_new(graph, strings, &storage_params);
  g_autofree uint32_t *buffer_of = g_new(uint32_t, (gsize)storage->n + 1);
  g_autoptr(GArray) pairs = g_array_new(FALSE, FALSE, sizeof(TnAlias));
  Builder builder = {graph,
                     strings,
                     storage,
                     lives,
                     tn_order_draft_new(graph->ops->len, params->model == TN_LIFETIME_KERNEL),
                     buffer_of};
  add_storages(&builder);
  for (uint32_t i = 0; i < graph->ops->len; i++)
    add_operands(&builder, i, pairs, &storage_params);
  add_scratch(&builder, params);
  add_edges(&builder);
  return tn_order_draft_finish(builder.draft);
}

/* ---- of a part of a model -------------------------------------------------------------- */

typedef struct {
  const TnOrderModel *whole;
  const uint64_t *done;
  uint32_t *row_of;    /* by op of the whole: its row in the part; TN_NONE */
  uint32_t *buffer_of; /* by buffer of the whole; TN_NONE */
  TnOrderDraft *draft;
} Part;

static bool
is_there(const Part *part, uint32_t buffer)
{
  uint32_t maker = part->whole->maker[buffer];
  return maker == TN_NONE || tn_set_has(part->done, maker);
}

/* Whether an op outside the part and not yet run reads the buffer. */
static bool
is_read_later(const Part *part, uint32_t buffer)
{
  const TnOrderModel *whole = part->whole;
  for (uint32_t k = whole->reader_first[buffer]; k < whole->reader_first[buffer + 1]; k++)
    if (part->row_of[whole->reader[k]] == TN_NONE && !tn_set_has(part->done, whole->reader[k]))
      return true;
  return false;
}

static bool
is_read_in_part(const Part *part, uint32_t buffer)
{
  const TnOrderModel *whole = part->whole;
  for (uint32_t k = whole->reader_first[buffer]; k < whole->reader_first[buffer + 1]; k++)
    if (part->row_of[whole->reader[k]] != TN_NONE)
      return true;
  return false;
}

static void
add_part_buffers(Part *part)
{
  const TnOrderModel *whole = part->whole;
  for (uint32_t b = 0; b < whole->n_buffers; b++) {
    uint32_t maker = whole->maker[b];
    bool is_made_here = maker != TN_NONE && part->row_of[maker] != TN_NONE;
    bool stays = whole->is_kept[b] || is_read_later(part, b);
    part->buffer_of[b] = TN_NONE;
    if (is_made_here || (is_there(part, b) && is_read_in_part(part, b))) {
      part->buffer_of[b] = tn_order_draft_add_buffer(
          part->draft, whole->bytes[b], is_made_here ? part->row_of[maker] : TN_NONE, stays);
      tn_order_draft_set_tensor(part->draft, part->buffer_of[b], whole->tensor[b]);
    } else if (is_there(part, b) && stays)
      tn_order_draft_add_base(part->draft, whole->bytes[b], 0);
  }
}

static void
add_part_op(Part *part, uint32_t op)
{
  const TnOrderModel *whole = part->whole;
  uint32_t row = part->row_of[op];
  tn_order_draft_set_op(part->draft, row, op, whole->seconds[op], whole->scratch[op],
                        whole->early_scratch[op]);
  for (uint32_t k = whole->next_first[op]; k < whole->next_first[op + 1]; k++)
    if (part->row_of[whole->next[k]] != TN_NONE)
      tn_order_draft_add_edge(part->draft, row, part->row_of[whole->next[k]]);
  for (uint32_t k = whole->read_first[op]; k < whole->read_first[op + 1]; k++)
    tn_order_draft_add_read(part->draft, row, part->buffer_of[whole->read[k]]);
  /* A buffer that an op outside still reads is never free to be written over in here. */
  for (uint32_t k = whole->pair_first[op]; k < whole->pair_first[op + 1]; k++)
    if (!is_read_later(part, whole->pair[k].input))
      tn_order_draft_add_pair(part->draft, row, part->buffer_of[whole->pair[k].output],
                              part->buffer_of[whole->pair[k].input]);
}

TnOrderModel *
tn_order_model_new_part(const TnOrderModel *model,
                        const uint64_t *done,
                        const uint32_t *ops,
                        uint32_t n_ops)
{
  g_autofree uint32_t *row_of = g_new(uint32_t, (gsize)model->n + 1);
  g_autofree uint32_t *buffer_of = g_new(uint32_t, (gsize)model->n_buffers + 1);
  Part part = {model, done, row_of, buffer_of, tn_order_draft_new(n_ops, model->is_kernel)};
  bool is_start = true;
  memset(row_of, 0xff, sizeof *row_of * ((gsize)model->n + 1));
  for (uint32_t i = 0; i < n_ops; i++)
    row_of[ops[i]] = i;
  for (uint32_t w = 0; w < model->n_words; w++)
    is_start &= done[w] == 0;
  tn_order_draft_add_base(part.draft, model->base, is_start ? model->first_only : 0);
  add_part_buffers(&part);
  for (uint32_t i = 0; i < n_ops; i++)
    add_part_op(&part, ops[i]);
  return tn_order_draft_finish(part.draft);
}

TnOrderModel *
tn_order_model_new_with_edges(const TnOrderModel *model, const GArray *edges)
{
  TnOrderDraft *draft = tn_order_draft_new(model->n, model->is_kernel);
  tn_order_draft_add_base(draft, model->base, model->first_only);
  for (uint32_t b = 0; b < model->n_buffers; b++) {
    tn_order_draft_add_buffer(draft, model->bytes[b], model->maker[b], model->is_kept[b]);
    tn_order_draft_set_tensor(draft, b, model->tensor[b]);
  }
  for (uint32_t i = 0; i < model->n; i++) {
    tn_order_draft_set_op(draft, i, model->origin[i], model->seconds[i], model->scratch[i],
                          model->early_scratch[i]);
    for (uint32_t k = model->next_first[i]; k < model->next_first[i + 1]; k++)
      tn_order_draft_add_edge(draft, i, model->next[k]);
    for (uint32_t k = model->read_first[i]; k < model->read_first[i + 1]; k++)
      tn_order_draft_add_read(draft, i, model->read[k]);
    for (uint32_t k = model->pair_first[i]; k < model->pair_first[i + 1]; k++)
      tn_order_draft_add_pair(draft, i, model->pair[k].output, model->pair[k].input);
  }
  for (guint i = 0; i < edges->len; i++) {
    uint64_t edge = g_array_index(edges, uint64_t, i);
    tn_order_draft_add_edge(draft, (uint32_t)(edge >> 32), (uint32_t)edge);
  }
  return tn_order_draft_finish(draft);
}
