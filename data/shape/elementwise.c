/* SPDX-License-Identifier: MIT */
/* Unary, binary and variadic operators whose output has a shape of their inputs. */
#include "config.h"

#include "data/shape/elementwise.h"

#include <math.h>
#include <string.h>

/* ---- shapes ---------------------------------------------------------------------------- */

void
tn_infer_same(TnRuleContext *context)
{
  tn_rule_set_like(context, 0, tn_rule_dtype(context, 0), tn_rule_input(context, 0));
}

static void
infer_same_bool(TnRuleContext *context)
{
  tn_rule_set_like(context, 0, TN_DTYPE_BOOL, tn_rule_input(context, 0));
}

/* Output 0 is as input 0; further outputs are masks or saved statistics. */
static void
infer_dropout(TnRuleContext *context)
{
  const TnShapeValue *input = tn_rule_input(context, 0);
  tn_infer_same(context);
  tn_rule_set_like(context, 1, context->version < 10 ? tn_rule_dtype(context, 0) : TN_DTYPE_BOOL,
                   input);
}

static void
infer_batch_normalization(TnRuleContext *context)
{
  bool is_training = tn_rule_int(context, "training_mode", 0) != 0;
  tn_infer_same(context);
  for (uint32_t i = 1; i < context->n_outputs; i++)
    if (context->version < 14 || is_training)
      tn_rule_set_like(context, i, tn_rule_dtype(context, context->version < 14 ? i : i + 2),
                       tn_rule_input(context, context->version < 14 ? 1 : i + 2));
}

static void
infer_layer_normalization(TnRuleContext *context)
{
  const TnShapeValue *input = tn_rule_ranked(context, 0);
  tn_infer_same(context);
  if (!input || context->n_outputs < 2)
    return;
  int32_t axis = tn_rule_axis(context, tn_rule_int(context, "axis", -1), input->rank);
  int64_t dims[TN_MOST_RANK];
  for (int32_t i = 0; axis >= 0 && i < input->rank; i++)
    dims[i] = i < axis ? input->dims[i] : 1;
  TnDtype stash = tn_dtype_from_onnx(tn_rule_int(context, "stash_type", 1));
  for (uint32_t i = 1; axis >= 0 && i < context->n_outputs; i++)
    tn_rule_set(context, i, stash, dims, input->rank);
}

static void
infer_cast(TnRuleContext *context)
{
  tn_rule_set_like(context, 0, tn_dtype_from_onnx(tn_rule_int(context, "to", 0)),
                   tn_rule_input(context, 0));
}

static void
infer_cast_like(TnRuleContext *context)
{
  tn_rule_set_like(context, 0, tn_rule_dtype(context, 1), tn_rule_input(context, 0));
}

static void
infer_quantize(TnRuleContext *context)
{
  TnDtype asked = tn_dtype_from_onnx(tn_rule_int(context, "output_dtype", 0));
  TnDtype dtype = tn_rule_input(context, 2) ? tn_rule_dtype(context, 2)
                  : asked                   ? asked
                                            : TN_DTYPE_UINT8;
  tn_rule_set_like(context, 0, dtype, tn_rule_input(context, 0));
}

static void
infer_dequantize(TnRuleContext *context)
{
  TnDtype asked = tn_dtype_from_onnx(tn_rule_int(context, "output_dtype", 0));
  TnDtype scale = asked ? asked : tn_rule_dtype(context, 1);
  tn_rule_set_like(context, 0, scale ? scale : TN_DTYPE_FLOAT32, tn_rule_input(context, 0));
}

static void
infer_dynamic_quantize(TnRuleContext *context)
{
  tn_rule_set_like(context, 0, TN_DTYPE_UINT8, tn_rule_input(context, 0));
  tn_rule_set(context, 1, TN_DTYPE_FLOAT32, NULL, 0);
  tn_rule_set(context, 2, TN_DTYPE_UINT8, NULL, 0);
}

/* Broadcast of the inputs from `first` on. */
static void
broadcast_from(TnRuleContext *context, uint32_t first, TnDtype dtype)
{
  int64_t dims[TN_MOST_RANK];
  int32_t rank = 0;
  tn_rule_set_dtype(context, 0, dtype);
  for (uint32_t i = first; i < context->n_inputs; i++) {
    const TnShapeValue *input = tn_rule_ranked(context, i);
    if (!input || !tn_rule_broadcast(context, dims, &rank, input))
      return;
  }
  tn_rule_set(context, 0, dtype, dims, rank);
}

static TnDtype
first_dtype(const TnRuleContext *context, uint32_t from)
{
  for (uint32_t i = from; i < context->n_inputs; i++)
    if (tn_rule_dtype(context, i) != TN_DTYPE_UNKNOWN)
      return tn_rule_dtype(context, i);
  return TN_DTYPE_UNKNOWN;
}

void
tn_infer_broadcast(TnRuleContext *context)
{
  /* Before version 7 the second input fitted itself to the first, at `axis`. */
  if (context->version < 7 && context->n_inputs == 2 && tn_rule_attribute(context, "broadcast"))
    tn_infer_same(context);
  else
    broadcast_from(context, 0, first_dtype(context, 0));
}

static void
infer_compare(TnRuleContext *context)
{
  tn_infer_broadcast(context);
  tn_rule_set_dtype(context, 0, TN_DTYPE_BOOL);
}

static void
infer_pow(TnRuleContext *context)
{
  tn_infer_broadcast(context);
  tn_rule_set_dtype(context, 0, tn_rule_dtype(context, 0));
}

static void
infer_where(TnRuleContext *context)
{
  broadcast_from(context, 0, first_dtype(context, 1));
}

/* ---- content --------------------------------------------------------------------------- */

void
tn_evaluate_copy(TnRuleContext *context)
{
  const TnShapeValue *input = tn_rule_input(context, 0);
  TnShapeValue *output = &context->outputs[0];
  if (!input || !input->has_content || context->n_outputs < 1 ||
      tn_value_elements(output) != (int64_t)input->n || !tn_value_add_content(output, context->arena))
    return;
  for (uint32_t i = 0; i < output->n; i++)
    tn_value_copy_element(output, i, input, i);
}

/* Which element of `input` (broadcast against `output`) element `at` of the output comes from. */
static uint32_t
broadcast_source(const TnShapeValue *output, const TnShapeValue *input, uint32_t at)
{
  int64_t left = at, step = 1, source = 0;
  for (int32_t i = output->rank - 1; i >= 0; i--) {
    int64_t place = left % output->dims[i];
    int32_t k = i - (output->rank - input->rank);
    left /= output->dims[i];
    if (k >= 0) {
      source += input->dims[k] == 1 ? 0 : place * step;
      step *= input->dims[k];
    }
  }
  return (uint32_t)source;
}

typedef enum {
  OP_ADD, OP_SUB, OP_MUL, OP_DIV, OP_MOD, OP_POW, OP_MAX, OP_MIN, OP_AND, OP_OR, OP_XOR,
  OP_EQUAL, OP_LESS, OP_LESS_EQUAL, OP_GREATER, OP_GREATER_EQUAL, OP_NONE
} BinaryOp;

static BinaryOp
find_binary(const char *type)
{
  static const char *const names[] = {
      [OP_ADD] = "Add", [OP_SUB] = "Sub", [OP_MUL] = "Mul", [OP_DIV] = "Div", [OP_MOD] = "Mod",
      [OP_POW] = "Pow", [OP_MAX] = "Max", [OP_MIN] = "Min", [OP_AND] = "And", [OP_OR] = "Or",
      [OP_XOR] = "Xor", [OP_EQUAL] = "Equal", [OP_LESS] = "Less",
      [OP_LESS_EQUAL] = "LessOrEqual", [OP_GREATER] = "Greater",
      [OP_GREATER_EQUAL] = "GreaterOrEqual"};
  for (int i = 0; i < OP_NONE; i++)
    if (strcmp(names[i], type) == 0)
      return (BinaryOp)i;
  return strcmp(type, "Sum") == 0 ? OP_ADD : OP_NONE;
}

static bool
integer_power(int64_t base, int64_t exponent, int64_t *out)
{
  *out = 1;
  if (exponent < 0 || exponent > 63)
    return false;
  for (int64_t i = 0; i < exponent; i++)
    if (!tn_mul(*out, base, out))
      return false;
  return true;
}

static bool
integer_quotient(int64_t a, int64_t b, bool wants_rest, bool is_fmod, int64_t *out)
{
  if (b == 0 || (a == INT64_MIN && b == -1))
    return false;
  int64_t rest = a % b;
  if (wants_rest && !is_fmod && rest != 0 && (rest < 0) != (b < 0))
    rest += b;
  *out = wants_rest ? rest : a / b;
  return true;
}

static bool
compute_integer(BinaryOp op, bool is_fmod, int64_t a, int64_t b, int64_t *out)
{
  switch (op) {
  case OP_ADD: return tn_add(a, b, out);
  case OP_SUB: return b != INT64_MIN && tn_add(a, -b, out);
  case OP_MUL: return tn_mul(a, b, out);
  case OP_DIV: return integer_quotient(a, b, false, false, out);
  case OP_MOD: return integer_quotient(a, b, true, is_fmod, out);
  case OP_POW: return integer_power(a, b, out);
  case OP_MAX: *out = MAX(a, b); return true;
  case OP_MIN: *out = MIN(a, b); return true;
  case OP_AND: *out = a && b; return true;
  case OP_OR: *out = a || b; return true;
  case OP_XOR: *out = !a != !b; return true;
  case OP_EQUAL: *out = a == b; return true;
  case OP_LESS: *out = a < b; return true;
  case OP_LESS_EQUAL: *out = a <= b; return true;
  case OP_GREATER: *out = a > b; return true;
  case OP_GREATER_EQUAL: *out = a >= b; return true;
  case OP_NONE: break;
  }
  return false;
}

static bool
compute_real(BinaryOp op, double a, double b, double *out)
{
  switch (op) {
  case OP_ADD: *out = a + b; return true;
  case OP_SUB: *out = a - b; return true;
  case OP_MUL: *out = a * b; return true;
  case OP_DIV: *out = a / b; return true;
  case OP_MOD: *out = fmod(a, b); return true;
  case OP_POW: *out = pow(a, b); return true;
  case OP_MAX: *out = MAX(a, b); return true;
  case OP_MIN: *out = MIN(a, b); return true;
  case OP_EQUAL: *out = a == b; return true;
  case OP_LESS: *out = a < b; return true;
  case OP_LESS_EQUAL: *out = a <= b; return true;
  case OP_GREATER: *out = a > b; return true;
  case OP_GREATER_EQUAL: *out = a >= b; return true;
  case OP_AND:
  case OP_OR:
  case OP_XOR:
  case OP_NONE: break;
  }
  return false;
}

static bool
are_known(const TnRuleContext *context)
{
  for (uint32_t i = 0; i < context->n_inputs; i++)
    if (!context->inputs[i] || !context->inputs[i]->has_content)
      return false;
  return context->n_inputs > 0 && context->n_outputs > 0;
}

static void
compute_element(TnShapeValue *output, uint32_t at, BinaryOp op, bool is_fmod,
                const TnShapeValue *left, uint32_t left_at, const TnShapeValue *right,
                uint32_t right_at)
{
  int64_t a, b, integer;
  double x, y, real;
  if (left->ints && right->ints) {
    if (tn_value_int(left, left_at, &a) && tn_value_int(right, right_at, &b) &&
        compute_integer(op, is_fmod, a, b, &integer))
      tn_value_put(output, at, integer, (double)integer);
  } else if (tn_value_real(left, left_at, &x) && tn_value_real(right, right_at, &y) &&
             compute_real(op, x, y, &real))
    tn_value_put(output, at, fabs(real) < 9e18 ? (int64_t)real : 0, real);
}

/* One element, or as many as the first has: where it is fitted in makes no difference. */
static bool
is_second_plain(const TnRuleContext *context)
{
  int64_t n = context->n_inputs == 2 && context->inputs[1] ? tn_value_elements(context->inputs[1]) : -1;
  return n == 1 || (n >= 0 && context->inputs[0] && n == tn_value_elements(context->inputs[0]));
}

static void
evaluate_binary(TnRuleContext *context)
{
  BinaryOp op = find_binary(context->type);
  TnShapeValue *output = &context->outputs[0];
  bool is_fmod = tn_rule_int(context, "fmod", 0) != 0;
  /* Old operators fitted the second input in at `axis`, not at the end. */
  if (context->version < 7 && tn_rule_attribute(context, "axis") && !is_second_plain(context))
    return;
  if (op == OP_NONE || !are_known(context) || !tn_value_add_content(output, context->arena))
    return;
  if (context->n_inputs == 1) {
    tn_evaluate_copy(context);
    return;
  }
  for (uint32_t i = 0; i < output->n; i++) {
    const TnShapeValue *left = context->inputs[0];
    uint32_t left_at = broadcast_source(output, left, i);
    for (uint32_t k = 1; k < context->n_inputs; k++) {
      const TnShapeValue *right = context->inputs[k];
      compute_element(output, i, op, is_fmod, left, left_at, right,
                      broadcast_source(output, right, i));
      left = output;
      left_at = i;
    }
  }
}

static void
evaluate_where(TnRuleContext *context)
{
  TnShapeValue *output = &context->outputs[0];
  if (context->n_inputs != 3 || !are_known(context) ||
      !tn_value_add_content(output, context->arena))
    return;
  for (uint32_t i = 0; i < output->n; i++) {
    int64_t choice;
    if (!tn_value_int(context->inputs[0], broadcast_source(output, context->inputs[0], i), &choice))
      continue;
    const TnShapeValue *source = context->inputs[choice ? 1 : 2];
    tn_value_copy_element(output, i, source, broadcast_source(output, source, i));
  }
}

static bool
compute_unary(const char *type, double x, double *out)
{
  static const struct {
    const char *type;
    double (*function)(double);
  } functions[] = {{"Floor", floor}, {"Ceil", ceil},    {"Round", rint}, {"Sqrt", sqrt},
                   {"Abs", fabs},    {"Exp", exp},      {"Log", log}};
  for (gsize i = 0; i < G_N_ELEMENTS(functions); i++)
    if (strcmp(type, functions[i].type) == 0) {
      *out = functions[i].function(x);
      return true;
    }
  if (strcmp(type, "Relu") == 0) {
    *out = MAX(x, 0);
    return true;
  }
  *out = strcmp(type, "Neg") == 0 ? -x : strcmp(type, "Reciprocal") == 0 ? 1 / x : x == 0;
  return strcmp(type, "Neg") == 0 || strcmp(type, "Reciprocal") == 0 || strcmp(type, "Not") == 0;
}

static void
evaluate_unary(TnRuleContext *context)
{
  TnShapeValue *output = &context->outputs[0];
  if (!are_known(context) || !tn_value_add_content(output, context->arena))
    return;
  for (uint32_t i = 0; i < MIN(output->n, context->inputs[0]->n); i++) {
    int64_t integer;
    double real;
    if (context->inputs[0]->ints) {
      bool is_negative = strcmp(context->type, "Neg") == 0;
      if (tn_value_int(context->inputs[0], i, &integer))
        tn_value_put(output, i,
                     strcmp(context->type, "Not") == 0       ? integer == 0
                     : is_negative                           ? -integer
                     : strcmp(context->type, "Abs") == 0     ? ABS(integer)
                     : strcmp(context->type, "Relu") == 0    ? MAX(integer, 0)
                                                             : integer,
                     0);
    } else if (tn_value_real(context->inputs[0], i, &real) &&
               compute_unary(context->type, real, &real))
      tn_value_put(output, i, 0, real);
  }
}

#define SAME(name) {"", name, tn_infer_same, NULL}
#define UNARY(name) {"", name, tn_infer_same, evaluate_unary}
#define BINARY(name) {"", name, tn_infer_broadcast, evaluate_binary}
#define COMPARE(name) {"", name, infer_compare, evaluate_binary}

const TnRule tn_rules_elementwise[] = {
    UNARY("Relu"), SAME("LeakyRelu"), SAME("Sigmoid"), SAME("Tanh"), SAME("HardSigmoid"),
    SAME("HardSwish"), SAME("Clip"), SAME("Erf"), SAME("Elu"), SAME("Selu"), SAME("Celu"),
    SAME("Gelu"), SAME("Mish"), SAME("Swish"), SAME("Softplus"), SAME("Softsign"),
    SAME("ThresholdedRelu"), SAME("PRelu"), SAME("Shrink"), SAME("Sign"), SAME("Sin"),
    SAME("Cos"), SAME("Tan"), SAME("Asin"), SAME("Acos"), SAME("Atan"), SAME("Sinh"),
    SAME("Cosh"), SAME("Asinh"), SAME("Acosh"), SAME("Atanh"), SAME("Softmax"),
    SAME("LogSoftmax"), SAME("Hardmax"), SAME("InstanceNormalization"),
    SAME("GroupNormalization"), SAME("RMSNormalization"), SAME("LpNormalization"),
    SAME("MeanVarianceNormalization"), SAME("LRN"), SAME("CumSum"), SAME("CumProd"),
    SAME("ReverseSequence"), SAME("RotaryEmbedding"), SAME("ImageScaler"), SAME("Affine"),
    SAME("Trilu"), SAME("Scatter"), SAME("ScatterElements"), SAME("ScatterND"),
    SAME("TensorScatter"), SAME("BitwiseNot"), SAME("ParametricSoftplus"), SAME("ScaledTanh"),
    SAME("Scale"),
    UNARY("Neg"), UNARY("Abs"), UNARY("Floor"), UNARY("Ceil"), UNARY("Round"), UNARY("Sqrt"),
    UNARY("Exp"), UNARY("Log"), UNARY("Reciprocal"), {"", "Not", infer_same_bool, evaluate_unary},
    {"", "Identity", tn_infer_same, tn_evaluate_copy},
    {"", "IsNaN", infer_same_bool, NULL},
    {"", "IsInf", infer_same_bool, NULL},
    {"", "Dropout", infer_dropout, NULL},
    {"", "BatchNormalization", infer_batch_normalization, NULL},
    {"", "LayerNormalization", infer_layer_normalization, NULL},
    {"", "Cast", infer_cast, tn_evaluate_copy},
    {"", "CastLike", infer_cast_like, tn_evaluate_copy},
    {"", "BitCast", infer_cast, NULL},
    {"", "QuantizeLinear", infer_quantize, NULL},
    {"", "DequantizeLinear", infer_dequantize, NULL},
    {"com.microsoft", "QuantizeLinear", infer_quantize, NULL},
    {"com.microsoft", "DequantizeLinear", infer_dequantize, NULL},
    {"", "DynamicQuantizeLinear", infer_dynamic_quantize, NULL},
    BINARY("Add"), BINARY("Sub"), BINARY("Mul"), BINARY("Div"), BINARY("Max"), BINARY("Min"),
    BINARY("Sum"), BINARY("Mod"), {"", "Mean", tn_infer_broadcast, NULL},
    {"", "Pow", infer_pow, evaluate_binary},
    {"", "BitShift", tn_infer_broadcast, NULL},
    {"", "BitwiseAnd", tn_infer_broadcast, NULL},
    {"", "BitwiseOr", tn_infer_broadcast, NULL},
    {"", "BitwiseXor", tn_infer_broadcast, NULL},
    COMPARE("Equal"), COMPARE("Less"), COMPARE("LessOrEqual"), COMPARE("Greater"),
    COMPARE("GreaterOrEqual"), COMPARE("And"), COMPARE("Or"), COMPARE("Xor"),
    {"", "Where", infer_where, evaluate_where},
    {NULL, NULL, NULL, NULL},
};
