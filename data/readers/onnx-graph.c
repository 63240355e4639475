/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "data/readers/onnx-graph.h"

#include "data/error.h"
#include "data/graph-order.h"

#include <string.h>

#define MOST_FUNCTION_DEPTH 32
#define MOST_NODES (1u << 21) /* of all graphs, where functions are written out */
#define MOST_CALLS 100000 /* written out; functions that call functions twice grow as 2^depth */

/* Where a name means something: a graph, or a function's inside. */
typedef struct Frame Frame;
struct Frame {
  Frame *parent; /* names from outside; a function sees none */
  TnOnnxWork *work;
  GHashTable *names; /* string id to TnOnnxValue *; NULL: an absent argument */
  const char *prefix; /* put before names that a call makes */
  bool is_call;
  const TnAttribute *arguments; /* of the call */
  uint32_t n_arguments;
  const TnOnnxFunction *function;
};

static bool add_node(TnOnnxBuilder *builder, Frame *frame, const TnOnnxNode *node);

/* ---- small things ---------------------------------------------------------------------- */

static bool
fail(TnOnnxBuilder *builder, const char *place, const char *found, const char *expected)
{
  if (builder->error && !*builder->error)
    g_set_error(builder->error, TN_DATA_ERROR, TN_DATA_ERROR_MALFORMED,
                "%s: %s: found %s; expected %s", builder->file, place, found, expected);
  return false;
}

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

/* ---- names ----------------------------------------------------------------------------- */

static TnOnnxValue *
new_value(TnOnnxBuilder *builder, Frame *frame, uint32_t name)
{
  TnOnnxValue *value = tn_arena_take_n(builder->parser->arena, TnOnnxValue, 1);
  value->name = name;
  if (*frame->prefix) {
    g_autofree char *full = g_strconcat(frame->prefix, text(builder, name), NULL);
    value->name = tn_strings_intern(builder->parser->strings, full, -1);
  }
  value->owner = frame->work;
  value->index = frame->work->values->len;
  value->producer = value->lost_node = TN_NONE;
  value->shape.rank = TN_RANK_UNKNOWN;
  g_ptr_array_add(frame->work->values, value);
  return value;
}

static TnOnnxValue *
declare(TnOnnxBuilder *builder, Frame *frame, uint32_t name)
{
  TnOnnxValue *value = g_hash_table_lookup(frame->names, GUINT_TO_POINTER(name));
  if (value)
    return value;
  for (const Frame *outer = frame->parent; outer; outer = outer->parent)
    if (g_hash_table_contains(outer->names, GUINT_TO_POINTER(name)))
      tn_diagnostics_add(builder->diagnostics, "shadowed-name", 1,
                         "a sub-graph uses the name '%s' of a graph outside for a value of its "
                         "own; inside it means the inner one",
                         text(builder, name));
  value = new_value(builder, frame, name);
  g_hash_table_insert(frame->names, GUINT_TO_POINTER(name), value);
  return value;
}

static void
capture(const Frame *frame, TnOnnxValue *value)
{
  for (; frame && frame->work != value->owner; frame = frame->parent)
    if (g_hash_table_add(frame->work->captured_set, value))
      g_ptr_array_add(frame->work->captured, value);
}

/* The value a name means here; false where it means none. Absent arguments give NULL. */
static bool
resolve(Frame *frame, uint32_t name, TnOnnxValue **out_value)
{
  for (Frame *at = frame; at; at = at->parent) {
    gpointer found;
    if (!g_hash_table_lookup_extended(at->names, GUINT_TO_POINTER(name), NULL, &found))
      continue;
    *out_value = found;
    if (found)
      capture(frame, found);
    return true;
  }
  return false;
}

static int64_t
version_of(const TnOnnxBuilder *builder, const Frame *frame, uint32_t domain)
{
  const TnOnnxOpset *opsets = builder->model->opsets;
  uint32_t n = builder->model->n_opsets;
  for (; frame; frame = frame->parent)
    if (frame->function && frame->function->n_opsets) {
      opsets = frame->function->opsets;
      n = frame->function->n_opsets;
      break;
    }
  for (uint32_t i = 0; i < n; i++)
    if (opsets[i].domain == domain)
      return opsets[i].version;
  return n == 0 ? 1 : 17; /* old files name none; others forgot one */
}

/* ---- attributes ------------------------------------------------------------------------ */

static const TnAttribute *
find_argument(const Frame *frame, const char *name)
{
  while (frame && !frame->is_call)
    frame = frame->parent;
  if (!frame)
    return NULL;
  for (uint32_t i = 0; i < frame->n_arguments; i++)
    if (strcmp(frame->arguments[i].name, name) == 0)
      return &frame->arguments[i];
  for (uint32_t i = 0; i < frame->function->n_defaults; i++)
    if (strcmp(frame->function->defaults[i].name, name) == 0)
      return &frame->function->defaults[i];
  return NULL;
}

/* Inside a function an attribute may stand for one of the call's. */
static void
set_attributes(TnOnnxBuilder *builder, Frame *frame, const TnOnnxNode *node, TnOnnxWorkNode *row)
{
  TnAttribute *attributes = tn_arena_take_n(builder->parser->arena, TnAttribute,
                                            node->n_attributes);
  for (uint32_t i = 0; i < node->n_attributes; i++) {
    const TnAttribute *attribute = &node->attributes[i];
    if (attribute->reference && *attribute->reference) {
      const TnAttribute *argument = find_argument(frame, attribute->reference);
      if (!argument)
        continue;
      attributes[row->n_attributes] = *argument;
      attributes[row->n_attributes++].name = attribute->name;
    } else
      attributes[row->n_attributes++] = *attribute;
  }
  row->attributes = attributes;
}

/* ---- graphs ---------------------------------------------------------------------------- */

static void
declare_graph(TnOnnxBuilder *builder, Frame *frame, const TnOnnxGraph *graph)
{
  TnOnnxWork *work = frame->work;
  work->inputs = tn_arena_take_n(builder->parser->arena, TnOnnxValue *, graph->n_inputs);
  for (uint32_t i = 0; i < graph->n_initializers; i++) {
    TnOnnxValue *value = declare(builder, frame, graph->initializers[i].name);
    value->is_initializer = value->is_constant = true;
    value->shape = graph->initializers[i].value;
  }
  for (uint32_t i = 0; i < graph->n_inputs; i++) {
    TnOnnxValue *value = declare(builder, frame, graph->inputs[i].name);
    value->is_input = !value->is_initializer; /* before IR 4 weights are inputs as well */
    value->declared = &graph->inputs[i];
    work->inputs[i] = value;
  }
  for (uint32_t i = 0; i < graph->n_nodes; i++)
    for (uint32_t k = 0; k < graph->nodes[i].n_outputs; k++)
      if (graph->nodes[i].outputs[k])
        declare(builder, frame, graph->nodes[i].outputs[k]);
  for (uint32_t i = 0; i < graph->n_infos; i++) {
    TnOnnxValue *value =
        g_hash_table_lookup(frame->names, GUINT_TO_POINTER(graph->infos[i].name));
    if (value && !value->declared)
      value->declared = &graph->infos[i];
  }
}

static bool
resolve_outputs(TnOnnxBuilder *builder, Frame *frame, const TnOnnxGraph *graph)
{
  TnOnnxWork *work = frame->work;
  work->outputs = tn_arena_take_n(builder->parser->arena, TnOnnxValue *, graph->n_outputs);
  for (uint32_t i = 0; i < graph->n_outputs; i++) {
    if (!resolve(frame, graph->outputs[i].name, &work->outputs[i]) || !work->outputs[i]) {
      const char *found = tn_arena_printf(builder->parser->arena, "the output '%s', which nothing "
                                          "makes", text(builder, graph->outputs[i].name));
      return fail(builder, tn_arena_printf(builder->parser->arena, "graph '%s'",
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
  return fail(builder, "the nodes", path->str, "a graph that some order can run");
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

static TnOnnxWork *
build_graph(TnOnnxBuilder *builder, Frame *parent, const TnOnnxGraph *graph)
{
  g_autoptr(TnOnnxWork) work = new_work(graph);
  Frame frame = {.parent = parent,
                 .work = work,
                 .names = g_hash_table_new(NULL, NULL),
                 .prefix = parent ? parent->prefix : ""};
  declare_graph(builder, &frame, graph);
  bool is_good = true;
  for (uint32_t i = 0; is_good && i < graph->n_nodes; i++)
    is_good = add_node(builder, &frame, &graph->nodes[i]);
  is_good = is_good && resolve_outputs(builder, &frame, graph) && sort_work(builder, work);
  g_hash_table_unref(frame.names);
  return is_good ? g_steal_pointer(&work) : NULL;
}

/* ---- nodes ----------------------------------------------------------------------------- */

static bool
set_inputs(TnOnnxBuilder *builder, Frame *frame, const TnOnnxNode *node, TnOnnxWorkNode *row)
{
  row->n_inputs = node->n_inputs;
  row->inputs = tn_arena_take_n(builder->parser->arena, TnOnnxValue *, node->n_inputs);
  for (uint32_t i = 0; i < node->n_inputs; i++) {
    if (node->inputs[i] == 0 || resolve(frame, node->inputs[i], &row->inputs[i]))
      continue;
    TnArena *arena = builder->parser->arena;
    return fail(builder,
                tn_arena_printf(arena, "node '%s' (%s)", text(builder, node->name),
                                text(builder, node->type)),
                tn_arena_printf(arena, "the input '%s', which nothing makes",
                                text(builder, node->inputs[i])),
                "a node, an input or an initializer of that name");
  }
  return true;
}

static bool
set_outputs(TnOnnxBuilder *builder, Frame *frame, const TnOnnxNode *node, TnOnnxWorkNode *row)
{
  row->n_outputs = node->n_outputs;
  row->outputs = tn_arena_take_n(builder->parser->arena, TnOnnxValue *, node->n_outputs);
  for (uint32_t i = 0; i < node->n_outputs; i++) {
    TnOnnxValue *value = NULL;
    if (node->outputs[i] == 0)
      continue;
    value = g_hash_table_lookup(frame->names, GUINT_TO_POINTER(node->outputs[i]));
    if (!value)
      value = declare(builder, frame, node->outputs[i]);
    if (value->producer != TN_NONE || value->is_input || value->is_initializer) {
      TnArena *arena = builder->parser->arena;
      const char *first = value->producer != TN_NONE
                              ? tn_onnx_node_text(builder, frame->work, value->producer)
                              : value->is_input ? "the graph's inputs" : "the initializers";
      return fail(builder,
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
set_bodies(TnOnnxBuilder *builder, Frame *frame, TnOnnxWorkNode *row)
{
  uint32_t n = 0;
  for (uint32_t i = 0; i < row->n_attributes; i++)
    n += row->attributes[i].graph != NULL;
  row->bodies = tn_arena_take_n(builder->parser->arena, TnOnnxWork *, n);
  row->body_names = tn_arena_take_n(builder->parser->arena, const char *, n);
  for (uint32_t i = 0; i < row->n_attributes; i++) {
    if (!row->attributes[i].graph)
      continue;
    TnOnnxWork *body = build_graph(builder, frame, row->attributes[i].graph);
    if (!body)
      return false;
    g_ptr_array_add(frame->work->children, body);
    row->body_names[row->n_bodies] = row->attributes[i].name;
    row->bodies[row->n_bodies++] = body;
  }
  return true;
}

static uint32_t
prefixed(TnOnnxBuilder *builder, const Frame *frame, uint32_t name)
{
  if (!*frame->prefix || name == 0)
    return name;
  g_autofree char *full = g_strconcat(frame->prefix, text(builder, name), NULL);
  return tn_strings_intern(builder->parser->strings, full, -1);
}

static bool
add_plain_node(TnOnnxBuilder *builder, Frame *frame, const TnOnnxNode *node)
{
  TnOnnxWorkNode row = {.name = prefixed(builder, frame, node->name),
                        .type = node->type,
                        .domain = node->domain,
                        .version = version_of(builder, frame, node->domain),
                        .taken_body = TN_NONE};
  set_attributes(builder, frame, node, &row);
  if (!set_inputs(builder, frame, node, &row) || !set_bodies(builder, frame, &row) ||
      !set_outputs(builder, frame, node, &row))
    return false;
  g_array_append_val(frame->work->nodes, row);
  builder->n_nodes++;
  return true;
}

/* ---- local functions ------------------------------------------------------------------- */

static const TnOnnxFunction *
find_function(const TnOnnxBuilder *builder, const TnOnnxNode *node)
{
  for (uint32_t i = 0; i < builder->model->n_functions; i++) {
    const TnOnnxFunction *function = &builder->model->functions[i];
    if (function->name == node->type && function->domain == node->domain)
      return function;
  }
  return NULL;
}

/* A result that is an argument handed through: a copy, so that each name has one producer. */
static bool
add_pass_through(TnOnnxBuilder *builder, Frame *caller, TnOnnxValue *from, TnOnnxValue *to)
{
  TnOnnxWorkNode row = {.type = tn_strings_intern(builder->parser->strings, "Identity", -1),
                        .version = 17,
                        .n_inputs = 1,
                        .n_outputs = 1,
                        .taken_body = TN_NONE};
  row.inputs = tn_arena_take_n(builder->parser->arena, TnOnnxValue *, 1);
  row.outputs = tn_arena_take_n(builder->parser->arena, TnOnnxValue *, 1);
  row.inputs[0] = from;
  row.outputs[0] = to;
  to->producer = caller->work->nodes->len;
  g_array_append_val(caller->work->nodes, row);
  return true;
}

static bool
bind_arguments(TnOnnxBuilder *builder, Frame *caller, Frame *frame, const TnOnnxNode *node)
{
  const TnOnnxFunction *function = frame->function;
  for (uint32_t i = 0; i < function->n_inputs; i++) {
    TnOnnxValue *value = NULL;
    uint32_t name = i < node->n_inputs ? node->inputs[i] : 0;
    if (name && !resolve(caller, name, &value))
      return fail(builder,
                  tn_arena_printf(builder->parser->arena, "call '%s' of function '%s'",
                                  text(builder, node->name), text(builder, node->type)),
                  tn_arena_printf(builder->parser->arena, "the input '%s', which nothing makes",
                                  text(builder, name)),
                  "a node, an input or an initializer of that name");
    g_hash_table_insert(frame->names, GUINT_TO_POINTER(function->inputs[i]), value);
  }
  for (uint32_t i = 0; i < function->n_outputs && i < node->n_outputs; i++) {
    if (node->outputs[i] == 0)
      continue;
    TnOnnxValue *to = declare(builder, caller, node->outputs[i]);
    TnOnnxValue *from =
        g_hash_table_lookup(frame->names, GUINT_TO_POINTER(function->outputs[i]));
    if (from)
      add_pass_through(builder, caller, from, to);
    else
      g_hash_table_insert(frame->names, GUINT_TO_POINTER(function->outputs[i]), to);
  }
  return true;
}

static void
declare_inside(TnOnnxBuilder *builder, Frame *frame)
{
  for (uint32_t i = 0; i < frame->function->n_nodes; i++) {
    const TnOnnxNode *node = &frame->function->nodes[i];
    for (uint32_t k = 0; k < node->n_outputs; k++)
      if (node->outputs[k])
        declare(builder, frame, node->outputs[k]);
  }
}

static bool
write_out_call(TnOnnxBuilder *builder, Frame *caller, const TnOnnxNode *node,
               const TnOnnxFunction *function)
{
  const char *name = node->name ? text(builder, node->name) : text(builder, node->type);
  Frame frame = {.work = caller->work,
                 .names = g_hash_table_new(NULL, NULL),
                 .is_call = true,
                 .function = function};
  TnOnnxWorkNode substituted = {0};
  if (builder->depth >= MOST_FUNCTION_DEPTH || builder->n_calls++ >= MOST_CALLS ||
      builder->n_nodes > MOST_NODES) {
    g_hash_table_unref(frame.names);
    return fail(builder, tn_arena_printf(builder->parser->arena, "function '%s'",
                                         text(builder, function->name)),
                "calls nested deeper than 32, or more than 100000 of them",
                "functions that don't call themselves");
  }
  frame.prefix = tn_arena_printf(builder->parser->arena, "%s%s#%u/", caller->prefix, name,
                                 builder->n_calls);
  set_attributes(builder, caller, node, &substituted);
  frame.arguments = substituted.attributes;
  frame.n_arguments = substituted.n_attributes;
  builder->depth++;
  bool is_good = bind_arguments(builder, caller, &frame, node);
  if (is_good)
    declare_inside(builder, &frame);
  for (uint32_t i = 0; is_good && i < function->n_nodes; i++)
    is_good = add_node(builder, &frame, &function->nodes[i]);
  builder->depth--;
  g_hash_table_unref(frame.names);
  return is_good;
}

static bool
add_node(TnOnnxBuilder *builder, Frame *frame, const TnOnnxNode *node)
{
  const TnOnnxFunction *function = find_function(builder, node);
  if (function)
    return write_out_call(builder, frame, node, function);
  return add_plain_node(builder, frame, node);
}

TnOnnxWork *
tn_onnx_work_new(TnOnnxBuilder *builder)
{
  return build_graph(builder, NULL, builder->model->graph);
}
