/* SPDX-License-Identifier: MIT */
/* LSTM, GRU, RNN: Y [seq, dirs, batch, hidden], Y_h and Y_c [dirs, batch, hidden]; with layout 1
 * the batch comes first. */
#include "config.h"

#include "data/shape/rule.h"

#include <string.h>

static void
infer_recurrent(TnRuleContext *context)
{
  const TnShapeValue *input = tn_rule_ranked(context, 0), *weights = tn_rule_ranked(context, 2);
  bool is_batch_first = tn_rule_int(context, "layout", 0) != 0;
  bool is_both = strcmp(tn_rule_text(context, "direction", "forward"), "bidirectional") == 0;
  int64_t hidden = tn_rule_int(context, "hidden_size", TN_DIM_UNKNOWN), dirs = is_both ? 2 : 1;
  for (uint32_t i = 0; i < context->n_outputs; i++)
    tn_rule_set_dtype(context, i, tn_rule_dtype(context, 0));
  if (hidden < 0 && weights && weights->rank == 3)
    hidden = weights->dims[2];
  if (!input || input->rank != 3)
    return;
  int64_t seq = input->dims[is_batch_first ? 1 : 0], batch = input->dims[is_batch_first ? 0 : 1];
  int64_t all[4] = {seq, dirs, batch, hidden}, all_batch[4] = {batch, seq, dirs, hidden};
  int64_t last[3] = {dirs, batch, hidden}, last_batch[3] = {batch, dirs, hidden};
  tn_rule_set(context, 0, tn_rule_dtype(context, 0), is_batch_first ? all_batch : all, 4);
  for (uint32_t i = 1; i < context->n_outputs; i++)
    tn_rule_set(context, i, tn_rule_dtype(context, 0), is_batch_first ? last_batch : last, 3);
}

/* DynamicQuantizeLSTM states hidden_size, so that its packed weights need not be looked at. */
const TnRule tn_rules_recurrent[] = {
    {"", "LSTM", infer_recurrent, NULL},
    {"", "GRU", infer_recurrent, NULL},
    {"", "RNN", infer_recurrent, NULL},
    {"com.microsoft", "DynamicQuantizeLSTM", infer_recurrent, NULL},
    {NULL, NULL, NULL, NULL},
};
