/* SPDX-License-Identifier: MIT */
/* Pictures in other sizes. */
#include "config.h"

#include "data/shape/rule.h"

#include <math.h>
#include <string.h>

/* Which axes the scales or sizes are of: all, or (from version 18) the attribute `axes`. */
static int32_t
resized_axes(TnRuleContext *context, int32_t rank, int32_t *axes)
{
  uint32_t n;
  const int64_t *asked = tn_rule_ints(context, "axes", &n);
  for (int32_t i = 0; i < (asked ? (int32_t)MIN(n, (uint32_t)rank) : rank); i++) {
    axes[i] = asked ? tn_rule_axis(context, asked[i], rank) : i;
    if (axes[i] < 0)
      return -1;
  }
  return asked ? (int32_t)MIN(n, (uint32_t)rank) : rank;
}

/* Of no size where it passes 2^63. */
static int64_t
whole_dim(double size)
{
  return size < 9223372036854775808.0 ? (int64_t)floor(size) : TN_DIM_UNKNOWN;
}

/* In single precision, as ONNX defines it: 10 × 0.7f is 7 there, and 6.9999998 in double. */
static int64_t
scaled_dim(int64_t dim, double scale)
{
  return whole_dim((double)((float)dim * (float)scale));
}

static void
apply_scales(TnRuleContext *context, const TnShapeValue *scales, const int32_t *axes, int32_t n,
             int64_t *dims)
{
  for (int32_t i = 0; i < n; i++) {
    double scale;
    int64_t in = dims[axes[i]];
    dims[axes[i]] = TN_DIM_UNKNOWN;
    if (!tn_value_real(scales, (uint32_t)i, &scale) || !(scale >= 0 && scale < 1e9))
      tn_rule_lose(context, "the scales are not known before the run");
    else if (in >= 0)
      dims[axes[i]] = scaled_dim(in, scale);
  }
}

/* keep_aspect_ratio_policy: one scale for all axes, the smallest or the largest of them. */
static void
keep_ratio(const char *policy, const int32_t *axes, int32_t n, const int64_t *in, int64_t *dims)
{
  double scale = -1;
  for (int32_t i = 0; i < n; i++) {
    if (in[axes[i]] <= 0 || dims[axes[i]] < 0)
      return;
    double own = (double)dims[axes[i]] / (double)in[axes[i]];
    bool is_better = strcmp(policy, "not_larger") == 0 ? own < scale : own > scale;
    scale = scale < 0 || is_better ? own : scale;
  }
  for (int32_t i = 0; i < n; i++)
    dims[axes[i]] = whole_dim(scale * (double)in[axes[i]] + 0.5);
}

static void
apply_sizes(TnRuleContext *context, const TnShapeValue *sizes, const int32_t *axes, int32_t n,
            const int64_t *in, int64_t *dims)
{
  const char *policy = tn_rule_text(context, "keep_aspect_ratio_policy", "stretch");
  for (int32_t i = 0; i < n; i++)
    if (!tn_value_int(sizes, (uint32_t)i, &dims[axes[i]])) {
      dims[axes[i]] = TN_DIM_UNKNOWN;
      tn_rule_lose(context, "the sizes are not known before the run");
    }
  if (strcmp(policy, "stretch") != 0)
    keep_ratio(policy, axes, n, in, dims);
}

static bool
is_given(const TnShapeValue *value)
{
  return value && !(value->rank == 1 && value->dims[0] == 0);
}

static void
infer_resize(TnRuleContext *context)
{
  const TnShapeValue *input = tn_rule_ranked(context, 0);
  const TnShapeValue *scales = tn_rule_input(context, context->version < 11 ? 1 : 2);
  const TnShapeValue *sizes = context->version < 11 ? NULL : tn_rule_input(context, 3);
  int64_t dims[TN_MOST_RANK];
  int32_t axes[TN_MOST_RANK];
  tn_rule_set_dtype(context, 0, tn_rule_dtype(context, 0));
  if (!input || input->rank > TN_MOST_RANK)
    return;
  int32_t n = resized_axes(context, input->rank, axes);
  if (n < 0)
    return;
  memcpy(dims, input->dims, sizeof *dims * (gsize)input->rank);
  if (is_given(sizes))
    apply_sizes(context, sizes, axes, n, input->dims, dims);
  else if (is_given(scales))
    apply_scales(context, scales, axes, n, dims);
  else
    return;
  tn_rule_set(context, 0, tn_rule_dtype(context, 0), dims, input->rank);
}

static void
infer_upsample(TnRuleContext *context)
{
  const TnShapeValue *input = tn_rule_ranked(context, 0), *scales = tn_rule_input(context, 1);
  const TnAttribute *attribute = tn_rule_attribute(context, "scales");
  int64_t dims[TN_MOST_RANK];
  int32_t axes[TN_MOST_RANK];
  TnShapeValue listed = TN_SHAPE_VALUE_INIT;
  tn_rule_set_dtype(context, 0, tn_rule_dtype(context, 0));
  if (attribute && attribute->reals) {
    listed.n = attribute->n;
    listed.reals = (double *)attribute->reals;
    listed.has_content = true;
    scales = &listed;
  }
  if (!input || input->rank > TN_MOST_RANK || !scales)
    return;
  for (int32_t i = 0; i < input->rank; i++)
    axes[i] = i;
  memcpy(dims, input->dims, sizeof *dims * (gsize)input->rank);
  apply_scales(context, scales, axes, input->rank, dims);
  tn_rule_set(context, 0, tn_rule_dtype(context, 0), dims, input->rank);
}

/* Takes the size of a second picture, or the one that is stated. */
static void
infer_crop(TnRuleContext *context)
{
  const TnShapeValue *input = tn_rule_ranked(context, 0);
  uint32_t n_border, n_scale;
  const int64_t *border = tn_rule_ints(context, "border", &n_border);
  const int64_t *scale = tn_rule_ints(context, "scale", &n_scale);
  tn_rule_set_dtype(context, 0, tn_rule_dtype(context, 0));
  if (!input || input->rank != 4 || !border || n_border < 4)
    return;
  int64_t dims[4];
  memcpy(dims, input->dims, sizeof dims);
  for (uint32_t i = 0; i < 2; i++) {
    if (scale && n_scale == 2)
      dims[i + 2] = scale[i];
    else if (dims[i + 2] >= 0 && ABS(border[i]) < G_MAXINT32 && ABS(border[i + 2]) < G_MAXINT32)
      dims[i + 2] = dims[i + 2] - border[(i + 1) % 2] - border[(i + 1) % 2 + 2];
  }
  tn_rule_set(context, 0, tn_rule_dtype(context, 0), dims, 4);
}

static void
infer_center_crop_pad(TnRuleContext *context)
{
  const TnShapeValue *input = tn_rule_ranked(context, 0), *shape = tn_rule_input(context, 1);
  int64_t dims[TN_MOST_RANK];
  int32_t axes[TN_MOST_RANK];
  tn_rule_set_dtype(context, 0, tn_rule_dtype(context, 0));
  if (!input || input->rank > TN_MOST_RANK || !shape)
    return;
  int32_t n = resized_axes(context, input->rank, axes);
  if (n < 0)
    return;
  memcpy(dims, input->dims, sizeof *dims * (gsize)input->rank);
  for (int32_t i = 0; i < n; i++)
    if (!tn_value_int(shape, (uint32_t)i, &dims[axes[i]]))
      dims[axes[i]] = TN_DIM_UNKNOWN;
  tn_rule_set(context, 0, tn_rule_dtype(context, 0), dims, input->rank);
}

static void
infer_grid_sample(TnRuleContext *context)
{
  const TnShapeValue *input = tn_rule_ranked(context, 0), *grid = tn_rule_ranked(context, 1);
  int64_t dims[TN_MOST_RANK];
  tn_rule_set_dtype(context, 0, tn_rule_dtype(context, 0));
  if (!input || !grid || input->rank != grid->rank || input->rank < 3 ||
      input->rank > TN_MOST_RANK)
    return;
  dims[0] = input->dims[0];
  dims[1] = input->dims[1];
  for (int32_t i = 2; i < input->rank; i++)
    dims[i] = grid->dims[i - 1];
  tn_rule_set(context, 0, tn_rule_dtype(context, 0), dims, input->rank);
}

static void
infer_roi(TnRuleContext *context)
{
  const TnShapeValue *input = tn_rule_ranked(context, 0), *rois = tn_rule_ranked(context, 1);
  bool is_align = strcmp(context->type, "RoiAlign") == 0;
  uint32_t n;
  const int64_t *pooled = tn_rule_ints(context, "pooled_shape", &n);
  tn_rule_set_dtype(context, 0, tn_rule_dtype(context, 0));
  if (!input || input->rank != 4 || !rois || rois->rank != 2)
    return;
  int64_t dims[4] = {rois->dims[0], input->dims[1], TN_DIM_UNKNOWN, TN_DIM_UNKNOWN};
  if (is_align) {
    dims[2] = tn_rule_int(context, "output_height", 1);
    dims[3] = tn_rule_int(context, "output_width", 1);
  } else if (pooled && n == 2) {
    dims[2] = pooled[0];
    dims[3] = pooled[1];
  }
  tn_rule_set(context, 0, tn_rule_dtype(context, 0), dims, 4);
}

static void
infer_affine_grid(TnRuleContext *context)
{
  const TnShapeValue *size = tn_rule_input(context, 1);
  int64_t dims[5];
  tn_rule_set_dtype(context, 0, tn_rule_dtype(context, 0));
  if (!size || !size->has_content || (size->n != 4 && size->n != 5))
    return;
  int32_t rank = (int32_t)size->n;
  for (int32_t i = 0; i < rank; i++)
    if (i < rank - 1 && !tn_value_int(size, (uint32_t)(i ? i + 1 : 0), &dims[i]))
      dims[i] = TN_DIM_UNKNOWN;
  dims[rank - 1] = rank - 2;
  tn_rule_set(context, 0, tn_rule_dtype(context, 0), dims, rank);
}

const TnRule tn_rules_resize[] = {
    {"", "Resize", infer_resize, NULL},
    {"", "Upsample", infer_upsample, NULL},
    {"", "Crop", infer_crop, NULL},
    {"", "CenterCropPad", infer_center_crop_pad, NULL},
    {"", "GridSample", infer_grid_sample, NULL},
    {"", "RoiAlign", infer_roi, NULL},
    {"", "MaxRoiPool", infer_roi, NULL},
    {"", "AffineGrid", infer_affine_grid, NULL},
    {NULL, NULL, NULL, NULL},
};
