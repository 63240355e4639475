/* SPDX-License-Identifier: MIT */
/* Operators of a TensorFlow Lite model: operands, shared memory, sub-graphs, scratch. */
#include "config.h"

#include "data/readers/tflite-names.h"
#include "data/readers/tflite-private.h"
#include "data/readers/tflite-shape.h"
#include "data/runtime.h"
#include "data/tflm.h"

#include <string.h>

#define MOST_DEPTH 16   /* of sub-graphs within sub-graphs */
#define MOST_BODIES 1024

/* ---- ops ------------------------------------------------------------------------------- */

static uint32_t
code_type(TnTflite *reader, uint32_t index)
{
  TnStrings *strings = reader->document->strings;
  TnFlatTable code;
  if (!tn_flat_vector_table(&reader->flat, &reader->op_codes, index, &code))
    return tn_strings_intern(strings, "?", -1);
  int64_t builtin = MAX(tn_flat_int(&reader->flat, &code, 0, 1, 0),
                        tn_flat_int(&reader->flat, &code, 3, 4, 0));
  gsize length;
  const char *custom = tn_flat_text(&reader->flat, &code, 1, &length);
  if (builtin == TN_TFLITE_CUSTOM && length > 0)
    return tn_strings_intern(strings, custom, (gssize)length);
  const char *name = tn_tflite_op_name(builtin);
  char unknown[32];
  g_snprintf(unknown, sizeof unknown, "BUILTIN_%d", (int)builtin);
  return tn_strings_intern(strings, name ? name : unknown, -1);
}

static uint32_t
op_type(TnTflite *reader, const TnFlatTable *table)
{
  int64_t index = tn_flat_int(&reader->flat, table, OP_CODE, 4, 0);
  if (index < 0 || index >= reader->op_codes.n)
    return tn_strings_intern(reader->document->strings, "?", -1);
  if (reader->op_types[index] == TN_NONE)
    reader->op_types[index] = code_type(reader, (uint32_t)index);
  return reader->op_types[index];
}

char *
tn_tflite_dup_op_place(const TnTflite *reader, const TnGraph *graph)
{
  const TnOp *op = tn_graph_op(graph, graph->ops->len - 1);
  return g_strdup_printf("op %u (%s)", graph->ops->len - 1,
                         tn_strings_get(reader->document->strings, op->type));
}

static bool
add_inputs(TnTflite *reader, TnGraph *graph, const TnFlatTable *table)
{
  TnFlatVector list = tn_flat_vector(&reader->flat, table, OP_INPUTS, 4);
  uint32_t row;
  for (uint32_t i = 0; i < list.n; i++) {
    if (!tn_tflite_index(reader, graph, &list, i, NULL, &row))
      return false;
    tn_graph_op_add_input(graph, row);
  }
  return true;
}

static bool
add_outputs(TnTflite *reader, TnGraph *graph, const TnFlatTable *table)
{
  TnFlatVector list = tn_flat_vector(&reader->flat, table, OP_OUTPUTS, 4);
  uint32_t row;
  for (uint32_t i = 0; i < list.n; i++) {
    if (!tn_tflite_index(reader, graph, &list, i, NULL, &row))
      return false;
    if (row != TN_NONE && tn_graph_tensor(graph, row)->producer != TN_NONE) {
      g_autofree char *place = tn_tflite_dup_op_place(reader, graph);
      g_autofree char *found =
          g_strdup_printf("a second producer of tensor '%s', which op %u makes",
                          tn_strings_get(reader->document->strings,
                                         tn_graph_tensor(graph, row)->name),
                          tn_graph_tensor(graph, row)->producer);
      return tn_tflite_fail(reader, place, found, "one producer for each tensor");
    }
    tn_graph_op_add_output(graph, row);
  }
  return true;
}

/* The runtime shares memory only between tensors that are neither the graph's inputs nor outputs;
 * where data changes, only between such of the same size, above 4 bytes. */
static void
add_aliases(TnTflite *reader, TnGraph *graph, const TnOp *op)
{
  const TnRuntime *runtime = tn_runtimes_find("tflite");
  const TnAliasRule *rule =
      tn_runtime_rule(runtime, tn_strings_get(reader->document->strings, op->type));
  uint32_t n_inputs = op->n_inputs, output = op->n_outputs ? *tn_graph_outputs(graph, op) : TN_NONE;
  if (!rule || output == TN_NONE || tn_graph_tensor(graph, output)->is_output)
    return;
  for (uint32_t k = 0; k < MIN(n_inputs, 8u); k++) {
    uint32_t input = tn_graph_inputs(graph, op)[k];
    if (input == TN_NONE || tn_graph_tensor(graph, input)->kind == TN_TENSOR_INPUT)
      continue;
    tn_bytes bytes = tn_graph_tensor(graph, output)->bytes;
    if (rule->is_view && k == 0)
      tn_graph_op_add_view(graph, output, input);
    else if (rule->in_place >> k & 1 && bytes == tn_graph_tensor(graph, input)->bytes &&
             bytes >= runtime->least_in_place)
      tn_graph_op_add_in_place(graph, output, input);
  }
}

/* IF and WHILE name two sub-graphs, CALL and CALL_ONCE one. */
static bool
add_bodies(TnTflite *reader, TnGraph *graph, const TnFlatTable *table, uint32_t depth)
{
  static const struct {
    const char *type, *roles[2];
  } rows[] = {{"IF", {"then", "else"}}, {"WHILE", {"cond", "body"}}, {"CALL_ONCE", {"init", NULL}},
              {"CALL", {"call", NULL}}};
  uint32_t op = graph->ops->len - 1;
  TnFlatTable options;
  const char *type = tn_strings_get(reader->document->strings, tn_graph_op(graph, op)->type);
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    if (strcmp(type, rows[i].type) != 0 ||
        !tn_flat_table(&reader->flat, table, OP_OPTIONS, &options))
      continue;
    for (unsigned k = 0; k < 2 && rows[i].roles[k]; k++) {
      int64_t index = tn_flat_int(&reader->flat, &options, k, 4, 0);
      if (index < 0 || index >= reader->subgraphs.n || reader->n_bodies >= MOST_BODIES ||
          depth >= MOST_DEPTH)
        return tn_tflite_fail(reader, type, "a sub-graph that is not there, or that runs itself",
                    "the index of another sub-graph");
      reader->is_reached[index] = true;
      reader->n_bodies++;
      TnGraph *body = tn_tflite_build_graph(reader, (uint32_t)index, depth + 1);
      if (!body)
        return false;
      body->role = tn_strings_intern(reader->document->strings, rows[i].roles[k], -1);
      g_ptr_array_add(graph->bodies, body);
      tn_graph_op(graph, op)->n_bodies++;
    }
  }
  return true;
}

/* im2col: for each place of the output the window's elements, unless it is one element. */
static void
add_workspaces(TnTflite *reader, TnGraph *graph, const TnFlatTable *table)
{
  const TnOp *op = tn_graph_op(graph, graph->ops->len - 1);
  TnStrings *strings = reader->document->strings;
  TnFlatTable options;
  if (strcmp(tn_strings_get(strings, op->type), "CONV_2D") != 0 || op->n_inputs < 2 ||
      op->n_outputs < 1 || !tn_flat_table(&reader->flat, table, OP_OPTIONS, &options))
    return;
  uint32_t filter_row = tn_graph_inputs(graph, op)[1], output_row = *tn_graph_outputs(graph, op);
  if (filter_row == TN_NONE || output_row == TN_NONE)
    return;
  const TnTensor *filter = tn_graph_tensor(graph, filter_row);
  const TnTensor *output = tn_graph_tensor(graph, output_row);
  if (filter->rank != 4 || output->rank != 4 || output->bytes < 0)
    return;
  const int64_t *k = tn_graph_dims(graph, filter), *out = tn_graph_dims(graph, output);
  bool is_plain = k[1] == 1 && k[2] == 1;
  for (unsigned slot = 1; slot <= 5; slot++)
    if (slot != 3 && tn_flat_int(&reader->flat, &options, slot, 4, 1) != 1)
      is_plain = false;
  TnDtype dtype = tn_dtype_from_name(tn_strings_get(strings, output->dtype));
  int64_t patch = is_plain ? 0 : 1;
  const int64_t factors[] = {k[1], k[2], k[3], out[0], out[1], out[2], tn_dtype_bits(dtype) / 8};
  for (gsize i = 0; i < G_N_ELEMENTS(factors); i++)
    if (!tn_mul(patch, factors[i], &patch))
      return;
  tn_graph_op_add_algorithm(graph, (TnAlgorithm){tn_strings_intern(strings, "direct", -1), 0, -1});
  tn_graph_op_add_algorithm(graph,
                            (TnAlgorithm){tn_strings_intern(strings, "im2col", -1), patch, -1});
}

static void
add_micro_scratch(TnTflite *reader, TnGraph *graph)
{
  TnStrings *strings = reader->document->strings;
  tn_bytes bytes =
      tn_tflm_scratch_bytes(graph, strings, tn_graph_op(graph, graph->ops->len - 1));
  if (bytes > 0)
    tn_graph_op_add_algorithm(graph,
                              (TnAlgorithm){tn_strings_intern(strings, "tflm", -1), bytes, -1});
}

bool
tn_tflite_add_op(TnTflite *reader, TnGraph *graph, const TnFlatTable *table, uint32_t index, uint32_t depth)
{
  uint32_t type = op_type(reader, table);
  tn_graph_add_op(graph, 0, type)->file_id = index;
  if (!add_inputs(reader, graph, table) || !add_outputs(reader, graph, table))
    return false;
  const TnOp *op = tn_graph_op(graph, index);
  if (op->n_outputs > 0 && *tn_graph_outputs(graph, op) != TN_NONE)
    tn_graph_op(graph, index)->name =
        tn_graph_tensor(graph, *tn_graph_outputs(graph, op))->name;
  if (depth == 0 && reader->shapes)
    tn_tflite_shapes_infer(reader->shapes, reader, graph, table);
  add_aliases(reader, graph, op);
  add_workspaces(reader, graph, table);
  add_micro_scratch(reader, graph);
  return add_bodies(reader, graph, table, depth);
}
