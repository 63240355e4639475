/* SPDX-License-Identifier: MIT */
/* Ops that make tensors from shapes, or shapes from tensors. */
#include "config.h"

#include "data/shape/rule.h"

#include <math.h>
#include <string.h>

/* ---- Shape, Size ----------------------------------------------------------------------- */

static void
shape_bounds(const TnRuleContext *context, int32_t rank, int64_t *out_start, int64_t *out_end)
{
  int64_t start = tn_rule_int(context, "start", 0), end = tn_rule_int(context, "end", rank);
  start = CLAMP(start < 0 ? start + rank : start, 0, rank);
  end = CLAMP(end < 0 ? end + rank : end, 0, rank);
  *out_start = start;
  *out_end = MAX(start, end);
}

static void
infer_shape(TnRuleContext *context)
{
  const TnShapeValue *input = tn_rule_ranked(context, 0);
  int64_t length = TN_DIM_UNKNOWN, start, end;
  if (input) {
    shape_bounds(context, input->rank, &start, &end);
    length = end - start;
  }
  tn_rule_set(context, 0, TN_DTYPE_INT64, &length, 1);
}

static void
evaluate_shape(TnRuleContext *context)
{
  const TnShapeValue *input = tn_rule_input(context, 0);
  TnShapeValue *output = &context->outputs[0];
  int64_t start, end;
  if (!input || input->rank < 0 || input->is_not_tensor ||
      !tn_value_add_content(output, context->arena))
    return;
  shape_bounds(context, input->rank, &start, &end);
  for (int64_t i = start; i < end; i++)
    if (input->dims[i] >= 0)
      tn_value_put(output, (uint32_t)(i - start), input->dims[i], 0);
}

static void
infer_size(TnRuleContext *context)
{
  tn_rule_set(context, 0, TN_DTYPE_INT64, NULL, 0);
}

static void
evaluate_size(TnRuleContext *context)
{
  const TnShapeValue *input = tn_rule_input(context, 0);
  if (!input || input->is_not_tensor || tn_value_elements(input) < 0 ||
      !tn_value_add_content(&context->outputs[0], context->arena))
    return;
  tn_value_put(&context->outputs[0], 0, tn_value_elements(input), 0);
}

/* ---- constants ------------------------------------------------------------------------- */

static void
set_list(TnRuleContext *context, TnDtype dtype, const TnAttribute *attribute, bool is_scalar)
{
  int64_t n = attribute->n;
  tn_rule_set(context, 0, dtype, &n, is_scalar ? 0 : 1);
  TnShapeValue *output = &context->outputs[0];
  if (dtype == TN_DTYPE_STRING || !tn_value_add_content(output, context->arena))
    return;
  for (uint32_t i = 0; i < output->n; i++)
    tn_value_put(output, i,
                 is_scalar         ? attribute->integer
                 : attribute->ints ? attribute->ints[i]
                                   : 0,
                 is_scalar          ? attribute->real
                 : attribute->reals ? attribute->reals[i]
                                    : 0);
}

static void
infer_constant(TnRuleContext *context)
{
  static const struct {
    const char *name;
    TnDtype dtype;
    bool is_scalar;
  } forms[] = {
      {"value_int", TN_DTYPE_INT64, true},     {"value_ints", TN_DTYPE_INT64, false},
      {"value_float", TN_DTYPE_FLOAT32, true}, {"value_floats", TN_DTYPE_FLOAT32, false},
      {"value_string", TN_DTYPE_STRING, true}, {"value_strings", TN_DTYPE_STRING, false},
  };
  const TnAttribute *value = tn_rule_attribute(context, "value");
  if (context->n_outputs < 1)
    return;
  if (value && value->tensor) {
    context->outputs[0] = *value->tensor;
    return;
  }
  for (gsize i = 0; i < G_N_ELEMENTS(forms); i++) {
    const TnAttribute *attribute = tn_rule_attribute(context, forms[i].name);
    if (attribute) {
      set_list(context, forms[i].dtype, attribute, forms[i].is_scalar);
      return;
    }
  }
  tn_rule_lose(context, "a constant without a dense value");
}

/* The shape that input 0 (a vector of known numbers) spells; false where it is not known at all. */
static bool
set_spelled(TnRuleContext *context, TnDtype dtype)
{
  const TnShapeValue *shape = tn_rule_input(context, 0);
  int64_t dims[TN_MOST_RANK];
  tn_rule_set_dtype(context, 0, dtype);
  if (!shape || !shape->has_content || shape->n > TN_MOST_RANK) {
    tn_rule_lose(context, "the shape is not known before the run");
    if (shape && shape->rank == 1 && shape->dims[0] >= 0 && shape->dims[0] <= TN_MOST_RANK)
      tn_rule_set(context, 0, dtype, NULL, (int32_t)shape->dims[0]);
    return false;
  }
  for (uint32_t i = 0; i < shape->n; i++)
    if (!tn_value_int(shape, i, &dims[i]))
      dims[i] = TN_DIM_UNKNOWN;
  tn_rule_set(context, 0, dtype, dims, (int32_t)shape->n);
  return true;
}

static void
infer_constant_of_shape(TnRuleContext *context)
{
  const TnAttribute *value = tn_rule_attribute(context, "value");
  const TnShapeValue *fill = value ? value->tensor : NULL;
  TnShapeValue *output = &context->outputs[0];
  if (!set_spelled(context, fill ? fill->dtype : TN_DTYPE_FLOAT32) ||
      tn_value_elements(output) > 1024 || !tn_value_add_content(output, context->arena))
    return;
  for (uint32_t i = 0; i < output->n; i++) {
    if (fill)
      tn_value_copy_element(output, i, fill, 0);
    else
      tn_value_put(output, i, 0, 0);
  }
}

/* ---- Range ----------------------------------------------------------------------------- */

static bool
range_bounds(const TnRuleContext *context, double *bounds)
{
  for (uint32_t i = 0; i < 3; i++)
    if (!tn_rule_input(context, i) || !tn_value_real(tn_rule_input(context, i), 0, &bounds[i]))
      return false;
  return bounds[2] != 0;
}

static void
infer_range(TnRuleContext *context)
{
  double bounds[3];
  int64_t length = TN_DIM_UNKNOWN;
  if (!range_bounds(context, bounds))
    tn_rule_lose(context, "where the range ends is not known before the run");
  else {
    double steps = ceil((bounds[1] - bounds[0]) / bounds[2]);
    length = steps <= 0 ? 0 : steps < 9e15 ? (int64_t)steps : TN_DIM_UNKNOWN;
  }
  tn_rule_set(context, 0, tn_rule_dtype(context, 0), &length, 1);
}

static void
evaluate_range(TnRuleContext *context)
{
  TnShapeValue *output = &context->outputs[0];
  double bounds[3];
  if (!range_bounds(context, bounds) || !tn_value_add_content(output, context->arena))
    return;
  for (uint32_t i = 0; i < output->n; i++) {
    double at = bounds[0] + i * bounds[2];
    tn_value_put(output, i, (int64_t)CLAMP(at, -9e18, 9e18), at);
  }
}

/* ---- noise, and the rest --------------------------------------------------------------- */

static void
infer_random(TnRuleContext *context)
{
  uint32_t n;
  const int64_t *dims = tn_rule_ints(context, "shape", &n);
  TnDtype dtype = tn_dtype_from_onnx(tn_rule_int(context, "dtype", 1));
  tn_rule_set_dtype(context, 0, dtype);
  if (dims && n <= TN_MOST_RANK)
    tn_rule_set(context, 0, dtype, dims, (int32_t)n);
}

static void
infer_like(TnRuleContext *context)
{
  const TnAttribute *asked = tn_rule_attribute(context, "dtype");
  tn_rule_set_like(context, 0,
                   asked ? tn_dtype_from_onnx(asked->integer) : tn_rule_dtype(context, 0),
                   tn_rule_input(context, 0));
}

static void
infer_multinomial(TnRuleContext *context)
{
  const TnShapeValue *input = tn_rule_ranked(context, 0);
  int64_t dims[2] = {input && input->rank == 2 ? input->dims[0] : TN_DIM_UNKNOWN,
                     tn_rule_int(context, "sample_size", 1)};
  tn_rule_set(context, 0, tn_dtype_from_onnx(tn_rule_int(context, "dtype", 6)), dims, 2);
}

static void
infer_one_hot(TnRuleContext *context)
{
  const TnShapeValue *input = tn_rule_ranked(context, 0), *depth = tn_rule_input(context, 1);
  int64_t dims[TN_MOST_RANK], length = TN_DIM_UNKNOWN;
  tn_rule_set_dtype(context, 0, tn_rule_dtype(context, 2));
  if (!input || input->rank >= TN_MOST_RANK)
    return;
  int32_t axis = tn_rule_axis(context, tn_rule_int(context, "axis", -1), input->rank + 1);
  if (!depth || !tn_value_int(depth, 0, &length))
    tn_rule_lose(context, "the depth is not known before the run");
  if (axis < 0)
    return;
  for (int32_t i = 0; i <= input->rank; i++)
    dims[i] = i == axis ? length : input->dims[i > axis ? i - 1 : i];
  tn_rule_set(context, 0, tn_rule_dtype(context, 2), dims, input->rank + 1);
}

static void
infer_window(TnRuleContext *context)
{
  const TnShapeValue *size = tn_rule_input(context, 0);
  int64_t length = TN_DIM_UNKNOWN;
  if (!size || !tn_value_int(size, 0, &length))
    tn_rule_lose(context, "the length of the window is not known before the run");
  tn_rule_set(context, 0, tn_dtype_from_onnx(tn_rule_int(context, "output_datatype", 1)), &length,
              1);
}

const TnRule tn_rules_generator[] = {
    {"", "Shape", infer_shape, evaluate_shape},
    {"", "Size", infer_size, evaluate_size},
    {"", "Constant", infer_constant, NULL},
    {"", "ConstantOfShape", infer_constant_of_shape, NULL},
    {"", "Range", infer_range, evaluate_range},
    {"", "RandomNormal", infer_random, NULL},
    {"", "RandomUniform", infer_random, NULL},
    {"", "RandomNormalLike", infer_like, NULL},
    {"", "RandomUniformLike", infer_like, NULL},
    {"", "Bernoulli", infer_like, NULL},
    {"", "EyeLike", infer_like, NULL},
    {"", "Multinomial", infer_multinomial, NULL},
    {"", "OneHot", infer_one_hot, NULL},
    {"", "HannWindow", infer_window, NULL},
    {"", "HammingWindow", infer_window, NULL},
    {"", "BlackmanWindow", infer_window, NULL},
    {NULL, NULL, NULL, NULL},
};
