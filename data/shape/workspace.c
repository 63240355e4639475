/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "data/shape/workspace.h"

#include <string.h>

/* Product of `n` factors and the size of `dtype`; -1 where one is unknown, or on overflow. */
static tn_bytes
sized(TnDtype dtype, const int64_t *factors, uint32_t n)
{
  int64_t elements;
  tn_bytes bytes;
  return tn_dims_product(factors, n, &elements) && tn_dtype_size(dtype, elements, &bytes)
             ? bytes
             : TN_BYTES_UNKNOWN;
}

static void
add(TnWorkspace *out, uint32_t *n, const char *name, tn_bytes bytes)
{
  if (bytes >= 0)
    out[(*n)++] = (TnWorkspace){name, bytes};
}

/* ---- convolutions ---------------------------------------------------------------------- */

typedef struct {
  TnDtype dtype;
  int64_t channels, group_channels, filters, images, kernel, places, row, input_row;
  bool is_pointwise, is_depthwise, is_3x3;
} Conv;

static bool
has_ones(const TnRuleContext *context, const char *name, int64_t one)
{
  uint32_t n;
  const int64_t *list = tn_rule_ints(context, name, &n);
  for (uint32_t i = 0; list && i < n; i++)
    if (list[i] != one)
      return false;
  return true;
}

static bool
read_conv(const TnRuleContext *context, Conv *conv)
{
  const TnShapeValue *input = tn_rule_input(context, 0), *output = &context->outputs[0];
  const TnShapeValue *weights = tn_rule_input(context, 1);
  if (!input || !weights || !tn_value_is_full(input) || !tn_value_is_full(weights) ||
      context->n_outputs < 1 || !tn_value_is_full(output) || input->rank < 3 ||
      weights->rank != input->rank || output->rank != input->rank)
    return false;
  int32_t n = input->rank - 2;
  bool is_one = true;
  *conv = (Conv){.dtype = input->dtype, .channels = input->dims[1],
                 .group_channels = weights->dims[1], .filters = weights->dims[0],
                 .images = input->dims[0], .row = output->dims[input->rank - 1],
                 .input_row = input->dims[input->rank - 1]};
  conv->is_3x3 = n == 2 && weights->dims[2] == 3 && weights->dims[3] == 3;
  for (int32_t i = 0; i < n; i++)
    is_one = is_one && weights->dims[i + 2] == 1;
  if (!tn_dims_product(weights->dims + 2, (uint32_t)n, &conv->kernel) ||
      !tn_dims_product(output->dims + 2, (uint32_t)n, &conv->places))
    return false;
  bool has_unit_steps = has_ones(context, "strides", 1) && has_ones(context, "dilations", 1);
  conv->is_pointwise = is_one && has_unit_steps && has_ones(context, "pads", 0);
  conv->is_3x3 = conv->is_3x3 && has_unit_steps;
  conv->is_depthwise = conv->group_channels == 1 && conv->channels > 1 &&
                       tn_rule_int(context, "group", 1) == conv->channels;
  return true;
}

static tn_bytes
mlas_bytes(const Conv *conv)
{
  const int64_t patch[] = {conv->places, conv->group_channels, conv->kernel};
  const int64_t row[] = {conv->input_row + 2}, block[] = {128, 128};
  if (conv->is_pointwise)
    return 0;
  if (conv->is_depthwise)
    return sized(conv->dtype, row, 1);
  return conv->filters > conv->places ? sized(conv->dtype, patch, 3) : sized(conv->dtype, block, 2);
}

static uint32_t
list_conv(const TnRuleContext *context, TnWorkspace *out)
{
  Conv conv;
  uint32_t n = 0;
  if (!read_conv(context, &conv))
    return 0;
  const int64_t patch[] = {conv.group_channels, conv.kernel, conv.places};
  const int64_t tile[] = {conv.group_channels, conv.kernel, conv.row};
  add(out, &n, "direct", 0);
  add(out, &n, "im2col", conv.is_pointwise ? 0 : sized(conv.dtype, patch, 3));
  add(out, &n, "tiled-im2col", conv.is_pointwise ? 0 : sized(conv.dtype, tile, 3));
  if (conv.is_3x3 && tn_rule_int(context, "group", 1) == 1) {
    const int64_t *dims = context->outputs[0].dims;
    int64_t tiles[] = {16, 0, conv.images, dims[2] / 2 + dims[2] % 2, dims[3] / 2 + dims[3] % 2};
    if (tn_add(conv.channels, conv.filters, &tiles[1]))
      add(out, &n, "winograd", sized(conv.dtype, tiles, 5));
  }
  add(out, &n, "mlas", mlas_bytes(&conv));
  return n;
}

/* ---- others ---------------------------------------------------------------------------- */

static uint32_t
list_lstm(const TnRuleContext *context, TnWorkspace *out)
{
  const TnShapeValue *input = tn_rule_input(context, 0), *weights = tn_rule_input(context, 2);
  const char *direction = tn_rule_text(context, "direction", "forward");
  bool is_both = strcmp(direction, "bidirectional") == 0, is_forward = strcmp(direction, "forward") == 0;
  bool is_batch_first = tn_rule_int(context, "layout", 0) != 0;
  uint32_t n = 0;
  if (!input || !weights || !tn_value_is_full(input) || input->rank != 3 || weights->rank != 3)
    return 0;
  int64_t hidden = tn_rule_int(context, "hidden_size", weights->dims[2]);
  int64_t seq = input->dims[is_batch_first ? 1 : 0], batch = input->dims[is_batch_first ? 0 : 1];
  const int64_t gates[] = {is_both ? 2 : 1, 4, hidden, batch, seq};
  const int64_t state[] = {is_both ? 2 : 1, 3, batch, hidden};
  const int64_t copies[] = {seq, batch, input->dims[2] + MAX(hidden, (int64_t)0)};
  tn_bytes sum = sized(input->dtype, gates, 5), more = sized(input->dtype, state, 4);
  tn_bytes reversed = is_forward ? 0 : sized(input->dtype, copies, 3);
  if (sum < 0 || more < 0 || reversed < 0 || !tn_add(sum, more, &sum) ||
      !tn_add(sum, reversed, &sum))
    return 0;
  add(out, &n, "direct", 0);
  add(out, &n, "needed", sum);
  return n;
}

static uint32_t
list_product(const TnRuleContext *context, TnWorkspace *out)
{
  const int64_t block[] = {128, 128};
  uint32_t n = 0;
  add(out, &n, "direct", 0);
  add(out, &n, "mlas", sized(tn_rule_dtype(context, 0), block, 2));
  return n > 1 ? n : 0;
}

/* Scores of each query against each key. */
static uint32_t
list_attention(const TnRuleContext *context, TnWorkspace *out)
{
  const TnShapeValue *input = tn_rule_input(context, 0);
  const TnShapeValue *present = context->n_outputs > 1 ? &context->outputs[1] : NULL;
  uint32_t n = 0;
  if (!input || input->rank != 3)
    return 0;
  int64_t keys = input->dims[1];
  if (present && present->rank >= 4)
    keys = present->dims[present->rank - 2];
  const int64_t scores[] = {input->dims[0], tn_rule_int(context, "num_heads", -1), input->dims[1],
                            keys};
  add(out, &n, "direct", 0);
  add(out, &n, "needed", sized(input->dtype, scores, 4));
  return n > 1 ? n : 0;
}

uint32_t
tn_workspaces_list(const TnRuleContext *context, TnWorkspace *out)
{
  static const struct {
    const char *type;
    uint32_t (*list)(const TnRuleContext *context, TnWorkspace *out);
  } rows[] = {
      {"Conv", list_conv},           {"ConvInteger", list_conv},
      {"LSTM", list_lstm},           {"MatMul", list_product},
      {"Gemm", list_product},        {"FusedMatMul", list_product},
      {"Attention", list_attention}, {"MultiHeadAttention", list_attention},
      {"GroupQueryAttention", list_attention},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++)
    if (strcmp(context->type, rows[i].type) == 0)
      return rows[i].list(context, out);
  return 0;
}
