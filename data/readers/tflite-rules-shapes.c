/* SPDX-License-Identifier: MIT */
/* Shapes that are operands: fill, one-hot and their like.
 * Source: Prepare() of each kernel in tensorflow/lite/kernels/. */
#include "config.h"

#include "data/readers/tflite-rules.h"

#include <string.h>

/* The numbers of input i are the shape. */
static void
set_stated(Context *context, uint32_t i)
{
  uint32_t n;
  const int64_t *dims = tn_tflite_numbers(context, i, &n);
  if (dims && n <= TN_MOST_RANK)
    tn_tflite_set(context, 0, dims, (int32_t)n);
}

static void
infer_fill(Context *context)
{
  set_stated(context, 0);
}

static void
infer_broadcast_to(Context *context)
{
  set_stated(context, 1);
}

/* Its output shape is an operand; one that is constant holds whatever comes. */
static void
infer_transpose_conv(Context *context)
{
  uint32_t n;
  const TnShapeValue *input = tn_tflite_of_rank(context, 2, 4);
  const int64_t *dims = tn_tflite_numbers(context, 0, &n);
  if (!dims || n != 4 || !input)
    return;
  if (input->dims[0] >= 0 && input->dims[0] != dims[0])
    tn_rule_lose(&context->rule, "its output shape is stated for another batch");
  else
    tn_tflite_set(context, 0, dims, 4);
}

static void
infer_one_hot(Context *context)
{
  uint32_t n;
  const TnShapeValue *input = tn_rule_ranked(&context->rule, 0);
  const int64_t *depth = tn_tflite_numbers(context, 1, &n);
  int64_t dims[TN_MOST_RANK], wanted = tn_tflite_option(context, 0, 4, 0);
  if (!input || !depth || n != 1 || input->rank >= TN_MOST_RANK)
    return;
  int32_t axis = wanted == -1 ? input->rank : tn_rule_axis(&context->rule, wanted, input->rank + 1);
  for (int32_t i = 0; axis >= 0 && i <= input->rank; i++)
    dims[i] = i < axis ? input->dims[i] : i > axis ? input->dims[i - 1] : depth[0];
  if (axis >= 0)
    tn_tflite_set(context, 0, dims, input->rank + 1);
}

static void
infer_topk(Context *context)
{
  uint32_t n;
  const TnShapeValue *input = tn_rule_ranked(&context->rule, 0);
  const int64_t *k = tn_tflite_numbers(context, 1, &n);
  int64_t dims[TN_MOST_RANK];
  if (!input || !k || n != 1 || input->rank < 1 || input->rank > TN_MOST_RANK)
    return;
  memcpy(dims, input->dims, sizeof *dims * (gsize)input->rank);
  dims[input->rank - 1] = k[0];
  tn_tflite_set(context, 0, dims, input->rank);
  tn_tflite_set(context, 1, dims, input->rank);
}

const TnTfliteRule tn_tflite_rules_shapes[] = {
    {"FILL", infer_fill},
    {"BROADCAST_TO", infer_broadcast_to},
    {"TRANSPOSE_CONV", infer_transpose_conv},
    {"ONE_HOT", infer_one_hot},
    {"TOPK_V2", infer_topk},
    {NULL, NULL},
};
