/* SPDX-License-Identifier: MIT */
/* ge_onnx_*.pbtxt: what an op of ge_proto has in fields is in attributes here, those of its tensors
 * with the tensor's number behind a colon ("output_desc_size:0"). */
#include "config.h"

#include "data/readers/ge-graph.h"

#include "data/error.h"
#include "data/json.h"

#include <string.h>

static int64_t
first_number(const TnGeValue *value)
{
  return value->numbers->len ? g_array_index(value->numbers, int64_t, 0) : 0;
}

static void
set_desc_field(TnGeModel *model, TnGeDesc *desc, const char *field, const TnGeValue *value)
{
  if (g_str_has_prefix(field, "size")) {
    desc->bytes = first_number(value);
  } else if (g_str_has_prefix(field, "dtype") && value->text) {
    desc->dtype = tn_ge_dtype(value->text);
  } else if (g_str_has_prefix(field, "reuse_input_index")) {
    desc->reused = first_number(value);
  } else if (g_str_has_prefix(field, "reuse_input")) {
    desc->reuses_input = first_number(value) != 0;
  } else if (g_str_has_prefix(field, "attr__parent_node_index")) {
    desc->parent = first_number(value);
  } else if (g_str_has_prefix(field, "shape")) {
    desc->first_dim = model->dims->len;
    desc->rank = value->numbers->len;
    g_array_append_vals(model->dims, value->numbers->data, value->numbers->len);
  }
}

static void
read_json_field(TnGeModel *model, TnGeDesc *desc, TnJson *json, const char *key, TnGeValue *value)
{
  int64_t number;
  const char *word;
  tn_ge_value_reset(value);
  if (tn_json_peek(json) == TN_JSON_STRING) {
    if (tn_json_read_string(json, &word))
      value->text = g_strdup(word);
  } else if (tn_json_peek(json) == TN_JSON_NUMBER) {
    if (tn_json_read_int(json, &number))
      g_array_append_val(value->numbers, number);
  } else if (tn_json_peek(json) == TN_JSON_ARRAY && tn_json_begin_array(json)) {
    while (tn_json_next_item(json))
      if (tn_json_peek(json) != TN_JSON_NUMBER)
        tn_json_skip(json);
      else if (tn_json_read_int(json, &number))
        g_array_append_val(value->numbers, number);
  } else {
    tn_json_skip(json);
  }
  if (!tn_json_has_failed(json))
    set_desc_field(model, desc, key, value);
}

/* Ops with 20 tensors or more have each description as one text in JSON. */
static void
set_desc_json(TnGeModel *model, TnGeDesc *desc, const char *text)
{
  TnJson json;
  const char *key;
  g_autoptr(GError) error = NULL;
  TnGeValue value = {g_array_new(FALSE, FALSE, sizeof(int64_t)), NULL};
  tn_json_init(&json, "a description", text, strlen(text), &error);
  if (tn_json_begin_object(&json))
    while (tn_json_next_key(&json, &key)) {
      g_autofree char *field = g_strdup(key);
      read_json_field(model, desc, &json, field, &value);
    }
  model->n_bad += tn_json_has_failed(&json);
  tn_json_clear(&json);
  tn_ge_value_reset(&value);
  g_array_unref(value.numbers);
}

/* "output_desc_size:0", "output_desc_0". */
static void
set_desc(TnGeModel *model, GArray *descs, const char *field, const TnGeValue *value)
{
  const char *colon = strrchr(field, ':');
  bool is_json = g_ascii_isdigit(field[0]) && value->text;
  int64_t row = is_json ? g_ascii_strtoll(field, NULL, 10)
                : colon ? g_ascii_strtoll(colon + 1, NULL, 10)
                        : -1;
  TnGeDesc *desc = tn_ge_desc(model, descs, row);
  if (desc && is_json)
    set_desc_json(model, desc, value->text);
  else if (desc)
    set_desc_field(model, desc, field, value);
}

static void
set_attribute(TnGeModel *model, TnGeOp *op, const char *name, const TnGeValue *value)
{
  if (strcmp(name, "id") == 0)
    op->id = first_number(value);
  else if (strcmp(name, "stream_id") == 0)
    op->stream = first_number(value);
  else if (g_str_has_prefix(name, "output_desc_"))
    set_desc(model, op->outputs, name + strlen("output_desc_"), value);
  else if (g_str_has_prefix(name, "input_desc_"))
    set_desc(model, op->inputs, name + strlen("input_desc_"), value);
  else
    tn_ge_op_set(model, op, name, value);
}

static bool
read_attribute(TnGeModel *model, TnTextProto *text, TnGeOp *op, TnGeValue *value)
{
  TnTextProtoEvent event;
  g_autofree char *name = NULL;
  tn_ge_value_reset(value);
  while ((event = tn_text_proto_next(text)) != TN_TEXT_PROTO_CLOSE) {
    if (event == TN_TEXT_PROTO_END || event == TN_TEXT_PROTO_BAD ||
        (event == TN_TEXT_PROTO_OPEN && !tn_text_proto_skip(text)))
      return false;
    if (event != TN_TEXT_PROTO_VALUE)
      continue;
    if (tn_text_proto_is(text, "name")) {
      g_free(name);
      name = tn_text_proto_dup_string(text);
    } else if (tn_text_proto_is(text, "i") || tn_text_proto_is(text, "ints") ||
               tn_text_proto_is(text, "s") || tn_text_proto_is(text, "strings")) {
      tn_ge_value_add(model, value, text);
    }
  }
  if (name)
    set_attribute(model, op, name, value);
  return true;
}

static void
set_node(TnGeModel *model, const TnTextProto *text, TnGeOp *op)
{
  g_autofree char *word = tn_text_proto_dup_string(text);
  TnStrings *strings = model->document->strings;
  if (tn_text_proto_is(text, "name"))
    op->name = tn_strings_intern(strings, word, -1);
  else if (tn_text_proto_is(text, "op_type"))
    op->type = tn_strings_intern(strings, g_str_has_prefix(word, "ge:") ? word + 3 : word, -1);
  else if (tn_text_proto_is(text, "input"))
    tn_ge_op_add_source(model, op, word);
}

static bool
read_node(TnGeModel *model, TnTextProto *text, TnGeValue *value)
{
  TnTextProtoEvent event;
  TnGeOp *op = tn_ge_model_add(model, text);
  if (!op)
    return false;
  while ((event = tn_text_proto_next(text)) != TN_TEXT_PROTO_CLOSE) {
    bool is_good = event == TN_TEXT_PROTO_VALUE;
    if (is_good && text->is_string)
      set_node(model, text, op);
    else if (event == TN_TEXT_PROTO_OPEN)
      is_good = tn_text_proto_is(text, "attribute") ? read_attribute(model, text, op, value)
                                                    : tn_text_proto_skip(text);
    if (!is_good)
      return false;
  }
  return true;
}

static bool
read_graph(TnGeModel *model, TnTextProto *text, TnGeValue *value)
{
  TnTextProtoEvent event;
  guint first = model->ops->len;
  uint32_t name = 0;
  while ((event = tn_text_proto_next(text)) != TN_TEXT_PROTO_CLOSE) {
    if (event == TN_TEXT_PROTO_END || event == TN_TEXT_PROTO_BAD)
      return false;
    if (event == TN_TEXT_PROTO_VALUE && tn_text_proto_is(text, "name")) {
      g_autofree char *word = tn_text_proto_dup_string(text);
      name = tn_strings_intern(model->document->strings, word, -1);
    }
    if (event == TN_TEXT_PROTO_OPEN &&
        !(tn_text_proto_is(text, "node") ? read_node(model, text, value)
                                         : tn_text_proto_skip(text)))
      return false;
  }
  model->name = model->name ? model->name : name;
  for (guint i = first; i < model->ops->len; i++)
    ((TnGeOp *)g_ptr_array_index(model->ops, i))->graph = name;
  return true;
}

bool
tn_ge_read_onnx(TnGeModel *model, TnTextProto *text)
{
  TnTextProtoEvent event;
  bool is_good = true;
  TnGeValue value = {g_array_new(FALSE, FALSE, sizeof(int64_t)), NULL};
  while (is_good && (event = tn_text_proto_next(text)) != TN_TEXT_PROTO_END) {
    is_good = event == TN_TEXT_PROTO_VALUE;
    if (event == TN_TEXT_PROTO_OPEN)
      is_good = tn_text_proto_is(text, "graph") ? read_graph(model, text, &value)
                                                : tn_text_proto_skip(text);
  }
  tn_ge_value_reset(&value);
  g_array_unref(value.numbers);
  return is_good;
}
