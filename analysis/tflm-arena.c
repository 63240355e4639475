/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/tflm-arena.h"

#include "data/tflm.h"

#include <string.h>

#define ALIGNMENT 16
#define MOST_REQUESTS_PER_OP 12 /* kMaxScratchBuffersPerOp */

typedef struct {
  TnTflmArena *arena;
  const TnStrings *strings;
  tn_bytes pointer_bytes;
  int64_t n_graphs, n_tensors, n_ops, n_requests, n_planned, n_ends;
  tn_bytes variable_bytes, quantization_bytes;
  uint32_t n_bodies, n_run; /* sub-graphs; those that an op runs */
  bool has_overflown;
} Builder;

static tn_bytes
by_pointer(const Builder *builder, tn_bytes on_32, tn_bytes on_64)
{
  return builder->pointer_bytes == 8 ? on_64 : on_32;
}

static void
add(Builder *builder, TnTflmSection section, const char *what, tn_bytes bytes, const char *source)
{
  TnTflmRow row = {section, what, source, bytes};
  if (bytes <= 0)
    return;
  g_array_append_val(builder->arena->rows, row);
  if (!tn_add(builder->arena->section[section], bytes, &builder->arena->section[section]))
    builder->has_overflown = true;
}

static void
add_array(Builder *builder, TnTflmSection section, const char *what, int64_t n, tn_bytes size,
          const char *source)
{
  tn_bytes bytes = 0;
  if (!tn_mul(n, size, &bytes))
    builder->has_overflown = true;
  add(builder, section, what, bytes, source);
}

/* ---- counting -------------------------------------------------------------------------- */

static void
count_tensor(Builder *builder, const TnTensor *tensor, bool is_main)
{
  bool is_end = tensor->kind == TN_TENSOR_INPUT || tensor->is_output;
  tn_bytes used = 0;
  builder->n_tensors++;
  if (tensor->kind != TN_TENSOR_CONSTANT && tensor->kind != TN_TENSOR_VARIABLE)
    builder->n_planned++;
  if (tensor->kind == TN_TENSOR_VARIABLE && tensor->bytes > 0 &&
      tensor->recorded_offset == TN_NOT_PLACED)
    builder->has_overflown |=
        !tn_round_up(tensor->bytes, ALIGNMENT, &used) ||
        !tn_add(builder->variable_bytes, used, &builder->variable_bytes);
  if (is_main && is_end) {
    builder->n_ends++;
    if (tensor->n_scales > 0)
      builder->quantization_bytes +=
          by_pointer(builder, 12, 24) + 4 + 4 * (tn_bytes)tensor->n_scales;
  }
}

static void
count_graph(Builder *builder, const TnGraph *graph, bool is_main)
{
  tn_bytes requests[TN_TFLM_MOST_SCRATCH];
  builder->n_graphs++;
  builder->n_ops += graph->ops->len;
  for (uint32_t i = 0; i < graph->tensors->len; i++)
    count_tensor(builder, tn_graph_tensor(graph, i), is_main);
  for (uint32_t i = 0; i < graph->ops->len; i++) {
    builder->n_run += tn_graph_op(graph, i)->n_bodies;
    builder->n_requests += tn_tflm_list_scratch(graph, builder->strings, tn_graph_op(graph, i),
                                                builder->pointer_bytes, requests);
  }
  for (guint i = 0; i < graph->bodies->len; i++) {
    builder->n_bodies++;
    count_graph(builder, graph->bodies->pdata[i], false);
  }
}

/* ---- sections -------------------------------------------------------------------------- */

static void
add_temp(Builder *builder)
{
  int64_t n_infos = builder->n_tensors + builder->n_requests;
  add_array(builder, TN_TFLM_TEMP, "scratch requests",
            builder->n_requests + MOST_REQUESTS_PER_OP, by_pointer(builder, 12, 16),
            "ScratchBufferRequest, 12 more than there are");
  add_array(builder, TN_TFLM_TEMP, "lives of tensors", n_infos, by_pointer(builder, 24, 32),
            "AllocationInfo, one for each tensor and request");
  add_array(builder, TN_TFLM_TEMP, "the planner's tables",
            builder->n_planned + builder->n_requests, 40,
            "GreedyMemoryPlanner::per_buffer_size(), for each planned buffer");
}

static void
add_tail(Builder *builder)
{
  add_array(builder, TN_TFLM_TAIL, "tensors", builder->n_tensors, by_pointer(builder, 12, 24),
            "TfLiteEvalTensor for each tensor of the file");
  add_array(builder, TN_TFLM_TAIL, "ops", builder->n_ops, by_pointer(builder, 32, 64),
            "NodeAndRegistration for each op");
  add_array(builder, TN_TFLM_TAIL, "sub-graphs", builder->n_graphs, by_pointer(builder, 8, 16),
            "SubgraphAllocations");
  add(builder, TN_TFLM_TAIL, "variables", builder->variable_bytes,
      "AllocateVariables(): is_variable tensors, multiples of 16");
  add_array(builder, TN_TFLM_TAIL, "inputs and outputs", builder->n_ends,
            by_pointer(builder, 40, 64), "TfLiteTensor for each input and output");
  add(builder, TN_TFLM_TAIL, "their quantisation", builder->quantization_bytes,
      "TfLiteAffineQuantization and its zero points");
  add_array(builder, TN_TFLM_TAIL, "scratch handles", builder->n_requests,
            builder->pointer_bytes, "ScratchBufferHandle");
}

static void
add_unknown(Builder *builder, const TnGraph *graph)
{
  g_autoptr(GString) customs = g_string_new(NULL);
  GPtrArray *unknown = builder->arena->unknown;
  for (uint32_t i = 0; i < graph->ops->len; i++) {
    const char *type = tn_strings_get(builder->strings, tn_graph_op(graph, i)->type);
    /* Built-in ops have names in capitals. */
    bool is_custom = false;
    for (const char *at = type; *at; at++)
      is_custom = is_custom || g_ascii_islower(*at);
    if (is_custom && !strstr(customs->str, type))
      g_string_append_printf(customs, "%s%s", customs->len ? ", " : "", type);
  }
  g_ptr_array_add(unknown, g_strdup("what each kernel keeps for itself (OpData, parameters): "
                                    "RecordingMicroAllocator logs it"));
  g_ptr_array_add(unknown, g_strdup("the allocator's own objects, some hundred bytes"));
  g_ptr_array_add(unknown, g_strdup("scratch of kernels that are not the reference ones"));
  if (customs->len)
    g_ptr_array_add(unknown, g_strdup_printf("scratch of custom ops: %s", customs->str));
  if (builder->n_bodies)
    g_ptr_array_add(unknown,
                    g_strdup("sub-graphs are planned together with the main one, not inside the op "
                             "that runs them; one that several ops run is counted for each"));
}

TnTflmArena *
tn_tflm_arena_new(const TnGraph *graph, const TnStrings *strings, tn_bytes head_bytes,
                  tn_bytes pointer_bytes)
{
  g_autoptr(TnTflmArena) arena = g_new0(TnTflmArena, 1);
  Builder builder = {.arena = arena, .strings = strings, .pointer_bytes = pointer_bytes};
  arena->rows = g_array_new(FALSE, TRUE, sizeof(TnTflmRow));
  arena->unknown = g_ptr_array_new_with_free_func(g_free);
  count_graph(&builder, graph, true);
  add(&builder, TN_TFLM_HEAD, "planned tensors and scratch", head_bytes,
      "the plan, multiples of 16 (GreedyMemoryPlanner)");
  add_temp(&builder);
  add_tail(&builder);
  add_unknown(&builder, graph);
  arena->may_repeat = builder.n_run > 1;
  tn_bytes front = MAX(arena->section[TN_TFLM_HEAD], arena->section[TN_TFLM_TEMP]);
  if (builder.has_overflown || !tn_add(arena->section[TN_TFLM_TAIL], front, &arena->total))
    return NULL;
  return g_steal_pointer(&arena);
}

void
tn_tflm_arena_free(TnTflmArena *arena)
{
  if (!arena)
    return;
  g_array_unref(arena->rows);
  g_ptr_array_unref(arena->unknown);
  g_free(arena);
}

const char *
tn_tflm_section_name(TnTflmSection section)
{
  static const char *const names[TN_N_TFLM_SECTIONS] = {"head", "temp", "tail"};
  return names[section];
}
