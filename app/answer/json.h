/* SPDX-License-Identifier: MIT */
/* What all our JSON answers have in common. */
#pragma once

#include "data/diagnostics.h"
#include "data/graph.h"

#include <cjson/cJSON.h>

/* An integer: a number below 2^53, else a decimal string (a double may stand for a neighbour). */
cJSON *tn_json_new_integer(int64_t value);
void tn_json_add_integer(cJSON *object, const char *key, int64_t value);
/* The same, null where the value is unknown (negative). */
void tn_json_add_bytes(cJSON *object, const char *key, tn_bytes value);
/* "warnings": [{"code", "count", "message"}] */
void tn_json_add_warnings(cJSON *object, const TnDiagnostics *diagnostics);
/* Appends to such an array; each says whose it is by `key`: `whose`, unless NULL. */
void tn_json_append_warnings(cJSON *list, const TnDiagnostics *diagnostics, const char *key,
                             const char *whose);
/* The object as text in UTF-8 (a file's name need not be any), indented or in one line; freed with g_free().
 * NULL where it does not fit into the 2 GiB that cJSON can print. */
#define TN_JSON_TOO_LARGE "the answer has more than the 2 GiB that one object of JSON may have here"
char *tn_json_dup_text(const cJSON *object, bool is_line);
/* An op's id as the file gives it, else its row. */
int64_t tn_answer_op_id(const TnGraph *graph, uint32_t op);
