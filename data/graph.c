/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "data/graph.h"

TnGraph *
tn_graph_new(void)
{
  TnGraph *graph = g_new0(TnGraph, 1);
  graph->ops = g_array_sized_new(FALSE, TRUE, sizeof(TnOp), 1);
  graph->tensors = g_array_sized_new(FALSE, TRUE, sizeof(TnTensor), 1);
  graph->inputs = g_array_sized_new(FALSE, FALSE, sizeof(uint32_t), 1);
  graph->outputs = g_array_sized_new(FALSE, FALSE, sizeof(uint32_t), 1);
  graph->views = g_array_sized_new(FALSE, FALSE, sizeof(TnAlias), 1);
  graph->in_place = g_array_sized_new(FALSE, FALSE, sizeof(TnAlias), 1);
  graph->after = g_array_sized_new(FALSE, FALSE, sizeof(uint32_t), 1);
  graph->internals = g_array_sized_new(FALSE, FALSE, sizeof(TnInternal), 1);
  graph->algorithms = g_array_sized_new(FALSE, FALSE, sizeof(TnAlgorithm), 1);
  graph->dims = g_array_sized_new(FALSE, FALSE, sizeof(int64_t), 1);
  graph->order = g_array_sized_new(FALSE, FALSE, sizeof(uint32_t), 1);
  graph->free_dims = g_array_new(FALSE, FALSE, sizeof(TnFreeDim));
  graph->bodies = g_ptr_array_new_with_free_func((GDestroyNotify)tn_graph_free);
  graph->recorded_arena = TN_BYTES_UNKNOWN;
  return graph;
}

void
tn_graph_free(TnGraph *graph)
{
  if (!graph)
    return;
  GArray *const arrays[] = {graph->ops,      graph->tensors, graph->inputs,    graph->outputs,
                            graph->views,    graph->in_place, graph->after,    graph->internals,
                            graph->algorithms, graph->dims,   graph->order,    graph->link_out,
                            graph->link_in,    graph->free_dims};
  for (gsize i = 0; i < G_N_ELEMENTS(arrays); i++)
    if (arrays[i])
      g_array_unref(arrays[i]);
  g_ptr_array_unref(graph->bodies);
  g_free(graph);
}

uint32_t
tn_graph_add_tensor(TnGraph *graph, uint32_t name, TnTensorKind kind)
{
  TnTensor tensor = {.name = name,
                     .file_id = -1,
                     .bytes = TN_BYTES_UNKNOWN,
                     .producer = TN_NONE,
                     .rank = TN_NONE,
                     .kind = (uint8_t)kind,
                     .is_output = kind == TN_TENSOR_OUTPUT,
                     .recorded_offset = TN_NOT_PLACED,
                     .inside = TN_NONE,
                     .lost_at = TN_NONE};
  g_array_append_val(graph->tensors, tensor);
  return graph->tensors->len - 1;
}

void
tn_graph_set_shape(TnGraph *graph, uint32_t tensor, const int64_t *dims, uint32_t rank)
{
  TnTensor *row = tn_graph_tensor(graph, tensor);
  row->shape = graph->dims->len;
  row->rank = rank;
  if (rank)
    g_array_append_vals(graph->dims, dims, rank);
}

TnOp *
tn_graph_add_op(TnGraph *graph, uint32_t name, uint32_t type)
{
  TnOp op = {.name = name,
             .type = type,
             .file_id = -1,
             .first_input = graph->inputs->len,
             .first_output = graph->outputs->len,
             .first_view = graph->views->len,
             .first_in_place = graph->in_place->len,
             .first_after = graph->after->len,
             .first_internal = graph->internals->len,
             .first_algorithm = graph->algorithms->len,
             .first_body = graph->bodies->len,
             .taken_body = TN_NONE,
             .seconds = -1};
  g_array_append_val(graph->ops, op);
  return tn_graph_op(graph, graph->ops->len - 1);
}

static TnOp *
last_op(TnGraph *graph)
{
  return tn_graph_op(graph, graph->ops->len - 1);
}

void
tn_graph_op_add_input(TnGraph *graph, uint32_t tensor)
{
  g_array_append_val(graph->inputs, tensor);
  last_op(graph)->n_inputs++;
}

void
tn_graph_op_add_output(TnGraph *graph, uint32_t tensor)
{
  g_array_append_val(graph->outputs, tensor);
  last_op(graph)->n_outputs++;
  if (tensor != TN_NONE)
    tn_graph_tensor(graph, tensor)->producer = graph->ops->len - 1;
}

void
tn_graph_op_add_view(TnGraph *graph, uint32_t output, uint32_t input)
{
  TnAlias alias = {output, input, false};
  g_array_append_val(graph->views, alias);
  last_op(graph)->n_views++;
}

void
tn_graph_op_add_in_place(TnGraph *graph, uint32_t output, uint32_t input)
{
  TnAlias alias = {output, input, false};
  g_array_append_val(graph->in_place, alias);
  last_op(graph)->n_in_place++;
}

void
tn_graph_op_add_after(TnGraph *graph, uint32_t op)
{
  g_array_append_val(graph->after, op);
  last_op(graph)->n_after++;
}

void
tn_graph_op_add_algorithm(TnGraph *graph, TnAlgorithm algorithm)
{
  g_array_append_val(graph->algorithms, algorithm);
  last_op(graph)->n_algorithms++;
}

void
tn_graph_op_add_internal(TnGraph *graph, TnInternal internal)
{
  g_array_append_val(graph->internals, internal);
  last_op(graph)->n_internal++;
}
