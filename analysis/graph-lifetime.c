/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/graph-lifetime.h"

#include "data/error.h"
#include "data/graph-order.h"

#include <string.h>

typedef struct {
  const TnGraph *graph;
  TnStrings *strings;
  const TnGraphLifetimeParams *params;
  const TnRuntime *runtime;
  const uint32_t *order;
  TnGraphStorage *storage;
  TnGraphLives *lives;
  GArray *gaps;      /* TnGap */
  GArray *gap_owner; /* tn_index */
  uint32_t *buffer_of; /* by root tensor: its buffer; TN_NONE */
  tn_bytes total;
  bool has_overflown;
} Builder;

/* ---- sizes ----------------------------------------------------------------------------- */

static tn_bytes
used_bytes(Builder *builder, tn_bytes bytes)
{
  tn_bytes used = 0;
  if (bytes > 0 && !tn_round_up(bytes, builder->lives->alignment, &used))
    builder->has_overflown = true;
  return used;
}

static void
add_to(Builder *builder, tn_bytes *sum, tn_bytes bytes)
{
  if (bytes > 0 && !tn_add(*sum, bytes, sum))
    builder->has_overflown = true;
}

static tn_index
add_buffer(Builder *builder, tn_tick start, tn_tick end, tn_bytes bytes, TnBufferKind kind)
{
  TnBuffers *buffers = builder->lives->buffers;
  tn_bytes used = used_bytes(builder, bytes);
  tn_index row = tn_buffers_add(buffers, start, MAX(end, start + 1), used, kind);
  buffers->requested[row] = MAX(bytes, (tn_bytes)0);
  buffers->alignment[row] = builder->lives->alignment;
  add_to(builder, &builder->total, used);
  return row;
}

/* ---- lives of storages ----------------------------------------------------------------- */

static bool
is_kernel(const Builder *builder)
{
  return builder->params->model == TN_LIFETIME_KERNEL;
}

static tn_tick
start_of(const Builder *builder, uint32_t root)
{
  uint32_t made_at = builder->storage->made_at[root];
  if (made_at == TN_NONE)
    return 0;
  return (tn_tick)made_at * 3 + (is_kernel(builder) ? 0 : 1);
}

static tn_tick
end_of(const Builder *builder, uint32_t root)
{
  const TnGraphStorage *storage = builder->storage;
  uint32_t last = storage->last_read[root], made_at = storage->made_at[root];
  if (storage->is_kept[root])
    return builder->lives->axis_end;
  tn_tick through_op = made_at == TN_NONE ? MIN((tn_tick)3, builder->lives->axis_end)
                                          : (tn_tick)made_at * 3 + 3;
  if (last == TN_NONE)
    return through_op;
  tn_tick read_end = (tn_tick)last * 3 + (is_kernel(builder) ? 3 : 1);
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
add_follower_gap(Builder *builder, tn_index buffer, uint32_t follower, tn_tick until)
{
  tn_tick from = (tn_tick)builder->storage->made_at[follower] * 3 + 3;
  tn_bytes held = used_bytes(builder, tn_graph_tensor(builder->graph, follower)->bytes);
  if (held >= builder->lives->buffers->bytes[buffer] || from >= until)
    return;
  TnGap gap = {from, until, 0, held};
  g_array_append_val(builder->gaps, gap);
  g_array_append_val(builder->gap_owner, buffer);
}

static uint32_t
last_of_chain(const Builder *builder, uint32_t root)
{
  while (builder->storage->taken_by[root] != TN_NONE)
    root = builder->storage->taken_by[root];
  return root;
}

static void
add_chain(Builder *builder, tn_index buffer, uint32_t root)
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
add_storage(Builder *builder, uint32_t root)
{
  const TnTensor *tensor = tn_graph_tensor(builder->graph, root);
  TnBuffers *buffers = builder->lives->buffers;
  const TnTensor *last = tn_graph_tensor(builder->graph, last_of_chain(builder, root));
  tn_index row = add_buffer(builder, start_of(builder, root),
                            end_of(builder, last_of_chain(builder, root)), tensor->bytes,
                            last->is_output ? TN_KIND_OUTPUT : kind_of(tensor));
  buffers->name[row] = tensor->name;
  buffers->tensor[row] = root;
  buffers->op[row] = tensor->producer;
  buffers->alignment[row] = MAX(buffers->alignment[row], tensor->alignment);
  buffers->offset[row] = tensor->recorded_offset;
  builder->buffer_of[root] = row;
  if (buffers->batch && tensor->producer != TN_NONE)
    buffers->batch[row] = tn_graph_op(builder->graph, tensor->producer)->batch_label;
  if (buffers->space && tensor->producer != TN_NONE)
    buffers->space[row] = tn_graph_op(builder->graph, tensor->producer)->stream;
  if (tensor->bytes == TN_BYTES_UNKNOWN) {
    buffers->flags[row] |= TN_BUFFER_UNSIZED;
    builder->lives->n_unsized++;
    if (builder->lives->first_unsized == TN_NONE)
      builder->lives->first_unsized = root;
  }
  add_chain(builder, row, root);
}

static void
add_resident(Builder *builder, uint32_t root)
{
  const TnTensor *tensor = tn_graph_tensor(builder->graph, root);
  tn_bytes used = used_bytes(builder, tensor->bytes);
  builder->lives->n_unsized_residents += tensor->bytes == TN_BYTES_UNKNOWN;
  add_to(builder, &builder->lives->resident_bytes, used);
  if (tensor->kind == TN_TENSOR_CONSTANT)
    add_to(builder, &builder->lives->constant_bytes, used);
  else if (tensor->kind == TN_TENSOR_VARIABLE)
    add_to(builder, &builder->lives->variable_bytes, used);
}

static void
add_io(Builder *builder, const TnTensor *tensor)
{
  tn_bytes used = used_bytes(builder, tensor->bytes);
  if (tensor->kind == TN_TENSOR_INPUT)
    add_to(builder, &builder->lives->input_bytes, used);
  else if (tensor->is_output)
    add_to(builder, &builder->lives->output_bytes, used);
}

/* A tensor that nothing makes and nothing reads, and that is no input, is nowhere in memory. */
static bool
is_in_memory(const Builder *builder, uint32_t tensor)
{
  const TnGraphStorage *storage = builder->storage;
  return storage->made_at[tensor] != TN_NONE || storage->last_read[tensor] != TN_NONE ||
         storage->is_kept[tensor] ||
         tn_graph_tensor(builder->graph, tensor)->kind == TN_TENSOR_INPUT;
}

static void
add_storages(Builder *builder)
{
  const TnGraphStorage *storage = builder->storage;
  for (uint32_t i = 0; i < storage->n; i++) {
    add_io(builder, tn_graph_tensor(builder->graph, i));
    if (storage->root[i] != i)
      builder->lives->n_views++;
    else if (storage->is_resident[i])
      add_resident(builder, i);
    else if (!storage->is_taker[i] && is_in_memory(builder, i))
      add_storage(builder, i);
  }
}

/* ---- workspaces ------------------------------------------------------------------------ */

static const TnAlgorithm *
find_algorithm(const Builder *builder, const TnOp *op, const char *name)
{
  for (uint32_t i = 0; name && i < op->n_algorithms; i++) {
    const TnAlgorithm *algorithm =
        &g_array_index(builder->graph->algorithms, TnAlgorithm, op->first_algorithm + i);
    if (strcmp(tn_strings_get(builder->strings, algorithm->name), name) == 0)
      return algorithm;
  }
  return NULL;
}

/* A runtime's own way to compute, else what each runtime needs, else what the op states. */
static tn_bytes
workspace_bytes(const Builder *builder, const TnOp *op)
{
  const char *wanted = builder->params->algorithm;
  if (!wanted && builder->runtime)
    wanted = builder->runtime->algorithm;
  const TnAlgorithm *algorithm = find_algorithm(builder, op, wanted);
  if (!algorithm && wanted)
    algorithm = find_algorithm(builder, op, "needed");
  return algorithm ? algorithm->workspace_bytes : op->workspace_bytes;
}

static tn_index
add_scratch(Builder *builder, uint32_t op_row, tn_tick start, tn_tick end, tn_bytes bytes,
            const char *what)
{
  TnBuffers *buffers = builder->lives->buffers;
  const TnOp *op = tn_graph_op(builder->graph, op_row);
  g_autofree char *op_name = tn_graph_build_op_text(builder->graph, builder->strings, op_row);
  g_autofree char *name = g_strdup_printf("%s: %s", op_name, what);
  tn_index row = add_buffer(builder, start, end, bytes, TN_KIND_WORKSPACE);
  buffers->name[row] = tn_strings_intern(builder->strings, name, -1);
  buffers->op[row] = op_row;
  if (buffers->batch)
    buffers->batch[row] = op->batch_label;
  if (buffers->space)
    buffers->space[row] = op->stream;
  return row;
}

/* Scratch of single phases: one buffer for each run of phases without a break. */
static void
add_internal(Builder *builder, uint32_t op_row, tn_tick base, const TnInternal *internal)
{
  const char *name = tn_strings_get(builder->strings, internal->name);
  for (unsigned from = 0; from < 3; from++) {
    unsigned to = from;
    while (to < 3 && internal->phases >> to & 1)
      to++;
    if (to > from)
      add_scratch(builder, op_row, base + from, base + to, internal->bytes,
                  *name ? name : "internal");
    from = MAX(from, to);
  }
}

static tn_bytes
body_peak(Builder *builder, const TnOp *op)
{
  tn_bytes peak = 0;
  TnGraphLifetimeParams params = *builder->params;
  params.order = NULL; /* the body's own */
  params.is_io_callers = false;
  for (uint32_t i = 0; i < op->n_bodies; i++) {
    if (op->taken_body != TN_NONE && op->taken_body != i)
      continue;
    const TnGraph *body = g_ptr_array_index(builder->graph->bodies, op->first_body + i);
    g_autoptr(TnGraphLives) lives = tn_graph_lives_new(body, builder->strings, &params, NULL);
    if (!lives)
      builder->has_overflown = true;
    else
      peak = MAX(peak, tn_graph_live_peak(lives->buffers, lives->axis_end, NULL));
  }
  return peak;
}

static void
note_workspace(Builder *builder, tn_bytes bytes)
{
  TnGraphLives *lives = builder->lives;
  lives->workspace_bytes = MAX(lives->workspace_bytes, used_bytes(builder, bytes));
  add_to(builder, &lives->workspace_sum_bytes, used_bytes(builder, bytes));
}

static void
add_op_scratch(Builder *builder, uint32_t position)
{
  uint32_t op_row = builder->order[position];
  const TnOp *op = tn_graph_op(builder->graph, op_row);
  tn_tick base = (tn_tick)position * 3, start = base + (is_kernel(builder) ? 0 : 1);
  tn_bytes workspace = workspace_bytes(builder, op), body = body_peak(builder, op);
  bool with_bodies = builder->params->with_bodies || builder->runtime;
  builder->lives->body_bytes = MAX(builder->lives->body_bytes, body);
  if (body > 0 && with_bodies)
    add_scratch(builder, op_row, start, base + 3, body, "body");
  if (builder->params->no_workspace)
    return;
  if (workspace > 0) {
    tn_index row = add_scratch(builder, op_row, start, base + 3, workspace, "workspace");
    tn_bytes *alignment = &builder->lives->buffers->alignment[row];
    *alignment = MAX(*alignment, op->workspace_alignment);
    note_workspace(builder, workspace);
  }
  for (uint32_t i = 0; i < op->n_internal; i++)
    add_internal(builder, op_row, base,
                 &g_array_index(builder->graph->internals, TnInternal, op->first_internal + i));
}

/* ---- groups ---------------------------------------------------------------------------- */

/* Members of a group must follow each other in row order, so only operands that come so and belong
 * to no other group can be one. */
static void
add_group(Builder *builder, const TnOp *op, uint32_t group)
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
add_groups(Builder *builder)
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

static unsigned
needed_columns(const TnGraph *graph)
{
  unsigned columns = TN_COLUMN_NAME | TN_COLUMN_OP | TN_COLUMN_TENSOR | TN_COLUMN_ALIGNMENT |
                     TN_COLUMN_REQUESTED;
  for (uint32_t i = 0; i < graph->ops->len; i++) {
    columns |= tn_graph_op(graph, i)->batch_label ? TN_COLUMN_BATCH : 0;
    columns |= tn_graph_op(graph, i)->stream ? TN_COLUMN_SPACE : 0;
  }
  return columns;
}

static bool
choose_order(Builder *builder, GError **error)
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
choose_runtime(Builder *builder, GError **error)
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
build(Builder *builder)
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
  add_storages(builder);
  for (uint32_t p = 0; p < graph->ops->len; p++)
    add_op_scratch(builder, p);
  add_groups(builder);
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
  Builder builder = {.graph = graph, .strings = strings, .params = params, .lives = lives};
  if (!choose_order(&builder, error) || !choose_runtime(&builder, error))
    return NULL;
  build(&builder);
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
  g_free(lives);
}

tn_bytes
tn_graph_live_peak(const TnBuffers *buffers, tn_tick axis_end, tn_tick *out_at)
{
  g_autofree int64_t *change = g_try_new0(int64_t, (gsize)axis_end + 1);
  tn_bytes live = 0, peak = 0;
  if (out_at)
    *out_at = 0;
  if (!change)
    return INT64_MAX;
  for (uint32_t i = 0; i < buffers->n; i++) {
    uint32_t n_gaps;
    const TnGap *gaps = tn_buffers_gaps(buffers, i, &n_gaps);
    change[CLAMP(buffers->start[i], 0, axis_end)] += buffers->bytes[i];
    change[CLAMP(buffers->end[i], 0, axis_end)] -= buffers->bytes[i];
    for (uint32_t g = 0; g < n_gaps; g++) {
      tn_bytes absent = buffers->bytes[i] - (gaps[g].high - gaps[g].low);
      change[CLAMP(gaps[g].start, 0, axis_end)] -= absent;
      change[CLAMP(gaps[g].end, 0, axis_end)] += absent;
    }
  }
  for (tn_tick t = 0; t < axis_end; t++) {
    live += change[t];
    if (live > peak) {
      peak = live;
      if (out_at)
        *out_at = t;
    }
  }
  return peak;
}

static const char *const model_names[] = {"kernel", "release-first"};
static const char *const aliasing_names[] = {"none", "views", "all"};

static int
find_name(const char *const *names, int n, const char *name)
{
  for (int i = 0; i < n; i++)
    if (g_strcmp0(names[i], name) == 0)
      return i;
  return -1;
}

const char *
tn_lifetime_model_name(TnLifetimeModel model)
{
  return model_names[model];
}

bool
tn_lifetime_model_from_name(const char *name, TnLifetimeModel *out_model)
{
  int found = find_name(model_names, G_N_ELEMENTS(model_names), name);
  if (found >= 0)
    *out_model = (TnLifetimeModel)found;
  return found >= 0;
}

const char *
tn_aliasing_name(TnAliasing aliasing)
{
  return aliasing_names[aliasing];
}

bool
tn_aliasing_from_name(const char *name, TnAliasing *out_aliasing)
{
  int found = find_name(aliasing_names, G_N_ELEMENTS(aliasing_names), name);
  if (found >= 0)
    *out_aliasing = (TnAliasing)found;
  return found >= 0;
}
