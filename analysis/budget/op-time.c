/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/budget/op-time.h"

#include <string.h>

static double
elements_of(const TnGraph *graph, const TnTensor *tensor)
{
  double n = 1;
  if (tensor->rank == TN_NONE)
    return 0;
  for (uint32_t i = 0; i < tensor->rank; i++)
    n *= (double)MAX(tn_graph_dims(graph, tensor)[i], (int64_t)0);
  return n;
}

static const TnTensor *
operand(const TnGraph *graph, const uint32_t *operands, uint32_t n, uint32_t i)
{
  return i < n && operands[i] != TN_NONE ? tn_graph_tensor(graph, operands[i]) : NULL;
}

static bool
is_type(const char *type, const char *part)
{
  g_autofree char *lower = g_ascii_strdown(type, -1);
  return strstr(lower, part) != NULL;
}

double
tn_op_flops(const TnGraph *graph, const TnStrings *strings, uint32_t op_row)
{
  const TnOp *op = tn_graph_op(graph, op_row);
  const char *type = tn_strings_get(strings, op->type);
  const TnTensor *first = operand(graph, tn_graph_inputs(graph, op), op->n_inputs, 0);
  const TnTensor *second = operand(graph, tn_graph_inputs(graph, op), op->n_inputs, 1);
  const TnTensor *made = operand(graph, tn_graph_outputs(graph, op), op->n_outputs, 0);
  if (!first || !second || !made)
    return 0;
  /* Weights are [out channels, …]: each output element takes one product per weight of its own. */
  if (is_type(type, "conv") && second->rank != TN_NONE && second->rank > 1)
    return 2 * elements_of(graph, made) * elements_of(graph, second) /
           MAX((double)tn_graph_dims(graph, second)[0], 1.0);
  bool is_product = is_type(type, "matmul") || is_type(type, "gemm") ||
                    is_type(type, "fully_connected") || is_type(type, "linear");
  if (is_product && first->rank != TN_NONE && first->rank > 0)
    return 2 * elements_of(graph, made) *
           MAX((double)tn_graph_dims(graph, first)[first->rank - 1], 0.0);
  return 0;
}

static double
bytes_of(const TnGraph *graph, const uint32_t *operands, uint32_t n)
{
  double bytes = 0;
  for (uint32_t i = 0; i < n; i++) {
    const TnTensor *tensor = operand(graph, operands, n, i);
    bytes += tensor ? (double)MAX(tensor->bytes, (tn_bytes)0) : 0;
  }
  return bytes;
}

double
tn_op_seconds(const TnGraph *graph,
              const TnStrings *strings,
              uint32_t op_row,
              const TnComputeRate *rate,
              bool *out_is_estimate)
{
  const TnOp *op = tn_graph_op(graph, op_row);
  if (out_is_estimate)
    *out_is_estimate = op->seconds < 0;
  if (op->seconds >= 0)
    return op->seconds;
  if (op->n_views > 0 && op->n_views == op->n_outputs)
    return 0;
  double bytes = bytes_of(graph, tn_graph_inputs(graph, op), op->n_inputs) +
                 bytes_of(graph, tn_graph_outputs(graph, op), op->n_outputs);
  double computing = tn_op_flops(graph, strings, op_row) / rate->flops_per_second;
  return rate->launch_seconds + MAX(computing, bytes / rate->bytes_per_second);
}
