/* SPDX-License-Identifier: MIT */
/* A pull scanner for JSON of any size over bytes in memory: one token at a time, no tree.  For small
 * documents use cJSON. */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#define TN_JSON_MAX_DEPTH 256

typedef enum {
  TN_JSON_END, /* after the one top value */
  TN_JSON_OBJECT,
  TN_JSON_OBJECT_END,
  TN_JSON_ARRAY,
  TN_JSON_ARRAY_END,
  TN_JSON_KEY, /* its value comes next */
  TN_JSON_STRING,
  TN_JSON_INTEGER, /* fits into 64 bits, signed */
  TN_JSON_REAL,    /* any other number */
  TN_JSON_TRUE,
  TN_JSON_FALSE,
  TN_JSON_NULL,
  TN_JSON_ERROR
} TnJsonToken;

typedef struct {
  const char *data, *at, *end;
  /* Of the last token: */
  const char *token;  /* where it begins */
  const char *text;   /* key or string without quotes, escapes still inside; borrowed */
  gsize length;
  bool has_escapes;
  int64_t integer;
  double real; /* set for integers too */
  /* Of TN_JSON_ERROR: */
  const char *expected;
  bool is_cut; /* the data ends inside the document */
  /* private */
  uint8_t state;
  uint32_t depth;
  uint8_t kinds[TN_JSON_MAX_DEPTH]; /* '{' or '[' */
  GString *scratch;
} TnJson;

void tn_json_init(TnJson *json, const void *data, gsize size);
void tn_json_clear(TnJson *json);

/* The next token.  After TN_JSON_ERROR the scanner stands still.  O(bytes of the token). */
TnJsonToken tn_json_next(TnJson *json);

/* The text of the last key or string with its escapes resolved; valid until the next call. */
const char *tn_json_text(TnJson *json, gsize *out_length);

/* Whether the last key or string is `text` (which has no escapes). */
bool tn_json_is(const TnJson *json, const char *text);

/* Reads to the end of the value that begins with `token` (does nothing for a scalar).  False on a
 * TN_JSON_ERROR. */
bool tn_json_skip(TnJson *json, TnJsonToken token);

/* Sets a TN_DATA_ERROR that names the place (line, column, byte), what was found and expected. */
void tn_json_set_error(const TnJson *json, const char *name, GError **error);
