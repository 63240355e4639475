/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "data/tflm.h"

#include "data/dtype.h"

#include <string.h>

#define ALIGNMENT 16 /* MicroArenaBufferAlignment() */

typedef struct {
  const TnGraph *graph;
  const TnStrings *strings;
  const TnOp *op;
  tn_bytes pointer_bytes;
  tn_bytes *out;
  uint32_t n;
} List;

static const TnTensor *
operand(const List *list, uint32_t i)
{
  uint32_t row = i < list->op->n_inputs ? tn_graph_inputs(list->graph, list->op)[i] : TN_NONE;
  return row == TN_NONE ? NULL : tn_graph_tensor(list->graph, row);
}

static const TnTensor *
result(const List *list)
{
  uint32_t row = list->op->n_outputs ? *tn_graph_outputs(list->graph, list->op) : TN_NONE;
  return row == TN_NONE ? NULL : tn_graph_tensor(list->graph, row);
}

static TnDtype
dtype_of(const List *list, const TnTensor *tensor)
{
  return tensor ? tn_dtype_from_name(tn_strings_get(list->strings, tensor->dtype))
                : TN_DTYPE_UNKNOWN;
}

/* -1 where the shape is unknown. */
static int64_t
elements(const List *list, const TnTensor *tensor)
{
  int64_t n;
  return tensor && tensor->rank != TN_NONE &&
                 tn_dims_product(tn_graph_dims(list->graph, tensor), tensor->rank, &n)
             ? n
             : -1;
}

static int64_t
dim(const List *list, const TnTensor *tensor, uint32_t axis)
{
  return tensor && tensor->rank != TN_NONE && axis < tensor->rank
             ? tn_graph_dims(list->graph, tensor)[axis]
             : -1;
}

static void
request(List *list, int64_t n, tn_bytes size)
{
  tn_bytes bytes;
  if (n > 0 && list->n < TN_TFLM_MOST_SCRATCH && tn_mul(n, size, &bytes))
    list->out[list->n++] = bytes;
}

/* ---- kernels --------------------------------------------------------------------------- */

/* Inputs: activations [batch, n], feature weights [filters, n], …; output [batch, units]. */
static void
list_svdf(List *list)
{
  int64_t batch = dim(list, operand(list, 0), 0), filters = dim(list, operand(list, 1), 0), n;
  TnDtype dtype = dtype_of(list, operand(list, 1));
  if (batch < 0 || filters < 0 || !tn_mul(batch, filters, &n))
    return;
  request(list, n, 4);
  if (dtype != TN_DTYPE_FLOAT32)
    request(list, elements(list, result(list)), 4);
}

static void
list_transpose_conv(List *list)
{
  const TnTensor *input = operand(list, 2), *bias = operand(list, 3);
  TnDtype dtype = dtype_of(list, input);
  if (dtype == TN_DTYPE_INT16 && dtype_of(list, bias) == TN_DTYPE_INT16)
    request(list, elements(list, bias), 8);
  if (dtype == TN_DTYPE_INT8)
    request(list, elements(list, result(list)), 4);
  else if (dtype == TN_DTYPE_INT16)
    request(list, elements(list, result(list)), 8);
}

/* Input 18 is the output state [batch, units], 19 the cell state of the type of the four buffers. */
static void
list_lstm(List *list)
{
  const TnTensor *cell = operand(list, 19);
  uint32_t bits = tn_dtype_bits(dtype_of(list, cell));
  for (int i = 0; i < 4; i++)
    request(list, elements(list, cell), bits / 8);
}

static void
list_mean(List *list)
{
  TnDtype dtype = dtype_of(list, operand(list, 0));
  const TnTensor *input = operand(list, 0);
  if (dtype == TN_DTYPE_INT8 || dtype == TN_DTYPE_INT16)
    request(list, elements(list, result(list)), 4);
  request(list, input && input->rank != TN_NONE ? (int64_t)input->rank : -1, 4);
  request(list, elements(list, operand(list, 1)), 4);
}

static void
list_max(List *list)
{
  const TnTensor *input = operand(list, 0);
  request(list, input && input->rank != TN_NONE ? (int64_t)input->rank : -1, 4);
  request(list, elements(list, operand(list, 1)), 4);
}

static void
list_mirror_pad(List *list)
{
  const TnTensor *input = operand(list, 0);
  for (int i = 0; i < 2 && input && input->rank != TN_NONE; i++)
    request(list, input->rank, 4);
}

static void
list_add_n(List *list)
{
  request(list, list->op->n_inputs, list->pointer_bytes);
}

/* Filters of 4 bits are unpacked, a byte for each element. */
static void
list_filter(List *list)
{
  if (dtype_of(list, operand(list, 1)) == TN_DTYPE_INT4)
    request(list, elements(list, operand(list, 1)), 1);
}

uint32_t
tn_tflm_list_scratch(const TnGraph *graph, const TnStrings *strings, const TnOp *op,
                     tn_bytes pointer_bytes, tn_bytes *out)
{
  static const struct {
    const char *type;
    void (*list)(List *list);
  } rows[] = {{"SVDF", list_svdf},
              {"TRANSPOSE_CONV", list_transpose_conv},
              {"UNIDIRECTIONAL_SEQUENCE_LSTM", list_lstm},
              {"MEAN", list_mean},
              {"SUM", list_mean},
              {"REDUCE_MAX", list_max},
              {"REDUCE_MIN", list_max},
              {"MIRROR_PAD", list_mirror_pad},
              {"ADD_N", list_add_n},
              {"CONV_2D", list_filter},
              {"DEPTHWISE_CONV_2D", list_filter},
              {"FULLY_CONNECTED", list_filter}};
  List list = {graph, strings, op, pointer_bytes, out, 0};
  const char *type = tn_strings_get(strings, op->type);
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++)
    if (strcmp(type, rows[i].type) == 0)
      rows[i].list(&list);
  return list.n;
}

tn_bytes
tn_tflm_scratch_bytes(const TnGraph *graph, const TnStrings *strings, const TnOp *op)
{
  tn_bytes requests[TN_TFLM_MOST_SCRATCH], sum = 0;
  uint32_t n = tn_tflm_list_scratch(graph, strings, op, 4, requests);
  for (uint32_t i = 0; i < n; i++)
    if (!tn_round_up(requests[i], ALIGNMENT, &requests[i]) || !tn_add(sum, requests[i], &sum))
      return INT64_MAX;
  return sum;
}
