/* SPDX-License-Identifier: MIT */
/* TensorFlow Lite models: ops, tensors, sub-graphs, and the plan that some carry with them. */
#include "config.h"

#include "data/error.h"
#include "data/graph-order.h"
#include "data/readers/readers.h"
#include "data/readers/tflite-private.h"
#include "data/readers/tflite-shape.h"

#include <string.h>

#define MOST_BODIES 1024
#define MOST_BODY_TENSORS 2000000 /* of all of them: one sub-graph may be run from many ops */

bool
tn_tflite_fail(TnTflite *reader, const char *place, const char *found, const char *expected)
{
  if (reader->error && !*reader->error)
    g_set_error(reader->error, TN_DATA_ERROR, TN_DATA_ERROR_MALFORMED,
                "%s: %s: found %s; expected %s", reader->source->name, place, found, expected);
  return false;
}

bool
tn_tflite_index(TnTflite *reader, const TnGraph *graph, const TnFlatVector *list, uint32_t i,
           const char *place, uint32_t *out_row)
{
  int64_t index = tn_flat_vector_int(&reader->flat, list, i, 4);
  *out_row = index == -1 ? TN_NONE : (uint32_t)index;
  if (index >= -1 && index < graph->tensors->len)
    return true;
  g_autofree char *op = place ? NULL : tn_tflite_dup_op_place(reader, graph);
  g_autofree char *found = g_strdup_printf("tensor %" G_GINT64_FORMAT, index);
  g_autofree char *expected = g_strdup_printf("an index from -1 to %u", graph->tensors->len);
  return tn_tflite_fail(reader, place ? place : op, found, expected);
}

/* ---- graphs ---------------------------------------------------------------------------- */

/* Scratch of accelerators comes as a tensor that nothing makes, without data: it is held, like a
 * variable, as long as the model is. */
static void
mark_held(TnTflite *reader, TnGraph *graph)
{
  for (uint32_t i = 0; i < graph->inputs->len; i++) {
    uint32_t row = g_array_index(graph->inputs, uint32_t, i);
    TnTensor *tensor = row == TN_NONE ? NULL : tn_graph_tensor(graph, row);
    if (!tensor || tensor->producer != TN_NONE || tensor->kind != TN_TENSOR_ACTIVATION)
      continue;
    tensor->kind = TN_TENSOR_VARIABLE;
    tn_diagnostics_count(reader->document->diagnostics, "no-producer",
                         "some tensors are read but nothing makes them, and they have no data: "
                         "scratch of an accelerator, held as long as the model is");
  }
}

static bool
set_order(TnTflite *reader, TnGraph *graph)
{
  GArray *cycle = NULL, *sorted = tn_graph_sort(graph, &cycle);
  if (!sorted) {
    g_autofree char *text = tn_graph_build_cycle_text(graph, reader->document->strings, cycle);
    g_autofree char *found = g_strdup_printf("the cycle %s", text);
    g_array_unref(cycle);
    return tn_tflite_fail(reader, "the ops", found, "a graph that some order can run");
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
fill_graph(TnTflite *reader, TnGraph *graph, uint32_t subgraph, uint32_t depth)
{
  TnFlatTable table, op;
  if (!tn_flat_vector_table(&reader->flat, &reader->subgraphs, subgraph, &table))
    return false;
  gsize length;
  const char *name = tn_flat_text(&reader->flat, &table, GRAPH_NAME, &length);
  graph->name = tn_strings_intern(reader->document->strings, name, (gssize)length);
  if (!tn_tflite_add_tensors(reader, graph, &table))
    return false;
  if (depth == 0)
    reader->shapes = tn_tflite_shapes_new(reader, graph, &table, reader->options);
  TnFlatVector ops = tn_flat_vector(&reader->flat, &table, GRAPH_OPERATORS, 4);
  for (uint32_t i = 0; i < ops.n; i++)
    if (!tn_flat_vector_table(&reader->flat, &ops, i, &op) ||
        !tn_tflite_add_op(reader, graph, &op, i, depth) || reader->flat.found ||
        !tn_flat_report(reader->options->progress, reader->source->name, i, ops.n, reader->error))
      return false;
  reader->n_body_tensors += depth > 0 ? graph->tensors->len : 0;
  if (reader->n_body_tensors > MOST_BODY_TENSORS)
    return tn_tflite_fail(reader, "the sub-graphs", "more than 2000000 tensors in graphs that ops run",
                "fewer");
  mark_held(reader, graph);
  return set_order(reader, graph);
}

TnGraph *
tn_tflite_build_graph(TnTflite *reader, uint32_t subgraph, uint32_t depth)
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
read_offline_plan(TnTflite *reader, TnGraph *graph, int64_t buffer)
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

/* Vela's plan: the scratch tensor of its op is the arena that the accelerator works in, and what the
 * op reads and makes lies in there, where the accelerator's own commands say when it is written. */
static void
nest_in_scratch(TnTflite *reader, TnGraph *graph)
{
  uint32_t arena = TN_NONE, n = 0;
  for (uint32_t i = 0; i < graph->tensors->len; i++) {
    const TnTensor *tensor = tn_graph_tensor(graph, i);
    bool is_scratch = tensor->kind == TN_TENSOR_VARIABLE && tensor->producer == TN_NONE &&
                      tensor->recorded_offset == 0 && tensor->bytes > 0;
    if (is_scratch && (arena == TN_NONE || tensor->bytes > tn_graph_tensor(graph, arena)->bytes))
      arena = i;
  }
  for (uint32_t i = 0; arena != TN_NONE && i < graph->tensors->len; i++) {
    TnTensor *tensor = tn_graph_tensor(graph, i);
    tn_bytes end;
    if (i == arena || tensor->recorded_offset == TN_NOT_PLACED || tensor->bytes < 0 ||
        !tn_add(tensor->recorded_offset, tensor->bytes, &end) ||
        end > tn_graph_tensor(graph, arena)->bytes)
      continue;
    tensor->inside = arena;
    n++;
  }
  if (n)
    tn_diagnostics_add(reader->document->diagnostics, "in-scratch", n,
                       "the plan in the file puts tensors into an accelerator's scratch memory: "
                       "that is the arena, and they have no memory of their own");
}

static void
read_metadata(TnTflite *reader, TnGraph *graph)
{
  TnFlatVector metadata = tn_flat_vector(&reader->flat, &reader->model, MODEL_METADATA, 4);
  for (uint32_t i = 0; i < metadata.n; i++) {
    TnFlatTable entry;
    gsize length;
    if (!tn_flat_vector_table(&reader->flat, &metadata, i, &entry))
      return;
    const char *name = tn_flat_text(&reader->flat, &entry, 0, &length);
    if (length == 23 && memcmp(name, "OfflineMemoryAllocation", 23) == 0) {
      read_offline_plan(reader, graph, tn_flat_int(&reader->flat, &entry, 1, 4, -1));
      return;
    }
  }
}

/* ---- the whole ------------------------------------------------------------------------- */

static bool
read_graphs(TnTflite *reader)
{
  TnGraph *graph = tn_tflite_build_graph(reader, 0, 0);
  if (!graph)
    return false;
  reader->document->graph = graph;
  reader->is_reached[0] = true;
  for (uint32_t i = 1; i < reader->subgraphs.n; i++) {
    if (reader->is_reached[i] || reader->n_bodies >= MOST_BODIES)
      continue;
    TnGraph *other = tn_tflite_build_graph(reader, i, 1);
    if (!other)
      return false;
    other->role = tn_strings_intern(reader->document->strings, "sub-graph", -1);
    g_ptr_array_add(graph->bodies, other); /* of no op: another entry of the model */
    reader->n_bodies++;
  }
  read_metadata(reader, graph);
  nest_in_scratch(reader, graph);
  tn_document_warn_unsized(reader->document);
  return true;
}

static int
sniff(const uint8_t *data, gsize size, const char *name)
{
  return size >= 8 && memcmp(data + 4, "TFL3", 4) == 0 ? 100 : 0;
}

static bool
open_model(TnTflite *reader)
{
  if (!tn_flat_root(&reader->flat, &reader->model))
    return false;
  reader->op_codes = tn_flat_vector(&reader->flat, &reader->model, MODEL_OP_CODES, 4);
  reader->subgraphs = tn_flat_vector(&reader->flat, &reader->model, MODEL_SUBGRAPHS, 4);
  reader->buffers = tn_flat_vector(&reader->flat, &reader->model, MODEL_BUFFERS, 4);
  reader->op_types = g_new(uint32_t, (gsize)reader->op_codes.n + 1);
  for (uint32_t i = 0; i < reader->op_codes.n; i++)
    reader->op_types[i] = TN_NONE;
  if (reader->flat.found)
    return false;
  if (reader->subgraphs.n > 0)
    return true;
  return tn_tflite_fail(reader, "the model", "no sub-graph", "at least one");
}

static bool
read_tflite(TnSource *source, const TnReadOptions *options, TnDocument *document, GError **error)
{
  TnTflite reader = {.source = source,
                   .document = document,
                   .error = error,
                   .options = options,
                   .flat = {.data = source->data, .size = source->size}};
  bool is_good = open_model(&reader);
  if (is_good) {
    reader.is_reached = g_new0(bool, (gsize)reader.subgraphs.n + 1);
    is_good = read_graphs(&reader);
    g_free(reader.is_reached);
    tn_tflite_shapes_free(reader.shapes);
  }
  g_free(reader.op_types);
  if (reader.flat.found) {
    g_clear_error(error);
    g_set_error(error, TN_DATA_ERROR, TN_DATA_ERROR_MALFORMED,
                "%s: byte %" G_GSIZE_FORMAT ": found %s; expected %s", source->name,
                reader.flat.at, reader.flat.found, reader.flat.expected);
    return false;
  }
  if (!is_good)
    return false;
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
    .takes_bindings = true,
};
