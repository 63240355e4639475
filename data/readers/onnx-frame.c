/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "data/readers/onnx-frame.h"

#include "data/error.h"
#include "data/hash.h"

#include <string.h>

static const char *
text(const TnOnnxBuilder *builder, uint32_t id)
{
  return tn_strings_get(builder->parser->strings, id);
}

bool
tn_onnx_fail(TnOnnxBuilder *builder, const char *place, const char *found, const char *expected)
{
  if (builder->error && !*builder->error)
    g_set_error(builder->error, TN_DATA_ERROR, TN_DATA_ERROR_MALFORMED,
                "%s: %s: found %s; expected %s", builder->file, place, found, expected);
  return false;
}

static TnOnnxValue *
new_value(TnOnnxBuilder *builder, TnOnnxFrame *frame, uint32_t name)
{
  TnOnnxValue *value = tn_arena_take_n(builder->parser->arena, TnOnnxValue, 1);
  value->name = name;
  if (*frame->prefix) {
    g_autofree char *full = g_strconcat(frame->prefix, text(builder, name), NULL);
    builder->name_bytes += strlen(full);
    value->name = tn_strings_intern(builder->parser->strings, full, -1);
  }
  value->owner = frame->work;
  value->index = frame->work->values->len;
  value->producer = value->lost_node = TN_NONE;
  value->shape.rank = TN_RANK_UNKNOWN;
  g_ptr_array_add(frame->work->values, value);
  return value;
}

TnOnnxValue *
tn_onnx_declare(TnOnnxBuilder *builder, TnOnnxFrame *frame, uint32_t name)
{
  TnOnnxValue *value = g_hash_table_lookup(frame->names, GUINT_TO_POINTER(name));
  if (value)
    return value;
  for (const TnOnnxFrame *outer = frame->parent; outer; outer = outer->parent)
    if (g_hash_table_contains(outer->names, GUINT_TO_POINTER(name)))
      tn_diagnostics_add(builder->diagnostics, "shadowed-name", 1,
                         "a sub-graph uses the name '%s' of a graph outside for a value of its "
                         "own; inside it means the inner one",
                         text(builder, name));
  value = new_value(builder, frame, name);
  g_hash_table_insert(frame->names, GUINT_TO_POINTER(name), value);
  return value;
}

static void
capture(const TnOnnxFrame *frame, TnOnnxValue *value)
{
  for (; frame && frame->work != value->owner; frame = frame->parent)
    if (g_hash_table_add(frame->work->captured_set, value))
      g_ptr_array_add(frame->work->captured, value);
}

bool
tn_onnx_resolve(TnOnnxFrame *frame, uint32_t name, TnOnnxValue **out_value)
{
  for (TnOnnxFrame *at = frame; at; at = at->parent) {
    gpointer found;
    if (!g_hash_table_lookup_extended(at->names, GUINT_TO_POINTER(name), NULL, &found))
      continue;
    *out_value = found;
    if (found)
      capture(frame, found);
    return true;
  }
  return false;
}

/* ---- functions and operator sets by name ------------------------------------------------- */

static uint64_t
pair_key(uint32_t high, uint32_t low)
{
  return (uint64_t)high << 32 | low;
}

/* `function`: 1 + its row; 0: the model's own sets. */
static void
index_opsets(TnOnnxBuilder *builder, uint32_t function, TnOnnxOpset *opsets, uint32_t n)
{
  for (uint32_t i = 0; i < n; i++) {
    opsets[i].key = pair_key(function, opsets[i].domain);
    if (!g_hash_table_contains(builder->opsets, &opsets[i].key))
      g_hash_table_insert(builder->opsets, &opsets[i].key, &opsets[i]);
  }
}

static guint
hash_function(gconstpointer key)
{
  const TnOnnxFunction *function = key;
  uint64_t name = pair_key(function->domain, function->name);
  uint64_t whole = pair_key(tn_int64_hash(&name), function->overload);
  return tn_int64_hash(&whole);
}

static gboolean
is_same_function(gconstpointer a, gconstpointer b)
{
  const TnOnnxFunction *left = a, *right = b;
  return left->domain == right->domain && left->name == right->name &&
         left->overload == right->overload;
}

void
tn_onnx_index_model(TnOnnxBuilder *builder)
{
  const TnOnnxModel *model = builder->model;
  builder->functions = g_hash_table_new(hash_function, is_same_function);
  builder->opsets = g_hash_table_new(tn_int64_hash, g_int64_equal);
  index_opsets(builder, 0, model->opsets, model->n_opsets);
  for (uint32_t i = 0; i < model->n_functions; i++) {
    TnOnnxFunction *function = &model->functions[i];
    index_opsets(builder, i + 1, function->opsets, function->n_opsets);
    if (!g_hash_table_contains(builder->functions, function))
      g_hash_table_add(builder->functions, function);
  }
}

void
tn_onnx_clear_index(TnOnnxBuilder *builder)
{
  g_clear_pointer(&builder->functions, g_hash_table_unref);
  g_clear_pointer(&builder->opsets, g_hash_table_unref);
}

const TnOnnxFunction *
tn_onnx_find_function(const TnOnnxBuilder *builder, const TnOnnxNode *node)
{
  TnOnnxFunction key = {.name = node->type, .domain = node->domain, .overload = node->overload};
  return g_hash_table_lookup(builder->functions, &key);
}

int64_t
tn_onnx_version(const TnOnnxBuilder *builder, const TnOnnxFrame *frame, uint32_t domain)
{
  const TnOnnxModel *model = builder->model;
  uint32_t n = model->n_opsets, function = 0;
  for (; frame && function == 0; frame = frame->parent)
    if (frame->function && frame->function->n_opsets) {
      n = frame->function->n_opsets;
      function = 1 + (uint32_t)(frame->function - model->functions);
    }
  uint64_t key = pair_key(function, domain);
  const TnOnnxOpset *opset = g_hash_table_lookup(builder->opsets, &key);
  return opset ? opset->version : n == 0 ? 1 : 17; /* old files name none; others forgot one */
}

/* ---- attributes ------------------------------------------------------------------------ */

static const TnAttribute *
find_argument(const TnOnnxFrame *call, const char *name)
{
  return call ? g_hash_table_lookup(call->arguments, name) : NULL;
}

/* Few nodes stand for others: the rest may share the file's list. */
static bool
has_own_attributes(const TnOnnxNode *node)
{
  for (uint32_t i = 0; i < node->n_attributes; i++)
    if (node->attributes[i].graph ||
        (node->attributes[i].reference && *node->attributes[i].reference))
      return true;
  return false;
}

void
tn_onnx_set_attributes(TnOnnxBuilder *builder, TnOnnxFrame *frame, const TnOnnxNode *node, TnOnnxWorkNode *row)
{
  if (!has_own_attributes(node)) {
    row->attributes = node->attributes;
    row->n_attributes = node->n_attributes;
    return;
  }
  TnAttribute *attributes = tn_arena_take_n(builder->parser->arena, TnAttribute,
                                            node->n_attributes);
  for (uint32_t i = 0; i < node->n_attributes; i++) {
    const TnAttribute *attribute = &node->attributes[i];
    if (attribute->reference && *attribute->reference) {
      const TnAttribute *argument = find_argument(frame->call, attribute->reference);
      if (!argument)
        continue;
      attributes[row->n_attributes] = *argument;
      attributes[row->n_attributes++].name = attribute->name;
    } else {
      attributes[row->n_attributes] = *attribute;
      attributes[row->n_attributes++].scope = frame->call;
    }
  }
  row->attributes = attributes;
}
