/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "data/readers/onnx-infer.h"

#include <string.h>

static const char *
text(const TnOnnxInference *inference, uint32_t id)
{
  return tn_strings_get(inference->builder->parser->strings, id);
}

/* ---- bindings -------------------------------------------------------------------------- */

static const char *
look_up(TnOnnxInference *inference, GHashTable *table, const char *key)
{
  gpointer original, value;
  if (!table || !g_hash_table_lookup_extended(table, key, &original, &value))
    return NULL;
  g_hash_table_add(inference->used, original);
  return value;
}

static int64_t
bound(TnOnnxInference *inference, const char *key)
{
  const char *value = look_up(inference, inference->options->bindings, key);
  int64_t dim;
  if (!value)
    return TN_DIM_UNKNOWN;
  if (g_ascii_string_to_signed(value, 10, 0, G_MAXINT32, &dim, NULL))
    return dim;
  tn_diagnostics_add(inference->builder->diagnostics, "binding-refused", 1,
                     "the binding %s=%s is no whole number from 0 to 2147483647; it is left out",
                     key, value);
  return TN_DIM_UNKNOWN;
}

int64_t
tn_onnx_bound_param(TnOnnxInference *inference, uint32_t param)
{
  const char *name = text(inference, param);
  if (*name == '\0' || strcmp(name, "?") == 0) /* each "?" is another dimension */
    return TN_DIM_UNKNOWN;
  return bound(inference, name);
}

/* `info`: of the graph's inputs, whose dimensions the value has; what else declares the name may state others. */
static void
bind_dims(TnOnnxInference *inference, TnOnnxValue *value, const TnOnnxValueInfo *info)
{
  for (int32_t i = 0; i < value->shape.rank; i++) {
    g_autofree char *key = g_strdup_printf("%s[%d]", text(inference, value->name), i);
    int64_t own = bound(inference, key);
    if (value->shape.dims[i] >= 0) {
      if (own >= 0 && own != value->shape.dims[i])
        tn_diagnostics_add(inference->builder->diagnostics, "binding-fixed", 1,
                           "%s is %" G_GINT64_FORMAT " in the file; the binding to %" G_GINT64_FORMAT
                           " is left out",
                           key, value->shape.dims[i], own);
      continue;
    }
    value->shape.dims[i] = own >= 0 ? own : tn_onnx_bound_param(inference, info->params[i]);
    if (value->shape.dims[i] < 0)
      value->lost_why = tn_arena_printf(inference->builder->parser->arena,
                                        "dimension %.200s[%d] of an input is free%s%.200s",
                                        text(inference, value->name), i,
                                        info->params[i] ? ", named " : "",
                                        text(inference, info->params[i]));
  }
}

/* "16000" or "2,3,4": as many numbers as the input has elements. */
static void
give_value(TnOnnxInference *inference, TnOnnxValue *value)
{
  const char *given = look_up(inference, inference->options->values, text(inference, value->name));
  if (!given)
    return;
  TnArena *arena = inference->builder->parser->arena;
  g_auto(GStrv) numbers = g_strsplit(given, ",", -1);
  int64_t n = g_strv_length(numbers);
  if (value->shape.rank == TN_RANK_UNKNOWN || (value->shape.rank == 1 && value->shape.dims[0] < 0))
    tn_value_set_dims(&value->shape, arena, &n, value->shape.rank < 0 && n == 1 ? 0 : 1);
  if (tn_value_elements(&value->shape) == n && tn_value_add_content(&value->shape, arena)) {
    for (uint32_t i = 0; i < n; i++) {
      double real = g_ascii_strtod(numbers[i], NULL);
      tn_value_put(&value->shape, i, g_ascii_strtoll(numbers[i], NULL, 10), real);
    }
    return;
  }
  tn_diagnostics_add(inference->builder->diagnostics, "value-refused", 1,
                     "the value given for '%s' has %" G_GINT64_FORMAT " numbers, the input %s; it "
                     "is left out",
                     text(inference, value->name), n, "another count");
}

void
tn_onnx_bind_inputs(TnOnnxInference *inference, TnOnnxWork *work)
{
  TnArena *arena = inference->builder->parser->arena;
  for (uint32_t i = 0; i < work->graph->n_inputs; i++) {
    TnOnnxValue *value = work->inputs[i];
    const TnShapeValue *declared = &work->graph->inputs[i].value;
    if (!value->is_input)
      continue;
    value->shape = *declared;
    value->shape.has_content = false;
    if (declared->rank >= 0)
      tn_value_set_dims(&value->shape, arena, declared->dims, declared->rank);
    else
      value->lost_why = "the file states no shape of an input";
    bind_dims(inference, value, &work->graph->inputs[i]);
    give_value(inference, value);
    if (!value->lost_why && tn_value_bytes(&value->shape) == TN_BYTES_UNKNOWN)
      value->lost_why = tn_value_unsized_reason(&value->shape);
  }
}

static void
warn_unused(TnOnnxInference *inference, GHashTable *table, const char *what)
{
  GHashTableIter iter;
  gpointer key, value;
  if (!table)
    return;
  g_hash_table_iter_init(&iter, table);
  while (g_hash_table_iter_next(&iter, &key, &value))
    if (!g_hash_table_contains(inference->used, key))
      tn_diagnostics_add(inference->builder->diagnostics, "binding-unused", 1,
                         "the %s %s=%s names nothing that this graph's inputs have", what,
                         (const char *)key, (const char *)value);
}

void
tn_onnx_warn_unused(TnOnnxInference *inference)
{
  warn_unused(inference, inference->options->bindings, "binding");
  warn_unused(inference, inference->options->values, "value");
}

/* ---- what the file states -------------------------------------------------------------- */

static void
warn_differing(TnOnnxInference *inference, const TnOnnxValue *value)
{
  if (!inference->is_dead)
    tn_diagnostics_add(inference->builder->diagnostics, "stated-shape-differs", 1,
                       "the file states a shape for '%s' that its node can't have; the computed "
                       "one is used",
                       text(inference, value->name));
}

static void
fill_dims(TnOnnxInference *inference, TnOnnxValue *value)
{
  const TnOnnxValueInfo *info = value->declared;
  bool is_different = false;
  for (int32_t i = 0; i < value->shape.rank; i++) {
    int64_t stated = info->value.dims[i];
    if (stated < 0)
      stated = tn_onnx_bound_param(inference, info->params[i]);
    if (value->shape.dims[i] < 0)
      value->shape.dims[i] = stated;
    is_different = is_different || (stated >= 0 && value->shape.dims[i] != stated);
  }
  if (is_different)
    warn_differing(inference, value);
}

/* What inference does not know, the file may state. */
static void
merge_declared(TnOnnxInference *inference, TnOnnxValue *value)
{
  const TnOnnxValueInfo *info = value->declared;
  if (!info || inference->options->is_inference_only)
    return;
  value->shape.is_not_tensor = value->shape.is_not_tensor || info->value.is_not_tensor;
  if (value->shape.dtype == TN_DTYPE_UNKNOWN)
    value->shape.dtype = info->value.dtype;
  if (info->value.rank < 0)
    return;
  if (value->shape.rank < 0)
    tn_value_set_dims(&value->shape, inference->builder->parser->arena, NULL, info->value.rank);
  if (value->shape.rank == info->value.rank)
    fill_dims(inference, value);
  else
    warn_differing(inference, value);
}

/* ---- one node -------------------------------------------------------------------------- */

static bool
is_lost(const TnOnnxValue *value)
{
  return tn_value_bytes(&value->shape) == TN_BYTES_UNKNOWN;
}

/* The first node that lost a shape is the one to name, not the many that follow. */
static void
note_loss(TnOnnxWorkNode *node, uint32_t index, TnOnnxValue *output, const char *reason)
{
  output->lost_node = TN_NONE;
  output->lost_why = NULL;
  if (!is_lost(output))
    return;
  for (uint32_t i = 0; i < node->n_inputs; i++) {
    const TnOnnxValue *input = node->inputs[i];
    if (input && is_lost(input) && input->lost_why && input->owner == output->owner) {
      output->lost_node = input->lost_node;
      output->lost_why = input->lost_why;
      return;
    }
  }
  output->lost_node = index;
  output->lost_why =
      reason && !tn_value_is_full(&output->shape) ? reason : tn_value_unsized_reason(&output->shape);
}

static bool
is_random(const char *type)
{
  return g_str_has_prefix(type, "Random") || strcmp(type, "Bernoulli") == 0 ||
         strcmp(type, "Multinomial") == 0 || strcmp(type, "Dropout") == 0;
}

/* A node whose inputs are all known before the run makes a constant.  Dequantised weights are not
 * kept so: runtimes hold them quantised. */
static bool
is_foldable(const TnOnnxInference *inference, const TnOnnxWorkNode *node)
{
  const char *type = text(inference, node->type);
  if (node->n_bodies > 0 || is_random(type) || strcmp(type, "DequantizeLinear") == 0)
    return false;
  if (node->n_inputs == 0)
    return strcmp(type, "Constant") == 0;
  for (uint32_t i = 0; i < node->n_inputs; i++)
    if (node->inputs[i] && !node->inputs[i]->is_constant)
      return false;
  return true;
}

static void
apply_rule(TnOnnxInference *inference, TnOnnxWorkNode *node, TnRuleContext *context)
{
  const TnRule *rule = tn_rules_find(text(inference, node->domain), context->type);
  if (node->n_bodies > 0 && tn_onnx_infer_control(inference, node, context))
    return;
  if (rule) {
    tn_rule_apply(rule, context);
    return;
  }
  context->reason = tn_arena_printf(inference->builder->parser->arena,
                                    "operator %.200s%s%.200s is not known", text(inference, node->domain),
                                    node->domain ? "::" : "", context->type);
}

static void
infer_node(TnOnnxInference *inference, TnOnnxWork *work, uint32_t index)
{
  TnOnnxWorkNode *node = tn_onnx_node(work, index);
  TnArena *arena = inference->builder->parser->arena;
  const TnShapeValue **inputs = tn_arena_take_n(arena, const TnShapeValue *, node->n_inputs);
  TnShapeValue *outputs = tn_arena_take_n(arena, TnShapeValue, node->n_outputs);
  for (uint32_t i = 0; i < node->n_inputs; i++)
    inputs[i] = node->inputs[i] ? &node->inputs[i]->shape : NULL;
  for (uint32_t i = 0; i < node->n_outputs; i++)
    outputs[i].rank = TN_RANK_UNKNOWN;
  TnRuleContext context = {.type = text(inference, node->type),
                           .version = node->version,
                           .attributes = node->attributes,
                           .n_attributes = node->n_attributes,
                           .inputs = inputs,
                           .n_inputs = node->n_inputs,
                           .outputs = outputs,
                           .n_outputs = node->n_outputs,
                           .arena = arena};
  apply_rule(inference, node, &context);
  node->is_folded = is_foldable(inference, node);
  for (uint32_t i = 0; i < node->n_outputs; i++) {
    TnOnnxValue *value = node->outputs[i];
    if (!value)
      continue;
    value->shape = outputs[i];
    value->is_constant = node->is_folded;
    merge_declared(inference, value);
    note_loss(node, index, value, context.reason);
  }
}

void
tn_onnx_infer(TnOnnxInference *inference, TnOnnxWork *work)
{
  TnOnnxParser *parser = inference->builder->parser;
  for (guint i = 0; i < work->order->len && !tn_onnx_is_stopped(parser); i++)
    infer_node(inference, work, g_array_index(work->order, uint32_t, i));
}
