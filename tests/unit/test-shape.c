/* SPDX-License-Identifier: MIT */
/* Shape rules, one line each: inputs and attributes as text, the expected outputs as text.
 *
 *   value: f32[1,?,8]   i64[2]={3,?}   i64={7} (a scalar)   - (absent)   f32 (rank unknown)
 *   attributes: name=1,2 (ints)  name:text  name~0.5 (a real number) */
#include "config.h"

#include "data/shape/rule.h"

#include <string.h>

static const struct {
  const char *short_name;
  TnDtype dtype;
} dtypes[] = {{"f32", TN_DTYPE_FLOAT32}, {"f16", TN_DTYPE_FLOAT16}, {"i64", TN_DTYPE_INT64},
              {"i32", TN_DTYPE_INT32},   {"u8", TN_DTYPE_UINT8},    {"bool", TN_DTYPE_BOOL}};

static const char *
short_name(TnDtype dtype)
{
  for (gsize i = 0; i < G_N_ELEMENTS(dtypes); i++)
    if (dtypes[i].dtype == dtype)
      return dtypes[i].short_name;
  return "?";
}

static TnShapeValue *
parse_value(TnArena *arena, const char *text)
{
  TnShapeValue *value = tn_arena_take_n(arena, TnShapeValue, 1);
  const char *open = strchr(text, '['), *content = strchr(text, '{');
  int64_t dims[TN_MOST_RANK];
  int32_t rank = 0;
  gsize n = strcspn(text, "[=");
  if (strcmp(text, "-") == 0)
    return NULL;
  for (gsize i = 0; i < G_N_ELEMENTS(dtypes); i++)
    if (strlen(dtypes[i].short_name) == n && strncmp(dtypes[i].short_name, text, n) == 0)
      value->dtype = dtypes[i].dtype;
  value->rank = TN_RANK_UNKNOWN;
  for (const char *at = open; at && *at != ']'; at++)
    if ((*at == '[' || *at == ',') && at[1] != ']')
      dims[rank++] = at[1] == '?' ? TN_DIM_UNKNOWN : g_ascii_strtoll(at + 1, NULL, 10);
  if (open || content)
    tn_value_set_dims(value, arena, dims, rank);
  if (!content)
    return value;
  g_assert_true(tn_value_add_content(value, arena));
  uint32_t i = 0;
  for (const char *at = content; *at && *at != '}'; at++)
    if ((*at == '{' || *at == ',') && at[1] != '}' && i++ < value->n && at[1] != '?')
      tn_value_put(value, i - 1, g_ascii_strtoll(at + 1, NULL, 10), g_ascii_strtod(at + 1, NULL));
  return value;
}

static TnAttribute
parse_attribute(TnArena *arena, const char *text)
{
  gsize n = strcspn(text, "=:~");
  TnAttribute attribute = {.name = tn_arena_printf(arena, "%.*s", (int)n, text)};
  const char *value = text + n + 1;
  int64_t *ints = tn_arena_take_n(arena, int64_t, 16);
  if (text[n] == ':') {
    attribute.type = TN_ATTRIBUTE_STRING;
    attribute.text = value;
  } else if (text[n] == '~') {
    attribute.type = TN_ATTRIBUTE_FLOAT;
    attribute.real = g_ascii_strtod(value, NULL);
  } else {
    g_auto(GStrv) parts = g_strsplit(value, ",", -1);
    for (gsize i = 0; parts[i]; i++)
      ints[attribute.n++] = g_ascii_strtoll(parts[i], NULL, 10);
    attribute.type = attribute.n == 1 ? TN_ATTRIBUTE_INT : TN_ATTRIBUTE_INTS;
    attribute.integer = ints[0];
    attribute.ints = ints;
  }
  return attribute;
}

static void
print_value(GString *out, const TnShapeValue *value)
{
  g_string_append_printf(out, "%s%s", out->len ? " " : "", short_name(value->dtype));
  if (value->rank < 0)
    return;
  g_string_append_c(out, '[');
  for (int32_t i = 0; i < value->rank; i++) {
    g_string_append(out, i ? "," : "");
    if (value->dims[i] < 0)
      g_string_append_c(out, '?');
    else
      g_string_append_printf(out, "%" G_GINT64_FORMAT, value->dims[i]);
  }
  g_string_append_c(out, ']');
  if (!value->has_content)
    return;
  g_string_append(out, "={");
  for (uint32_t i = 0; i < value->n; i++) {
    double real;
    g_string_append(out, i ? "," : "");
    if (tn_value_real(value, i, &real))
      g_string_append_printf(out, "%g", real);
    else
      g_string_append_c(out, '?');
  }
  g_string_append_c(out, '}');
}

static const struct {
  const char *type; /* "domain/type" where it is not of the standard set */
  int version;
  const char *inputs, *attributes, *outputs;
} rows[] = {
    /* Elementwise and broadcasting. */
    {"Add", 13, "f32[4,1,3] f32[2,1]", "", "f32[4,2,3]"},
    {"Add", 13, "f32[?,3] f32[1]", "", "f32[?,3]"},
    {"Add", 13, "f32[?,3] f32[5,1]", "", "f32[5,3]"},
    {"Add", 13, "f32[0,3] f32[1,3]", "", "f32[0,3]"},
    {"Add", 13, "f32[2] f32[3]", "", "f32"},
    {"Add", 13, "i64[2]={1,?} i64={5}", "", "i64[2]={6,?}"},
    {"Add", 6, "i64[2,2]={1,2,3,4} i64[2]={10,20}", "broadcast=1 axis=0", "i64[2,2]"},
    {"Add", 6, "i64[2]={1,2} i64[1]={10}", "broadcast=1 axis=0", "i64[2]={11,12}"},
    {"Add", 6, "i64[2,2]={1,2,3,4} i64[2]={10,20}", "broadcast=1", "i64[2,2]={11,22,13,24}"},
    {"Einsum", 13, "f32[2,3] f32[3,4]", "equation:ij,jk->ik", "f32[2,4]"},
    {"Einsum", 13, "f32[5,2,3]", "equation:...ij->j...", "f32[3,5]"},
    {"Einsum", 13, "f32[2,3]", "equation:ij->ik", "f32[2,?]"},
    {"Einsum", 13, "f32[2,3]", "equation:......->...", "f32"}, /* read past the dimensions */
    {"Einsum", 13, "f32[2,3]", "equation:i.->i", "f32"},
    {"Div", 13, "i64[2]={-7,7} i64={2}", "", "i64[2]={-3,3}"},
    {"Mod", 13, "i64[2]={-7,7} i64={3}", "", "i64[2]={2,1}"},
    {"Mul", 13, "i64={9223372036854775807} i64={2}", "", "i64[]={?}"},
    {"Equal", 13, "i64[2]={3,4} i64={3}", "", "bool[2]={1,0}"},
    {"Where", 13, "bool[2]={1,0} i64[2]={8,9} i64={-1}", "", "i64[2]={8,-1}"},
    {"Cast", 13, "f32[2]={1.9,-1.9}", "to=7", "i64[2]={1,-1}"},
    {"Cast", 13, "f32[4]={0.5,-0.001,0,?}", "to=9", "bool[4]={1,1,0,?}"},
    {"Cast", 13, "i64[5]={2049,2051,-2049,65519,65520}", "to=10", "f16[5]={2048,2052,-2048,65504,inf}"},
    {"Mul", 13, "f16[2]={2048,0.00006103515625} f16[2]={1.0009765625,0.00048828125}", "", "f16[2]={2050,0}"},
    {"Floor", 13, "f32={2.7}", "", "f32[]={2}"},
    {"QuantizeLinear", 13, "f32[2,2] f32[] -", "", "u8[2,2]"},
    {"LayerNormalization", 17, "f32[2,3,4] f32[4]", "axis=-1", "f32[2,3,4] f32[2,3,1]"},
    /* Windows. */
    {"Conv", 11, "f32[1,3,224,224] f32[64,3,7,7]", "pads=3,3,3,3 strides=2,2", "f32[1,64,112,112]"},
    {"Conv", 11, "f32[1,3,9,9] f32[8,3,3,3]", "dilations=2,2", "f32[1,8,5,5]"},
    {"Conv", 11, "f32[?,3,9,9] f32[8,3,3,3]", "auto_pad:SAME_UPPER strides=2,2", "f32[?,8,5,5]"},
    {"Conv", 11, "f32[1,3,2,2] f32[8,3,3,3]", "", "f32[1,8,?,?]"},
    {"ConvTranspose", 11, "f32[1,8,5,5] f32[8,4,3,3]", "strides=2,2 pads=1,1,1,1 output_padding=1,1",
     "f32[1,4,10,10]"},
    {"MaxPool", 12, "f32[1,4,6,6]", "kernel_shape=3,3 strides=2,2", "f32[1,4,2,2]"},
    {"MaxPool", 12, "f32[1,4,6,6]", "kernel_shape=3,3 strides=2,2 ceil_mode=1", "f32[1,4,3,3]"},
    {"MaxPool", 12, "f32[1,1,2]", "kernel_shape=1 strides=3 ceil_mode=1", "f32[1,1,1]"},
    {"GlobalAveragePool", 1, "f32[2,4,6,6]", "", "f32[2,4,1,1]"},
    /* Matrices. */
    {"MatMul", 13, "f32[5,1,2,3] f32[4,3,7]", "", "f32[5,4,2,7]"},
    {"MatMul", 13, "f32[3] f32[3,7]", "", "f32[7]"},
    {"MatMul", 13, "f32[3] f32[3]", "", "f32[]"},
    {"MatMul", 13, "f32[2,3] f32[4,7]", "", "f32"},
    {"Gemm", 13, "f32[3,2] f32[7,3]", "transA=1 transB=1", "f32[2,7]"},
    {"Einsum", 13, "f32[5,2,3] f32[5,3,7]", "equation:bij,bjk->bik", "f32[5,2,7]"},
    {"Einsum", 13, "f32[5,2,2]", "equation:...ii->...i", "f32[5,2]"},
    /* Reductions. */
    {"ReduceMean", 13, "f32[2,3,4]", "axes=-1 keepdims=0", "f32[2,3]"},
    {"ReduceSum", 13, "f32[2,3,4] i64[1]={1}", "", "f32[2,1,4]"},
    {"ReduceSum", 13, "f32[2,3,4] i64[0]={}", "noop_with_empty_axes=1", "f32[2,3,4]"},
    {"ReduceProd", 13, "i64[3]={2,3,4}", "keepdims=0", "i64[]={24}"},
    {"ArgMax", 13, "f32[2,3]", "axis=1 keepdims=0", "i64[2]"},
    {"TopK", 11, "f32[2,9] i64[1]={4}", "", "f32[2,4] i64[2,4]"},
    /* Layout. */
    {"Reshape", 14, "f32[2,3,4] i64[2]={0,-1}", "", "f32[2,12]"},
    {"Reshape", 14, "f32[?,3,4] i64[2]={0,-1}", "", "f32[?,12]"},
    {"Reshape", 14, "f32[?,3,4] i64[2]={-1,4}", "", "f32[?,4]"},
    {"Reshape", 14, "f32[2,3,4] i64[2]={?,4}", "", "f32[6,4]"},
    {"Reshape", 14, "f32[0,3] i64[2]={0,5}", "allowzero=1", "f32[0,5]"},
    {"Reshape", 14, "f32[2,3] i64[2]", "", "f32[?,?]"},
    {"Flatten", 13, "f32[2,3,4]", "axis=2", "f32[6,4]"},
    {"Squeeze", 11, "f32[1,3,1]", "axes=0", "f32[3,1]"},
    {"Squeeze", 13, "f32[1,3,1]", "", "f32[3]"},
    {"Squeeze", 13, "f32[1,?]", "", "f32"},
    {"Unsqueeze", 13, "f32[3] i64[2]={0,-1}", "", "f32[1,3,1]"},
    {"Transpose", 13, "i64[2,2]={1,2,3,4}", "", "i64[2,2]={1,3,2,4}"},
    {"Expand", 13, "f32[3,1] i64[3]={2,1,6}", "", "f32[2,3,6]"},
    {"Tile", 13, "f32[2,3] i64[2]={2,?}", "", "f32[4,?]"},
    {"DepthToSpace", 13, "f32[1,8,2,3]", "blocksize=2", "f32[1,2,4,6]"},
    /* Parts. */
    {"Gather", 13, "f32[5,6,7] i64[2,3]", "axis=1", "f32[5,2,3,7]"},
    {"Gather", 13, "i64[3]={7,8,9} i64={-1}", "", "i64[]={9}"},
    {"Slice", 13, "i64[4]={1,2,3,4} i64[1]={-1} i64[1]={-9223372036854775807} - i64[1]={-1}", "",
     "i64[4]={4,3,2,1}"},
    {"Slice", 13, "f32[10,5] i64[1]={2} i64[1]={1000} i64[1]={-2} i64[1]={3}", "", "f32[3,5]"},
    {"Slice", 13, "f32[10] i64[1]={8} i64[1]={3}", "", "f32[0]"},
    {"Slice", 9, "f32[10,5]", "starts=1 ends=-1 axes=1", "f32[10,3]"},
    {"Slice", 13, "f32[10,5] i64[1] i64[1] i64[1]={0}", "", "f32[?,5]"},
    {"Slice", 13, "f32[10,5] i64[?] i64[?] i64[1]={0}", "", "f32[?,5]"},
    {"Slice", 13, "f32[10,5] i64[?] i64[?]", "", "f32[?,?]"},
    {"Split", 13, "f32[7,2] -", "axis=0", "f32[4,2] f32[3,2]"},
    {"Split", 13, "f32[7,2] i64[2]={2,5}", "", "f32[2,2] f32[5,2]"},
    {"Concat", 13, "i64[1]={2} i64[1] i64[2]={3,4}", "axis=0", "i64[4]={2,?,3,4}"},
    {"Concat", 13, "f32[2,3] f32[2,?]", "axis=1", "f32[2,?]"},
    {"Concat", 13, "i64[1,2]={1,2} i64[1,?] i64[1,2]={5,6}", "axis=0", "i64[3,2]={1,2,?,?,?,?}"},
    {"Pad", 13, "f32[2,3] i64[4]={0,1,2,-1}", "", "f32[4,3]"},
    {"Compress", 11, "f32[4,3] bool[3]={1,0,1}", "axis=0", "f32[2,3]"},
    {"NonZero", 13, "f32[4,3]", "", "i64[2,?]"},
    /* From and to shapes. */
    {"Shape", 15, "f32[2,?,4]", "start=1", "i64[2]={?,4}"},
    {"Size", 13, "f32[2,3]", "", "i64[]={6}"},
    {"ConstantOfShape", 9, "i64[2]={2,3}", "", "f32[2,3]={0,0,0,0,0,0}"},
    {"ConstantOfShape", 9, "i64[2]", "", "f32[?,?]"},
    {"Range", 11, "i64={10} i64={4} i64={-2}", "", "i64[3]={10,8,6}"},
    {"OneHot", 11, "i64[2,3] i64={9} f32[2]", "axis=1", "f32[2,9,3]"},
    /* Pictures. */
    {"Resize", 13, "f32[1,3,10,10] - - i64[4]={1,3,7,?}", "", "f32[1,3,7,?]"},
    {"Resize", 13, "f32[1,3,10,10] - f32[4]={1,1,1.55,0.5}", "", "f32[1,3,15,5]"},
    {"Resize", 18, "f32[1,3,10,20] - - i64[2]={5,5}",
     "axes=2,3 keep_aspect_ratio_policy:not_larger", "f32[1,3,3,5]"},
    {"Resize", 13, "f32[1,1,10,10] - f32[4]={1,1,0.7,0.9}", "", "f32[1,1,7,9]"}, /* in single */
    {"Upsample", 9, "f32[1,3,4,4] f32[4]={1,1,2,2}", "", "f32[1,3,8,8]"},
    {"Upsample", 9, "f32[1,1,10,10] f32[4]={1,1,2.3,1.7}", "", "f32[1,1,23,17]"},
    /* Recurrent. */
    {"LSTM", 14, "f32[7,2,5] f32[2,16,5] f32[2,16,4]", "hidden_size=4 direction:bidirectional",
     "f32[7,2,2,4] f32[2,2,4] f32[2,2,4]"},
    {"GRU", 14, "f32[2,7,5] f32[1,12,5] f32[1,12,4]", "hidden_size=4 layout=1",
     "f32[2,7,1,4] f32[2,1,4]"},
    /* Attention of the standard set: heads apart or in one; with a past; values of other sizes. */
    {"Attention", 23, "f16[1,2,4,8] f16[1,2,6,8] f16[1,2,6,5]", "", "f16[1,2,4,5]"},
    {"Attention", 23, "f32[1,4,8] f32[1,6,4] f32[1,6,6]", "q_num_heads=4 kv_num_heads=2",
     "f32[1,4,12]"},
    {"Attention", 23, "f32[1,4,8] f32[1,6,4] f16[1,6,6] - f32[1,2,3,2] f16[1,2,3,3]",
     "q_num_heads=4 kv_num_heads=2", "f32[1,4,12] f32[1,2,9,2] f16[1,2,9,3] f32[1,4,4,9]"},
    {"Attention", 23, "f32[1,4,8] f32[1,6,4] f32[1,6,6] - - -", "q_num_heads=4 kv_num_heads=2",
     "f32[1,4,12] f32[1,2,6,2] f32[1,2,6,3] f32[1,4,4,6]"},
    {"Attention", 23, "f32[1,4,8] f32[1,6,4] f32", "q_num_heads=4", "f32[1,4,?]"},
    {"RotaryEmbedding", 23, "f32[1,2,3,8] f32[1,3,4] f32[1,3,4]", "", "f32[1,2,3,8]"},
    /* Types that are not the input's. */
    {"DequantizeLinear", 23, "u8[3,5] f32[]", "output_dtype=10", "f16[3,5]"},
    {"DequantizeLinear", 21, "u8[3,5] f16[]", "", "f16[3,5]"},
    {"ai.onnx.ml/Normalizer", 1, "i64[2,8]", "norm:L2", "f32[2,8]"},
    {"ai.onnx.ml/Scaler", 1, "i64[2,8]", "", "f32[2,8]"},
    {"DFT", 20, "f32[1,513,80,2] - i64={1}", "inverse=1 onesided=1", "f32[1,1024,80,1]"}, /* IRFFT */
    {"DFT", 20, "f32[1,6,8,2] i64={11} i64={1}", "inverse=1 onesided=1", "f32[1,11,8,1]"},
    {"DFT", 19, "f32[6,8,2]", "inverse=1 onesided=1 axis=0", "f32[10,8,1]"},
    {"DFT", 19, "f32[?,8,2]", "inverse=1 onesided=1 axis=0", "f32[?,8,1]"},
    {"DFT", 20, "f32[1,10,8,1] - i64={1}", "onesided=1", "f32[1,6,8,2]"}, /* RFFT */
    {"DFT", 20, "f32[1,10,8,2] - i64={1}", "inverse=1", "f32[1,10,8,2]"},
    {"DFT", 20, "f32[1,10,8,1] i64={16} i64={1}", "onesided=1", "f32[1,9,8,2]"},
    /* ONNX Runtime's own. */
    {"com.microsoft/BiasSplitGelu", 1, "f32[2,3,8] f32[8]", "", "f32[2,3,4]"},
    {"com.microsoft/Rfft", 1, "f32[2,8]", "onesided=1 signal_ndim=1", "f32[2,5,2]"},
    {"com.microsoft/Rfft", 1, "f32[2,8]", "onesided=0 signal_ndim=1", "f32[2,8,2]"},
};

static uint32_t
count(const char *list)
{
  g_auto(GStrv) parts = g_strsplit(list, " ", -1);
  return *list ? g_strv_length(parts) : 0;
}

static void
run_row(gsize row, TnArena *arena)
{
  g_auto(GStrv) inputs = g_strsplit(rows[row].inputs, " ", -1);
  g_auto(GStrv) settings = g_strsplit(rows[row].attributes, " ", -1);
  const TnShapeValue *values[8];
  TnAttribute attributes[8];
  TnShapeValue outputs[4];
  const char *slash = strchr(rows[row].type, '/'), *type = slash ? slash + 1 : rows[row].type;
  g_autofree char *domain = g_strndup(rows[row].type, slash ? (gsize)(slash - rows[row].type) : 0);
  TnRuleContext context = {.type = type, .version = rows[row].version, .arena = arena,
                           .inputs = values, .attributes = attributes, .outputs = outputs,
                           .n_inputs = count(rows[row].inputs),
                           .n_attributes = count(rows[row].attributes),
                           .n_outputs = count(rows[row].outputs)};
  for (uint32_t i = 0; i < context.n_inputs; i++)
    values[i] = parse_value(arena, inputs[i]);
  for (uint32_t i = 0; i < context.n_attributes; i++)
    attributes[i] = parse_attribute(arena, settings[i]);
  for (uint32_t i = 0; i < context.n_outputs; i++)
    outputs[i] = (TnShapeValue)TN_SHAPE_VALUE_INIT;
  const TnRule *rule = tn_rules_find(domain, type);
  g_assert_nonnull(rule);
  tn_rule_apply(rule, &context);
  g_autoptr(GString) text = g_string_new(NULL);
  for (uint32_t i = 0; i < context.n_outputs; i++)
    print_value(text, &outputs[i]);
  if (strcmp(text->str, rows[row].outputs) != 0)
    g_error("%s %s %s: %s, expected %s", rows[row].type, rows[row].inputs, rows[row].attributes,
            text->str, rows[row].outputs);
}

static void
test_rules(void)
{
  g_autoptr(TnArena) arena = tn_arena_new();
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++)
    run_row(i, arena);
}

/* No rule may fall over operands that are absent, of no known shape, or of the wrong rank. */
static void
test_poor_operands(void)
{
  static const char *const poor[] = {"-", "f32", "f32[]", "i64[0]={}", "f32[?]", "i64[2]",
                                     "i64[2]={-1,?}", "f32[0,0,0,0]", "f32[2,2,2,2]"};
  static const char *const attributes[] = {"axis=5", "axis=-9", "blocksize=0", "kernel_shape=0,0",
                                           "strides=0,0", "perm=7,8", "axes=9", "num_outputs=0",
                                           "hidden_size=-3", "group=-1", "equation:ab,->",
                                           "pads=-9,-9,-9,-9", "to=99", "output_padding=-1"};
  g_autoptr(TnArena) arena = tn_arena_new();
  const TnRule *const families[] = {
      tn_rules_elementwise, tn_rules_convolution, tn_rules_matrix,    tn_rules_reduce,
      tn_rules_layout,      tn_rules_index,       tn_rules_generator, tn_rules_resize,
      tn_rules_recurrent,   tn_rules_various,     tn_rules_contrib,
      tn_rules_attention};
  for (gsize f = 0; f < G_N_ELEMENTS(families); f++)
    for (const TnRule *rule = families[f]; rule->type; rule++)
      for (int round = 0; round < 300; round++) {
        const TnShapeValue *values[9];
        TnAttribute settings[3];
        TnShapeValue outputs[4] = {TN_SHAPE_VALUE_INIT, TN_SHAPE_VALUE_INIT, TN_SHAPE_VALUE_INIT,
                                   TN_SHAPE_VALUE_INIT};
        TnRuleContext context = {.type = rule->type,
                                 .version = g_test_rand_int_range(1, 22),
                                 .arena = arena,
                                 .inputs = values,
                                 .attributes = settings,
                                 .outputs = outputs,
                                 .n_inputs = (uint32_t)g_test_rand_int_range(0, 10),
                                 .n_attributes = (uint32_t)g_test_rand_int_range(0, 4),
                                 .n_outputs = (uint32_t)g_test_rand_int_range(1, 5)};
        for (uint32_t i = 0; i < context.n_inputs; i++)
          values[i] =
              parse_value(arena, poor[g_test_rand_int_range(0, (gint32)G_N_ELEMENTS(poor))]);
        for (uint32_t i = 0; i < context.n_attributes; i++)
          settings[i] = parse_attribute(
              arena, attributes[g_test_rand_int_range(0, (gint32)G_N_ELEMENTS(attributes))]);
        tn_rule_apply(rule, &context);
        for (uint32_t i = 0; i < context.n_outputs; i++)
          for (int32_t k = 0; k < outputs[i].rank; k++)
            g_assert_cmpint(outputs[i].dims[k], >=, -1);
      }
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/shape/rules", test_rules);
  g_test_add_func("/shape/poor-operands", test_poor_operands);
  return g_test_run();
}
