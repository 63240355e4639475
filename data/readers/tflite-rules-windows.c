/* SPDX-License-Identifier: MIT */
/* Windows over images (convolution, pools, resizing), blocks of them, and padding.
 * Source: Prepare() of each kernel in tensorflow/lite/kernels/, padding.h. */
#include "config.h"

#include "data/readers/tflite-rules.h"

#include <string.h>

/* ---- windows --------------------------------------------------------------------------- */

typedef struct {
  int64_t kernel, stride, dilation;
} Window;

/* Padding 0: SAME, 1: VALID. */
static int64_t
out_size(int64_t size, Window window, int64_t padding)
{
  int64_t reach = (window.kernel - 1) * window.dilation + 1;
  if (size < 0 || window.stride < 1 || window.kernel < 1 || window.dilation < 1)
    return TN_DIM_UNKNOWN;
  int64_t places = padding == 0 ? size : size - reach + 1;
  return places <= 0 ? 0 : (places + window.stride - 1) / window.stride;
}

static void
set_windowed(
    Context *context, const TnShapeValue *input, Window high, Window wide, int64_t channels)
{
  int64_t padding = tn_tflite_option(context, 0, 1, 0);
  int64_t dims[] = {input->dims[0], out_size(input->dims[1], high, padding),
                    out_size(input->dims[2], wide, padding), channels};
  tn_tflite_set(context, 0, dims, 4);
}

static void
infer_conv(Context *context)
{
  const TnShapeValue *input = tn_tflite_of_rank(context, 0, 4),
                     *filter = tn_tflite_of_rank(context, 1, 4);
  bool is_depthwise = strcmp(context->rule.type, "DEPTHWISE_CONV_2D") == 0;
  unsigned dilation = is_depthwise ? 5 : 4;
  if (!input || !filter)
    return;
  Window wide = {filter->dims[2], tn_tflite_option(context, 1, 4, 0),
                 tn_tflite_option(context, dilation, 4, 1)};
  Window high = {filter->dims[1], tn_tflite_option(context, 2, 4, 0),
                 tn_tflite_option(context, dilation + 1, 4, 1)};
  set_windowed(context, input, high, wide, is_depthwise ? filter->dims[3] : filter->dims[0]);
}

static void
infer_pool(Context *context)
{
  const TnShapeValue *input = tn_tflite_of_rank(context, 0, 4);
  if (!input)
    return;
  Window wide = {tn_tflite_option(context, 3, 4, 0), tn_tflite_option(context, 1, 4, 0), 1};
  Window high = {tn_tflite_option(context, 4, 4, 0), tn_tflite_option(context, 2, 4, 0), 1};
  set_windowed(context, input, high, wide, input->dims[3]);
}

static void
infer_resize(Context *context)
{
  uint32_t n;
  const TnShapeValue *input = tn_tflite_of_rank(context, 0, 4);
  const int64_t *size = tn_tflite_numbers(context, 1, &n);
  if (!input || !size || n != 2)
    return;
  int64_t dims[] = {input->dims[0], size[0], size[1], input->dims[3]};
  tn_tflite_set(context, 0, dims, 4);
}

/* ---- blocks ---------------------------------------------------------------------------- */

static int64_t
scaled(int64_t dim, int64_t by)
{
  int64_t product;
  return dim >= 0 && tn_mul(dim, by, &product) ? product : TN_DIM_UNKNOWN;
}

static void
infer_depth_to_space(Context *context)
{
  const TnShapeValue *in = tn_tflite_of_rank(context, 0, 4);
  int64_t block = tn_tflite_option(context, 0, 4, 0);
  if (!in || block < 1 || block > 1 << 15)
    return;
  int64_t dims[] = {in->dims[0], scaled(in->dims[1], block), scaled(in->dims[2], block),
                    tn_tflite_divided(in->dims[3], block * block)};
  tn_tflite_set(context, 0, dims, 4);
}

static void
infer_space_to_depth(Context *context)
{
  const TnShapeValue *in = tn_tflite_of_rank(context, 0, 4);
  int64_t block = tn_tflite_option(context, 0, 4, 0);
  if (!in || block < 1 || block > 1 << 15)
    return;
  int64_t dims[] = {in->dims[0], tn_tflite_divided(in->dims[1], block),
                    tn_tflite_divided(in->dims[2], block), scaled(in->dims[3], block * block)};
  tn_tflite_set(context, 0, dims, 4);
}

/* Blocks [n], paddings or crops [n, 2]; the batch takes up what the spatial dimensions give. */
static void
infer_space_batch(Context *context)
{
  bool is_to_batch = strcmp(context->rule.type, "SPACE_TO_BATCH_ND") == 0;
  const TnShapeValue *in = tn_rule_ranked(&context->rule, 0);
  uint32_t n, n_pads;
  const int64_t *block = tn_tflite_numbers(context, 1, &n),
                *pads = tn_tflite_numbers(context, 2, &n_pads);
  int64_t dims[TN_MOST_RANK];
  if (!in || !block || !pads || n_pads != 2 * n || (int32_t)n + 1 > in->rank ||
      in->rank > TN_MOST_RANK)
    return;
  memcpy(dims, in->dims, sizeof *dims * (gsize)in->rank);
  for (uint32_t i = 0; i < n; i++) {
    int64_t edge = pads[2 * i] + pads[2 * i + 1], dim = in->dims[i + 1];
    if (is_to_batch) {
      dims[i + 1] = tn_tflite_divided(dim < 0 ? dim : dim + edge, block[i]);
      dims[0] = scaled(dims[0], block[i]);
    } else {
      dims[i + 1] = dim < 0 ? dim : scaled(dim, block[i]) - edge;
      dims[0] = tn_tflite_divided(dims[0], block[i]);
    }
  }
  tn_tflite_set(context, 0, dims, in->rank);
}

static void
infer_pad(Context *context)
{
  uint32_t n;
  const TnShapeValue *input = tn_rule_ranked(&context->rule, 0);
  const int64_t *pads = tn_tflite_numbers(context, 1, &n);
  int64_t dims[TN_MOST_RANK];
  if (!input || !pads || (int64_t)n != 2 * (int64_t)input->rank || input->rank > TN_MOST_RANK)
    return;
  for (int32_t i = 0; i < input->rank; i++)
    dims[i] = input->dims[i] < 0 ? TN_DIM_UNKNOWN : input->dims[i] + pads[2 * i] + pads[2 * i + 1];
  tn_tflite_set(context, 0, dims, input->rank);
}

const TnTfliteRule tn_tflite_rules_windows[] = {
    {"CONV_2D", infer_conv},
    {"DEPTHWISE_CONV_2D", infer_conv},
    {"AVERAGE_POOL_2D", infer_pool},
    {"MAX_POOL_2D", infer_pool},
    {"L2_POOL_2D", infer_pool},
    {"RESIZE_BILINEAR", infer_resize},
    {"RESIZE_NEAREST_NEIGHBOR", infer_resize},
    {"DEPTH_TO_SPACE", infer_depth_to_space},
    {"SPACE_TO_DEPTH", infer_space_to_depth},
    {"SPACE_TO_BATCH_ND", infer_space_batch},
    {"BATCH_TO_SPACE_ND", infer_space_batch},
    {"PAD", infer_pad},
    {"PADV2", infer_pad},
    {"MIRROR_PAD", infer_pad},
    {NULL, NULL},
};
