/* SPDX-License-Identifier: MIT */
/* Parts of a tensor, and tensors of parts: slices, splits, pack and unpack.
 * Source: Prepare() of each kernel in tensorflow/lite/kernels/. */
#include "config.h"

#include "data/readers/tflite-rules.h"

#include <string.h>

/* Elements `from`, `from + step`, … of a list. */
static void
copy_part(Context *context, uint32_t output, const TnShapeValue *input, int64_t from, int64_t step)
{
  TnShapeValue *value = &context->rule.outputs[output];
  if (!input->has_content || input->rank != 1 || !tn_value_add_content(value, context->rule.arena))
    return;
  for (uint32_t i = 0; i < value->n; i++) {
    int64_t at = from + (int64_t)i * step;
    if (at >= 0 && at < input->n)
      tn_value_copy_element(value, i, input, (uint32_t)at);
  }
}

static void
infer_slice(Context *context)
{
  uint32_t n, n_sizes;
  const TnShapeValue *input = tn_rule_ranked(&context->rule, 0);
  const int64_t *begin = tn_tflite_numbers(context, 1, &n),
                *size = tn_tflite_numbers(context, 2, &n_sizes);
  int64_t dims[TN_MOST_RANK];
  if (!input || !begin || !size || (int32_t)n != input->rank || n_sizes != n || n > TN_MOST_RANK)
    return;
  for (uint32_t i = 0; i < n; i++)
    dims[i] = size[i] >= 0         ? size[i]
              : input->dims[i] < 0 ? TN_DIM_UNKNOWN
                                   : input->dims[i] - begin[i];
  tn_tflite_set(context, 0, dims, input->rank);
  if (n == 1)
    copy_part(context, 0, input, begin[0], 1);
}

typedef struct {
  int64_t begin, end, stride;
  bool is_open_begin, is_open_end, is_shrunk;
  bool is_length; /* `end` is not where it ends but how far from `begin` */
} Range;

/* Where the range begins in a dimension, and how many elements it takes. */
static int64_t
measure(Range range, int64_t dim, int64_t *out_begin)
{
  int64_t low = range.stride > 0 ? 0 : -1, high = range.stride > 0 ? dim : dim - 1;
  int64_t begin = range.begin < 0 ? range.begin + dim : range.begin;
  int64_t end = range.end < 0 ? range.end + dim : range.end;
  *out_begin = begin;
  if (range.is_shrunk)
    return 1;
  begin = range.is_open_begin ? (range.stride > 0 ? 0 : dim - 1) : CLAMP(begin, low, high);
  end = range.is_open_end ? (range.stride > 0 ? dim : -1) : CLAMP(end, low, high);
  *out_begin = begin;
  if (range.is_length) /* as the kernel: neither the mask nor the input's end shortens it */
    return range.end == 0 || (range.end > 0) != (range.stride > 0)
               ? 0
               : (ABS(range.end) + ABS(range.stride) - 1) / ABS(range.stride);
  int64_t span = range.stride > 0 ? end - begin : begin - end, step = ABS(range.stride);
  return span <= 0 ? 0 : (span + step - 1) / step;
}

/* By dimension of the input: where the slice begins, its step and its length. */
typedef struct {
  int64_t first[TN_MOST_RANK], step[TN_MOST_RANK], length[TN_MOST_RANK];
} Slice;

static void
copy_slice(Context *context, const TnShapeValue *input, const Slice *slice)
{
  TnShapeValue *output = &context->rule.outputs[0];
  int64_t index[TN_MOST_RANK] = {0};
  /* Without elements its other dimensions may be of any size, and their product too. */
  if (!input->has_content || (input->n == 0 && tn_value_elements(output) != 0) ||
      !tn_value_add_content(output, context->rule.arena))
    return;
  for (uint32_t i = 0; i < output->n; i++) {
    int64_t at = 0;
    for (int32_t k = 0; k < input->rank; k++)
      at = at * input->dims[k] + slice->first[k] + index[k] * slice->step[k];
    if (at >= 0 && at < input->n)
      tn_value_copy_element(output, i, input, (uint32_t)at);
    for (int32_t k = input->rank - 1; k >= 0 && ++index[k] == slice->length[k]; k--)
      index[k] = 0;
  }
}

static bool
read_ranges(Context *context, const TnShapeValue *input, Range *ranges)
{
  uint32_t n, n_end, n_stride;
  const int64_t *begin = tn_tflite_numbers(context, 1, &n),
                *end = tn_tflite_numbers(context, 2, &n_end);
  const int64_t *stride = tn_tflite_numbers(context, 3, &n_stride);
  int64_t begins = tn_tflite_option(context, 0, 4, 0), ends = tn_tflite_option(context, 1, 4, 0);
  int64_t shrinks = tn_tflite_option(context, 4, 4, 0);
  bool are_lengths = tn_tflite_option(context, 5, 1, 0) != 0; /* `offset`: ends count from the begins */
  if (!begin || !end || !stride || n_end != n || n_stride != n || (int32_t)n > input->rank ||
      input->rank > 31)
    return false;
  for (int32_t i = 0; i < input->rank; i++)
    ranges[i] = i < (int32_t)n ? (Range){begin[i],        end[i],        stride[i],
                                         begins >> i & 1, ends >> i & 1, shrinks >> i & 1,
                                         are_lengths}
                               : (Range){0, 0, 1, true, true, false, false};
  return true;
}

/* Without ellipsis and new axes, which converters resolve. */
static void
infer_strided_slice(Context *context)
{
  const TnShapeValue *input = tn_rule_ranked(&context->rule, 0);
  Range ranges[TN_MOST_RANK];
  Slice slice;
  int64_t dims[TN_MOST_RANK];
  int32_t rank = 0;
  if (!input || !read_ranges(context, input, ranges))
    return;
  if (tn_tflite_option(context, 2, 4, 0) || tn_tflite_option(context, 3, 4, 0)) {
    tn_rule_lose(&context->rule, "a slice with an ellipsis or a new axis");
    return;
  }
  for (int32_t i = 0; i < input->rank; i++) {
    int64_t dim = input->dims[i];
    if (ranges[i].stride == 0)
      return;
    slice.step[i] = ranges[i].stride;
    slice.length[i] = dim < 0 ? TN_DIM_UNKNOWN : measure(ranges[i], dim, &slice.first[i]);
    if (!ranges[i].is_shrunk)
      dims[rank++] = slice.length[i];
  }
  tn_tflite_set(context, 0, dims, rank);
  if (tn_value_is_full(input))
    copy_slice(context, input, &slice);
}

/* n equal parts along an axis that is an operand. */
static void
infer_split(Context *context)
{
  uint32_t n;
  const TnShapeValue *input = tn_rule_ranked(&context->rule, 1);
  const int64_t *axis = tn_tflite_numbers(context, 0, &n);
  int64_t dims[TN_MOST_RANK];
  int32_t at = input && axis && n == 1 ? tn_rule_axis(&context->rule, axis[0], input->rank) : -1;
  if (at < 0 || input->rank > TN_MOST_RANK)
    return;
  memcpy(dims, input->dims, sizeof *dims * (gsize)input->rank);
  dims[at] = tn_tflite_divided(dims[at], context->rule.n_outputs);
  for (uint32_t i = 0; i < context->rule.n_outputs; i++)
    tn_tflite_set(context, i, dims, input->rank);
}

static void
infer_split_v(Context *context)
{
  uint32_t n, n_sizes;
  const TnShapeValue *input = tn_rule_ranked(&context->rule, 0);
  const int64_t *sizes = tn_tflite_numbers(context, 1, &n_sizes),
                *axis = tn_tflite_numbers(context, 2, &n);
  int64_t dims[TN_MOST_RANK], rest;
  int32_t at = input && axis && n == 1 ? tn_rule_axis(&context->rule, axis[0], input->rank) : -1;
  if (at < 0 || !sizes || n_sizes != context->rule.n_outputs || input->rank > TN_MOST_RANK)
    return;
  memcpy(dims, input->dims, sizeof *dims * (gsize)input->rank);
  rest = dims[at];
  for (uint32_t i = 0; i < n_sizes; i++)
    rest -= MAX(sizes[i], (int64_t)0);
  for (uint32_t i = 0; i < n_sizes; i++) {
    dims[at] = sizes[i] >= 0 ? sizes[i] : input->dims[at] < 0 ? TN_DIM_UNKNOWN : rest;
    tn_tflite_set(context, i, dims, input->rank);
  }
}

/* ---- a new dimension, or one less ------------------------------------------------------ */

/* Scalars and lists keep what is known of them; each has as many elements as the first. */
static void
pack_content(Context *context, int32_t axis)
{
  TnShapeValue *output = &context->rule.outputs[0];
  if (axis != 0 || !tn_value_add_content(output, context->rule.arena))
    return;
  uint32_t n = output->n / context->rule.n_inputs;
  for (uint32_t i = 0; i < context->rule.n_inputs; i++) {
    const TnShapeValue *input = tn_rule_input(&context->rule, i);
    for (uint32_t k = 0; input && k < n; k++)
      tn_value_copy_element(output, i * n + k, input, k);
  }
}

static void
infer_pack(Context *context)
{
  const TnShapeValue *input = tn_rule_ranked(&context->rule, 0);
  int64_t dims[TN_MOST_RANK];
  if (!input || input->rank >= TN_MOST_RANK)
    return;
  int32_t axis = tn_rule_axis(&context->rule, tn_tflite_option(context, 1, 4, 0), input->rank + 1);
  if (axis < 0)
    return;
  for (int32_t i = 0; i <= input->rank; i++)
    dims[i] = i < axis ? input->dims[i] : i > axis ? input->dims[i - 1] : context->rule.n_inputs;
  tn_tflite_set(context, 0, dims, input->rank + 1);
  if (tn_value_elements(input) >= 0)
    pack_content(context, axis);
}

static void
infer_unpack(Context *context)
{
  const TnShapeValue *input = tn_rule_ranked(&context->rule, 0);
  int64_t dims[TN_MOST_RANK];
  int32_t rank = 0, axis = -1;
  if (input)
    axis = tn_rule_axis(&context->rule, tn_tflite_option(context, 1, 4, 0), input->rank);
  if (axis < 0 || input->rank > TN_MOST_RANK)
    return;
  for (int32_t i = 0; i < input->rank; i++)
    if (i != axis)
      dims[rank++] = input->dims[i];
  for (uint32_t i = 0; i < context->rule.n_outputs; i++) {
    tn_tflite_set(context, i, dims, rank);
    copy_part(context, i, input, i, 1);
  }
}

const TnTfliteRule tn_tflite_rules_parts[] = {
    {"SLICE", infer_slice}, {"STRIDED_SLICE", infer_strided_slice},
    {"SPLIT", infer_split}, {"SPLIT_V", infer_split_v},
    {"PACK", infer_pack},   {"UNPACK", infer_unpack},
    {NULL, NULL},
};
