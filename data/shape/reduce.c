/* SPDX-License-Identifier: MIT */
/* Reductions along axes, and choices along one. */
#include "config.h"

#include "data/shape/rule.h"

#include <string.h>

/* Marks the axes that the op reduces; false where they are not known. */
static bool
reduced_axes(TnRuleContext *context, int32_t rank, bool *is_reduced)
{
  uint32_t n;
  bool is_unknown;
  const int64_t *axes = tn_rule_list(context, "axes", 1, &n, &is_unknown);
  memset(is_reduced, 0, sizeof *is_reduced * TN_MOST_RANK);
  if (is_unknown) {
    tn_rule_lose(context, "the axes are not known before the run");
    return false;
  }
  bool takes_all = n == 0 && tn_rule_int(context, "noop_with_empty_axes", 0) == 0;
  for (int32_t i = 0; takes_all && i < rank; i++)
    is_reduced[i] = true;
  for (uint32_t i = 0; axes && i < n; i++) {
    int32_t axis = tn_rule_axis(context, axes[i], rank);
    if (axis < 0)
      return false;
    is_reduced[axis] = true;
  }
  return true;
}

static void
set_without(TnRuleContext *context, const TnShapeValue *input, const bool *is_reduced, bool is_kept,
            TnDtype dtype)
{
  int64_t dims[TN_MOST_RANK];
  int32_t rank = 0;
  for (int32_t i = 0; i < input->rank; i++) {
    if (!is_reduced[i])
      dims[rank++] = input->dims[i];
    else if (is_kept)
      dims[rank++] = 1;
  }
  tn_rule_set(context, 0, dtype, dims, rank);
}

static void
infer_reduce(TnRuleContext *context)
{
  const TnShapeValue *input = tn_rule_ranked(context, 0);
  bool is_reduced[TN_MOST_RANK], is_kept = tn_rule_int(context, "keepdims", 1) != 0;
  TnDtype dtype = tn_rule_dtype(context, 0);
  tn_rule_set_dtype(context, 0, dtype);
  if (!input || input->rank > TN_MOST_RANK)
    return;
  if (reduced_axes(context, input->rank, is_reduced))
    set_without(context, input, is_reduced, is_kept, dtype);
  else if (is_kept)
    tn_rule_set(context, 0, dtype, NULL, input->rank);
}

static void
infer_arg(TnRuleContext *context)
{
  const TnShapeValue *input = tn_rule_ranked(context, 0);
  bool is_reduced[TN_MOST_RANK] = {false};
  tn_rule_set_dtype(context, 0, TN_DTYPE_INT64);
  if (!input || input->rank > TN_MOST_RANK)
    return;
  int32_t axis = tn_rule_axis(context, tn_rule_int(context, "axis", 0), input->rank);
  if (axis < 0)
    return;
  is_reduced[axis] = true;
  set_without(context, input, is_reduced, tn_rule_int(context, "keepdims", 1) != 0,
              TN_DTYPE_INT64);
}

/* Of a vector (or all of a tensor): one element, where all are known. */
static void
evaluate_reduce(TnRuleContext *context)
{
  const TnShapeValue *input = tn_rule_input(context, 0);
  TnShapeValue *output = &context->outputs[0];
  if (!input || !input->has_content || !tn_value_is_known_ints(input) ||
      tn_value_elements(output) != 1 || input->n == 0 ||
      !tn_value_add_content(output, context->arena))
    return;
  int64_t result = input->ints[0];
  const char *kind = context->type + strlen("Reduce");
  for (uint32_t i = 1; i < input->n; i++) {
    int64_t next = input->ints[i];
    bool is_good = true;
    if (strcmp(kind, "Prod") == 0)
      is_good = tn_mul(result, next, &result);
    else if (strcmp(kind, "Sum") == 0)
      is_good = tn_add(result, next, &result);
    else
      result = strcmp(kind, "Max") == 0 ? MAX(result, next) : MIN(result, next);
    if (!is_good)
      return;
  }
  tn_value_put(output, 0, result, (double)result);
}

static void
infer_top_k(TnRuleContext *context)
{
  const TnShapeValue *input = tn_rule_ranked(context, 0);
  int64_t dims[TN_MOST_RANK], k = TN_DIM_UNKNOWN;
  uint32_t n;
  bool is_unknown;
  const int64_t *list = tn_rule_list(context, "k", 1, &n, &is_unknown);
  tn_rule_set_dtype(context, 0, tn_rule_dtype(context, 0));
  tn_rule_set_dtype(context, 1, TN_DTYPE_INT64);
  if (!input || input->rank > TN_MOST_RANK)
    return;
  int32_t axis = tn_rule_axis(context, tn_rule_int(context, "axis", -1), input->rank);
  if (axis < 0)
    return;
  if (list && n == 1)
    k = list[0];
  else
    tn_rule_lose(context, "the K of TopK is not known before the run");
  memcpy(dims, input->dims, sizeof *dims * (gsize)input->rank);
  dims[axis] = k;
  tn_rule_set(context, 0, tn_rule_dtype(context, 0), dims, input->rank);
  tn_rule_set(context, 1, TN_DTYPE_INT64, dims, input->rank);
}

const TnRule tn_rules_reduce[] = {
    {"", "ReduceSum", infer_reduce, evaluate_reduce},
    {"", "ReduceProd", infer_reduce, evaluate_reduce},
    {"", "ReduceMax", infer_reduce, evaluate_reduce},
    {"", "ReduceMin", infer_reduce, evaluate_reduce},
    {"", "ReduceMean", infer_reduce, NULL},
    {"", "ReduceL1", infer_reduce, NULL},
    {"", "ReduceL2", infer_reduce, NULL},
    {"", "ReduceLogSum", infer_reduce, NULL},
    {"", "ReduceLogSumExp", infer_reduce, NULL},
    {"", "ReduceSumSquare", infer_reduce, NULL},
    {"", "ArgMax", infer_arg, NULL},
    {"", "ArgMin", infer_arg, NULL},
    {"", "TopK", infer_top_k, NULL},
    {NULL, NULL, NULL, NULL},
};
