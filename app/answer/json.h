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
/* An op's id as the file gives it, else its row. */
int64_t tn_answer_op_id(const TnGraph *graph, uint32_t op);
