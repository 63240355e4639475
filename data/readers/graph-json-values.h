/* SPDX-License-Identifier: MIT */
/* Typed access to a JSON document, with errors that name the key, what was found and what was
 * expected.  The first error stays; later calls then give defaults. */
#pragma once

#include "data/types.h"

#include <cjson/cJSON.h>

typedef struct {
  const char *file; /* for messages */
  GError **error;
  bool has_failed;
} TnGraphJson;

/* Parses `size` bytes; NULL and an error with line and column.  Free with cJSON_Delete(). */
cJSON *tn_graph_json_parse(TnGraphJson *json, const void *data, gsize size);

/* Fails with "FILE: PLACE: found …; expected …"; returns false. */
bool tn_graph_json_fail(TnGraphJson *json, const char *place, const char *found, const char *format, ...)
    G_GNUC_PRINTF(4, 5);
/* What a value is, in few words ("the text 'x'", "nothing"); owned by the caller. */
char *tn_graph_json_build_found(const cJSON *value);

/* A whole number (or one as a decimal string) within [least, most]. */
bool tn_graph_json_int(TnGraphJson *json, const cJSON *value, const char *place, int64_t least, int64_t most,
                 int64_t *out);
/* The same of a key; where it is absent or null, *out keeps its value. */
bool tn_graph_json_get_int(TnGraphJson *json, const cJSON *object, const char *place, const char *key,
                     int64_t least, int64_t most, int64_t *out);
bool tn_graph_json_get_bool(TnGraphJson *json, const cJSON *object, const char *place, const char *key,
                      bool *out);
bool tn_graph_json_get_number(TnGraphJson *json, const cJSON *object, const char *place, const char *key,
                        double *out);
/* Borrowed text, `fallback` where absent. */
const char *tn_graph_json_get_text(TnGraphJson *json, const cJSON *object, const char *place, const char *key,
                             const char *fallback);
/* An array of the key, NULL where absent; anything else is an error. */
const cJSON *tn_graph_json_get_array(TnGraphJson *json, const cJSON *object, const char *place,
                               const char *key);
