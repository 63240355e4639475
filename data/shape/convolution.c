/* SPDX-License-Identifier: MIT */
/* Sliding windows: convolutions, pooling, and the pooling that takes everything. */
#include "config.h"

#include "data/shape/rule.h"

#include <string.h>

/* The window along each of n spatial axes, with the defaults filled in. */
typedef struct {
  int32_t n;
  int64_t kernel[TN_MOST_RANK], stride[TN_MOST_RANK], dilation[TN_MOST_RANK];
  int64_t pad_begin[TN_MOST_RANK], pad_end[TN_MOST_RANK];
  bool is_same; /* auto_pad SAME_UPPER or SAME_LOWER: out = ceil(in / stride) */
  bool is_ceil;
} Window;

static void
fill_list(const TnRuleContext *context, const char *name, int64_t *cells, int32_t n,
          int64_t fallback)
{
  uint32_t count;
  const int64_t *list = tn_rule_ints(context, name, &count);
  for (int32_t i = 0; i < n; i++)
    cells[i] = list && (uint32_t)i < count ? list[i] : fallback;
}

static bool
is_sane(const Window *window)
{
  for (int32_t i = 0; i < window->n; i++)
    if (window->stride[i] < 1 || window->dilation[i] < 1 || window->stride[i] > G_MAXINT32 ||
        window->dilation[i] > G_MAXINT32 || ABS(window->pad_begin[i]) > G_MAXINT32 ||
        ABS(window->pad_end[i]) > G_MAXINT32 || window->kernel[i] > G_MAXINT32)
      return false;
  return true;
}

/* `kernel` from the attribute kernel_shape, else from `weights` (dims 2 on), else unknown. */
static bool
read_window(TnRuleContext *context, int32_t n, const TnShapeValue *weights, Window *window)
{
  const char *pad = tn_rule_text(context, "auto_pad", "NOTSET");
  int64_t pads[2 * TN_MOST_RANK] = {0};
  if (n > TN_MOST_RANK || n < 0)
    return false;
  window->n = n;
  fill_list(context, "kernel_shape", window->kernel, n, TN_DIM_UNKNOWN);
  fill_list(context, "strides", window->stride, n, 1);
  fill_list(context, "dilations", window->dilation, n, 1);
  if (strcmp(pad, "VALID") != 0)
    fill_list(context, "pads", pads, 2 * n, 0);
  for (int32_t i = 0; i < n; i++) {
    window->pad_begin[i] = pads[i];
    window->pad_end[i] = pads[n + i];
    if (window->kernel[i] < 0 && weights && weights->rank == n + 2)
      window->kernel[i] = weights->dims[i + 2];
  }
  window->is_same = g_str_has_prefix(pad, "SAME");
  window->is_ceil = tn_rule_int(context, "ceil_mode", 0) != 0;
  if (is_sane(window))
    return true;
  tn_rule_lose(context, "strides, dilations or pads that can't be");
  return false;
}

static int64_t
slide(TnRuleContext *context, const Window *window, int32_t i, int64_t in)
{
  int64_t stride = window->stride[i];
  if (in < 0)
    return TN_DIM_UNKNOWN;
  if (window->is_same)
    return in / stride + (in % stride != 0);
  if (window->kernel[i] < 0 || in > INT64_MAX / 4)
    return TN_DIM_UNKNOWN;
  int64_t span = (window->kernel[i] - 1) * window->dilation[i] + 1;
  int64_t room = in + window->pad_begin[i] + window->pad_end[i] - span;
  if (room < 0) {
    tn_rule_lose(context, "a window that is larger than its input");
    return TN_DIM_UNKNOWN;
  }
  int64_t out = room / stride + 1;
  if (!window->is_ceil || room % stride == 0)
    return out;
  /* The last window must begin inside the input or its left padding. */
  return out * stride >= in + window->pad_begin[i] ? out : out + 1;
}

/* ---- convolutions ---------------------------------------------------------------------- */

static void
set_convolution(TnRuleContext *context, uint32_t data, uint32_t weights, TnDtype dtype)
{
  const TnShapeValue *input = tn_rule_ranked(context, data);
  const TnShapeValue *filter = tn_rule_ranked(context, weights);
  int64_t dims[TN_MOST_RANK];
  Window window;
  tn_rule_set_dtype(context, 0, dtype);
  if (!input || input->rank < 2 || !read_window(context, input->rank - 2, filter, &window))
    return;
  dims[0] = input->dims[0];
  dims[1] = filter && filter->rank > 0 ? filter->dims[0] : TN_DIM_UNKNOWN;
  for (int32_t i = 0; i < window.n; i++)
    dims[i + 2] = slide(context, &window, i, input->dims[i + 2]);
  tn_rule_set(context, 0, dtype, dims, input->rank);
}

static void
infer_conv(TnRuleContext *context)
{
  set_convolution(context, 0, 1, tn_rule_dtype(context, 0));
}

static void
infer_conv_integer(TnRuleContext *context)
{
  set_convolution(context, 0, 1, TN_DTYPE_INT32);
}

static void
infer_qlinear_conv(TnRuleContext *context)
{
  set_convolution(context, 0, 3, tn_rule_dtype(context, 7));
}

static int64_t
spread(const Window *window, int32_t i, int64_t in, int64_t more)
{
  if (in < 0)
    return TN_DIM_UNKNOWN;
  if (window->is_same)
    return in > INT64_MAX / window->stride[i] ? TN_DIM_UNKNOWN : in * window->stride[i];
  if (window->kernel[i] < 0 || in > G_MAXINT32)
    return TN_DIM_UNKNOWN;
  return window->stride[i] * (in - 1) + more + (window->kernel[i] - 1) * window->dilation[i] + 1 -
         window->pad_begin[i] - window->pad_end[i];
}

static void
infer_conv_transpose(TnRuleContext *context)
{
  const TnShapeValue *input = tn_rule_ranked(context, 0), *filter = tn_rule_ranked(context, 1);
  int64_t dims[TN_MOST_RANK], more[TN_MOST_RANK], asked[TN_MOST_RANK];
  Window window;
  tn_rule_set_dtype(context, 0, tn_rule_dtype(context, 0));
  if (!input || input->rank < 2 || !read_window(context, input->rank - 2, filter, &window))
    return;
  fill_list(context, "output_padding", more, window.n, 0);
  fill_list(context, "output_shape", asked, window.n, TN_DIM_UNKNOWN);
  dims[0] = input->dims[0];
  dims[1] = TN_DIM_UNKNOWN;
  if (filter && filter->rank > 1 && filter->dims[1] >= 0)
    dims[1] = filter->dims[1] * CLAMP(tn_rule_int(context, "group", 1), 1, 1 << 20);
  for (int32_t i = 0; i < window.n; i++)
    dims[i + 2] =
        asked[i] >= 0 ? asked[i] : spread(&window, i, input->dims[i + 2], CLAMP(more[i], 0, 1 << 20));
  tn_rule_set(context, 0, tn_rule_dtype(context, 0), dims, input->rank);
}

static void
infer_deform_conv(TnRuleContext *context)
{
  set_convolution(context, 0, 1, tn_rule_dtype(context, 0));
}

/* ---- pooling --------------------------------------------------------------------------- */

static void
infer_pool(TnRuleContext *context)
{
  const TnShapeValue *input = tn_rule_ranked(context, 0);
  int64_t dims[TN_MOST_RANK];
  Window window;
  tn_rule_set_dtype(context, 0, tn_rule_dtype(context, 0));
  tn_rule_set_dtype(context, 1, TN_DTYPE_INT64);
  if (!input || input->rank < 2 || !read_window(context, input->rank - 2, NULL, &window))
    return;
  dims[0] = input->dims[0];
  dims[1] = input->dims[1];
  for (int32_t i = 0; i < window.n; i++)
    dims[i + 2] = slide(context, &window, i, input->dims[i + 2]);
  tn_rule_set(context, 0, tn_rule_dtype(context, 0), dims, input->rank);
  tn_rule_set(context, 1, TN_DTYPE_INT64, dims, input->rank); /* indices of MaxPool */
}

static void
infer_global_pool(TnRuleContext *context)
{
  const TnShapeValue *input = tn_rule_ranked(context, 0);
  int64_t dims[TN_MOST_RANK];
  tn_rule_set_dtype(context, 0, tn_rule_dtype(context, 0));
  if (!input || input->rank > TN_MOST_RANK)
    return;
  for (int32_t i = 0; i < input->rank; i++)
    dims[i] = i < 2 ? input->dims[i] : 1;
  tn_rule_set(context, 0, tn_rule_dtype(context, 0), dims, input->rank);
}

static void
infer_max_unpool(TnRuleContext *context)
{
  const TnShapeValue *input = tn_rule_ranked(context, 0);
  int64_t dims[TN_MOST_RANK];
  bool is_unknown;
  uint32_t n;
  Window window;
  const int64_t *asked = tn_rule_list(context, NULL, 2, &n, &is_unknown);
  tn_rule_set_dtype(context, 0, tn_rule_dtype(context, 0));
  if (asked && n <= TN_MOST_RANK) {
    tn_rule_set(context, 0, tn_rule_dtype(context, 0), asked, (int32_t)n);
    return;
  }
  if (is_unknown || !input || input->rank < 2 ||
      !read_window(context, input->rank - 2, NULL, &window))
    return;
  memcpy(dims, input->dims, sizeof *dims * 2);
  for (int32_t i = 0; i < window.n; i++)
    dims[i + 2] = spread(&window, i, input->dims[i + 2], 0);
  tn_rule_set(context, 0, tn_rule_dtype(context, 0), dims, input->rank);
}

static void
infer_col2im(TnRuleContext *context)
{
  const TnShapeValue *input = tn_rule_ranked(context, 0);
  uint32_t n, n_block;
  bool is_unknown;
  int64_t dims[TN_MOST_RANK], block_size = 1;
  const int64_t *image = tn_rule_list(context, NULL, 1, &n, &is_unknown);
  const int64_t *block = tn_rule_list(context, NULL, 2, &n_block, &is_unknown);
  tn_rule_set_dtype(context, 0, tn_rule_dtype(context, 0));
  if (!input || input->rank != 3 || !image || !block || n + 2 > TN_MOST_RANK ||
      !tn_dims_product(block, n_block, &block_size) || block_size < 1)
    return;
  dims[0] = input->dims[0];
  dims[1] = input->dims[1] < 0 ? TN_DIM_UNKNOWN : input->dims[1] / block_size;
  memcpy(dims + 2, image, sizeof *dims * n);
  tn_rule_set(context, 0, tn_rule_dtype(context, 0), dims, (int32_t)n + 2);
}

const TnRule tn_rules_convolution[] = {
    {"", "Conv", infer_conv, NULL},
    {"", "ConvInteger", infer_conv_integer, NULL},
    {"", "QLinearConv", infer_qlinear_conv, NULL},
    {"", "ConvTranspose", infer_conv_transpose, NULL},
    {"", "DeformConv", infer_deform_conv, NULL},
    {"", "MaxPool", infer_pool, NULL},
    {"", "AveragePool", infer_pool, NULL},
    {"", "LpPool", infer_pool, NULL},
    {"", "GlobalAveragePool", infer_global_pool, NULL},
    {"", "GlobalMaxPool", infer_global_pool, NULL},
    {"", "GlobalLpPool", infer_global_pool, NULL},
    {"", "MaxUnpool", infer_max_unpool, NULL},
    {"", "Col2Im", infer_col2im, NULL},
    {NULL, NULL, NULL, NULL},
};
