/* SPDX-License-Identifier: MIT */
/* A pull reader of JSON text: no tree is built, so that a plan of a million buffers costs its
 * tables only, and integers keep all of their 64 bits (cJSON's numbers are doubles).
 *
 * Calls that fail set the error once, "file:line:column: …", and so do all that follow: a caller
 * may look at the end only.  Values that nobody wants go through tn_json_skip().
 *
 *   tn_json_begin_object(json);
 *   while (tn_json_next_key(json, &key))
 *     if (strcmp(key, "bytes") == 0) tn_json_read_int(json, &bytes); else tn_json_skip(json);
 *   if (tn_json_has_failed(json)) …
 */
#pragma once

#include "data/error.h"
#include "data/types.h"

typedef enum {
  TN_JSON_NOTHING, /* the text's end, or no JSON value */
  TN_JSON_OBJECT,
  TN_JSON_ARRAY,
  TN_JSON_STRING,
  TN_JSON_NUMBER,
  TN_JSON_BOOL,
  TN_JSON_NULL
} TnJsonKind;

typedef struct {
  const char *file;
  const uint8_t *start, *at, *end;
  GError **error; /* may be NULL */
  bool has_failed;
  bool is_first; /* just after '[' or '{' */
  GString *key, *text;
} TnJson;

/* The length of the byte order mark at a file's start: 3, or 0 where there is none.  For readers that
 * count lines: tn_text_start() steps over line ends too. */
gsize tn_text_mark(const void *data, gsize size);
/* Where text begins in the first bytes of a file: behind a byte order mark, and blanks.  `size`
 * where nothing else is there. */
gsize tn_text_start(const uint8_t *data, gsize size);

/* Reads `size` bytes, borrowed; a byte order mark is skipped.  `file` is borrowed too. */
void tn_json_init(TnJson *json, const char *file, const void *data, gsize size, GError **error);
void tn_json_clear(TnJson *json);

/* What comes next; reads nothing. */
TnJsonKind tn_json_peek(TnJson *json);

/* An object: begin, then next_key until it is false (its end, or an error).  *out_key is borrowed
 * until the next call of next_key on the same reader, so copy it before nested objects. */
bool tn_json_begin_object(TnJson *json);
bool tn_json_next_key(TnJson *json, const char **out_key);

/* An array: begin, then next_item before each value until it is false. */
bool tn_json_begin_array(TnJson *json);
bool tn_json_next_item(TnJson *json);

/* An integer of 64 bits, as a number or as a decimal string.  1.0 and 1e3 are integers too. */
bool tn_json_read_int(TnJson *json, int64_t *out);
bool tn_json_read_bool(TnJson *json, bool *out);
/* *out_text is borrowed until the next read of a string; valid UTF-8 without NUL. */
bool tn_json_read_string(TnJson *json, const char **out_text);

/* Steps over one whole value, of any depth. */
bool tn_json_skip(TnJson *json);

/* Nothing but white space may be left. */
bool tn_json_expect_end(TnJson *json);

/* Sets the error at the place where the reader stands, unless there is one.  Always false. */
bool tn_json_fail(TnJson *json, TnDataError code, const char *format, ...) G_GNUC_PRINTF(3, 4);
/* The same at a place taken from `at` before. */
bool tn_json_fail_at(TnJson *json, const uint8_t *place, TnDataError code, const char *format, ...)
    G_GNUC_PRINTF(4, 5);

static inline bool
tn_json_has_failed(const TnJson *json)
{
  return json->has_failed;
}

/* Appends `text` (UTF-8) as a JSON string, with its quotes. */
void tn_json_append_string(GString *out, const char *text);
/* Appends an integer: as a number below 2^53 either way, from there on as a decimal string. */
void tn_json_append_int(GString *out, int64_t value);
