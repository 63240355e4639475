/* SPDX-License-Identifier: MIT */
/* TensorFlow Lite models: ops, tensors, sub-graphs, and the plan that some carry with them. */
#include "config.h"

#include "data/error.h"
#include "data/graph-order.h"
#include "data/readers/flatbuffer.h"
#include "data/readers/readers.h"
#include "data/readers/tflite-names.h"
#include "data/runtime.h"

#include <string.h>

#define MOST_DEPTH 16   /* of sub-graphs within sub-graphs */
#define MOST_BODIES 1024
#define MOST_BODY_TENSORS 2000000 /* of all of them: one sub-graph may be run from many ops */

typedef struct {
  const TnSource *source;
  TnDocument *document;
  GError **error;
  TnFlat flat;
  TnFlatTable model;
  TnFlatVector op_codes, subgraphs, buffers;
  bool *is_reached; /* by sub-graph: some op runs it */
  uint32_t n_bodies, n_body_tensors;
} Reader;

/* Slots of the tables, by the public schema. */
enum { MODEL_OP_CODES = 1, MODEL_SUBGRAPHS = 2, MODEL_DESCRIPTION = 3, MODEL_BUFFERS = 4,
       MODEL_METADATA = 6 };
enum { GRAPH_TENSORS, GRAPH_INPUTS, GRAPH_OUTPUTS, GRAPH_OPERATORS, GRAPH_NAME };
enum { TENSOR_SHAPE, TENSOR_TYPE, TENSOR_BUFFER, TENSOR_NAME, TENSOR_IS_VARIABLE = 5,
       TENSOR_SIGNATURE = 7 };
enum { OP_CODE, OP_INPUTS, OP_OUTPUTS, OP_OPTIONS = 4 };
enum { BUFFER_DATA, BUFFER_OFFSET, BUFFER_SIZE };

static TnGraph *build_graph(Reader *reader, uint32_t subgraph, uint32_t depth);

static bool
fail(Reader *reader, const char *place, const char *found, const char *expected)
{
  if (reader->error && !*reader->error)
    g_set_error(reader->error, TN_DATA_ERROR, TN_DATA_ERROR_MALFORMED,
                "%s: %s: found %s; expected %s", reader->source->name, place, found, expected);
  return false;
}

static uint32_t
intern_text(Reader *reader, const TnFlatTable *table, unsigned slot)
{
  gsize length;
  const char *text = tn_flat_text(&reader->flat, table, slot, &length);
  return tn_strings_intern(reader->document->strings, text, (gssize)length);
}

/* ---- tensors --------------------------------------------------------------------------- */

static bool
has_data(Reader *reader, int64_t buffer)
{
  TnFlatTable table;
  if (buffer <= 0 || buffer >= reader->buffers.n ||
      !tn_flat_vector_table(&reader->flat, &reader->buffers, (uint32_t)buffer, &table))
    return false;
  return tn_flat_vector(&reader->flat, &table, BUFFER_DATA, 1).n > 0 ||
         tn_flat_int(&reader->flat, &table, BUFFER_OFFSET, 8, 0) > 1;
}

static bool
add_shape(Reader *reader, TnGraph *graph, uint32_t row, const TnFlatTable *table)
{
  TnFlatVector shape = tn_flat_vector(&reader->flat, table, TENSOR_SHAPE, 4);
  TnFlatVector signature = tn_flat_vector(&reader->flat, table, TENSOR_SIGNATURE, 4);
  int64_t dims[64];
  if (shape.n > G_N_ELEMENTS(dims))
    return fail(reader, "a tensor's shape", "more than 64 dimensions", "at most 64");
  for (uint32_t i = 0; i < shape.n; i++) {
    dims[i] = tn_flat_vector_int(&reader->flat, &shape, i, 4);
    if (dims[i] < -1)
      return fail(reader, "a tensor's shape", "a negative dimension", "0 or more");
    if (i < signature.n && tn_flat_vector_int(&reader->flat, &signature, i, 4) < 0)
      tn_diagnostics_count(reader->document->diagnostics, "dynamic-dimension",
                           "some dimensions may change when the model runs; the sizes are those "
                           "that the file states");
  }
  tn_graph_set_shape(graph, row, dims, shape.n);
  return true;
}

static bool
set_bytes(Reader *reader, TnGraph *graph, uint32_t row, TnDtype dtype)
{
  TnTensor *tensor = tn_graph_tensor(graph, row);
  const int64_t *dims = tn_graph_dims(graph, tensor);
  int64_t elements;
  tensor->dtype = tn_strings_intern(reader->document->strings, tn_dtype_name(dtype), -1);
  for (uint32_t i = 0; i < tensor->rank; i++)
    if (dims[i] < 0)
      return true;
  if (!tn_dims_product(dims, tensor->rank, &elements))
    return fail(reader, tn_strings_get(reader->document->strings, tensor->name),
                "a shape of more than 2^63 elements", "a product that fits into 64 bits");
  if (!tn_dtype_size(dtype, elements, &tensor->bytes))
    tensor->lost_why = tn_strings_intern(reader->document->strings,
                                         "its type has no fixed size", -1);
  return true;
}

static bool
add_tensor(Reader *reader, TnGraph *graph, const TnFlatTable *table)
{
  uint32_t row = tn_graph_add_tensor(graph, intern_text(reader, table, TENSOR_NAME),
                                     TN_TENSOR_ACTIVATION);
  TnTensor *tensor = tn_graph_tensor(graph, row);
  tensor->file_id = row;
  if (tn_flat_int(&reader->flat, table, TENSOR_IS_VARIABLE, 1, 0))
    tensor->kind = TN_TENSOR_VARIABLE;
  else if (has_data(reader, tn_flat_int(&reader->flat, table, TENSOR_BUFFER, 4, 0)))
    tensor->kind = TN_TENSOR_CONSTANT;
  return add_shape(reader, graph, row, table) &&
         set_bytes(reader, graph, row,
                   tn_tflite_dtype(tn_flat_int(&reader->flat, table, TENSOR_TYPE, 1, 0)));
}

static bool
add_tensors(Reader *reader, TnGraph *graph, const TnFlatTable *table)
{
  TnFlatVector tensors = tn_flat_vector(&reader->flat, table, GRAPH_TENSORS, 4);
  for (uint32_t i = 0; i < tensors.n; i++) {
    TnFlatTable tensor;
    if (!tn_flat_vector_table(&reader->flat, &tensors, i, &tensor) ||
        !add_tensor(reader, graph, &tensor))
      return false;
  }
  return true;
}

/* A tensor's row by its index in the file; TN_NONE for -1. */
static bool
read_index(Reader *reader, const TnGraph *graph, const TnFlatVector *list, uint32_t i,
           const char *place, uint32_t *out_row)
{
  int64_t index = tn_flat_vector_int(&reader->flat, list, i, 4);
  *out_row = index == -1 ? TN_NONE : (uint32_t)index;
  if (index >= -1 && index < graph->tensors->len)
    return true;
  g_autofree char *found = g_strdup_printf("tensor %" G_GINT64_FORMAT, index);
  g_autofree char *expected = g_strdup_printf("an index from -1 to %u", graph->tensors->len);
  return fail(reader, place, found, expected);
}

static bool
mark_ends(Reader *reader, TnGraph *graph, const TnFlatTable *table)
{
  TnFlatVector inputs = tn_flat_vector(&reader->flat, table, GRAPH_INPUTS, 4);
  TnFlatVector outputs = tn_flat_vector(&reader->flat, table, GRAPH_OUTPUTS, 4);
  uint32_t row;
  for (uint32_t i = 0; i < inputs.n; i++) {
    if (!read_index(reader, graph, &inputs, i, "the graph's inputs", &row))
      return false;
    if (row != TN_NONE && tn_graph_tensor(graph, row)->kind == TN_TENSOR_ACTIVATION)
      tn_graph_tensor(graph, row)->kind = TN_TENSOR_INPUT;
  }
  for (uint32_t i = 0; i < outputs.n; i++) {
    if (!read_index(reader, graph, &outputs, i, "the graph's outputs", &row))
      return false;
    if (row == TN_NONE)
      continue;
    tn_graph_tensor(graph, row)->is_output = true;
    if (tn_graph_tensor(graph, row)->kind == TN_TENSOR_ACTIVATION)
      tn_graph_tensor(graph, row)->kind = TN_TENSOR_OUTPUT;
  }
  return true;
}

/* ---- ops ------------------------------------------------------------------------------- */

static uint32_t
op_type(Reader *reader, const TnFlatTable *table)
{
  TnStrings *strings = reader->document->strings;
  TnFlatTable code;
  int64_t index = tn_flat_int(&reader->flat, table, OP_CODE, 4, 0);
  if (index < 0 || index >= reader->op_codes.n ||
      !tn_flat_vector_table(&reader->flat, &reader->op_codes, (uint32_t)index, &code))
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

static bool
add_inputs(Reader *reader, TnGraph *graph, const TnFlatTable *table, const char *place)
{
  TnFlatVector list = tn_flat_vector(&reader->flat, table, OP_INPUTS, 4);
  uint32_t row;
  for (uint32_t i = 0; i < list.n; i++) {
    if (!read_index(reader, graph, &list, i, place, &row))
      return false;
    tn_graph_op_add_input(graph, row);
  }
  return true;
}

static bool
add_outputs(Reader *reader, TnGraph *graph, const TnFlatTable *table, const char *place)
{
  TnFlatVector list = tn_flat_vector(&reader->flat, table, OP_OUTPUTS, 4);
  uint32_t row;
  for (uint32_t i = 0; i < list.n; i++) {
    if (!read_index(reader, graph, &list, i, place, &row))
      return false;
    if (row != TN_NONE && tn_graph_tensor(graph, row)->producer != TN_NONE) {
      g_autofree char *found =
          g_strdup_printf("a second producer of tensor '%s', which op %u makes",
                          tn_strings_get(reader->document->strings,
                                         tn_graph_tensor(graph, row)->name),
                          tn_graph_tensor(graph, row)->producer);
      return fail(reader, place, found, "one producer for each tensor");
    }
    tn_graph_op_add_output(graph, row);
  }
  return true;
}

/* The runtime shares memory only between tensors that are neither the graph's inputs nor outputs;
 * where data changes, only between such of the same size, above 4 bytes. */
static void
add_aliases(Reader *reader, TnGraph *graph, const TnOp *op)
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
add_bodies(Reader *reader, TnGraph *graph, const TnFlatTable *table, uint32_t depth)
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
        return fail(reader, type, "a sub-graph that is not there, or that runs itself",
                    "the index of another sub-graph");
      reader->is_reached[index] = true;
      reader->n_bodies++;
      TnGraph *body = build_graph(reader, (uint32_t)index, depth + 1);
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
add_workspaces(Reader *reader, TnGraph *graph, const TnFlatTable *table)
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
  int64_t patch = is_plain ? 0 : 1;
  const int64_t factors[] = {k[1], k[2], k[3], out[0], out[1], out[2],
                             out[3] > 0 ? output->bytes / (out[0] * out[1] * out[2] * out[3]) : 0};
  for (gsize i = 0; i < G_N_ELEMENTS(factors); i++)
    if (!tn_mul(patch, factors[i], &patch))
      return;
  tn_graph_op_add_algorithm(graph, (TnAlgorithm){tn_strings_intern(strings, "direct", -1), 0, -1});
  tn_graph_op_add_algorithm(graph,
                            (TnAlgorithm){tn_strings_intern(strings, "im2col", -1), patch, -1});
}

static bool
add_op(Reader *reader, TnGraph *graph, const TnFlatTable *table, uint32_t index, uint32_t depth)
{
  uint32_t type = op_type(reader, table);
  g_autofree char *place = g_strdup_printf(
      "op %u (%s)", index, tn_strings_get(reader->document->strings, type));
  tn_graph_add_op(graph, 0, type)->file_id = index;
  if (!add_inputs(reader, graph, table, place) || !add_outputs(reader, graph, table, place))
    return false;
  const TnOp *op = tn_graph_op(graph, index);
  if (op->n_outputs > 0 && *tn_graph_outputs(graph, op) != TN_NONE)
    tn_graph_op(graph, index)->name =
        tn_graph_tensor(graph, *tn_graph_outputs(graph, op))->name;
  add_aliases(reader, graph, op);
  add_workspaces(reader, graph, table);
  return add_bodies(reader, graph, table, depth);
}

/* Scratch of accelerators comes as a tensor that nothing makes, without data: it is held, like a
 * variable, as long as the model is. */
static void
mark_held(Reader *reader, TnGraph *graph)
{
  for (uint32_t i = 0; i < graph->inputs->len; i++) {
    uint32_t row = g_array_index(graph->inputs, uint32_t, i);
    TnTensor *tensor = row == TN_NONE ? NULL : tn_graph_tensor(graph, row);
    if (!tensor || tensor->producer != TN_NONE || tensor->kind != TN_TENSOR_ACTIVATION)
      continue;
    tensor->kind = TN_TENSOR_VARIABLE;
    tn_diagnostics_count(reader->document->diagnostics, "no-producer",
                         "some tensors are read but nothing makes them, and they have no data: "
                         "scratch of an accelerator, counted among the residents");
  }
}

static bool
set_order(Reader *reader, TnGraph *graph)
{
  GArray *cycle = NULL, *sorted = tn_graph_sort(graph, &cycle);
  if (!sorted) {
    g_autofree char *text = tn_graph_build_cycle_text(graph, reader->document->strings, cycle);
    g_autofree char *found = g_strdup_printf("the cycle %s", text);
    g_array_unref(cycle);
    return fail(reader, "the ops", found, "a graph that some order can run");
  }
  for (uint32_t i = 0; i < graph->ops->len; i++)
    g_array_append_val(graph->order, i);
  if (!tn_graph_order_is_legal(graph, (uint32_t *)(void *)graph->order->data, graph->order->len)) {
    tn_diagnostics_add(reader->document->diagnostics, "unsorted-nodes", 1,
                       "the file lists ops before what they read; a stable topological order is "
                       "used");
    g_array_set_size(graph->order, 0);
    g_array_append_vals(graph->order, sorted->data, sorted->len);
  }
  g_array_unref(sorted);
  return true;
}

static bool
fill_graph(Reader *reader, TnGraph *graph, uint32_t subgraph, uint32_t depth)
{
  TnFlatTable table, op;
  if (!tn_flat_vector_table(&reader->flat, &reader->subgraphs, subgraph, &table))
    return false;
  graph->name = intern_text(reader, &table, GRAPH_NAME);
  if (!add_tensors(reader, graph, &table) || !mark_ends(reader, graph, &table))
    return false;
  TnFlatVector ops = tn_flat_vector(&reader->flat, &table, GRAPH_OPERATORS, 4);
  for (uint32_t i = 0; i < ops.n; i++)
    if (!tn_flat_vector_table(&reader->flat, &ops, i, &op) ||
        !add_op(reader, graph, &op, i, depth))
      return false;
  reader->n_body_tensors += depth > 0 ? graph->tensors->len : 0;
  if (reader->n_body_tensors > MOST_BODY_TENSORS)
    return fail(reader, "the sub-graphs", "more than 2000000 tensors in graphs that ops run",
                "fewer");
  mark_held(reader, graph);
  return set_order(reader, graph);
}

static TnGraph *
build_graph(Reader *reader, uint32_t subgraph, uint32_t depth)
{
  g_autoptr(TnGraph) graph = tn_graph_new();
  if (!fill_graph(reader, graph, subgraph, depth) || reader->flat.found)
    return NULL;
  return g_steal_pointer(&graph);
}

/* ---- the recorded plan ----------------------------------------------------------------- */

/* int32: format, number of sub-graphs, n, then n offsets in the arena's head (-1: at run time), for
 * the tensors of all sub-graphs one after the other. */
static void
read_offline_plan(Reader *reader, TnGraph *graph, int64_t buffer)
{
  TnFlatTable table;
  if (buffer < 0 || buffer >= reader->buffers.n ||
      !tn_flat_vector_table(&reader->flat, &reader->buffers, (uint32_t)buffer, &table))
    return;
  TnFlatVector bytes = tn_flat_vector(&reader->flat, &table, BUFFER_DATA, 1);
  TnFlatVector words = {bytes.at, bytes.n / 4};
  if (words.n < 3)
    return;
  int64_t n = tn_flat_vector_int(&reader->flat, &words, 2, 4);
  if (n < 0 || n > words.n - 3) {
    tn_diagnostics_add(reader->document->diagnostics, "offline-plan", 1,
                       "the plan in the file names more tensors than it has room for; left out");
    return;
  }
  graph->recorded_arena = 0;
  for (uint32_t i = 0; i < MIN(n, (int64_t)graph->tensors->len); i++) {
    TnTensor *tensor = tn_graph_tensor(graph, i);
    tn_bytes offset = tn_flat_vector_int(&reader->flat, &words, i + 3, 4), end;
    if (offset < 0)
      continue;
    tensor->recorded_offset = offset;
    if (tensor->bytes >= 0 && tn_add(offset, tensor->bytes, &end))
      graph->recorded_arena = MAX(graph->recorded_arena, end);
  }
}

static void
read_metadata(Reader *reader, TnGraph *graph)
{
  TnFlatVector metadata = tn_flat_vector(&reader->flat, &reader->model, MODEL_METADATA, 4);
  for (uint32_t i = 0; i < metadata.n; i++) {
    TnFlatTable entry;
    gsize length;
    if (!tn_flat_vector_table(&reader->flat, &metadata, i, &entry))
      return;
    const char *name = tn_flat_text(&reader->flat, &entry, 0, &length);
    if (length == 23 && memcmp(name, "OfflineMemoryAllocation", 23) == 0)
      read_offline_plan(reader, graph, tn_flat_int(&reader->flat, &entry, 1, 4, -1));
  }
}

/* ---- the whole ------------------------------------------------------------------------- */

static bool
read_graphs(Reader *reader)
{
  TnGraph *graph = build_graph(reader, 0, 0);
  if (!graph)
    return false;
  reader->document->graph = graph;
  reader->is_reached[0] = true;
  for (uint32_t i = 1; i < reader->subgraphs.n; i++) {
    if (reader->is_reached[i] || reader->n_bodies >= MOST_BODIES)
      continue;
    TnGraph *other = build_graph(reader, i, 1);
    if (!other)
      return false;
    other->role = tn_strings_intern(reader->document->strings, "sub-graph", -1);
    g_ptr_array_add(graph->bodies, other); /* of no op: another entry of the model */
    reader->n_bodies++;
  }
  read_metadata(reader, graph);
  return true;
}

static int
sniff(const uint8_t *data, gsize size, const char *name)
{
  return size >= 8 && memcmp(data + 4, "TFL3", 4) == 0 ? 100 : 0;
}

static bool
open_model(Reader *reader)
{
  if (!tn_flat_root(&reader->flat, &reader->model))
    return false;
  reader->op_codes = tn_flat_vector(&reader->flat, &reader->model, MODEL_OP_CODES, 4);
  reader->subgraphs = tn_flat_vector(&reader->flat, &reader->model, MODEL_SUBGRAPHS, 4);
  reader->buffers = tn_flat_vector(&reader->flat, &reader->model, MODEL_BUFFERS, 4);
  if (reader->flat.found || reader->subgraphs.n > 0)
    return true;
  return fail(reader, "the model", "no sub-graph", "at least one");
}

static bool
read_tflite(TnSource *source, const TnReadOptions *options, TnDocument *document, GError **error)
{
  Reader reader = {.source = source,
                   .document = document,
                   .error = error,
                   .flat = {.data = source->data, .size = source->size}};
  bool is_good = open_model(&reader);
  if (is_good) {
    reader.is_reached = g_new0(bool, (gsize)reader.subgraphs.n + 1);
    is_good = read_graphs(&reader);
    g_free(reader.is_reached);
  }
  if (reader.flat.found) {
    g_clear_error(error);
    g_set_error(error, TN_DATA_ERROR, TN_DATA_ERROR_MALFORMED,
                "%s: byte %" G_GSIZE_FORMAT ": found %s; expected %s", source->name,
                reader.flat.at, reader.flat.found, reader.flat.expected);
    return false;
  }
  if (!is_good)
    return false;
  if (options->bindings && g_hash_table_size(options->bindings) > 0)
    tn_diagnostics_add(document->diagnostics, "binding-unused",
                       g_hash_table_size(options->bindings),
                       "bindings change nothing here: the file states each size, and its shapes "
                       "are not inferred anew");
  TnDevice *device = tn_document_device(document, 0);
  document->kind = TN_DOCUMENT_GRAPH;
  device->axis = TN_AXIS_STEP;
  device->axis_end = (tn_tick)document->graph->ops->len * 3;
  device->arena_bytes = document->graph->recorded_arena;
  gsize length;
  const char *producer = tn_flat_text(&reader.flat, &reader.model, MODEL_DESCRIPTION, &length);
  document->producer = g_utf8_make_valid(producer, (gssize)MIN(length, (gsize)200));
  return true;
}

const TnReader tn_reader_tflite = {
    .name = "tflite",
    .holds = "a model of TensorFlow Lite or LiteRT, with its offline plan if it has one",
    .patterns = "*.tflite;*.lite",
    .sniff = sniff,
    .read = read_tflite,
};
