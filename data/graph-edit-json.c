/* SPDX-License-Identifier: MIT */
/* Lists of edits as documents. */
#include "config.h"

#include "data/graph-edit.h"

#include "data/readers/graph-json-values.h"
#include "data/source.h"

#include <string.h>

static const char *const kind_names[TN_N_EDITS] = {
    [TN_EDIT_FUSE] = "fuse", [TN_EDIT_IN_PLACE] = "in-place", [TN_EDIT_VIEW] = "view",
    [TN_EDIT_TENSOR] = "tensor", [TN_EDIT_PIN] = "pin", [TN_EDIT_RELEASE] = "release",
    [TN_EDIT_SPLIT] = "split"};

static bool
read_kind(TnGraphJson *json, const cJSON *row, const char *place, TnEditKind *out_kind)
{
  const char *name = tn_graph_json_get_text(json, row, place, "edit", "");
  for (int i = 0; i < TN_N_EDITS; i++)
    if (strcmp(name, kind_names[i]) == 0) {
      *out_kind = (TnEditKind)i;
      return true;
    }
  g_autofree char *found = g_strdup_printf("edit '%.40s'", name);
  return tn_graph_json_fail(json, place, found, "fuse, in-place, view, tensor, pin, release or split");
}

/* "ops": [names], or "op": a name. */
static bool
read_ops(TnGraphJson *json, const cJSON *row, const char *place, TnGraphEdit *edit)
{
  const cJSON *list = tn_graph_json_get_array(json, row, place, "ops"), *value;
  const char *one = tn_graph_json_get_text(json, row, place, "op", NULL);
  GPtrArray *ops = g_ptr_array_new();
  bool is_good = !json->has_failed;
  cJSON_ArrayForEach(value, list)
  {
    g_autofree char *found = tn_graph_json_build_found(value);
    if (!cJSON_IsString(value))
      is_good = tn_graph_json_fail(json, place, found, "names of ops");
    else
      g_ptr_array_add(ops, g_strdup(value->valuestring));
  }
  if (one)
    g_ptr_array_add(ops, g_strdup(one));
  g_ptr_array_add(ops, NULL);
  edit->ops = (char **)g_ptr_array_free(ops, FALSE);
  return is_good;
}

static TnGraphEdit *
read_edit(TnGraphJson *json, const cJSON *row, uint32_t i)
{
  g_autofree char *place = g_strdup_printf("edits[%u]", i);
  g_autoptr(TnGraphEdit) edit = g_new0(TnGraphEdit, 1);
  int64_t tasks = 0;
  edit->bytes = TN_BYTES_UNKNOWN;
  if (!read_kind(json, row, place, &edit->kind) || !read_ops(json, row, place, edit))
    return NULL;
  edit->tensor = g_strdup(tn_graph_json_get_text(json, row, place, "tensor", NULL));
  edit->input = g_strdup(tn_graph_json_get_text(json, row, place, "input", NULL));
  edit->dtype = g_strdup(tn_graph_json_get_text(json, row, place, "dtype", NULL));
  if (!tn_graph_json_get_int(json, row, place, "bytes", 0, G_MAXINT64, &edit->bytes) ||
      !tn_graph_json_get_int(json, row, place, "alignment", 1, 1 << 30, &edit->alignment) ||
      !tn_graph_json_get_int(json, row, place, "tasks", 2, 1024, &tasks) || json->has_failed)
    return NULL;
  edit->tasks = (uint32_t)tasks;
  return g_steal_pointer(&edit);
}

static GPtrArray *
read_list(TnGraphJson *json, const cJSON *root)
{
  const char *format = tn_graph_json_get_text(json, root, "the document", "format", "");
  const cJSON *list = tn_graph_json_get_array(json, root, "the document", "edits"), *row;
  g_autoptr(GPtrArray) edits = g_ptr_array_new_with_free_func((GDestroyNotify)tn_graph_edit_free);
  int64_t version = 0;
  if (strcmp(format, "tenure-edits") != 0) {
    tn_graph_json_fail(json, "format", *format ? format : "nothing", "\"tenure-edits\"");
    return NULL;
  }
  if (!tn_graph_json_get_int(json, root, "the document", "version", 1, 1, &version))
    return NULL;
  if (version != 1 || !list) {
    tn_graph_json_fail(json, list ? "version" : "edits", "nothing", list ? "1" : "an array");
    return NULL;
  }
  cJSON_ArrayForEach(row, list)
  {
    TnGraphEdit *edit = read_edit(json, row, edits->len);
    if (!edit)
      return NULL;
    g_ptr_array_add(edits, edit);
  }
  return g_steal_pointer(&edits);
}

GPtrArray *
tn_graph_edits_parse(const char *name, const char *text, gsize size, GError **error)
{
  TnGraphJson json = {name, error, false};
  cJSON *root = tn_graph_json_parse(&json, text, size);
  GPtrArray *edits = root ? read_list(&json, root) : NULL;
  cJSON_Delete(root);
  return edits;
}

GPtrArray *
tn_graph_edits_load(const char *path, GError **error)
{
  g_autoptr(TnSource) source = tn_source_new(path, 0, error);
  if (!source)
    return NULL;
  return tn_graph_edits_parse(source->name, (const char *)source->data, source->size, error);
}

static void
add_text(cJSON *row, const char *key, const char *text)
{
  if (text)
    cJSON_AddStringToObject(row, key, text);
}

static void
add_bytes(cJSON *row, const char *key, tn_bytes bytes)
{
  char text[32];
  g_snprintf(text, sizeof text, "%" G_GINT64_FORMAT, bytes);
  if (bytes < 9007199254740992)
    cJSON_AddRawToObject(row, key, text);
  else
    cJSON_AddStringToObject(row, key, text);
}

char *
tn_graph_edits_build_json(const GPtrArray *edits)
{
  cJSON *root = cJSON_CreateObject();
  cJSON_AddStringToObject(root, "format", "tenure-edits");
  cJSON_AddNumberToObject(root, "version", 1);
  cJSON *list = cJSON_AddArrayToObject(root, "edits");
  for (guint i = 0; i < edits->len; i++) {
    const TnGraphEdit *edit = edits->pdata[i];
    cJSON *row = cJSON_CreateObject();
    cJSON_AddStringToObject(row, "edit", kind_names[edit->kind]);
    if (edit->ops && edit->ops[0])
      cJSON_AddItemToObject(row, "ops",
                            cJSON_CreateStringArray((const char *const *)edit->ops,
                                                    (int)g_strv_length(edit->ops)));
    add_text(row, "tensor", edit->tensor);
    add_text(row, "input", edit->input);
    add_text(row, "dtype", edit->dtype);
    if (edit->bytes != TN_BYTES_UNKNOWN)
      add_bytes(row, "bytes", edit->bytes);
    if (edit->alignment > 0)
      add_bytes(row, "alignment", edit->alignment);
    if (edit->tasks > 0)
      add_bytes(row, "tasks", edit->tasks);
    cJSON_AddItemToArray(list, row);
  }
  char *printed = cJSON_Print(root), *text = g_strdup(printed);
  cJSON_free(printed);
  cJSON_Delete(root);
  return text;
}
