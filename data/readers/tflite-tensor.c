/* SPDX-License-Identifier: MIT */
/* Tensors of a TensorFlow Lite model: shapes, sizes, kinds. */
#include "config.h"

#include "data/readers/tflite-names.h"
#include "data/readers/tflite-private.h"

static bool
has_data(TnTflite *reader, int64_t buffer)
{
  TnFlatTable table;
  if (buffer <= 0 || buffer >= reader->buffers.n ||
      !tn_flat_vector_table(&reader->flat, &reader->buffers, (uint32_t)buffer, &table))
    return false;
  return tn_flat_vector(&reader->flat, &table, BUFFER_DATA, 1).n > 0 ||
         tn_flat_int(&reader->flat, &table, BUFFER_OFFSET, 8, 0) > 1;
}

static uint32_t
name_of(TnTflite *reader, const TnFlatTable *table)
{
  gsize length;
  const char *text = tn_flat_text(&reader->flat, table, TENSOR_NAME, &length);
  return tn_strings_intern(reader->document->strings, text, (gssize)length);
}

static bool
add_shape(TnTflite *reader, TnGraph *graph, uint32_t row, const TnFlatTable *table)
{
  TnFlatVector shape = tn_flat_vector(&reader->flat, table, TENSOR_SHAPE, 4);
  TnFlatVector signature = tn_flat_vector(&reader->flat, table, TENSOR_SIGNATURE, 4);
  int64_t dims[64];
  if (shape.n > G_N_ELEMENTS(dims))
    return tn_tflite_fail(reader, "a tensor's shape", "more than 64 dimensions", "at most 64");
  for (uint32_t i = 0; i < shape.n; i++) {
    dims[i] = tn_flat_vector_int(&reader->flat, &shape, i, 4);
    if (dims[i] < -1)
      return tn_tflite_fail(reader, "a tensor's shape", "a negative dimension", "0 or more");
    if (i < signature.n && tn_flat_vector_int(&reader->flat, &signature, i, 4) < 0)
      tn_diagnostics_count(reader->document->diagnostics, "dynamic-dimension",
                           "some dimensions may change when the model runs; the sizes are those "
                           "that the file states");
  }
  tn_graph_set_shape(graph, row, dims, shape.n);
  return true;
}

static bool
set_bytes(TnTflite *reader, TnGraph *graph, uint32_t row, TnDtype dtype)
{
  TnTensor *tensor = tn_graph_tensor(graph, row);
  const int64_t *dims = tn_graph_dims(graph, tensor);
  int64_t elements;
  tensor->dtype = tn_strings_intern(reader->document->strings, tn_dtype_name(dtype), -1);
  for (uint32_t i = 0; i < tensor->rank; i++)
    if (dims[i] < 0)
      return true;
  if (!tn_dims_product(dims, tensor->rank, &elements))
    return tn_tflite_fail(reader, tn_strings_get(reader->document->strings, tensor->name),
                "a shape of more than 2^63 elements", "a product that fits into 64 bits");
  if (!tn_dtype_size(dtype, elements, &tensor->bytes))
    tensor->lost_why =
        tn_strings_intern(reader->document->strings, tn_dtype_unsized_reason(dtype), -1);
  return true;
}

static uint32_t
count_scales(TnTflite *reader, const TnFlatTable *table)
{
  TnFlatTable quantization;
  if (!tn_flat_table(&reader->flat, table, TENSOR_QUANTIZATION, &quantization) ||
      tn_flat_vector(&reader->flat, &quantization, QUANTIZATION_ZERO_POINT, 8).n == 0)
    return 0;
  return tn_flat_vector(&reader->flat, &quantization, QUANTIZATION_SCALE, 4).n;
}

static bool
add_tensor(TnTflite *reader, TnGraph *graph, const TnFlatTable *table)
{
  uint32_t row = tn_graph_add_tensor(graph, name_of(reader, table),
                                     TN_TENSOR_ACTIVATION);
  TnTensor *tensor = tn_graph_tensor(graph, row);
  int64_t buffer = tn_flat_int(&reader->flat, table, TENSOR_BUFFER, 4, 0);
  tensor->file_id = row;
  tensor->n_scales = count_scales(reader, table);
  if (tn_flat_int(&reader->flat, table, TENSOR_IS_VARIABLE, 1, 0))
    tensor->kind = TN_TENSOR_VARIABLE;
  else if (has_data(reader, buffer)) {
    tensor->kind = TN_TENSOR_CONSTANT;
    tensor->content = (uint32_t)buffer; /* buffer 0 is the empty one */
  }
  return add_shape(reader, graph, row, table) &&
         set_bytes(reader, graph, row,
                   tn_tflite_dtype(tn_flat_int(&reader->flat, table, TENSOR_TYPE, 1, 0)));
}

static bool
add_all(TnTflite *reader, TnGraph *graph, const TnFlatTable *table)
{
  TnFlatVector tensors = tn_flat_vector(&reader->flat, table, GRAPH_TENSORS, 4);
  for (uint32_t i = 0; i < tensors.n; i++) {
    TnFlatTable tensor;
    if (!tn_flat_vector_table(&reader->flat, &tensors, i, &tensor) ||
        !add_tensor(reader, graph, &tensor) || reader->flat.found ||
        !tn_flat_report(reader->options->progress, reader->source->name, i, tensors.n, reader->error))
      return false;
  }
  return true;
}

static bool
mark_ends(TnTflite *reader, TnGraph *graph, const TnFlatTable *table)
{
  TnFlatVector inputs = tn_flat_vector(&reader->flat, table, GRAPH_INPUTS, 4);
  TnFlatVector outputs = tn_flat_vector(&reader->flat, table, GRAPH_OUTPUTS, 4);
  uint32_t row;
  for (uint32_t i = 0; i < inputs.n; i++) {
    if (!tn_tflite_index(reader, graph, &inputs, i, "the graph's inputs", &row))
      return false;
    if (row != TN_NONE && tn_graph_tensor(graph, row)->kind == TN_TENSOR_ACTIVATION)
      tn_graph_tensor(graph, row)->kind = TN_TENSOR_INPUT;
  }
  for (uint32_t i = 0; i < outputs.n; i++) {
    if (!tn_tflite_index(reader, graph, &outputs, i, "the graph's outputs", &row))
      return false;
    if (row == TN_NONE)
      continue;
    tn_graph_tensor(graph, row)->is_output = true;
    if (tn_graph_tensor(graph, row)->kind == TN_TENSOR_ACTIVATION)
      tn_graph_tensor(graph, row)->kind = TN_TENSOR_OUTPUT;
  }
  return true;
}

bool
tn_tflite_add_tensors(TnTflite *reader, TnGraph *graph, const TnFlatTable *table)
{
  return add_all(reader, graph, table) && mark_ends(reader, graph, table);
}
