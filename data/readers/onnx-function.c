/* SPDX-License-Identifier: MIT */
/* Local functions: each call becomes the function's nodes, named after the call. */
#include "config.h"

#include "data/readers/onnx-frame.h"

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

const TnOnnxFunction *
tn_onnx_find_function(const TnOnnxBuilder *builder, const TnOnnxNode *node)
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
  to->producer = caller->work->nodes->len;
  g_array_append_val(caller->work->nodes, row);
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
    if (from)
      add_pass_through(builder, caller, from, to);
    else
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

/* A few functions that call one another can stand for any number of nodes. */
static bool
is_within_bounds(TnOnnxBuilder *builder)
{
  gsize nodes = MIN(LEAST_NODES + builder->size / 4, (gsize)MOST_NODES);
  return builder->depth < MOST_FUNCTION_DEPTH && builder->n_calls++ < MOST_CALLS &&
         builder->n_nodes <= nodes && builder->name_bytes / 16 <= LEAST_NAMES / 16 + builder->size;
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
  TnOnnxFrame frame = {.work = caller->work,
                 .names = g_hash_table_new(NULL, NULL),
                 .function = function};
  TnOnnxWorkNode substituted = {0};
  if (!is_within_bounds(builder)) {
    g_hash_table_unref(frame.names);
    return tn_onnx_fail(builder, tn_arena_printf(builder->parser->arena, "function '%s'",
                                         text(builder, function->name)),
                "calls nested deeper than 32, more than 100000 of them, or more nodes in them than "
                "a file of this size may stand for",
                "functions that don't call themselves");
  }
  frame.call = &frame;
  frame.prefix = build_prefix(builder, caller, name);
  tn_onnx_set_attributes(builder, caller, node, &substituted);
  frame.arguments = substituted.attributes;
  frame.n_arguments = substituted.n_attributes;
  builder->depth++;
  bool is_good = bind_arguments(builder, caller, &frame, node);
  if (is_good)
    declare_inside(builder, &frame);
  for (uint32_t i = 0; is_good && i < function->n_nodes; i++)
    is_good = tn_onnx_add_node(builder, &frame, &function->nodes[i]);
  builder->depth--;
  g_hash_table_unref(frame.names);
  return is_good;
}
