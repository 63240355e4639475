/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/graph-storage.h"

#include <string.h>

typedef struct {
  const TnGraph *graph;
  const TnStrings *strings;
  const TnGraphStorageParams *params;
  TnGraphStorage *storage;
  bool *is_container; /* by tensor; NULL: none is */
} Builder;

static uint32_t *
new_ids(gsize n)
{
  uint32_t *ids = g_new(uint32_t, n + 1);
  for (gsize i = 0; i < n; i++)
    ids[i] = TN_NONE;
  return ids;
}

static TnGraphStorage *
new_storage(uint32_t n)
{
  TnGraphStorage *storage = g_new0(TnGraphStorage, 1);
  storage->n = n;
  storage->root = g_new(uint32_t, (gsize)n + 1);
  for (uint32_t i = 0; i < n; i++)
    storage->root[i] = i;
  storage->made_at = new_ids(n);
  storage->last_read = new_ids(n);
  storage->taken_by = new_ids(n);
  storage->is_kept = g_new0(bool, (gsize)n + 1);
  storage->is_resident = g_new0(bool, (gsize)n + 1);
  storage->is_taker = g_new0(bool, (gsize)n + 1);
  return storage;
}

void
tn_graph_storage_free(TnGraphStorage *storage)
{
  if (!storage)
    return;
  g_free(storage->root);
  g_free(storage->made_at);
  g_free(storage->last_read);
  g_free(storage->taken_by);
  g_free(storage->is_kept);
  g_free(storage->is_resident);
  g_free(storage->is_taker);
  g_free(storage);
}

/* Scratch that others lie in is an arena, not a resident. */
static bool
is_container(const Builder *builder, const TnTensor *tensor)
{
  return builder->is_container &&
         builder->is_container[tensor - tn_graph_tensor(builder->graph, 0)];
}

static bool
is_resident(const Builder *builder, const TnTensor *tensor)
{
  if (tensor->kind == TN_TENSOR_CONSTANT || tensor->is_caller_owned ||
      (tensor->kind == TN_TENSOR_VARIABLE && !is_container(builder, tensor)))
    return true;
  return builder->params->is_io_callers && (tensor->kind == TN_TENSOR_INPUT || tensor->is_output);
}

/* DEQUANTIZE of a weight: the kernel unpacks it once, into memory that it keeps. */
static bool
is_unpacked_constant(const Builder *builder, const TnTensor *tensor)
{
  const TnGraph *graph = builder->graph;
  if (!builder->params->runtime || !builder->params->runtime->keeps_unpacked ||
      tensor->producer == TN_NONE || tensor->is_output)
    return false;
  const TnOp *op = tn_graph_op(graph, tensor->producer);
  const uint32_t *inputs = tn_graph_inputs(graph, op);
  return strcmp(tn_strings_get(builder->strings, op->type), "DEQUANTIZE") == 0 &&
         op->n_inputs > 0 && inputs[0] != TN_NONE &&
         tn_graph_tensor(graph, inputs[0])->kind == TN_TENSOR_CONSTANT;
}

static bool
is_graph_io(const Builder *builder, uint32_t tensor)
{
  const TnTensor *row = tn_graph_tensor(builder->graph, tensor);
  return row->kind == TN_TENSOR_INPUT || row->is_output;
}

/* ---- views ----------------------------------------------------------------------------- */

static void
join_view(Builder *builder, uint32_t output, uint32_t input)
{
  const TnRuntime *runtime = builder->params->runtime;
  TnGraphStorage *storage = builder->storage;
  if (output == TN_NONE || input == TN_NONE || output == input)
    return;
  if (runtime && runtime->spares_graph_io &&
      (is_graph_io(builder, output) || is_graph_io(builder, input)))
    return;
  /* An output that the caller owns has memory of the caller's: it must be copied there. */
  if (is_resident(builder, tn_graph_tensor(builder->graph, output)))
    return;
  storage->root[output] = storage->root[input];
}

static void
join_nested(Builder *builder)
{
  const TnGraph *graph = builder->graph;
  for (uint32_t i = 0; i < graph->tensors->len; i++) {
    uint32_t container = tn_graph_tensor(graph, i)->inside;
    if (container == TN_NONE)
      continue;
    if (!builder->is_container)
      builder->is_container = g_new0(bool, graph->tensors->len);
    builder->is_container[container] = true;
    builder->storage->root[i] = container;
    builder->storage->is_kept[container] = true;
  }
}

static const TnAliasRule *
rule_of(const Builder *builder, const TnOp *op)
{
  return tn_runtime_rule(builder->params->runtime, tn_strings_get(builder->strings, op->type));
}

static void
join_views(Builder *builder, const TnOp *op)
{
  const TnGraph *graph = builder->graph;
  if (builder->params->runtime) {
    const TnAliasRule *rule = rule_of(builder, op);
    if (rule && rule->is_view && op->n_outputs > 0 && op->n_inputs > 0)
      join_view(builder, tn_graph_outputs(graph, op)[0], tn_graph_inputs(graph, op)[0]);
  }
  for (uint32_t i = 0; i < op->n_views; i++) {
    TnAlias alias = g_array_index(graph->views, TnAlias, op->first_view + i);
    if (!builder->params->runtime || alias.is_stated)
      join_view(builder, alias.output, alias.input);
  }
}

static void
note_lives(Builder *builder, const TnOp *op, uint32_t position)
{
  TnGraphStorage *storage = builder->storage;
  const uint32_t *inputs = tn_graph_inputs(builder->graph, op);
  const uint32_t *outputs = tn_graph_outputs(builder->graph, op);
  for (uint32_t i = 0; i < op->n_inputs; i++)
    if (inputs[i] != TN_NONE)
      storage->last_read[storage->root[inputs[i]]] = position;
  for (uint32_t i = 0; i < op->n_outputs; i++)
    if (outputs[i] != TN_NONE && storage->root[outputs[i]] == outputs[i])
      storage->made_at[outputs[i]] = position;
}

static void
settle_flags(Builder *builder)
{
  const TnGraph *graph = builder->graph;
  TnGraphStorage *storage = builder->storage;
  for (uint32_t i = 0; i < storage->n; i++) {
    const TnTensor *tensor = tn_graph_tensor(graph, i);
    uint32_t root = storage->root[i];
    const TnRuntime *runtime = builder->params->runtime;
    bool is_kept_input = (graph->keep_inputs || (runtime && runtime->keeps_inputs)) &&
                         tensor->kind == TN_TENSOR_INPUT;
    storage->is_kept[root] = storage->is_kept[root] || tensor->is_output || is_kept_input;
    if (root == i)
      storage->is_resident[i] =
          is_resident(builder, tensor) || is_unpacked_constant(builder, tensor);
  }
}

/* ---- in place -------------------------------------------------------------------------- */

static bool
passes_runtime(const Builder *builder, uint32_t output, uint32_t input)
{
  const TnRuntime *runtime = builder->params->runtime;
  tn_bytes had = tn_graph_tensor(builder->graph, input)->bytes;
  tn_bytes wanted = tn_graph_tensor(builder->graph, output)->bytes;
  if (!runtime)
    return true;
  if (runtime->spares_graph_io && (is_graph_io(builder, output) || is_graph_io(builder, input)))
    return false;
  return wanted >= runtime->least_in_place && (!runtime->needs_equal_bytes || wanted == had);
}

/* Whether `output` could take the memory of `input` in some order. */
static bool
can_take(const Builder *builder, uint32_t output, uint32_t input)
{
  const TnGraphStorage *storage = builder->storage;
  if (output == TN_NONE || input == TN_NONE || storage->root[output] != output)
    return false;
  uint32_t from = storage->root[input];
  tn_bytes had = tn_graph_tensor(builder->graph, from)->bytes;
  tn_bytes wanted = tn_graph_tensor(builder->graph, output)->bytes;
  return from != output && !storage->is_kept[from] && !storage->is_resident[from] &&
         !storage->is_resident[output] && wanted >= 0 && wanted <= had &&
         passes_runtime(builder, output, input);
}

typedef void (*PairVisitor)(const Builder *builder, uint32_t output, uint32_t from, void *payload);

/* Calls `visit` with each pair of roots that the op may join, first choice first. */
static void
visit_in_place(const Builder *builder, const TnOp *op, PairVisitor visit, void *payload)
{
  const TnGraph *graph = builder->graph;
  if (builder->params->runtime) {
    const TnAliasRule *rule = rule_of(builder, op);
    for (uint32_t k = 0; rule && op->n_outputs > 0 && k < MIN(op->n_inputs, 8u); k++) {
      uint32_t output = tn_graph_outputs(graph, op)[0], input = tn_graph_inputs(graph, op)[k];
      if (rule->in_place >> k & 1 && can_take(builder, output, input))
        visit(builder, output, builder->storage->root[input], payload);
    }
  }
  for (uint32_t i = 0; i < op->n_in_place; i++) {
    TnAlias alias = g_array_index(graph->in_place, TnAlias, op->first_in_place + i);
    if ((!builder->params->runtime || alias.is_stated) &&
        can_take(builder, alias.output, alias.input))
      visit(builder, alias.output, builder->storage->root[alias.input], payload);
  }
}

static void
take_in_place(const Builder *builder, uint32_t output, uint32_t from, void *payload)
{
  TnGraphStorage *storage = builder->storage;
  const uint32_t *position = payload;
  if (storage->last_read[from] != *position || storage->taken_by[from] != TN_NONE ||
      storage->is_taker[output])
    return;
  storage->taken_by[from] = output;
  storage->is_taker[output] = true;
}

static void
append_pair(const Builder *builder, uint32_t output, uint32_t from, void *payload)
{
  TnAlias pair = {output, from};
  g_array_append_val((GArray *)payload, pair);
}

void
tn_graph_storage_list_in_place(const TnGraph *graph,
                               const TnStrings *strings,
                               const TnGraphStorageParams *params,
                               const TnGraphStorage *storage,
                               uint32_t op,
                               GArray *pairs)
{
  Builder builder = {graph, strings, params, (TnGraphStorage *)storage, NULL};
  if (params->aliasing == TN_ALIASING_ALL)
    visit_in_place(&builder, tn_graph_op(graph, op), append_pair, pairs);
}

TnGraphStorage *
tn_graph_storage_new(const TnGraph *graph, const TnStrings *strings,
                     const TnGraphStorageParams *params)
{
  Builder builder = {graph, strings, params, new_storage(graph->tensors->len), NULL};
  if (params->aliasing >= TN_ALIASING_VIEWS)
    join_nested(&builder);
  for (uint32_t p = 0; p < graph->ops->len; p++) {
    const TnOp *op = tn_graph_op(graph, params->order[p]);
    if (params->aliasing >= TN_ALIASING_VIEWS)
      join_views(&builder, op);
    note_lives(&builder, op, p);
  }
  settle_flags(&builder);
  for (uint32_t p = 0; params->aliasing == TN_ALIASING_ALL && p < graph->ops->len; p++)
    visit_in_place(&builder, tn_graph_op(graph, params->order[p]), take_in_place, &p);
  g_free(builder.is_container);
  return builder.storage;
}
