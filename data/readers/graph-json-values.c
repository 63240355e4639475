/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "data/readers/graph-json-values.h"

#include "data/error.h"

#include <math.h>
#include <string.h>

#define EXACT_LIMIT 9007199254740992.0 /* 2^53: from here on a double may stand for a neighbour */

static void
find_line(const char *data, gsize at, unsigned *out_line, unsigned *out_column)
{
  *out_line = *out_column = 1;
  for (gsize i = 0; i < at; i++) {
    *out_column = data[i] == '\n' ? 1 : *out_column + 1;
    *out_line += data[i] == '\n';
  }
}

cJSON *
tn_graph_json_parse(TnGraphJson *json, const void *data, gsize size)
{
  const char *end = NULL;
  cJSON *root = cJSON_ParseWithLengthOpts(data, size, &end, 0);
  if (root)
    return root;
  gsize at = end ? MIN((gsize)(end - (const char *)data), size) : 0;
  unsigned line, column;
  find_line(data, at, &line, &column);
  json->has_failed = true;
  g_set_error(json->error, TN_DATA_ERROR,
              at >= size ? TN_DATA_ERROR_TRUNCATED : TN_DATA_ERROR_MALFORMED,
              at >= size ? "%s:%u:%u: found the end of the file; expected the rest of a JSON value"
                         : "%s:%u:%u: found something that is no JSON; expected a value",
              json->file, line, column);
  return NULL;
}

bool
tn_graph_json_fail(TnGraphJson *json, const char *place, const char *found, const char *format, ...)
{
  if (json->has_failed)
    return false;
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *expected = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  json->has_failed = true;
  g_set_error(json->error, TN_DATA_ERROR, TN_DATA_ERROR_MALFORMED, "%s: %s: found %s; expected %s",
              json->file, place, found, expected);
  return false;
}

char *
tn_graph_json_build_found(const cJSON *value)
{
  if (!value)
    return g_strdup("nothing");
  if (cJSON_IsNumber(value))
    return g_strdup_printf("%.17g", value->valuedouble);
  if (cJSON_IsString(value))
    return g_strdup_printf("the text '%.60s'", value->valuestring);
  return g_strdup(cJSON_IsArray(value)    ? "an array"
                  : cJSON_IsObject(value) ? "an object"
                  : cJSON_IsBool(value)   ? "true or false"
                                          : "null");
}

static bool
whole_number(const cJSON *value, int64_t *out)
{
  if (cJSON_IsString(value))
    return g_ascii_string_to_signed(value->valuestring, 10, G_MININT64, G_MAXINT64, out, NULL);
  if (!cJSON_IsNumber(value) || !(fabs(value->valuedouble) < EXACT_LIMIT) ||
      floor(value->valuedouble) != value->valuedouble)
    return false;
  *out = (int64_t)value->valuedouble;
  return true;
}

bool
tn_graph_json_int(TnGraphJson *json, const cJSON *value, const char *place, int64_t least, int64_t most,
            int64_t *out)
{
  int64_t number;
  if (whole_number(value, &number) && number >= least && number <= most) {
    *out = number;
    return true;
  }
  g_autofree char *found = tn_graph_json_build_found(value);
  if (most == G_MAXINT64)
    return tn_graph_json_fail(json, place, found,
                        "a whole number of at least %" G_GINT64_FORMAT
                        " (from 2^53 on as a decimal string)",
                        least);
  return tn_graph_json_fail(json, place, found,
                      "a whole number from %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT, least, most);
}

static const cJSON *
get(const cJSON *object, const char *key)
{
  const cJSON *value = cJSON_GetObjectItemCaseSensitive(object, key);
  return cJSON_IsNull(value) ? NULL : value;
}

bool
tn_graph_json_get_int(TnGraphJson *json, const cJSON *object, const char *place, const char *key,
                int64_t least, int64_t most, int64_t *out)
{
  const cJSON *value = get(object, key);
  if (!value)
    return !json->has_failed;
  g_autofree char *full = g_strdup_printf("%s.%s", place, key);
  return tn_graph_json_int(json, value, full, least, most, out);
}

bool
tn_graph_json_get_bool(TnGraphJson *json, const cJSON *object, const char *place, const char *key, bool *out)
{
  const cJSON *value = get(object, key);
  if (!value)
    return !json->has_failed;
  g_autofree char *full = g_strdup_printf("%s.%s", place, key);
  g_autofree char *found = tn_graph_json_build_found(value);
  if (!cJSON_IsBool(value))
    return tn_graph_json_fail(json, full, found, "true or false");
  *out = cJSON_IsTrue(value);
  return true;
}

bool
tn_graph_json_get_number(TnGraphJson *json, const cJSON *object, const char *place, const char *key,
                   double *out)
{
  const cJSON *value = get(object, key);
  if (!value)
    return !json->has_failed;
  g_autofree char *full = g_strdup_printf("%s.%s", place, key);
  g_autofree char *found = tn_graph_json_build_found(value);
  if (!cJSON_IsNumber(value) || !isfinite(value->valuedouble) || value->valuedouble < 0)
    return tn_graph_json_fail(json, full, found, "a number of at least 0");
  *out = value->valuedouble;
  return true;
}

const char *
tn_graph_json_get_text(TnGraphJson *json, const cJSON *object, const char *place, const char *key,
                 const char *fallback)
{
  const cJSON *value = get(object, key);
  if (!value)
    return fallback;
  if (cJSON_IsString(value))
    return value->valuestring;
  g_autofree char *full = g_strdup_printf("%s.%s", place, key);
  g_autofree char *found = tn_graph_json_build_found(value);
  tn_graph_json_fail(json, full, found, "a text");
  return fallback;
}

const cJSON *
tn_graph_json_get_array(TnGraphJson *json, const cJSON *object, const char *place, const char *key)
{
  const cJSON *value = get(object, key);
  if (!value || cJSON_IsArray(value))
    return value;
  g_autofree char *full = g_strdup_printf("%s.%s", place, key);
  g_autofree char *found = tn_graph_json_build_found(value);
  tn_graph_json_fail(json, full, found, "an array");
  return NULL;
}
