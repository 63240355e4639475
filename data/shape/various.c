/* SPDX-License-Identifier: MIT */
/* Losses, signals, sequences, and what fits nowhere else. */
#include "config.h"

#include "data/shape/elementwise.h"

#include <string.h>

static void
infer_loss(TnRuleContext *context)
{
  const TnShapeValue *scores = tn_rule_ranked(context, 0), *labels = tn_rule_input(context, 1);
  bool is_kept = strcmp(tn_rule_text(context, "reduction", "mean"), "none") == 0;
  if (is_kept)
    tn_rule_set_like(context, 0, tn_rule_dtype(context, 0), labels);
  else
    tn_rule_set(context, 0, tn_rule_dtype(context, 0), NULL, 0);
  tn_rule_set_like(context, 1, tn_rule_dtype(context, 0), scores);
}

static void
infer_unique(TnRuleContext *context)
{
  const TnShapeValue *input = tn_rule_ranked(context, 0);
  int64_t dims[TN_MOST_RANK];
  tn_rule_lose(context, "how many are unique is known only when it runs");
  tn_rule_set_dtype(context, 0, tn_rule_dtype(context, 0));
  for (uint32_t i = 1; i < context->n_outputs; i++)
    tn_rule_set(context, i, TN_DTYPE_INT64, NULL, 1);
  if (!input || input->rank > TN_MOST_RANK)
    return;
  if (!tn_rule_attribute(context, "axis")) {
    tn_rule_set(context, 0, tn_rule_dtype(context, 0), NULL, 1);
    return;
  }
  int32_t axis = tn_rule_axis(context, tn_rule_int(context, "axis", 0), input->rank);
  memcpy(dims, input->dims, sizeof *dims * (gsize)input->rank);
  if (axis >= 0)
    dims[axis] = TN_DIM_UNKNOWN;
  tn_rule_set(context, 0, tn_rule_dtype(context, 0), dims, input->rank);
}

static void
infer_non_max_suppression(TnRuleContext *context)
{
  int64_t dims[2] = {TN_DIM_UNKNOWN, 3};
  tn_rule_lose(context, "how many boxes are chosen is known only when it runs");
  tn_rule_set(context, 0, TN_DTYPE_INT64, dims, 2);
}

/* How many the transform gives along its axis, of `n` there: of a real signal half of them say all, and of such a half
 * the inverse makes the whole again. */
static int64_t
count_frequencies(const TnRuleContext *context, int64_t n, const TnShapeValue *length)
{
  bool is_onesided = tn_rule_int(context, "onesided", 0) != 0, is_inverse = tn_rule_int(context, "inverse", 0) != 0;
  int64_t asked = TN_DIM_UNKNOWN;
  if (length)
    asked = tn_value_int(length, 0, &asked) && asked >= 0 ? asked : TN_DIM_UNKNOWN;
  else if (!is_onesided || !is_inverse || n < 0)
    asked = n;
  else if (!tn_mul(2, MAX(n - 1, 0), &asked))
    asked = TN_DIM_UNKNOWN;
  return is_onesided && !is_inverse && asked >= 0 ? asked / 2 + 1 : asked;
}

/* Last dimension: 2 for complex results, 1 for the real ones of the inverse of half a spectrum. */
static void
infer_dft(TnRuleContext *context)
{
  const TnShapeValue *input = tn_rule_ranked(context, 0), *length = tn_rule_input(context, 1);
  int64_t dims[TN_MOST_RANK];
  tn_rule_set_dtype(context, 0, tn_rule_dtype(context, 0));
  if (!input || input->rank < 2 || input->rank > TN_MOST_RANK)
    return;
  const TnShapeValue *axis_input = context->version >= 20 ? tn_rule_input(context, 2) : NULL;
  int64_t at = tn_rule_int(context, "axis", context->version >= 20 ? -2 : 1);
  if (axis_input && !tn_value_int(axis_input, 0, &at))
    return;
  int32_t axis = tn_rule_axis(context, at, input->rank);
  if (axis < 0)
    return;
  memcpy(dims, input->dims, sizeof *dims * (gsize)input->rank);
  dims[axis] = count_frequencies(context, dims[axis], length);
  dims[input->rank - 1] = tn_rule_int(context, "onesided", 0) && tn_rule_int(context, "inverse", 0) ? 1 : 2;
  tn_rule_set(context, 0, tn_rule_dtype(context, 0), dims, input->rank);
}

static void
infer_stft(TnRuleContext *context)
{
  const TnShapeValue *signal = tn_rule_ranked(context, 0), *window = tn_rule_input(context, 2);
  const TnShapeValue *length = tn_rule_input(context, 3);
  int64_t step, frame = TN_DIM_UNKNOWN;
  tn_rule_set_dtype(context, 0, tn_rule_dtype(context, 0));
  if (window && window->rank == 1)
    frame = window->dims[0];
  else if (length)
    tn_value_int(length, 0, &frame);
  if (!signal || signal->rank < 2 || !tn_rule_input(context, 1) ||
      !tn_value_int(tn_rule_input(context, 1), 0, &step) || step < 1 || frame < 1 ||
      signal->dims[1] < frame)
    return;
  int64_t dims[4] = {signal->dims[0], (signal->dims[1] - frame) / step + 1,
                     tn_rule_int(context, "onesided", 1) ? frame / 2 + 1 : frame, 2};
  tn_rule_set(context, 0, tn_rule_dtype(context, 0), dims, 4);
}

static void
infer_mel(TnRuleContext *context)
{
  int64_t dims[2] = {TN_DIM_UNKNOWN, TN_DIM_UNKNOWN}, length;
  if (tn_rule_input(context, 1) && tn_value_int(tn_rule_input(context, 1), 0, &length))
    dims[0] = length / 2 + 1;
  if (tn_rule_input(context, 0))
    tn_value_int(tn_rule_input(context, 0), 0, &dims[1]);
  tn_rule_set(context, 0, tn_dtype_from_onnx(tn_rule_int(context, "output_datatype", 1)), dims, 2);
}

/* A sequence has no size of its own: what it holds is known only when it runs. */
static void
infer_sequence(TnRuleContext *context)
{
  tn_rule_lose(context, "a sequence's size is known only when it runs");
  for (uint32_t i = 0; i < context->n_outputs; i++)
    context->outputs[i].is_not_tensor = true;
}

static void
infer_sequence_length(TnRuleContext *context)
{
  tn_rule_set(context, 0, TN_DTYPE_INT64, NULL, 0);
}

static void
infer_has_element(TnRuleContext *context)
{
  tn_rule_set(context, 0, TN_DTYPE_BOOL, NULL, 0);
}

static void
infer_feature_extractor(TnRuleContext *context)
{
  const TnShapeValue *data = tn_rule_ranked(context, 0), *indices = tn_rule_ranked(context, 1);
  int64_t dims[TN_MOST_RANK];
  tn_rule_set_dtype(context, 0, tn_rule_dtype(context, 0));
  if (!data || !indices || data->rank < 1 || data->rank >= TN_MOST_RANK)
    return;
  int32_t rank = data->rank == 1 ? 2 : data->rank;
  dims[0] = 1;
  memcpy(dims, data->dims, sizeof *dims * (gsize)(data->rank == 1 ? 0 : data->rank));
  dims[rank - 1] = tn_value_elements(indices);
  tn_rule_set(context, 0, tn_rule_dtype(context, 0), dims, rank);
}

/* Rate, count, then n tensors, their n gradients, and one or two lists of n more; the results are
 * the tensors and those lists, anew. */
static void
infer_optimizer(TnRuleContext *context)
{
  uint32_t n_lists = strcmp(context->type, "Adam") == 0 ? 4 : 3;
  uint32_t n = context->n_inputs > 2 ? (context->n_inputs - 2) / n_lists : 0;
  for (uint32_t i = 0; n > 0 && i < context->n_outputs; i++) {
    uint32_t list = i / n == 0 ? 0 : i / n + 1, at = 2 + list * n + i % n;
    tn_rule_set_like(context, i, tn_rule_dtype(context, at), tn_rule_input(context, at));
  }
}

/* A count for each n-gram that the model names. */
static void
infer_tfidf(TnRuleContext *context)
{
  const TnShapeValue *input = tn_rule_ranked(context, 0);
  uint32_t n;
  const int64_t *indexes = tn_rule_ints(context, "ngram_indexes", &n);
  int64_t dims[2] = {TN_DIM_UNKNOWN, 0};
  tn_rule_set_dtype(context, 0, TN_DTYPE_FLOAT32);
  if (!input || !indexes || input->rank < 1 || input->rank > 2)
    return;
  for (uint32_t i = 0; i < n; i++)
    if (indexes[i] >= 0 && indexes[i] < INT32_MAX)
      dims[1] = MAX(dims[1], indexes[i] + 1);
  dims[0] = input->dims[0];
  tn_rule_set(context, 0, TN_DTYPE_FLOAT32, input->rank == 2 ? dims : dims + 1, input->rank);
}

/* Of any numbers, real ones. */
static void
infer_scaled(TnRuleContext *context)
{
  tn_rule_set_like(context, 0, TN_DTYPE_FLOAT32, tn_rule_input(context, 0));
}

const TnRule tn_rules_various[] = {
    {"", "TfIdfVectorizer", infer_tfidf, NULL},
    {"ai.onnx.preview.training", "Adagrad", infer_optimizer, NULL},
    {"ai.onnx.preview.training", "Adam", infer_optimizer, NULL},
    {"ai.onnx.preview.training", "Momentum", infer_optimizer, NULL},
    {"", "SoftmaxCrossEntropyLoss", infer_loss, NULL},
    {"", "NegativeLogLikelihoodLoss", infer_loss, NULL},
    {"", "Unique", infer_unique, NULL},
    {"", "NonMaxSuppression", infer_non_max_suppression, NULL},
    {"", "DFT", infer_dft, NULL},
    {"", "STFT", infer_stft, NULL},
    {"", "MelWeightMatrix", infer_mel, NULL},
    {"", "SequenceConstruct", infer_sequence, NULL},
    {"", "SequenceEmpty", infer_sequence, NULL},
    {"", "SequenceInsert", infer_sequence, NULL},
    {"", "SequenceErase", infer_sequence, NULL},
    {"", "SplitToSequence", infer_sequence, NULL},
    {"", "Optional", infer_sequence, NULL},
    {"", "SequenceLength", infer_sequence_length, NULL},
    {"", "OptionalHasElement", infer_has_element, NULL},
    {"ai.onnx.ml", "ZipMap", infer_sequence, NULL},
    {"ai.onnx.ml", "ArrayFeatureExtractor", infer_feature_extractor, NULL},
    {"ai.onnx.ml", "Normalizer", infer_scaled, NULL},
    {"ai.onnx.ml", "Scaler", infer_scaled, NULL},
    {NULL, NULL, NULL, NULL},
};
