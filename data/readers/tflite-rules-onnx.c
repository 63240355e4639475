/* SPDX-License-Identifier: MIT */
/* TensorFlow Lite's ops that mean what one of ONNX's means: by its rule.
 * Source: Prepare() of each kernel in tensorflow/lite/kernels/. */
#include "config.h"

#include "data/readers/tflite-rules.h"

#include <string.h>

static void
apply(Context *context, const char *type, const TnAttribute *attributes, uint32_t n)
{
  TnRuleContext *rule = &context->rule;
  const char *own = rule->type;
  rule->type = type;
  rule->attributes = attributes;
  rule->n_attributes = n;
  tn_rule_apply(tn_rules_find("", type), rule);
  rule->type = own;
}

static void
apply_int(Context *context, const char *type, const char *name, int64_t value)
{
  TnAttribute attribute = {.name = name, .type = TN_ATTRIBUTE_INT, .integer = value, .n = 1};
  apply(context, type, &attribute, 1);
}

static void
infer_same(Context *context)
{
  tn_rule_set_like(&context->rule, 0, context->rule.outputs[0].dtype,
                   tn_rule_ranked(&context->rule, 0));
}

static void
infer_cast(Context *context)
{
  const TnShapeValue *input = tn_rule_ranked(&context->rule, 0);
  infer_same(context);
  if (!input || !input->has_content ||
      !tn_value_add_content(&context->rule.outputs[0], context->rule.arena))
    return;
  for (uint32_t i = 0; i < input->n; i++)
    tn_value_copy_element(&context->rule.outputs[0], i, input, i);
}

/* Elementwise of two, with the element types that values need. */
static void
infer_add(Context *context)
{
  apply(context, "Add", NULL, 0);
}

static void
infer_sub(Context *context)
{
  apply(context, "Sub", NULL, 0);
}

static void
infer_mul(Context *context)
{
  apply(context, "Mul", NULL, 0);
}

static void
infer_div(Context *context)
{
  apply(context, "Div", NULL, 0);
}

static void
infer_floor_mod(Context *context)
{
  apply(context, "Mod", NULL, 0);
}

static void
infer_maximum(Context *context)
{
  apply(context, "Max", NULL, 0);
}

static void
infer_minimum(Context *context)
{
  apply(context, "Min", NULL, 0);
}

/* Of any number of operands, by numpy's rules. */
static void
infer_broadcast(Context *context)
{
  int64_t dims[TN_MOST_RANK];
  int32_t rank = 0;
  for (uint32_t i = 0; i < context->rule.n_inputs; i++) {
    const TnShapeValue *input = tn_rule_ranked(&context->rule, i);
    if (!input || !tn_rule_broadcast(&context->rule, dims, &rank, input))
      return;
  }
  tn_tflite_set(context, 0, dims, rank);
}

static void
infer_concatenation(Context *context)
{
  apply_int(context, "Concat", "axis", tn_tflite_option(context, 0, 4, 0));
}

static void
infer_gather(Context *context)
{
  if (tn_tflite_option(context, 1, 4, 0) != 0)
    tn_rule_lose(&context->rule, "a gather by batches");
  else
    apply_int(context, "Gather", "axis", tn_tflite_option(context, 0, 4, 0));
}

static void
infer_gather_nd(Context *context)
{
  apply(context, "GatherND", NULL, 0);
}

static void
infer_shape(Context *context)
{
  apply(context, "Shape", NULL, 0);
}

static void
infer_tile(Context *context)
{
  apply(context, "Tile", NULL, 0);
}

static void
infer_expand_dims(Context *context)
{
  apply(context, "Unsqueeze", NULL, 0);
}

static void
infer_range(Context *context)
{
  apply(context, "Range", NULL, 0);
}

static void
infer_squeeze(Context *context)
{
  TnFlatVector list = {0, 0};
  if (context->has_options)
    list = tn_flat_vector(context->flat, &context->options, 0, 4);
  int64_t *axes = tn_arena_take_n(context->rule.arena, int64_t, list.n);
  for (uint32_t i = 0; i < list.n; i++)
    axes[i] = tn_flat_vector_int(context->flat, &list, i, 4);
  TnAttribute attribute = {.name = "axes", .type = TN_ATTRIBUTE_INTS, .ints = axes, .n = list.n};
  apply(context, "Squeeze", &attribute, list.n > 0 ? 1 : 0);
}

static void
infer_transpose(Context *context)
{
  uint32_t n;
  const int64_t *perm = tn_tflite_numbers(context, 1, &n);
  TnAttribute attribute = {.name = "perm", .type = TN_ATTRIBUTE_INTS, .ints = perm, .n = n};
  if (perm)
    apply(context, "Transpose", &attribute, 1);
}

/* All reductions have one shape; the product has values, too. */
static void
infer_reduce(Context *context)
{
  bool is_product = strcmp(context->rule.type, "REDUCE_PROD") == 0;
  apply_int(context, is_product ? "ReduceProd" : "ReduceMean", "keepdims",
            tn_tflite_option(context, 0, 1, 0));
}

static void
infer_arg_max(Context *context)
{
  uint32_t n;
  const int64_t *axis = tn_tflite_numbers(context, 1, &n);
  TnAttribute attributes[] = {
      {.name = "axis", .type = TN_ATTRIBUTE_INT, .integer = axis && n ? axis[0] : 0, .n = 1},
      {.name = "keepdims", .type = TN_ATTRIBUTE_INT, .integer = 0, .n = 1}};
  if (axis && n == 1)
    apply(context, "ArgMax", attributes, 2);
}

/* Other counts of elements are no reshape: the runtime refuses them. */
static void
check_elements(Context *context)
{
  const TnShapeValue *input = tn_rule_input(&context->rule, 0);
  TnShapeValue *output = &context->rule.outputs[0];
  int64_t had = input ? tn_value_elements(input) : -1, has = tn_value_elements(output);
  if (had < 0 || has < 0 || had == has)
    return;
  tn_rule_lose(&context->rule, tn_arena_printf(context->rule.arena,
                                               "the file states a shape of %" G_GINT64_FORMAT
                                               " elements, but %" G_GINT64_FORMAT " come",
                                               has, had));
  tn_value_set_dims(output, context->rule.arena, NULL, output->rank);
}

static void
infer_reshape(Context *context)
{
  const TnShapeValue *shape = tn_rule_input(&context->rule, 1);
  TnFlatVector list = {0, 0};
  TnAttribute attributes[2] = {
      {.name = "allowzero", .type = TN_ATTRIBUTE_INT, .integer = 1, .n = 1}};
  uint32_t n = 1;
  if (!shape && context->has_options) {
    list = tn_flat_vector(context->flat, &context->options, 0, 4);
    int64_t *dims = tn_arena_take_n(context->rule.arena, int64_t, list.n);
    for (uint32_t i = 0; i < list.n; i++)
      dims[i] = tn_flat_vector_int(context->flat, &list, i, 4);
    attributes[n++] =
        (TnAttribute){.name = "shape", .type = TN_ATTRIBUTE_INTS, .ints = dims, .n = list.n};
  }
  apply(context, "Reshape", attributes, n);
  check_elements(context);
}

const TnTfliteRule tn_tflite_rules_onnx[] = {
    {"ABS", infer_same},
    {"CEIL", infer_same},
    {"COS", infer_same},
    {"CUMSUM", infer_same},
    {"DEQUANTIZE", infer_same},
    {"DYNAMIC_UPDATE_SLICE", infer_same},
    {"ELU", infer_same},
    {"EXP", infer_same},
    {"FAKE_QUANT", infer_same},
    {"FLOOR", infer_same},
    {"GELU", infer_same},
    {"HARD_SWISH", infer_same},
    {"L2_NORMALIZATION", infer_same},
    {"LEAKY_RELU", infer_same},
    {"LOCAL_RESPONSE_NORMALIZATION", infer_same},
    {"LOG", infer_same},
    {"LOGICAL_NOT", infer_same},
    {"LOGISTIC", infer_same},
    {"LOG_SOFTMAX", infer_same},
    {"NEG", infer_same},
    {"PRELU", infer_same},
    {"QUANTIZE", infer_same},
    {"RELU", infer_same},
    {"RELU6", infer_same},
    {"RELU_0_TO_1", infer_same},
    {"RELU_N1_TO_1", infer_same},
    {"REVERSE_V2", infer_same},
    {"ROUND", infer_same},
    {"RSQRT", infer_same},
    {"SIGN", infer_same},
    {"SIN", infer_same},
    {"SOFTMAX", infer_same},
    {"SQRT", infer_same},
    {"SQUARE", infer_same},
    {"TANH", infer_same},
    {"ZEROS_LIKE", infer_same},
    {"CAST", infer_cast},
    {"ADD", infer_add},
    {"SUB", infer_sub},
    {"MUL", infer_mul},
    {"DIV", infer_div},
    {"MAXIMUM", infer_maximum},
    {"MINIMUM", infer_minimum},
    {"ADD_N", infer_broadcast},
    {"ATAN2", infer_broadcast},
    {"EQUAL", infer_broadcast},
    {"FLOOR_DIV", infer_broadcast},
    {"FLOOR_MOD", infer_floor_mod},
    {"GREATER", infer_broadcast},
    {"GREATER_EQUAL", infer_broadcast},
    {"LESS", infer_broadcast},
    {"LESS_EQUAL", infer_broadcast},
    {"LOGICAL_AND", infer_broadcast},
    {"LOGICAL_OR", infer_broadcast},
    {"NOT_EQUAL", infer_broadcast},
    {"POW", infer_broadcast},
    {"SELECT_V2", infer_broadcast},
    {"SQUARED_DIFFERENCE", infer_broadcast},
    {"CONCATENATION", infer_concatenation},
    {"EXPAND_DIMS", infer_expand_dims},
    {"GATHER", infer_gather},
    {"GATHER_ND", infer_gather_nd},
    {"RANGE", infer_range},
    {"SHAPE", infer_shape},
    {"SQUEEZE", infer_squeeze},
    {"TILE", infer_tile},
    {"TRANSPOSE", infer_transpose},
    {"ARG_MAX", infer_arg_max},
    {"ARG_MIN", infer_arg_max},
    {"MEAN", infer_reduce},
    {"SUM", infer_reduce},
    {"REDUCE_MAX", infer_reduce},
    {"REDUCE_MIN", infer_reduce},
    {"REDUCE_PROD", infer_reduce},
    {"REDUCE_ANY", infer_reduce},
    {"REDUCE_ALL", infer_reduce},
    {"RESHAPE", infer_reshape},
    {NULL, NULL},
};
