/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "data/readers/onnx-emit.h"

#include "data/runtime.h"
#include "data/shape/workspace.h"

typedef struct {
  const TnOnnxBuilder *builder;
  TnStrings *strings;
  const TnOnnxWork *work;
  TnGraph *graph;
  uint32_t *op_of;      /* by node: its op, TN_NONE where folded */
  GHashTable *outside;  /* TnOnnxValue * of other graphs to tensor + 1 */
} Emitter;

static void
set_shape(Emitter *emitter, uint32_t row, const TnOnnxValue *value)
{
  TnTensor *tensor = tn_graph_tensor(emitter->graph, row);
  tensor->dtype = tn_strings_intern(emitter->strings, tn_dtype_name(value->shape.dtype), -1);
  tensor->bytes = tn_value_bytes(&value->shape);
  if (value->shape.rank >= 0)
    tn_graph_set_shape(emitter->graph, row, value->shape.dims, (uint32_t)value->shape.rank);
}

static TnTensorKind
kind_of(const TnOnnxValue *value)
{
  return value->is_constant ? TN_TENSOR_CONSTANT
         : value->is_input  ? TN_TENSOR_INPUT
         : value->is_output ? TN_TENSOR_OUTPUT
                            : TN_TENSOR_ACTIVATION;
}

/* A Constant node's value is in the file. */
static bool
is_folded(const Emitter *emitter, const TnOnnxValue *value)
{
  return value->is_constant && value->producer != TN_NONE &&
         tn_onnx_node(emitter->work, value->producer)->n_inputs > 0;
}

static void
add_tensors(Emitter *emitter)
{
  for (guint i = 0; i < emitter->work->values->len; i++) {
    const TnOnnxValue *value = emitter->work->values->pdata[i];
    uint32_t row = tn_graph_add_tensor(emitter->graph, value->name, kind_of(value));
    tn_graph_tensor(emitter->graph, row)->is_output = value->is_output;
    tn_graph_tensor(emitter->graph, row)->is_folded = is_folded(emitter, value);
    set_shape(emitter, row, value);
  }
}

/* A value of a graph outside: its memory is counted there. */
static uint32_t
outside_tensor(Emitter *emitter, TnOnnxValue *value)
{
  uint32_t had = GPOINTER_TO_UINT(g_hash_table_lookup(emitter->outside, value));
  if (had)
    return had - 1;
  uint32_t row = tn_graph_add_tensor(emitter->graph, value->name,
                                     value->is_constant ? TN_TENSOR_CONSTANT : TN_TENSOR_INPUT);
  tn_graph_tensor(emitter->graph, row)->is_caller_owned = true;
  set_shape(emitter, row, value);
  g_hash_table_insert(emitter->outside, value, GUINT_TO_POINTER(row + 1));
  return row;
}

static uint32_t
tensor_of(Emitter *emitter, TnOnnxValue *value)
{
  if (!value)
    return TN_NONE;
  return value->owner == emitter->work ? value->index : outside_tensor(emitter, value);
}

static void
add_aliases(Emitter *emitter, const TnOnnxWorkNode *node)
{
  const TnRuntime *runtime = tn_runtimes_find("onnxruntime");
  const TnAliasRule *rule =
      node->domain == 0
          ? tn_runtime_rule(runtime, tn_strings_get(emitter->strings, node->type))
          : NULL;
  if (!rule || node->n_inputs < 1 || node->n_outputs < 1 || !node->inputs[0] || !node->outputs[0])
    return;
  uint32_t input = tensor_of(emitter, node->inputs[0]), output = node->outputs[0]->index;
  if (rule->is_view)
    tn_graph_op_add_view(emitter->graph, output, input);
  else if (rule->in_place & 1)
    tn_graph_op_add_in_place(emitter->graph, output, input);
}

static void
add_captured(Emitter *emitter, const TnOnnxWorkNode *node)
{
  for (uint32_t b = 0; b < node->n_bodies; b++)
    for (guint i = 0; i < node->bodies[b]->captured->len; i++) {
      TnOnnxValue *value = node->bodies[b]->captured->pdata[i];
      tn_graph_op_add_input(emitter->graph, tensor_of(emitter, value));
      tn_graph_op(emitter->graph, emitter->graph->ops->len - 1)->n_implicit++;
    }
}

static void
add_bodies(Emitter *emitter, const TnOnnxWorkNode *node)
{
  for (uint32_t b = 0; b < node->n_bodies; b++) {
    TnGraph *body = tn_onnx_graph_build(emitter->builder, node->bodies[b]);
    body->role = tn_strings_intern(emitter->strings, node->body_names[b], -1);
    g_ptr_array_add(emitter->graph->bodies, body);
  }
  TnOp *op = tn_graph_op(emitter->graph, emitter->graph->ops->len - 1);
  op->n_bodies = node->n_bodies;
  op->taken_body = node->taken_body;
}

/* Ways to compute, each with its scratch; the op's own is none, a preset picks one. */
static void
add_workspaces(Emitter *emitter, const TnOnnxWorkNode *node)
{
  TnArena *arena = emitter->builder->parser->arena;
  TnWorkspace list[TN_MOST_WORKSPACES];
  const TnShapeValue **inputs = tn_arena_take_n(arena, const TnShapeValue *, node->n_inputs);
  TnShapeValue *outputs = tn_arena_take_n(arena, TnShapeValue, node->n_outputs);
  for (uint32_t i = 0; i < node->n_inputs; i++)
    inputs[i] = node->inputs[i] ? &node->inputs[i]->shape : NULL;
  for (uint32_t i = 0; i < node->n_outputs; i++)
    outputs[i] = node->outputs[i] ? node->outputs[i]->shape : (TnShapeValue)TN_SHAPE_VALUE_INIT;
  TnRuleContext context = {.type = tn_strings_get(emitter->strings, node->type),
                           .version = node->version,
                           .attributes = node->attributes,
                           .n_attributes = node->n_attributes,
                           .inputs = inputs,
                           .n_inputs = node->n_inputs,
                           .outputs = outputs,
                           .n_outputs = node->n_outputs,
                           .arena = arena};
  uint32_t n = tn_workspaces_list(&context, list);
  for (uint32_t i = 0; i < n; i++)
    tn_graph_op_add_algorithm(
        emitter->graph,
        (TnAlgorithm){tn_strings_intern(emitter->strings, list[i].name, -1), list[i].bytes, -1});
}

static void
add_op(Emitter *emitter, const TnOnnxWorkNode *node)
{
  TnOp *op = tn_graph_add_op(emitter->graph, node->name, node->type);
  op->domain = node->domain;
  for (uint32_t i = 0; i < node->n_inputs; i++)
    tn_graph_op_add_input(emitter->graph, tensor_of(emitter, node->inputs[i]));
  add_captured(emitter, node);
  for (uint32_t i = 0; i < node->n_outputs; i++)
    tn_graph_op_add_output(emitter->graph,
                           node->outputs[i] ? node->outputs[i]->index : TN_NONE);
  add_aliases(emitter, node);
  add_workspaces(emitter, node);
  add_bodies(emitter, node);
}

static void
add_ops(Emitter *emitter)
{
  for (guint i = 0; i < emitter->work->nodes->len; i++) {
    const TnOnnxWorkNode *node = tn_onnx_node(emitter->work, i);
    if (tn_onnx_is_stopped(emitter->builder->parser))
      return;
    emitter->op_of[i] = TN_NONE;
    if (node->is_folded) {
      emitter->graph->n_folded_ops++;
      continue;
    }
    emitter->op_of[i] = emitter->graph->ops->len;
    add_op(emitter, node);
    tn_graph_op(emitter->graph, emitter->op_of[i])->file_id = i;
  }
  for (guint i = 0; i < emitter->work->order->len; i++) {
    uint32_t op = emitter->op_of[g_array_index(emitter->work->order, uint32_t, i)];
    if (op != TN_NONE)
      g_array_append_val(emitter->graph->order, op);
  }
}

/* Which op lost a shape, and why: known only once ops have their rows. */
static void
set_losses(Emitter *emitter)
{
  const char *last = NULL; /* what follows a loss lost it for the same reason */
  uint32_t why = 0;
  for (guint i = 0; i < emitter->work->values->len; i++) {
    const TnOnnxValue *value = emitter->work->values->pdata[i];
    TnTensor *tensor = tn_graph_tensor(emitter->graph, i);
    if (tensor->bytes != TN_BYTES_UNKNOWN || !value->lost_why)
      continue;
    if (value->lost_why != last)
      why = tn_strings_intern(emitter->strings, last = value->lost_why, -1);
    tensor->lost_why = why;
    tensor->lost_at = value->lost_node == TN_NONE ? TN_NONE : emitter->op_of[value->lost_node];
  }
}

static void
add_free_dims(Emitter *emitter)
{
  const TnOnnxGraph *file = emitter->work->graph;
  for (uint32_t i = 0; i < file->n_inputs; i++) {
    const TnOnnxValue *value = emitter->work->inputs[i];
    for (int32_t k = 0; value->is_input && k < file->inputs[i].value.rank; k++) {
      if (file->inputs[i].value.dims[k] >= 0 || value->shape.rank <= k)
        continue;
      TnFreeDim dim = {value->index, (uint32_t)k, file->inputs[i].params[k],
                       value->shape.dims[k]};
      g_array_append_val(emitter->graph->free_dims, dim);
    }
  }
}

TnGraph *
tn_onnx_graph_build(const TnOnnxBuilder *builder, const TnOnnxWork *work)
{
  Emitter emitter = {.builder = builder,
                     .strings = builder->parser->strings,
                     .work = work,
                     .graph = tn_graph_new(),
                     .op_of = g_new0(uint32_t, (gsize)work->nodes->len + 1),
                     .outside = g_hash_table_new(NULL, NULL)};
  emitter.graph->name = work->graph->name;
  add_tensors(&emitter);
  add_ops(&emitter);
  set_losses(&emitter);
  add_free_dims(&emitter);
  g_free(emitter.op_of);
  g_hash_table_unref(emitter.outside);
  return emitter.graph;
}
