/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/answer/json.h"

cJSON *
tn_json_new_integer(int64_t value)
{
  if (value < (int64_t)1 << 53 && value > -((int64_t)1 << 53))
    return cJSON_CreateNumber((double)value);
  char text[32];
  g_snprintf(text, sizeof text, "%" G_GINT64_FORMAT, value);
  return cJSON_CreateString(text);
}

void
tn_json_add_integer(cJSON *object, const char *key, int64_t value)
{
  cJSON_AddItemToObject(object, key, tn_json_new_integer(value));
}

void
tn_json_add_bytes(cJSON *object, const char *key, tn_bytes value)
{
  if (value < 0)
    cJSON_AddNullToObject(object, key);
  else
    tn_json_add_integer(object, key, value);
}

void
tn_json_append_warnings(cJSON *list,
                        const TnDiagnostics *diagnostics,
                        const char *key,
                        const char *whose)
{
  for (uint32_t i = 0; i < tn_diagnostics_length(diagnostics); i++) {
    const TnWarning *warning = tn_diagnostics_get(diagnostics, i);
    cJSON *row = cJSON_CreateObject();
    cJSON_AddStringToObject(row, "code", warning->code);
    tn_json_add_integer(row, "count", warning->count);
    cJSON_AddStringToObject(row, "message", warning->message);
    if (whose)
      cJSON_AddStringToObject(row, key, whose);
    cJSON_AddItemToArray(list, row);
  }
}

void
tn_json_add_warnings(cJSON *object, const TnDiagnostics *diagnostics)
{
  tn_json_append_warnings(cJSON_AddArrayToObject(object, "warnings"), diagnostics, NULL, NULL);
}

char *
tn_json_dup_text(const cJSON *object, bool is_line)
{
  char *text = is_line ? cJSON_PrintUnformatted(object) : cJSON_Print(object);
  if (!text || g_utf8_validate(text, -1, NULL))
    return text; /* cJSON's memory and GLib's are both malloc()'s */
  char *valid = g_utf8_make_valid(text, -1);
  cJSON_free(text);
  return valid;
}

int64_t
tn_answer_op_id(const TnGraph *graph, uint32_t op)
{
  int64_t id = tn_graph_op(graph, op)->file_id;
  return id >= 0 ? id : op;
}
