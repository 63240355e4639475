/* SPDX-License-Identifier: MIT */
/* Attention as the standard set has it (from version 23); ONNX Runtime's own are in contrib.c. */
#include "config.h"

#include "data/shape/rule.h"

typedef struct {
  int64_t batch, heads, length, head; /* head: elements of one */
} Operand;

/* [batch, heads, length, head], or [batch, length, heads · head] and an attribute for heads. */
static Operand
operand_of(const TnRuleContext *context, uint32_t i, const char *heads)
{
  const TnShapeValue *input = tn_rule_input(context, i);
  int64_t n = tn_rule_int(context, heads, TN_DIM_UNKNOWN);
  if (input && input->rank == 4)
    return (Operand){input->dims[0], input->dims[1], input->dims[2], input->dims[3]};
  if (input && input->rank == 3)
    return (Operand){input->dims[0], n, input->dims[1], tn_dim_quotient(input->dims[2], n)};
  return (Operand){TN_DIM_UNKNOWN, TN_DIM_UNKNOWN, TN_DIM_UNKNOWN, TN_DIM_UNKNOWN};
}

/* `which`: 1 for keys, 2 for values, the number of the input and of the output; the past is three
 * further. */
static int64_t
keep(TnRuleContext *context, uint32_t which, const Operand *operand)
{
  int64_t dims[4] = {operand->batch, operand->heads, operand->length, operand->head};
  return tn_rule_set_present(context, which, tn_rule_dtype(context, which),
                             tn_rule_input(context, which + 3), dims);
}

static void
infer_attention(TnRuleContext *context)
{
  const TnShapeValue *query = tn_rule_ranked(context, 0);
  Operand q = operand_of(context, 0, "q_num_heads"), k = operand_of(context, 1, "kv_num_heads");
  Operand v = operand_of(context, 2, "kv_num_heads");
  int64_t total = keep(context, 1, &k);
  int64_t joined[3] = {q.batch, q.length, tn_dim_product(q.heads, v.head)};
  int64_t apart[4] = {q.batch, q.heads, q.length, v.head};
  int64_t products[4] = {q.batch, q.heads, q.length, total};
  keep(context, 2, &v);
  tn_rule_set_dtype(context, 0, tn_rule_dtype(context, 0));
  tn_rule_set(context, 3, tn_rule_dtype(context, 0), products, 4);
  if (query && query->rank == 3)
    tn_rule_set(context, 0, tn_rule_dtype(context, 0), joined, 3);
  else if (query && query->rank == 4)
    tn_rule_set(context, 0, tn_rule_dtype(context, 0), apart, 4);
}

const TnRule tn_rules_attention[] = {
    {"", "Attention", infer_attention, NULL},
    {NULL, NULL, NULL, NULL},
};
