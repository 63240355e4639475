/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "data/readers/tflite-shape.h"

#include "data/readers/tflite-names.h"

#include <string.h>

struct TnTfliteShapes {
  TnArena *arena;
  TnFlatVector tensors; /* tables of the file, by row */
  uint32_t n;
  TnShapeValue *values;
  bool *is_touched; /* by tensor: a bound input reaches it */
  bool *is_read;    /* by tensor: its constant content was looked at */
};

static const char *
name_of(const TnTflite *reader, const TnTensor *tensor)
{
  return tn_strings_get(reader->document->strings, tensor->name);
}

/* ---- constants ------------------------------------------------------------------------- */

static void
put_elements(TnTflite *reader, TnShapeValue *value, const TnFlatVector *bytes)
{
  uint32_t width = tn_dtype_bits(value->dtype) / 8;
  if (width == 0 || bytes->n / width < value->n)
    return;
  TnFlatVector elements = {bytes->at, bytes->n / width};
  for (uint32_t i = 0; i < value->n; i++) {
    int64_t bits = tn_flat_vector_int(&reader->flat, &elements, i, width);
    float real = 0;
    uint32_t word = (uint32_t)bits;
    memcpy(&real, &word, sizeof real);
    tn_value_put(value, i, bits, (double)real);
  }
}

/* Small whole numbers and floats: what shapes are computed from. */
static void
read_constant(TnTfliteShapes *shapes, TnTflite *reader, uint32_t row)
{
  TnFlatTable tensor, buffer;
  TnShapeValue *value = &shapes->values[row];
  shapes->is_read[row] = true;
  if (!(tn_dtype_is_integer(value->dtype) || value->dtype == TN_DTYPE_FLOAT32) ||
      tn_dtype_bits(value->dtype) < 8 ||
      !tn_flat_vector_table(&reader->flat, &shapes->tensors, row, &tensor))
    return;
  int64_t index = tn_flat_int(&reader->flat, &tensor, TENSOR_BUFFER, 4, 0);
  if (index <= 0 || index >= reader->buffers.n ||
      !tn_flat_vector_table(&reader->flat, &reader->buffers, (uint32_t)index, &buffer))
    return;
  TnFlatVector bytes = tn_flat_vector(&reader->flat, &buffer, BUFFER_DATA, 1);
  if (bytes.n > 0 && tn_value_add_content(value, shapes->arena))
    put_elements(reader, value, &bytes);
}

/* ---- bindings -------------------------------------------------------------------------- */

static bool
bind_dim(TnTfliteShapes *shapes, TnTflite *reader, uint32_t row, int32_t axis, const char *key,
         const char *text)
{
  int64_t dim;
  if (!g_ascii_string_to_signed(text, 10, 1, G_MAXINT32, &dim, NULL)) {
    tn_diagnostics_add(reader->document->diagnostics, "binding-refused", 1,
                       "the binding %s=%s is no whole number from 1 to 2147483647; it is left out",
                       key, text);
    return false;
  }
  shapes->values[row].dims[axis] = dim;
  shapes->is_touched[row] = true;
  return true;
}

static void
write_back(const TnTfliteShapes *shapes, TnGraph *graph, uint32_t row)
{
  TnTensor *tensor = tn_graph_tensor(graph, row);
  const TnShapeValue *value = &shapes->values[row];
  if (value->rank >= 0)
    tn_graph_set_shape(graph, row, value->dims, (uint32_t)value->rank);
  else
    tensor->rank = TN_NONE;
  tn_graph_tensor(graph, row)->bytes = tn_value_bytes(value);
}

static uint32_t
bind_inputs(TnTfliteShapes *shapes, TnTflite *reader, TnGraph *graph, GHashTable *bindings)
{
  uint32_t n_used = 0;
  for (uint32_t row = 0; row < shapes->n; row++) {
    if (tn_graph_tensor(graph, row)->kind != TN_TENSOR_INPUT)
      continue;
    for (int32_t axis = 0; axis < shapes->values[row].rank; axis++) {
      g_autofree char *key =
          g_strdup_printf("%s[%d]", name_of(reader, tn_graph_tensor(graph, row)), axis);
      const char *text = g_hash_table_lookup(bindings, key);
      if (text) {
        n_used++;
        bind_dim(shapes, reader, row, axis, key, text);
      }
    }
    if (shapes->is_touched[row])
      write_back(shapes, graph, row);
  }
  return n_used;
}

/* What the signature leaves open; the file states a size for it all the same. */
static void
add_free_dims(TnTflite *reader, TnGraph *graph, const TnFlatVector *tensors)
{
  for (uint32_t row = 0; row < graph->tensors->len; row++) {
    TnFlatTable table;
    const TnTensor *tensor = tn_graph_tensor(graph, row);
    if (tensor->kind != TN_TENSOR_INPUT ||
        !tn_flat_vector_table(&reader->flat, tensors, row, &table))
      continue;
    TnFlatVector signature = tn_flat_vector(&reader->flat, &table, TENSOR_SIGNATURE, 4);
    for (uint32_t axis = 0; axis < MIN(signature.n, tensor->rank); axis++) {
      TnFreeDim dim = {row, axis, 0, tn_graph_dims(graph, tensor)[axis]};
      if (tn_flat_vector_int(&reader->flat, &signature, axis, 4) < 0)
        g_array_append_val(graph->free_dims, dim);
    }
  }
}

TnTfliteShapes *
tn_tflite_shapes_new(TnTflite *reader, TnGraph *graph, const TnFlatTable *table,
                     const TnReadOptions *options)
{
  TnFlatVector tensors = tn_flat_vector(&reader->flat, table, GRAPH_TENSORS, 4);
  uint32_t n = graph->tensors->len;
  add_free_dims(reader, graph, &tensors);
  if (!options->bindings || g_hash_table_size(options->bindings) == 0)
    return NULL;
  TnTfliteShapes *shapes = g_new0(TnTfliteShapes, 1);
  shapes->arena = tn_arena_new();
  shapes->tensors = tensors;
  shapes->n = n;
  shapes->values = tn_arena_take_n(shapes->arena, TnShapeValue, n);
  shapes->is_touched = tn_arena_take_n(shapes->arena, bool, n);
  shapes->is_read = tn_arena_take_n(shapes->arena, bool, n);
  for (uint32_t i = 0; i < n; i++) {
    const TnTensor *tensor = tn_graph_tensor(graph, i);
    shapes->values[i].dtype =
        tn_dtype_from_name(tn_strings_get(reader->document->strings, tensor->dtype));
    tn_value_set_dims(&shapes->values[i], shapes->arena, tn_graph_dims(graph, tensor),
                      (int32_t)tensor->rank);
  }
  uint32_t n_used = bind_inputs(shapes, reader, graph, options->bindings);
  uint32_t n_unused = g_hash_table_size(options->bindings) - n_used;
  if (n_unused > 0)
    tn_diagnostics_add(reader->document->diagnostics, "binding-unused", n_unused,
                       "bindings name nothing that this graph's inputs have; here they are "
                       "INPUT[AXIS]=N");
  return shapes;
}

void
tn_tflite_shapes_free(TnTfliteShapes *shapes)
{
  if (!shapes)
    return;
  tn_arena_free(shapes->arena);
  g_free(shapes);
}

/* ---- ops ------------------------------------------------------------------------------- */

static bool
is_reached(const TnTfliteShapes *shapes, const TnGraph *graph, const TnOp *op)
{
  for (uint32_t i = 0; i < op->n_inputs; i++) {
    uint32_t row = tn_graph_inputs(graph, op)[i];
    if (row != TN_NONE && shapes->is_touched[row])
      return true;
  }
  return false;
}

/* The op that lost it first is the one to name. */
static void
note_loss(TnTflite *reader, TnGraph *graph, const TnOp *op, TnTensor *tensor, const char *reason)
{
  tensor->lost_at = (uint32_t)(op - tn_graph_op(graph, 0)); /* ops come in the file's order */
  tensor->lost_why = tn_strings_intern(reader->document->strings,
                                       reason ? reason : "the shape is not known", -1);
  for (uint32_t i = 0; i < op->n_inputs; i++) {
    uint32_t row = tn_graph_inputs(graph, op)[i];
    const TnTensor *input = row == TN_NONE ? NULL : tn_graph_tensor(graph, row);
    if (!input || input->bytes != TN_BYTES_UNKNOWN || input->lost_why == 0)
      continue;
    tensor->lost_at = input->lost_at;
    tensor->lost_why = input->lost_why;
    return;
  }
}

/* What no binding reaches keeps the file's shape; numbers that can be computed are kept. */
static void
take_numbers(TnTfliteShapes *shapes, const TnGraph *graph, const TnOp *op,
             const TnTfliteRuleContext *context)
{
  for (uint32_t i = 0; i < op->n_outputs; i++) {
    uint32_t row = tn_graph_outputs(graph, op)[i];
    const TnShapeValue *inferred = &context->rule.outputs[i];
    if (row == TN_NONE || row >= shapes->n || !inferred->has_content ||
        inferred->rank != shapes->values[row].rank ||
        memcmp(inferred->dims, shapes->values[row].dims,
               sizeof *inferred->dims * (gsize)MAX(inferred->rank, 0)) != 0)
      continue;
    TnDtype dtype = shapes->values[row].dtype;
    shapes->values[row] = *inferred;
    shapes->values[row].dtype = dtype;
  }
}

static void
take_outputs(TnTfliteShapes *shapes, TnTflite *reader, TnGraph *graph, const TnOp *op,
             TnTfliteRuleContext *context)
{
  for (uint32_t i = 0; i < op->n_outputs; i++) {
    uint32_t row = tn_graph_outputs(graph, op)[i];
    if (row == TN_NONE || row >= shapes->n)
      continue;
    TnDtype dtype = shapes->values[row].dtype;
    shapes->values[row] = context->rule.outputs[i];
    shapes->values[row].dtype = dtype; /* the file's: rules know ONNX's */
    shapes->is_touched[row] = true;
    write_back(shapes, graph, row);
    if (tn_graph_tensor(graph, row)->bytes == TN_BYTES_UNKNOWN)
      note_loss(reader, graph, op, tn_graph_tensor(graph, row), context->rule.reason);
  }
}

void
tn_tflite_shapes_infer(TnTfliteShapes *shapes, TnTflite *reader, TnGraph *graph,
                       const TnFlatTable *table)
{
  const TnOp *op = tn_graph_op(graph, graph->ops->len - 1);
  const TnShapeValue **inputs =
      tn_arena_take_n(shapes->arena, const TnShapeValue *, op->n_inputs);
  TnShapeValue *outputs = tn_arena_take_n(shapes->arena, TnShapeValue, op->n_outputs);
  for (uint32_t i = 0; i < op->n_inputs; i++) {
    uint32_t row = tn_graph_inputs(graph, op)[i];
    if (row != TN_NONE && !shapes->is_read[row] &&
        tn_graph_tensor(graph, row)->kind == TN_TENSOR_CONSTANT)
      read_constant(shapes, reader, row);
    inputs[i] = row == TN_NONE ? NULL : &shapes->values[row];
  }
  for (uint32_t i = 0; i < op->n_outputs; i++) {
    uint32_t row = tn_graph_outputs(graph, op)[i];
    outputs[i].rank = TN_RANK_UNKNOWN;
    outputs[i].dtype = row == TN_NONE ? TN_DTYPE_UNKNOWN : shapes->values[row].dtype;
  }
  TnTfliteRuleContext context = {
      .rule = {.type = tn_strings_get(reader->document->strings, op->type),
               .version = 18,
               .inputs = inputs,
               .n_inputs = op->n_inputs,
               .outputs = outputs,
               .n_outputs = op->n_outputs,
               .arena = shapes->arena},
      .flat = &reader->flat};
  context.has_options = tn_flat_table(&reader->flat, table, OP_OPTIONS, &context.options);
  bool is_known = tn_tflite_rule_apply(&context), is_bound = is_reached(shapes, graph, op);
  if (!is_known && is_bound)
    context.rule.reason = tn_arena_printf(
        shapes->arena, "what %.200s makes of other shapes is not known", context.rule.type);
  if (is_bound)
    take_outputs(shapes, reader, graph, op, &context);
  else
    take_numbers(shapes, graph, op, &context);
}
