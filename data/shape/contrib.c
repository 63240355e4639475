/* SPDX-License-Identifier: MIT */
/* ONNX Runtime's own operators, domain com.microsoft: the ones that models in the wild use. */
#include "config.h"

#include "data/shape/elementwise.h"

#include <string.h>

/* Output 3 is the sum of input and skip; 1 and 2 are statistics that only training has. */
static void
infer_skip_norm(TnRuleContext *context)
{
  const TnShapeValue *input = tn_rule_input(context, 0);
  tn_infer_same(context);
  tn_rule_set_like(context, 3, tn_rule_dtype(context, 0), input);
}

static void
infer_embed_norm(TnRuleContext *context)
{
  const TnShapeValue *ids = tn_rule_ranked(context, 0), *words = tn_rule_ranked(context, 2);
  int64_t dims[3] = {tn_value_dim(ids, 0), tn_value_dim(ids, 1), tn_value_dim(words, 1)};
  tn_rule_set(context, 0, tn_rule_dtype(context, 2), dims, 3);
  tn_rule_set(context, 1, TN_DTYPE_INT32, dims, 1);
  tn_rule_set(context, 2, tn_rule_dtype(context, 2), dims, 3);
}

/* Weights are [input hidden, q + k + v]; all three alike unless qkv_hidden_sizes says more. */
static void
set_attention(TnRuleContext *context, int64_t hidden, const TnShapeValue *past, TnDtype dtype)
{
  const TnShapeValue *input = tn_rule_ranked(context, 0);
  int64_t heads = tn_rule_int(context, "num_heads", 0), batch = tn_value_dim(input, 0);
  int64_t seq = tn_value_dim(input, 1);
  int64_t out[3] = {batch, seq, hidden};
  tn_rule_set_dtype(context, 0, dtype);
  tn_rule_set_dtype(context, 1, dtype);
  if (!input || input->rank != 3)
    return;
  tn_rule_set(context, 0, dtype, out, 3);
  int64_t total = past ? tn_dim_sum(tn_value_dim(past, 3), seq) : seq;
  int64_t present[5] = {2, batch, heads, total, tn_dim_quotient(hidden, heads)};
  if (tn_rule_int(context, "past_present_share_buffer", 0))
    present[3] = tn_value_dim(past, 3);
  tn_rule_set(context, 1, dtype, present, 5);
}

static void
infer_attention(TnRuleContext *context)
{
  const TnShapeValue *weights = tn_rule_input(context, 1);
  uint32_t n;
  const int64_t *sizes = tn_rule_ints(context, "qkv_hidden_sizes", &n);
  int64_t hidden = sizes && n == 3 ? sizes[2] : tn_dim_quotient(tn_value_dim(weights, 1), 3);
  set_attention(context, hidden, tn_rule_input(context, 4), tn_rule_dtype(context, 0));
}

static void
infer_qattention(TnRuleContext *context)
{
  set_attention(context, tn_dim_quotient(tn_value_dim(tn_rule_input(context, 1), 1), 3),
                tn_rule_input(context, 8), tn_rule_dtype(context, 3));
}

static void
infer_multi_head_attention(TnRuleContext *context)
{
  const TnShapeValue *query = tn_rule_ranked(context, 0), *value = tn_rule_input(context, 2);
  const TnShapeValue *key = tn_rule_input(context, 1);
  int64_t heads = tn_rule_int(context, "num_heads", 0);
  int64_t out[3] = {tn_value_dim(query, 0), tn_value_dim(query, 1), tn_value_dim(query, 2)};
  for (uint32_t i = 0; i < context->n_outputs; i++)
    tn_rule_set_dtype(context, i, tn_rule_dtype(context, 0));
  if (!query || query->rank != 3 || !key || key->rank != 3 || !value || value->rank != 3) {
    tn_rule_lose(context, "packed attention inputs are not computed");
    return;
  }
  out[2] = value->dims[2];
  tn_rule_set(context, 0, tn_rule_dtype(context, 0), out, 3);
  int64_t keys[4] = {out[0], heads, key->dims[1], tn_dim_quotient(query->dims[2], heads)};
  int64_t values[4] = {out[0], heads, key->dims[1], tn_dim_quotient(out[2], heads)};
  tn_rule_set_present(context, 1, tn_rule_dtype(context, 0), tn_rule_input(context, 6), keys);
  tn_rule_set_present(context, 2, tn_rule_dtype(context, 0), tn_rule_input(context, 7), values);
}

/* The past is a buffer as long as the total sequence, where that is known; else past + new. */
static void
infer_group_query_attention(TnRuleContext *context)
{
  const TnShapeValue *query = tn_rule_ranked(context, 0), *key = tn_rule_input(context, 1);
  const TnShapeValue *past = tn_rule_input(context, 3), *total = tn_rule_input(context, 6);
  int64_t heads = tn_rule_int(context, "num_heads", 0), kv = tn_rule_int(context, "kv_num_heads", 0);
  int64_t batch = tn_value_dim(query, 0), seq = tn_value_dim(query, 1), hidden = tn_value_dim(query, 2), length;
  for (uint32_t i = 0; i < context->n_outputs; i++)
    tn_rule_set_dtype(context, i, tn_rule_dtype(context, 0));
  if (!query || query->rank != 3)
    return;
  int64_t head = tn_dim_quotient(hidden, key ? heads : tn_dim_sum(heads, tn_dim_sum(kv, kv)));
  int64_t out[3] = {batch, seq, key ? hidden : tn_dim_product(head, heads)};
  tn_rule_set(context, 0, tn_rule_dtype(context, 0), out, 3);
  int64_t all = TN_DIM_UNKNOWN;
  if (total && tn_value_int(total, 0, &length) && tn_value_dim(past, 2) >= 0)
    all = MAX(length, tn_value_dim(past, 2));
  else if (past && tn_value_dim(past, 2) >= 0)
    all = tn_dim_sum(tn_value_dim(past, 2), seq);
  if (!total || !total->has_content)
    tn_rule_lose(context, "the total sequence length is known only when it runs");
  int64_t present[4] = {batch, kv, all, past && tn_value_dim(past, 3) >= 0 ? tn_value_dim(past, 3) : head};
  tn_rule_set(context, 1, tn_rule_dtype(context, 0), present, 4);
  tn_rule_set(context, 2, tn_rule_dtype(context, 0), present, 4);
}

static int64_t
value_of(const TnShapeValue *value)
{
  int64_t number;
  return value && tn_value_int(value, 0, &number) ? number : TN_DIM_UNKNOWN;
}

static void
infer_beam_search(TnRuleContext *context)
{
  const TnShapeValue *ids = tn_rule_ranked(context, 0);
  int64_t kept = value_of(tn_rule_input(context, 4));
  int64_t dims[3] = {tn_value_dim(ids, 0), kept, value_of(tn_rule_input(context, 1))};
  tn_rule_set(context, 0, TN_DTYPE_INT32, dims, 3);
  tn_rule_set(context, 1, TN_DTYPE_FLOAT32, dims, 2);
}

static void
infer_greedy_search(TnRuleContext *context)
{
  int64_t dims[2] = {tn_value_dim(tn_rule_ranked(context, 0), 0), value_of(tn_rule_input(context, 1))};
  tn_rule_set(context, 0, TN_DTYPE_INT32, dims, 2);
}

/* Quantised binary: (a, scale, zero, b, scale, zero, scale, zero). */
static void
infer_qlinear_binary(TnRuleContext *context)
{
  const TnShapeValue *a = tn_rule_ranked(context, 0), *b = tn_rule_ranked(context, 3);
  int64_t dims[TN_MOST_RANK];
  int32_t rank = 0;
  tn_rule_set_dtype(context, 0, tn_rule_dtype(context, 0));
  if (a && b && tn_rule_broadcast(context, dims, &rank, a) &&
      tn_rule_broadcast(context, dims, &rank, b))
    tn_rule_set(context, 0, tn_rule_dtype(context, 0), dims, rank);
}

/* Sets output 0's type; the first input and its dimensions, with room for one more: NULL where they
 * are not known, or none. */
static const TnShapeValue *
copy_input(TnRuleContext *context, int64_t *dims)
{
  const TnShapeValue *input = tn_rule_ranked(context, 0);
  tn_rule_set_dtype(context, 0, tn_rule_dtype(context, 0));
  if (!input || input->rank < 1 || input->rank >= TN_MOST_RANK)
    return NULL;
  memcpy(dims, input->dims, sizeof *dims * (gsize)input->rank);
  return input;
}

static void
infer_matmul_nbits(TnRuleContext *context)
{
  int64_t dims[TN_MOST_RANK];
  const TnShapeValue *input = copy_input(context, dims);
  if (!input)
    return;
  dims[input->rank - 1] = tn_rule_int(context, "N", TN_DIM_UNKNOWN);
  tn_rule_set(context, 0, tn_rule_dtype(context, 0), dims, input->rank);
}

/* One half gates the other. */
static void
infer_bias_split_gelu(TnRuleContext *context)
{
  int64_t dims[TN_MOST_RANK];
  const TnShapeValue *input = copy_input(context, dims);
  if (!input)
    return;
  dims[input->rank - 1] = tn_dim_quotient(dims[input->rank - 1], 2);
  tn_rule_set(context, 0, tn_rule_dtype(context, 0), dims, input->rank);
}

/* Complex numbers are a last dimension of 2; of the signal's own, the last is halved. */
static void
infer_rfft(TnRuleContext *context)
{
  int64_t dims[TN_MOST_RANK];
  const TnShapeValue *input = copy_input(context, dims);
  if (!input)
    return;
  int64_t *last = &dims[input->rank - 1];
  if (tn_rule_int(context, "onesided", 0))
    *last = tn_dim_sum(tn_dim_quotient(*last, 2), 1);
  dims[input->rank] = 2;
  tn_rule_set(context, 0, tn_rule_dtype(context, 0), dims, input->rank + 1);
}

#define SAME(name) {"com.microsoft", name, tn_infer_same, NULL}

const TnRule tn_rules_contrib[] = {
    SAME("FastGelu"), SAME("BiasGelu"), SAME("Gelu"), SAME("QuickGelu"), SAME("BiasSoftmax"),
    SAME("QLinearSigmoid"), SAME("QLinearLeakyRelu"), SAME("QLinearSoftmax"),
    SAME("RotaryEmbedding"), SAME("GroupNorm"), SAME("BiasAdd"), SAME("FastGeluGrad"),
    SAME("SoftmaxGrad_13"), SAME("LayerNormalizationGrad"), SAME("BiasFastGeluGrad_dX"),
    SAME("SimplifiedLayerNormalization"),
    {"com.microsoft", "BiasSplitGelu", infer_bias_split_gelu, NULL},
    {"com.microsoft", "Rfft", infer_rfft, NULL},
    {"", "SimplifiedLayerNormalization", tn_infer_same, NULL},
    {"com.microsoft", "SkipLayerNormalization", infer_skip_norm, NULL},
    {"com.microsoft", "SkipSimplifiedLayerNormalization", infer_skip_norm, NULL},
    {"com.microsoft", "EmbedLayerNormalization", infer_embed_norm, NULL},
    {"com.microsoft", "Attention", infer_attention, NULL},
    {"com.microsoft", "QAttention", infer_qattention, NULL},
    {"com.microsoft", "MultiHeadAttention", infer_multi_head_attention, NULL},
    {"com.microsoft", "GroupQueryAttention", infer_group_query_attention, NULL},
    {"com.microsoft", "BeamSearch", infer_beam_search, NULL},
    {"com.microsoft", "GreedySearch", infer_greedy_search, NULL},
    {"com.microsoft", "QLinearAdd", infer_qlinear_binary, NULL},
    {"com.microsoft", "QLinearMul", infer_qlinear_binary, NULL},
    {"com.microsoft", "MatMulNBits", infer_matmul_nbits, NULL},
    {NULL, NULL, NULL, NULL},
};
