/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "data/readers/onnx-graph.h"

#include "data/graph-order.h"
#include "data/readers/onnx-frame.h"

#include <string.h>

/* ---- small things ---------------------------------------------------------------------- */

static const char *
text(const TnOnnxBuilder *builder, uint32_t id)
{
  return tn_strings_get(builder->parser->strings, id);
}

const char *
tn_onnx_node_text(const TnOnnxBuilder *builder, const TnOnnxWork *work, uint32_t node)
{
  const TnOnnxWorkNode *row = tn_onnx_node(work, node);
  if (row->name)
    return tn_arena_printf(builder->parser->arena, "%s '%s'", text(builder, row->type),
                           text(builder, row->name));
  return tn_arena_printf(builder->parser->arena, "node %u (%s)", node, text(builder, row->type));
}

static TnOnnxWork *
new_work(const TnOnnxGraph *graph)
{
  TnOnnxWork *work = g_new0(TnOnnxWork, 1);
  work->graph = graph;
  work->values = g_ptr_array_new();
  work->nodes = g_array_new(FALSE, TRUE, sizeof(TnOnnxWorkNode));
  work->captured = g_ptr_array_new();
  work->captured_set = g_hash_table_new(NULL, NULL);
  work->children = g_ptr_array_new_with_free_func((GDestroyNotify)tn_onnx_work_free);
  return work;
}

void
tn_onnx_work_free(TnOnnxWork *work)
{
  if (!work)
    return;
  g_ptr_array_unref(work->values);
  g_array_unref(work->nodes);
  if (work->order)
    g_array_unref(work->order);
  g_ptr_array_unref(work->captured);
  g_hash_table_unref(work->captured_set);
  g_ptr_array_unref(work->children);
  g_free(work);
}

/* ---- graphs ---------------------------------------------------------------------------- */

static void
declare_graph(TnOnnxBuilder *builder, TnOnnxFrame *frame, const TnOnnxGraph *graph)
{
  TnOnnxWork *work = frame->work;
  work->inputs = tn_arena_take_n(builder->parser->arena, TnOnnxValue *, graph->n_inputs);
  for (uint32_t i = 0; i < graph->n_initializers; i++) {
    TnOnnxValue *value = tn_onnx_declare(builder, frame, graph->initializers[i].name);
    value->is_initializer = value->is_constant = true;
    value->shape = graph->initializers[i].value;
    if (tn_value_bytes(&value->shape) == TN_BYTES_UNKNOWN)
      value->lost_why = tn_value_unsized_reason(&value->shape);
  }
  for (uint32_t i = 0; i < graph->n_inputs; i++) {
    TnOnnxValue *value = tn_onnx_declare(builder, frame, graph->inputs[i].name);
    value->is_input = !value->is_initializer; /* before IR 4 weights are inputs as well */
    value->declared = &graph->inputs[i];
    work->inputs[i] = value;
  }
  for (uint32_t i = 0; i < graph->n_nodes; i++)
    for (uint32_t k = 0; k < graph->nodes[i].n_outputs; k++)
      if (graph->nodes[i].outputs[k])
        tn_onnx_declare(builder, frame, graph->nodes[i].outputs[k]);
  for (uint32_t i = 0; i < graph->n_infos; i++) {
    TnOnnxValue *value =
        g_hash_table_lookup(frame->names, GUINT_TO_POINTER(graph->infos[i].name));
    if (value && !value->declared)
      value->declared = &graph->infos[i];
  }
}

static bool
resolve_outputs(TnOnnxBuilder *builder, TnOnnxFrame *frame, const TnOnnxGraph *graph)
{
  TnOnnxWork *work = frame->work;
  work->outputs = tn_arena_take_n(builder->parser->arena, TnOnnxValue *, graph->n_outputs);
  for (uint32_t i = 0; i < graph->n_outputs; i++) {
    if (!tn_onnx_resolve(frame, graph->outputs[i].name, &work->outputs[i]) || !work->outputs[i]) {
      const char *found = tn_arena_printf(builder->parser->arena, "the output '%s', which nothing "
                                          "makes", text(builder, graph->outputs[i].name));
      return tn_onnx_fail(builder, tn_arena_printf(builder->parser->arena, "graph '%s'",
                                           text(builder, graph->name)),
                  found, "a node, an input or an initializer of that name");
    }
    TnOnnxValue *value = work->outputs[i];
    if (value->owner == work)
      value->is_output = true;
    if (value->owner == work && (!value->declared || value->declared->value.rank < 0))
      value->declared = &graph->outputs[i];
  }
  return true;
}

static bool
fail_cycle(TnOnnxBuilder *builder, const TnOnnxWork *work, GArray *cycle)
{
  g_autoptr(GString) path = g_string_new("the cycle ");
  for (guint i = 0; i <= cycle->len; i++) {
    uint32_t node = g_array_index(cycle, uint32_t, i % cycle->len);
    if (i < 8 || i == cycle->len)
      g_string_append_printf(path, "%s%s", i ? " → " : "",
                             tn_onnx_node_text(builder, work, node));
    else if (i == 8)
      g_string_append_printf(path, " → (%u more)", cycle->len - 8);
  }
  g_array_unref(cycle);
  return tn_onnx_fail(builder, "the nodes", path->str, "a graph that some order can run");
}

static void
add_skeleton_input(TnGraph *graph, const TnOnnxWork *work, const TnOnnxValue *value)
{
  if (value && value->owner == work)
    tn_graph_op_add_input(graph, value->index);
}

/* Edges only, to sort by: an op reads what its bodies capture as well. */
static TnGraph *
build_skeleton(const TnOnnxWork *work)
{
  TnGraph *graph = tn_graph_new();
  for (guint i = 0; i < work->values->len; i++)
    tn_graph_add_tensor(graph, 0, TN_TENSOR_ACTIVATION);
  for (guint i = 0; i < work->nodes->len; i++) {
    const TnOnnxWorkNode *node = tn_onnx_node(work, i);
    tn_graph_add_op(graph, 0, 0);
    for (uint32_t k = 0; k < node->n_inputs; k++)
      add_skeleton_input(graph, work, node->inputs[k]);
    for (uint32_t b = 0; b < node->n_bodies; b++)
      for (guint k = 0; k < node->bodies[b]->captured->len; k++)
        add_skeleton_input(graph, work, node->bodies[b]->captured->pdata[k]);
    for (uint32_t k = 0; k < node->n_outputs; k++)
      if (node->outputs[k])
        tn_graph_op_add_output(graph, node->outputs[k]->index);
  }
  return graph;
}

static bool
sort_work(TnOnnxBuilder *builder, TnOnnxWork *work)
{
  g_autoptr(TnGraph) skeleton = build_skeleton(work);
  GArray *cycle = NULL;
  uint32_t n_moved = 0;
  work->order = tn_graph_sort(skeleton, &cycle);
  if (!work->order)
    return fail_cycle(builder, work, cycle);
  for (guint i = 0; i < work->order->len; i++)
    n_moved += g_array_index(work->order, uint32_t, i) != i;
  if (n_moved)
    tn_diagnostics_add(builder->diagnostics, "unsorted-nodes", n_moved,
                       "the file lists nodes before what they read, against its format's rules; "
                       "a stable topological order is used");
  return true;
}

/* A call hands graphs on to where they nest deeper than in the file. */
static bool
fail_depth(TnOnnxBuilder *builder, const TnOnnxGraph *graph)
{
  return tn_onnx_fail(builder,
                      tn_arena_printf(builder->parser->arena, "graph '%.200s'",
                                      text(builder, graph->name)),
                      "graphs nested deeper than 32 once functions are written out", "at most 32");
}

static TnOnnxWork *
build_graph(TnOnnxBuilder *builder, TnOnnxFrame *parent, const TnOnnxGraph *graph,
            const TnOnnxFrame *call)
{
  if (builder->graph_depth >= TN_ONNX_MOST_DEPTH) {
    fail_depth(builder, graph);
    return NULL;
  }
  if (builder->depth > 0 && !tn_onnx_count_graph(builder, graph))
    return NULL;
  builder->graph_depth++;
  g_autoptr(TnOnnxWork) work = new_work(graph);
  TnOnnxFrame frame = {.parent = parent,
                 .work = work,
                 .call = call,
                 .names = g_hash_table_new(NULL, NULL),
                 .prefix = parent ? parent->prefix : ""};
  declare_graph(builder, &frame, graph);
  work->cost = graph->n_inputs;
  bool is_good = true;
  for (uint32_t i = 0; is_good && i < graph->n_nodes; i++)
    is_good = tn_onnx_add_node(builder, &frame, &graph->nodes[i]);
  is_good = is_good && resolve_outputs(builder, &frame, graph) && sort_work(builder, work);
  g_hash_table_unref(frame.names);
  builder->graph_depth--;
  return is_good ? g_steal_pointer(&work) : NULL;
}

/* ---- nodes ----------------------------------------------------------------------------- */

static bool
set_inputs(TnOnnxBuilder *builder, TnOnnxFrame *frame, const TnOnnxNode *node, TnOnnxWorkNode *row)
{
  row->n_inputs = node->n_inputs;
  row->inputs = tn_arena_take_n(builder->parser->arena, TnOnnxValue *, node->n_inputs);
  for (uint32_t i = 0; i < node->n_inputs; i++) {
    if (node->inputs[i] == 0 || tn_onnx_resolve(frame, node->inputs[i], &row->inputs[i]))
      continue;
    TnArena *arena = builder->parser->arena;
    return tn_onnx_fail(builder,
                tn_arena_printf(arena, "node '%s' (%s)", text(builder, node->name),
                                text(builder, node->type)),
                tn_arena_printf(arena, "the input '%s', which nothing makes",
                                text(builder, node->inputs[i])),
                "a node, an input or an initializer of that name");
  }
  return true;
}

/* Who made a value before; the node at work is in no row yet. */
static const char *
first_producer(const TnOnnxBuilder *builder, const TnOnnxWork *work, const TnOnnxValue *value)
{
  if (value->producer == work->nodes->len)
    return "the same node";
  if (value->producer != TN_NONE)
    return tn_onnx_node_text(builder, work, value->producer);
  return value->is_input ? "the graph's inputs" : "the initializers";
}

static bool
set_outputs(TnOnnxBuilder *builder, TnOnnxFrame *frame, const TnOnnxNode *node, TnOnnxWorkNode *row)
{
  row->n_outputs = node->n_outputs;
  row->outputs = tn_arena_take_n(builder->parser->arena, TnOnnxValue *, node->n_outputs);
  for (uint32_t i = 0; i < node->n_outputs; i++) {
    TnOnnxValue *value = NULL;
    if (node->outputs[i] == 0)
      continue;
    value = g_hash_table_lookup(frame->names, GUINT_TO_POINTER(node->outputs[i]));
    if (!value)
      value = tn_onnx_declare(builder, frame, node->outputs[i]);
    if (value->producer != TN_NONE || value->is_input || value->is_initializer) {
      TnArena *arena = builder->parser->arena;
      const char *first = first_producer(builder, frame->work, value);
      return tn_onnx_fail(builder,
                  tn_arena_printf(arena, "node '%s' (%s)", text(builder, node->name),
                                  text(builder, node->type)),
                  tn_arena_printf(arena, "a second producer of '%s', which %s made already",
                                  text(builder, value->name), first),
                  "one producer for each value");
    }
    value->producer = frame->work->nodes->len;
    row->outputs[i] = value;
  }
  return true;
}

static bool
set_bodies(TnOnnxBuilder *builder, TnOnnxFrame *frame, TnOnnxWorkNode *row)
{
  uint32_t n = 0;
  for (uint32_t i = 0; i < row->n_attributes; i++)
    n += row->attributes[i].graph != NULL;
  row->bodies = tn_arena_take_n(builder->parser->arena, TnOnnxWork *, n);
  row->body_names = tn_arena_take_n(builder->parser->arena, const char *, n);
  for (uint32_t i = 0; i < row->n_attributes; i++) {
    if (!row->attributes[i].graph)
      continue;
    TnOnnxWork *body =
        build_graph(builder, frame, row->attributes[i].graph, row->attributes[i].scope);
    if (!body)
      return false;
    g_ptr_array_add(frame->work->children, body);
    row->body_names[row->n_bodies] = row->attributes[i].name;
    row->bodies[row->n_bodies++] = body;
  }
  return true;
}

static uint32_t
prefixed(TnOnnxBuilder *builder, const TnOnnxFrame *frame, uint32_t name)
{
  if (!*frame->prefix || name == 0)
    return name;
  g_autofree char *full = g_strconcat(frame->prefix, text(builder, name), NULL);
  builder->name_bytes += strlen(full);
  return tn_strings_intern(builder->parser->strings, full, -1);
}

static bool
add_plain_node(TnOnnxBuilder *builder, TnOnnxFrame *frame, const TnOnnxNode *node)
{
  TnOnnxWorkNode row = {.name = prefixed(builder, frame, node->name),
                        .type = node->type,
                        .domain = node->domain,
                        .version = tn_onnx_version(builder, frame, node->domain),
                        .taken_body = TN_NONE};
  tn_onnx_set_attributes(builder, frame, node, &row);
  if (!set_inputs(builder, frame, node, &row) || !set_bodies(builder, frame, &row) ||
      !set_outputs(builder, frame, node, &row))
    return false;
  g_array_append_val(frame->work->nodes, row);
  frame->work->cost += tn_onnx_node_cost(row.n_inputs, row.n_outputs, 0);
  return true;
}

bool
tn_onnx_add_node(TnOnnxBuilder *builder, TnOnnxFrame *frame, const TnOnnxNode *node)
{
  const TnOnnxFunction *function = tn_onnx_find_function(builder, node);
  if (tn_onnx_is_stopped(builder->parser))
    return false;
  if (node->type == 0)
    return tn_onnx_fail(builder, tn_arena_printf(builder->parser->arena, "node %u", frame->work->nodes->len),
                        "a node without the name of its operator", "an op_type");
  if (function)
    return tn_onnx_write_out_call(builder, frame, node, function);
  return add_plain_node(builder, frame, node);
}

TnOnnxWork *
tn_onnx_work_new(TnOnnxBuilder *builder)
{
  tn_onnx_index_model(builder);
  TnOnnxWork *work = build_graph(builder, NULL, builder->model->graph, NULL);
  tn_onnx_clear_index(builder);
  return work;
}
