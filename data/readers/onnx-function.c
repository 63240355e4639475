/* SPDX-License-Identifier: MIT */
/* Local functions: each call becomes the function's nodes, named after the call. */
#include "config.h"

#include "data/readers/onnx-frame.h"

#include "data/hash.h"

#define MOST_FUNCTION_DEPTH 32
#define MOST_NODES (1u << 21) /* of all graphs, where functions are written out … */
#define LEAST_NODES (1u << 16) /* … fewer for small files: so many, and one for each 4 bytes */
#define LEAST_NAMES (1u << 24) /* bytes of their names, and 16 for each byte of the file */
#define LONGEST_PREFIX 512
#define MOST_CALLS 100000 /* functions that call functions twice grow as 2^depth */

static const char *
text(const TnOnnxBuilder *builder, uint32_t id)
{
  return tn_strings_get(builder->parser->strings, id);
}

/* A result that is an argument handed through: a copy, so that each name has one producer. */
static bool
add_pass_through(TnOnnxBuilder *builder, TnOnnxFrame *caller, TnOnnxValue *from, TnOnnxValue *to)
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
  if (to->producer != TN_NONE || to->is_input || to->is_initializer)
    return tn_onnx_fail(builder, tn_arena_printf(builder->parser->arena, "the value '%.200s'",
                                                 text(builder, to->name)),
                        "a second producer, a function that hands its argument through",
                        "one producer for each value");
  to->producer = caller->work->nodes->len;
  g_array_append_val(caller->work->nodes, row);
  builder->n_nodes++;
  caller->work->cost++;
  return true;
}

static bool
bind_arguments(TnOnnxBuilder *builder, TnOnnxFrame *caller, TnOnnxFrame *frame, const TnOnnxNode *node)
{
  const TnOnnxFunction *function = frame->function;
  for (uint32_t i = 0; i < function->n_inputs; i++) {
    TnOnnxValue *value = NULL;
    uint32_t name = i < node->n_inputs ? node->inputs[i] : 0;
    if (name && !tn_onnx_resolve(caller, name, &value))
      return tn_onnx_fail(builder,
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
    TnOnnxValue *to = tn_onnx_declare(builder, caller, node->outputs[i]);
    TnOnnxValue *from =
        g_hash_table_lookup(frame->names, GUINT_TO_POINTER(function->outputs[i]));
    if (from && !add_pass_through(builder, caller, from, to))
      return false;
    if (!from)
      g_hash_table_insert(frame->names, GUINT_TO_POINTER(function->outputs[i]), to);
  }
  return true;
}

static void
declare_inside(TnOnnxBuilder *builder, TnOnnxFrame *frame)
{
  for (uint32_t i = 0; i < frame->function->n_nodes; i++) {
    const TnOnnxNode *node = &frame->function->nodes[i];
    for (uint32_t k = 0; k < node->n_outputs; k++)
      if (node->outputs[k])
        tn_onnx_declare(builder, frame, node->outputs[k]);
  }
}

/* A few functions that call one another, or graphs handed to them, can stand for any number of nodes.
 */
static bool
is_within_bounds(const TnOnnxBuilder *builder)
{
  gsize nodes = MIN(LEAST_NODES + builder->size / 4, (gsize)MOST_NODES);
  return builder->n_nodes <= nodes && builder->name_bytes / 16 <= LEAST_NAMES / 16 + builder->size;
}

static bool
fail_bounds(TnOnnxBuilder *builder, const char *what, uint32_t name)
{
  return tn_onnx_fail(builder, tn_arena_printf(builder->parser->arena, "%s '%.200s'", what,
                                               text(builder, name)),
                      "calls nested deeper than 32, more than 100000 of them, or more nodes in them "
                      "than a file of this size may stand for",
                      "functions that don't call themselves");
}

/* Calls among the nodes count by what they stand for. */
static uint64_t
nodes_cost(const TnOnnxBuilder *builder, const TnOnnxNode *nodes, uint32_t n)
{
  uint64_t cost = 0;
  for (uint32_t i = 0; i < n; i++)
    if (!tn_onnx_find_function(builder, &nodes[i]))
      cost += tn_onnx_node_cost(nodes[i].n_inputs, nodes[i].n_outputs, nodes[i].n_attributes);
  return cost;
}

bool
tn_onnx_count_graph(TnOnnxBuilder *builder, const TnOnnxGraph *graph)
{
  builder->n_nodes += nodes_cost(builder, graph->nodes, graph->n_nodes) + graph->n_initializers +
                      graph->n_inputs + graph->n_outputs + graph->n_infos;
  return is_within_bounds(builder) || fail_bounds(builder, "graph", graph->name);
}

/* Before anything of it is there: what the call binds, and what stands inside. */
static bool
count_call(TnOnnxBuilder *builder, const TnOnnxNode *node, const TnOnnxFunction *function)
{
  builder->n_nodes += nodes_cost(builder, function->nodes, function->n_nodes) +
                      ((uint64_t)function->n_inputs + function->n_outputs + function->n_defaults +
                       node->n_attributes) / 8;
  bool is_good = builder->depth < MOST_FUNCTION_DEPTH && builder->n_calls < MOST_CALLS &&
                 is_within_bounds(builder);
  builder->n_calls++;
  return is_good || fail_bounds(builder, "function", function->name);
}

/* Of several of one name the first counts, and before the function's own the call's. */
static GHashTable *
build_arguments(const TnOnnxFunction *function, const TnOnnxWorkNode *call)
{
  GHashTable *arguments = g_hash_table_new(tn_text_hash, g_str_equal);
  for (uint32_t i = function->n_defaults; i-- > 0;)
    g_hash_table_insert(arguments, (gpointer)function->defaults[i].name, &function->defaults[i]);
  for (uint32_t i = call->n_attributes; i-- > 0;)
    g_hash_table_insert(arguments, (gpointer)call->attributes[i].name,
                        (gpointer)&call->attributes[i]);
  return arguments;
}

/* What the names inside a call begin with: those of the calls around it, unless that grows long. */
static const char *
build_prefix(const TnOnnxBuilder *builder, const TnOnnxFrame *caller, const char *name)
{
  TnArena *arena = builder->parser->arena;
  if (strlen(caller->prefix) + strlen(name) > LONGEST_PREFIX)
    return tn_arena_printf(arena, "…#%u/", builder->n_calls);
  return tn_arena_printf(arena, "%s%s#%u/", caller->prefix, name, builder->n_calls);
}

bool
tn_onnx_write_out_call(TnOnnxBuilder *builder, TnOnnxFrame *caller, const TnOnnxNode *node,
               const TnOnnxFunction *function)
{
  const char *name = node->name ? text(builder, node->name) : text(builder, node->type);
  TnOnnxWorkNode substituted = {0};
  if (!count_call(builder, node, function))
    return false;
  tn_onnx_set_attributes(builder, caller, node, &substituted);
  TnOnnxFrame frame = {.work = caller->work,
                       .names = g_hash_table_new(NULL, NULL),
                       .call = &frame,
                       .prefix = build_prefix(builder, caller, name),
                       .arguments = build_arguments(function, &substituted),
                       .function = function};
  builder->depth++;
  bool is_good = bind_arguments(builder, caller, &frame, node);
  if (is_good)
    declare_inside(builder, &frame);
  for (uint32_t i = 0; is_good && i < function->n_nodes; i++)
    is_good = tn_onnx_add_node(builder, &frame, &function->nodes[i]);
  builder->depth--;
  g_hash_table_unref(frame.names);
  g_hash_table_unref(frame.arguments);
  return is_good;
}
