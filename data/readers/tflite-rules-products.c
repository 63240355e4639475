/* SPDX-License-Identifier: MIT */
/* Products: fully connected, batches of matrices, recurrent cells, embeddings.
 * Source: Prepare() of each kernel in tensorflow/lite/kernels/. */
#include "config.h"

#include "data/readers/tflite-rules.h"

#include <string.h>

/* [batch, …, n] · weights [units, n]: [batch, …, units], or flattened to two dimensions. */
static void
infer_fully_connected(Context *context)
{
  const TnShapeValue *input = tn_rule_ranked(&context->rule, 0),
                     *weights = tn_tflite_of_rank(context, 1, 2);
  int64_t dims[TN_MOST_RANK];
  if (!input || !weights || input->rank > TN_MOST_RANK)
    return;
  if (tn_tflite_option(context, 2, 1, 0) != 0 && input->rank > 0) {
    memcpy(dims, input->dims, sizeof *dims * (gsize)input->rank);
    dims[input->rank - 1] = weights->dims[0];
    tn_tflite_set(context, 0, dims, input->rank);
    return;
  }
  dims[0] = tn_tflite_divided(tn_value_elements(input), weights->dims[1]);
  dims[1] = weights->dims[0];
  tn_tflite_set(context, 0, dims, 2);
}

static void
infer_batch_matmul(Context *context)
{
  const TnShapeValue *a = tn_rule_ranked(&context->rule, 0), *b = tn_rule_ranked(&context->rule, 1);
  int64_t dims[TN_MOST_RANK];
  int32_t rank = 0;
  if (!a || !b || a->rank < 2 || b->rank < 2 || MAX(a->rank, b->rank) > TN_MOST_RANK)
    return;
  TnShapeValue outer_a = *a, outer_b = *b;
  outer_a.rank -= 2;
  outer_b.rank -= 2;
  if (!tn_rule_broadcast(&context->rule, dims, &rank, &outer_a) ||
      !tn_rule_broadcast(&context->rule, dims, &rank, &outer_b))
    return;
  dims[rank] = a->dims[a->rank - (tn_tflite_option(context, 0, 1, 0) ? 1 : 2)];
  dims[rank + 1] = b->dims[b->rank - (tn_tflite_option(context, 1, 1, 0) ? 2 : 1)];
  tn_tflite_set(context, 0, dims, rank + 2);
}

static void
infer_svdf(Context *context)
{
  const TnShapeValue *input = tn_tflite_of_rank(context, 0, 2),
                     *filters = tn_tflite_of_rank(context, 1, 2);
  if (!input || !filters)
    return;
  int64_t dims[] = {input->dims[0],
                    tn_tflite_divided(filters->dims[0], tn_tflite_option(context, 0, 4, 0))};
  tn_tflite_set(context, 0, dims, 2);
}

/* Time and batch of the input, units of the recurrent weights [cells, units]. */
static void
infer_lstm(Context *context)
{
  const TnShapeValue *input = tn_tflite_of_rank(context, 0, 3),
                     *recurrent = tn_tflite_of_rank(context, 8, 2);
  if (!input || !recurrent)
    return;
  int64_t dims[] = {input->dims[0], input->dims[1], recurrent->dims[1]};
  tn_tflite_set(context, 0, dims, 3);
}

static void
infer_embedding_lookup(Context *context)
{
  const TnShapeValue *ids = tn_tflite_of_rank(context, 0, 1),
                     *table = tn_rule_ranked(&context->rule, 1);
  int64_t dims[TN_MOST_RANK];
  if (!ids || !table || table->rank < 1 || table->rank > TN_MOST_RANK)
    return;
  memcpy(dims, table->dims, sizeof *dims * (gsize)table->rank);
  dims[0] = ids->dims[0];
  tn_tflite_set(context, 0, dims, table->rank);
}

const TnTfliteRule tn_tflite_rules_products[] = {
    {"FULLY_CONNECTED", infer_fully_connected},
    {"BATCH_MATMUL", infer_batch_matmul},
    {"SVDF", infer_svdf},
    {"UNIDIRECTIONAL_SEQUENCE_LSTM", infer_lstm},
    {"EMBEDDING_LOOKUP", infer_embedding_lookup},
    {NULL, NULL},
};
