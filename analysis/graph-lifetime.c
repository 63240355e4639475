/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/graph-lifetime-private.h"

#include "data/error.h"
#include "data/graph-order.h"

#include <string.h>

/* ---- sizes ----------------------------------------------------------------------------- */

tn_bytes
tn_lives_used_bytes(TnLivesBuilder *builder, tn_bytes bytes)
{
  tn_bytes used = 0;
  if (bytes > 0 && !tn_round_up(bytes, builder->lives->alignment, &used))
    builder->has_overflown = true;
  return used;
}

void
tn_lives_add_to(TnLivesBuilder *builder, tn_bytes *sum, tn_bytes bytes)
{
  if (bytes > 0 && !tn_add(*sum, bytes, sum))
    builder->has_overflown = true;
}

static tn_bytes
tensor_bytes(TnLivesBuilder *builder, tn_bytes bytes)
{
  tn_bytes used = 0;
  if (!tn_runtime_tensor_bytes(builder->runtime, bytes, builder->lives->alignment, &used))
    builder->has_overflown = true;
  return used;
}

tn_index
tn_lives_add_buffer(TnLivesBuilder *builder, tn_tick start, tn_tick end, tn_bytes bytes, TnBufferKind kind)
{
  TnBuffers *buffers = builder->lives->buffers;
  tn_bytes used = tn_lives_used_bytes(builder, bytes);
  tn_index row = tn_buffers_add(buffers, start, MAX(end, start + 1), used, kind);
  buffers->requested[row] = MAX(bytes, (tn_bytes)0);
  buffers->alignment[row] = builder->lives->alignment;
  tn_lives_add_to(builder, &builder->total, used);
  return row;
}

/* ---- lives of storages ----------------------------------------------------------------- */

static tn_tick
start_of(const TnLivesBuilder *builder, uint32_t root)
{
  uint32_t made_at = builder->storage->made_at[root];
  if (made_at == TN_NONE)
    return 0;
  return (tn_tick)made_at * 3 + (tn_lives_is_kernel(builder) ? 0 : 1);
}

static tn_tick
end_of(const TnLivesBuilder *builder, uint32_t root)
{
  const TnGraphStorage *storage = builder->storage;
  uint32_t last = storage->last_read[root], made_at = storage->made_at[root];
  if (storage->is_kept[root])
    return builder->lives->axis_end;
  tn_tick through_op = made_at == TN_NONE ? MIN((tn_tick)3, builder->lives->axis_end)
                                          : (tn_tick)made_at * 3 + 3;
  if (last == TN_NONE)
    return through_op;
  tn_tick read_end = (tn_tick)last * 3 + (tn_lives_is_kernel(builder) ? 3 : 1);
  return made_at == TN_NONE ? read_end : MAX(read_end, through_op);
}

static TnBufferKind
kind_of(const TnTensor *tensor)
{
  return tensor->kind == TN_TENSOR_INPUT ? TN_KIND_INPUT
         : tensor->is_output             ? TN_KIND_OUTPUT
                                         : TN_KIND_ACTIVATION;
}

/* Each follower that is smaller than the head leaves a hole above itself, from the end of the op
 * that made it to the end of the op that hands the memory on (or to the end of its life). */
static void
add_follower_gap(TnLivesBuilder *builder, tn_index buffer, uint32_t follower, tn_tick until)
{
  tn_tick from = (tn_tick)builder->storage->made_at[follower] * 3 + 3;
  tn_bytes held = tensor_bytes(builder, tn_graph_tensor(builder->graph, follower)->bytes);
  if (held >= builder->lives->buffers->bytes[buffer] || from >= until)
    return;
  TnGap gap = {from, until, 0, held};
  g_array_append_val(builder->gaps, gap);
  g_array_append_val(builder->gap_owner, buffer);
}

static uint32_t
last_of_chain(const TnLivesBuilder *builder, uint32_t root)
{
  while (builder->storage->taken_by[root] != TN_NONE)
    root = builder->storage->taken_by[root];
  return root;
}

static void
add_chain(TnLivesBuilder *builder, tn_index buffer, uint32_t root)
{
  const TnGraphStorage *storage = builder->storage;
  TnBuffers *buffers = builder->lives->buffers;
  for (uint32_t at = storage->taken_by[root]; at != TN_NONE; at = storage->taken_by[at]) {
    bool is_last = storage->taken_by[at] == TN_NONE;
    tn_tick until = is_last ? buffers->end[buffer] : (tn_tick)storage->last_read[at] * 3 + 3;
    add_follower_gap(builder, buffer, at, until);
    builder->buffer_of[at] = buffer;
    builder->lives->n_in_place++;
    buffers->alignment[buffer] =
        MAX(buffers->alignment[buffer], tn_graph_tensor(builder->graph, at)->alignment);
  }
}

static void
add_storage(TnLivesBuilder *builder, uint32_t root)
{
  const TnTensor *tensor = tn_graph_tensor(builder->graph, root);
  TnBuffers *buffers = builder->lives->buffers;
  const TnTensor *last = tn_graph_tensor(builder->graph, last_of_chain(builder, root));
  tn_index row = tn_lives_add_buffer(builder, start_of(builder, root),
                            end_of(builder, last_of_chain(builder, root)),
                            tensor_bytes(builder, tensor->bytes),
                            last->is_output ? TN_KIND_OUTPUT : kind_of(tensor));
  buffers->requested[row] = MAX(tensor->bytes, (tn_bytes)0);
  buffers->name[row] = tensor->name;
  buffers->tensor[row] = root;
  buffers->op[row] = tensor->producer;
  buffers->alignment[row] = MAX(buffers->alignment[row], tensor->alignment);
  buffers->offset[row] = tensor->recorded_offset;
  builder->buffer_of[root] = row;
  if (buffers->batch && tensor->producer != TN_NONE)
    buffers->batch[row] = tn_graph_op(builder->graph, tensor->producer)->batch_label;
  if (buffers->stream && tensor->producer != TN_NONE)
    buffers->stream[row] = tn_graph_op(builder->graph, tensor->producer)->stream;
  if (tensor->bytes == TN_BYTES_UNKNOWN) {
    buffers->flags[row] |= TN_BUFFER_UNSIZED;
    builder->lives->n_unsized++;
    if (builder->lives->first_unsized == TN_NONE)
      builder->lives->first_unsized = root;
  }
  add_chain(builder, row, root);
}

void
tn_lives_add_resident(TnLivesBuilder *builder, const TnTensor *tensor)
{
  tn_bytes used = tn_lives_used_bytes(builder, tensor->bytes);
  builder->lives->n_unsized_residents += tensor->bytes == TN_BYTES_UNKNOWN;
  tn_lives_add_to(builder, &builder->lives->resident_bytes, used);
  if (tensor->kind == TN_TENSOR_CONSTANT)
    tn_lives_add_to(builder, &builder->lives->constant_bytes, used);
  else if (tensor->kind == TN_TENSOR_VARIABLE)
    tn_lives_add_to(builder, &builder->lives->variable_bytes, used);
}

static void
add_io(TnLivesBuilder *builder, const TnTensor *tensor)
{
  tn_bytes used = tensor_bytes(builder, tensor->bytes);
  if (tensor->kind == TN_TENSOR_INPUT)
    tn_lives_add_to(builder, &builder->lives->input_bytes, used);
  else if (tensor->is_output)
    tn_lives_add_to(builder, &builder->lives->output_bytes, used);
}

/* A tensor that nothing makes and nothing reads, and that is no input, is nowhere in memory. */
static bool
is_in_memory(const TnLivesBuilder *builder, uint32_t tensor)
{
  const TnGraphStorage *storage = builder->storage;
  return storage->made_at[tensor] != TN_NONE || storage->last_read[tensor] != TN_NONE ||
         storage->is_kept[tensor] ||
         tn_graph_tensor(builder->graph, tensor)->kind == TN_TENSOR_INPUT;
}

static void
add_storages(TnLivesBuilder *builder)
{
  const TnGraphStorage *storage = builder->storage;
  for (uint32_t i = 0; i < storage->n; i++) {
    const TnTensor *tensor = tn_graph_tensor(builder->graph, i);
    add_io(builder, tensor);
    if (storage->root[i] != i)
      builder->lives->n_views++;
    else if (storage->is_resident[i])
      tn_lives_add_resident(builder, tensor);
    else if (!storage->is_taker[i] && is_in_memory(builder, i))
      add_storage(builder, i);
  }
}

/* ---- groups ---------------------------------------------------------------------------- */

/* Members of a group must follow each other in row order, so only operands that come so and belong
 * to no other group can be one. */
static void
add_group(TnLivesBuilder *builder, const TnOp *op, uint32_t group)
{
  TnBuffers *buffers = builder->lives->buffers;
  const uint32_t *inputs = tn_graph_inputs(builder->graph, op);
  tn_index before = TN_NONE;
  for (int pass = 0; pass < 2; pass++)
    for (uint32_t i = 0; i < op->n_inputs; i++) {
      tn_index row = inputs[i] == TN_NONE
                         ? TN_NONE
                         : builder->buffer_of[builder->storage->root[inputs[i]]];
      if (row == TN_NONE)
        continue;
      if (pass == 0 && (buffers->group[row] != 0 || (before != TN_NONE && row <= before)))
        return;
      before = row;
      if (pass == 1)
        buffers->group[row] = group + 1;
    }
}

static void
add_groups(TnLivesBuilder *builder)
{
  uint32_t n = 0;
  for (uint32_t p = 0; p < builder->graph->ops->len; p++) {
    const TnOp *op = tn_graph_op(builder->graph, builder->order[p]);
    if (!op->wants_contiguous_inputs)
      continue;
    tn_buffers_need(builder->lives->buffers, TN_COLUMN_GROUP);
    add_group(builder, op, n++);
  }
}

/* ---- the whole ------------------------------------------------------------------------- */

/* Views have the place of what they show. */
static void
fill_row_of(TnLivesBuilder *builder)
{
  const TnGraphStorage *storage = builder->storage;
  builder->lives->row_of = g_new(uint32_t, (gsize)storage->n + 1);
  for (uint32_t i = 0; i < storage->n; i++)
    builder->lives->row_of[i] = builder->buffer_of[storage->root[i]];
}

static unsigned
needed_columns(const TnGraph *graph)
{
  unsigned columns = TN_COLUMN_NAME | TN_COLUMN_OP | TN_COLUMN_TENSOR | TN_COLUMN_ALIGNMENT |
                     TN_COLUMN_REQUESTED;
  for (uint32_t i = 0; i < graph->ops->len; i++) {
    columns |= tn_graph_op(graph, i)->batch_label ? TN_COLUMN_BATCH : 0;
    columns |= tn_graph_op(graph, i)->stream ? TN_COLUMN_STREAM : 0;
  }
  return columns;
}

static bool
choose_order(TnLivesBuilder *builder, GError **error)
{
  const TnGraph *graph = builder->graph;
  builder->order = builder->params->order;
  if (!builder->order)
    builder->order = (const uint32_t *)(const void *)graph->order->data;
  else if (!tn_graph_order_is_legal(graph, builder->order, graph->ops->len)) {
    g_set_error(error, TN_DATA_ERROR, TN_DATA_ERROR_MALFORMED,
                "the order: found an op before one that it needs, or not each op once; expected "
                "an order that keeps every edge of the graph");
    return false;
  }
  return true;
}

static bool
choose_runtime(TnLivesBuilder *builder, GError **error)
{
  const TnGraphLifetimeParams *params = builder->params;
  builder->runtime = params->preset ? tn_runtimes_find(params->preset) : NULL;
  if (params->preset && !builder->runtime) {
    g_set_error(error, TN_DATA_ERROR, TN_DATA_ERROR_UNSUPPORTED,
                "preset '%s' is not known; expected onnxruntime, tflite, tflm or ge",
                params->preset);
    return false;
  }
  tn_bytes alignment = params->alignment;
  if (alignment <= 0)
    alignment = builder->runtime ? builder->runtime->alignment : 1;
  builder->lives->alignment = alignment;
  builder->lives->runtime = builder->runtime;
  return true;
}

bool
tn_graph_lifetime_storage_params(const TnGraph *graph,
                                 const TnGraphLifetimeParams *params,
                                 TnGraphStorageParams *out_storage)
{
  const TnRuntime *runtime = params->preset ? tn_runtimes_find(params->preset) : NULL;
  *out_storage = (TnGraphStorageParams){
      .order = params->order ? params->order
                             : (const uint32_t *)(const void *)graph->order->data,
      /* When dying inputs go first, writing in place saves nothing. */
      .aliasing = params->model == TN_LIFETIME_KERNEL ? params->aliasing
                                                      : MIN(params->aliasing, TN_ALIASING_VIEWS),
      .runtime = runtime,
      .is_io_callers = params->is_io_callers || (runtime && runtime->owns_no_io)};
  return runtime || !params->preset;
}

static void
build(TnLivesBuilder *builder)
{
  const TnGraph *graph = builder->graph;
  TnGraphLives *lives = builder->lives;
  TnGraphStorageParams params;
  tn_graph_lifetime_storage_params(graph, builder->params, &params);
  lives->axis_end = MAX((tn_tick)graph->ops->len * 3, (tn_tick)1);
  lives->first_unsized = TN_NONE;
  lives->n_folded_ops = graph->n_folded_ops;
  tn_buffers_need(lives->buffers, needed_columns(graph));
  builder->storage = tn_graph_storage_new(graph, builder->strings, &params);
  builder->gaps = g_array_new(FALSE, FALSE, sizeof(TnGap));
  builder->gap_owner = g_array_new(FALSE, FALSE, sizeof(tn_index));
  builder->buffer_of = g_new(uint32_t, (gsize)graph->tensors->len + 1);
  memset(builder->buffer_of, 0xff, sizeof(uint32_t) * ((gsize)graph->tensors->len + 1));
  lives->workspace_of = g_new(uint32_t, (gsize)graph->ops->len + 1);
  memset(lives->workspace_of, 0xff, sizeof(uint32_t) * ((gsize)graph->ops->len + 1));
  add_storages(builder);
  tn_lives_add_body_residents(builder);
  for (uint32_t p = 0; p < graph->ops->len; p++)
    tn_lives_add_scratch(builder, p);
  add_groups(builder);
  fill_row_of(builder);
  tn_buffers_set_gaps(lives->buffers, (const TnGap *)(const void *)builder->gaps->data,
                      (const tn_index *)(const void *)builder->gap_owner->data,
                      builder->gaps->len);
  g_array_unref(builder->gaps);
  g_array_unref(builder->gap_owner);
  g_free(builder->buffer_of);
  tn_graph_storage_free(builder->storage);
}

TnGraphLives *
tn_graph_lives_new(const TnGraph *graph, TnStrings *strings, const TnGraphLifetimeParams *params,
                   GError **error)
{
  g_autoptr(TnGraphLives) lives = g_new0(TnGraphLives, 1);
  lives->buffers = tn_buffers_new();
  TnLivesBuilder builder = {.graph = graph, .strings = strings, .params = params, .lives = lives};
  if (!choose_order(&builder, error) || !choose_runtime(&builder, error))
    return NULL;
  build(&builder);
  if (!builder.has_overflown)
    tn_lives_weigh_uncounted(&builder);
  g_clear_pointer(&builder.uncounted, g_array_unref);
  if (builder.has_overflown) {
    g_set_error(error, TN_DATA_ERROR, TN_DATA_ERROR_TOO_LARGE,
                "the graph '%s': found sizes whose sum passes 2^63 bytes",
                tn_strings_get(strings, graph->name));
    return NULL;
  }
  return g_steal_pointer(&lives);
}

void
tn_graph_lives_free(TnGraphLives *lives)
{
  if (!lives)
    return;
  tn_buffers_free(lives->buffers);
  g_free(lives->row_of);
  g_free(lives->workspace_of);
  g_free(lives);
}
