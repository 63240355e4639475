/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "data/shape/rule.h"

#include <string.h>

/* ---- finding --------------------------------------------------------------------------- */

#define LONGEST_NAME 64 /* of a type or a domain: no rule has a longer one, and hashing takes time */

static const TnRule *const families[] = {
    tn_rules_elementwise, tn_rules_convolution, tn_rules_matrix,    tn_rules_reduce,
    tn_rules_layout,      tn_rules_index,       tn_rules_generator, tn_rules_resize,
    tn_rules_recurrent,   tn_rules_various,     tn_rules_contrib,
    tn_rules_attention,
};

static guint
hash_rule(gconstpointer key)
{
  const TnRule *rule = key;
  return g_str_hash(rule->type) * 31 + g_str_hash(rule->domain);
}

static gboolean
is_same_rule(gconstpointer a, gconstpointer b)
{
  const TnRule *left = a, *right = b;
  return strcmp(left->type, right->type) == 0 && strcmp(left->domain, right->domain) == 0;
}

static GHashTable *
build_index(void)
{
  GHashTable *index = g_hash_table_new(hash_rule, is_same_rule);
  for (gsize i = 0; i < G_N_ELEMENTS(families); i++)
    for (const TnRule *rule = families[i]; rule->type; rule++)
      g_hash_table_add(index, (gpointer)rule);
  return index;
}

const TnRule *
tn_rules_find(const char *domain, const char *type)
{
  static gsize index = 0; /* built once, kept for the program's life */
  if (strnlen(type, LONGEST_NAME + 1) > LONGEST_NAME ||
      strnlen(domain, LONGEST_NAME + 1) > LONGEST_NAME)
    return NULL;
  if (g_once_init_enter(&index))
    g_once_init_leave(&index, (gsize)build_index());
  TnRule key = {strcmp(domain, "ai.onnx") == 0 ? "" : domain, type, NULL, NULL};
  return g_hash_table_lookup((GHashTable *)index, &key);
}

void
tn_rule_apply(const TnRule *rule, TnRuleContext *context)
{
  rule->infer(context);
  if (!rule->evaluate)
    return;
  rule->evaluate(context);
}

/* ---- attributes ------------------------------------------------------------------------ */

const TnAttribute *
tn_rule_attribute(const TnRuleContext *context, const char *name)
{
  for (uint32_t i = 0; i < context->n_attributes; i++)
    if (strcmp(context->attributes[i].name, name) == 0)
      return &context->attributes[i];
  return NULL;
}

int64_t
tn_rule_int(const TnRuleContext *context, const char *name, int64_t fallback)
{
  const TnAttribute *attribute = tn_rule_attribute(context, name);
  return attribute && attribute->type == TN_ATTRIBUTE_INT ? attribute->integer : fallback;
}

const char *
tn_rule_text(const TnRuleContext *context, const char *name, const char *fallback)
{
  const TnAttribute *attribute = tn_rule_attribute(context, name);
  return attribute && attribute->text ? attribute->text : fallback;
}

const int64_t *
tn_rule_ints(const TnRuleContext *context, const char *name, uint32_t *out_n)
{
  const TnAttribute *attribute = tn_rule_attribute(context, name);
  *out_n = attribute ? attribute->n : 0;
  if (!attribute)
    return NULL;
  static const int64_t nothing[1];
  if (attribute->type == TN_ATTRIBUTE_INT) {
    *out_n = 1;
    return &attribute->integer;
  }
  if (attribute->ints)
    return attribute->ints;
  *out_n = 0;
  return nothing;
}

/* ---- inputs and outputs ---------------------------------------------------------------- */

const TnShapeValue *
tn_rule_ranked(TnRuleContext *context, uint32_t i)
{
  const TnShapeValue *input = tn_rule_input(context, i);
  if (!input)
    tn_rule_lose(context, "an input is missing");
  return input && input->rank >= 0 && !input->is_not_tensor ? input : NULL;
}

TnDtype
tn_rule_dtype(const TnRuleContext *context, uint32_t i)
{
  const TnShapeValue *input = tn_rule_input(context, i);
  return input ? input->dtype : TN_DTYPE_UNKNOWN;
}

const int64_t *
tn_rule_list(TnRuleContext *context, const char *name, uint32_t i, uint32_t *out_n,
             bool *out_is_unknown)
{
  const TnShapeValue *input = tn_rule_input(context, i);
  *out_is_unknown = false;
  *out_n = 0;
  if (name && tn_rule_attribute(context, name))
    return tn_rule_ints(context, name, out_n);
  if (!input)
    return NULL;
  if (tn_value_is_known_ints(input)) {
    *out_n = input->n;
    return input->ints;
  }
  *out_is_unknown = true;
  return NULL;
}

void
tn_rule_set(TnRuleContext *context, uint32_t i, TnDtype dtype, const int64_t *dims, int32_t rank)
{
  if (i >= context->n_outputs)
    return;
  context->outputs[i].dtype = dtype;
  tn_value_set_dims(&context->outputs[i], context->arena, dims, rank);
}

void
tn_rule_set_like(TnRuleContext *context, uint32_t i, TnDtype dtype, const TnShapeValue *like)
{
  if (!like || like->rank < 0 || like->is_not_tensor)
    tn_rule_set_dtype(context, i, dtype);
  else
    tn_rule_set(context, i, dtype, like->dims, like->rank);
}

void
tn_rule_set_dtype(TnRuleContext *context, uint32_t i, TnDtype dtype)
{
  if (i < context->n_outputs)
    context->outputs[i].dtype = dtype;
}

int64_t
tn_rule_set_present(TnRuleContext *context, uint32_t i, TnDtype dtype, const TnShapeValue *past,
                    const int64_t *dims)
{
  int64_t total = past ? tn_dim_sum(tn_value_dim(past, 2), dims[2]) : dims[2];
  int64_t present[4] = {dims[0], dims[1], total, dims[3]};
  tn_rule_set(context, i, dtype, present, 4);
  return total;
}

void
tn_rule_lose(TnRuleContext *context, const char *reason)
{
  if (!context->reason)
    context->reason = reason;
}

int32_t
tn_rule_axis(TnRuleContext *context, int64_t axis, int32_t rank)
{
  if (axis >= -rank && axis < rank)
    return (int32_t)(axis < 0 ? axis + rank : axis);
  tn_rule_lose(context, tn_arena_printf(context->arena,
                                        "axis %" G_GINT64_FORMAT " of a tensor of rank %d", axis,
                                        rank));
  return -1;
}

TnDtype
tn_dtype_from_onnx(int64_t code)
{
  static const uint8_t types[] = {
      [1] = TN_DTYPE_FLOAT32,       [2] = TN_DTYPE_UINT8,       [3] = TN_DTYPE_INT8,
      [4] = TN_DTYPE_UINT16,        [5] = TN_DTYPE_INT16,       [6] = TN_DTYPE_INT32,
      [7] = TN_DTYPE_INT64,         [8] = TN_DTYPE_STRING,      [9] = TN_DTYPE_BOOL,
      [10] = TN_DTYPE_FLOAT16,      [11] = TN_DTYPE_FLOAT64,    [12] = TN_DTYPE_UINT32,
      [13] = TN_DTYPE_UINT64,       [14] = TN_DTYPE_COMPLEX64,  [15] = TN_DTYPE_COMPLEX128,
      [16] = TN_DTYPE_BFLOAT16,     [17] = TN_DTYPE_FLOAT8E4M3FN, [18] = TN_DTYPE_FLOAT8E4M3FNUZ,
      [19] = TN_DTYPE_FLOAT8E5M2,   [20] = TN_DTYPE_FLOAT8E5M2FNUZ, [21] = TN_DTYPE_UINT4,
      [22] = TN_DTYPE_INT4,         [23] = TN_DTYPE_FLOAT4E2M1, [24] = TN_DTYPE_FLOAT8E8M0,
      [25] = TN_DTYPE_UINT2,        [26] = TN_DTYPE_INT2,
  };
  return code > 0 && code < (int64_t)G_N_ELEMENTS(types) ? types[code] : TN_DTYPE_UNKNOWN;
}

static bool
join_dim(TnRuleContext *context, int64_t *into, int64_t dim)
{
  if (*into == dim || dim == 1)
    return true;
  if (*into == 1 || (*into < 0 && dim > 1)) {
    *into = dim;
    return true;
  }
  if (*into < 0 || dim < 0) { /* unknown against 0 or a larger one: the known one holds */
    *into = dim < 0 && *into > 1 ? *into : *into < 0 && dim == 0 ? TN_DIM_UNKNOWN : *into;
    return true;
  }
  tn_rule_lose(context, tn_arena_printf(context->arena,
                                        "dimensions %" G_GINT64_FORMAT " and %" G_GINT64_FORMAT
                                        " don't broadcast",
                                        *into, dim));
  return false;
}

bool
tn_rule_broadcast(TnRuleContext *context, int64_t *into, int32_t *rank, const TnShapeValue *from)
{
  if (from->rank > TN_MOST_RANK)
    return false;
  for (; *rank < from->rank; (*rank)++) {
    memmove(into + 1, into, sizeof *into * (gsize)*rank);
    into[0] = 1;
  }
  for (int32_t i = 0; i < from->rank; i++)
    if (!join_dim(context, &into[*rank - from->rank + i], from->dims[i]))
      return false;
  return true;
}
