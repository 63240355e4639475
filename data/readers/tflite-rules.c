/* SPDX-License-Identifier: MIT */
/* The shape rules of TensorFlow Lite's ops in one table, and what they all ask of an op. */
#include "config.h"

#include "data/readers/tflite-rules.h"

#include <string.h>

int64_t
tn_tflite_option(TnTfliteRuleContext *context, unsigned slot, unsigned width, int64_t fallback)
{
  return context->has_options ? tn_flat_int(context->flat, &context->options, slot, width, fallback)
                              : fallback;
}

void
tn_tflite_set(TnTfliteRuleContext *context, uint32_t i, const int64_t *dims, int32_t rank)
{
  if (i < context->rule.n_outputs)
    tn_rule_set(&context->rule, i, context->rule.outputs[i].dtype, dims, rank);
}

const TnShapeValue *
tn_tflite_of_rank(TnTfliteRuleContext *context, uint32_t i, int32_t rank)
{
  const TnShapeValue *input = tn_rule_ranked(&context->rule, i);
  if (input && input->rank == rank)
    return input;
  tn_rule_lose(&context->rule, "an operand of another rank than the op takes");
  return NULL;
}

const int64_t *
tn_tflite_numbers(TnTfliteRuleContext *context, uint32_t i, uint32_t *out_n)
{
  bool is_unknown;
  const int64_t *list = tn_rule_list(&context->rule, NULL, i, out_n, &is_unknown);
  bool is_good = list != NULL;
  for (uint32_t k = 0; is_good && k < *out_n; k++)
    is_good = list[k] >= INT32_MIN && list[k] <= INT32_MAX;
  if (!is_good)
    tn_rule_lose(&context->rule, "it depends on numbers that are not known before the run");
  return is_good ? list : NULL;
}

int64_t
tn_tflite_divided(int64_t dim, int64_t by)
{
  return dim >= 0 && by > 0 && dim % by == 0 ? dim / by : TN_DIM_UNKNOWN;
}

static const TnTfliteRule *const tables[] = {
    tn_tflite_rules_onnx,     tn_tflite_rules_shapes, tn_tflite_rules_windows,
    tn_tflite_rules_products, tn_tflite_rules_parts,
};

static const TnTfliteRule *
find_rule(const char *type)
{
  for (gsize i = 0; i < G_N_ELEMENTS(tables); i++)
    for (const TnTfliteRule *rule = tables[i]; rule->type; rule++)
      if (strcmp(type, rule->type) == 0)
        return rule;
  return NULL;
}

bool
tn_tflite_rule_apply(TnTfliteRuleContext *context)
{
  const TnTfliteRule *rule = find_rule(context->rule.type);
  if (rule && context->rule.n_outputs > 0)
    rule->infer(context);
  return rule != NULL;
}
