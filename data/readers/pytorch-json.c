/* SPDX-License-Identifier: MIT */
/* The dict of a PyTorch memory snapshot as JSON, as the official viewer takes it too. */
#include "config.h"

#include "data/error.h"
#include "data/json.h"
#include "data/readers/readers.h"
#include "data/readers/snapshot.h"

#include <errno.h>
#include <string.h>

typedef struct {
  TnJson json;
  TnStrings *strings;
  TnSnapshot *snapshot;
  TnProgress *progress;
  const uint8_t *next_report;
} Walk;

static bool walk_container(Walk *walk, TnValue container);

static bool
is_cancelled(Walk *walk)
{
  TnJson *json = &walk->json;
  if (json->at < walk->next_report)
    return false;
  walk->next_report = json->at + (1 << 20);
  tn_progress_report(walk->progress,
                     (double)(json->at - json->start) / (double)(json->end - json->start),
                     "Reading");
  if (!tn_progress_is_cancelled(walk->progress))
    return false;
  tn_json_fail(json, TN_DATA_ERROR_CANCELLED, "stopped");
  return true;
}

/* A number by its text: addresses and the line "-1" of generated code pass 2^63, settings have
 * fractions. */
static TnValue
read_number(Walk *walk)
{
  char text[64] = "";
  const uint8_t *from = walk->json.at;
  TnValue value = {.type = TN_VALUE_NONE};
  if (!tn_json_skip(&walk->json))
    return value;
  gsize n = MIN((gsize)(walk->json.at - from), sizeof text - 1);
  memcpy(text, from, n);
  if (strpbrk(text, ".eE")) {
    value.type = TN_VALUE_REAL;
    value.real = g_ascii_strtod(text, NULL);
    return value;
  }
  errno = 0;
  bool is_negative = text[0] == '-';
  uint64_t size = g_ascii_strtoull(text + is_negative, NULL, 10);
  if (errno == ERANGE || (is_negative && size > (uint64_t)INT64_MAX))
    return value;
  value.type = size > (uint64_t)INT64_MAX ? TN_VALUE_UNSIGNED : TN_VALUE_INTEGER;
  value.integer = is_negative ? -(int64_t)size : (int64_t)size;
  return value;
}

static TnValue
read_scalar(Walk *walk, TnJsonKind kind)
{
  TnValue value = {.type = TN_VALUE_NONE};
  const char *text;
  bool flag;
  if (kind == TN_JSON_NUMBER)
    return read_number(walk);
  if (kind == TN_JSON_STRING && tn_json_read_string(&walk->json, &text)) {
    value.type = TN_VALUE_STRING;
    value.row = tn_strings_intern(walk->strings, text, -1);
  } else if (kind == TN_JSON_BOOL && tn_json_read_bool(&walk->json, &flag)) {
    value.type = TN_VALUE_INTEGER;
    value.integer = flag;
  } else if (kind != TN_JSON_STRING && kind != TN_JSON_BOOL) {
    tn_json_skip(&walk->json);
  }
  return value;
}

/* [a, b] of two integers where a pool's id belongs: JSON has no tuples. */
static TnValue
read_pair(Walk *walk)
{
  int64_t halves[2] = {0, 0};
  uint32_t n = 0;
  tn_json_begin_array(&walk->json);
  for (; tn_json_next_item(&walk->json); n++)
    if (n >= 2)
      tn_json_skip(&walk->json);
    else
      tn_json_read_int(&walk->json, &halves[n]);
  if (n != 2)
    return (TnValue){.type = TN_VALUE_NONE};
  return tn_snapshot_pair(walk->snapshot, halves[0], halves[1]);
}

/* A dict or list that opened as `value`; what does not matter is stepped over. */
static bool
walk_into(Walk *walk, TnValue value)
{
  return value.role == TN_ROLE_SKIP ? tn_json_skip(&walk->json) : walk_container(walk, value);
}

static bool
walk_member(Walk *walk, TnValue dict, const char *name)
{
  uint32_t key = tn_strings_intern(walk->strings, name, -1);
  bool is_pool = g_str_has_suffix(name, "pool_id");
  TnJsonKind kind = tn_json_peek(&walk->json);
  const uint8_t *place = walk->json.at;
  TnValue value;
  if (kind == TN_JSON_ARRAY && is_pool) {
    value = read_pair(walk);
  } else if (kind == TN_JSON_OBJECT || kind == TN_JSON_ARRAY) {
    value = tn_snapshot_open_member(walk->snapshot, dict, key, kind == TN_JSON_OBJECT);
    if (!walk_into(walk, value))
      return false;
  } else {
    value = read_scalar(walk, kind);
  }
  if (tn_json_has_failed(&walk->json))
    return false;
  return tn_snapshot_set(walk->snapshot, dict, key, value) ||
         tn_json_fail_at(&walk->json, place, TN_DATA_ERROR_MALFORMED, "%s",
                         tn_snapshot_problem(walk->snapshot));
}

static bool
walk_item(Walk *walk, TnValue list)
{
  TnJsonKind kind = tn_json_peek(&walk->json);
  if (kind != TN_JSON_OBJECT && kind != TN_JSON_ARRAY)
    return tn_json_skip(&walk->json);
  TnValue item = tn_snapshot_open_item(walk->snapshot, list, kind == TN_JSON_OBJECT);
  if (!walk_into(walk, item))
    return false;
  tn_snapshot_append(walk->snapshot, list, item);
  return true;
}

/* Recursion is as deep as the roles nest (top, traces, trace, event, frames, frame). */
static bool
walk_container(Walk *walk, TnValue container)
{
  TnJson *json = &walk->json;
  const char *key;
  if (container.type == TN_VALUE_DICT) {
    tn_json_begin_object(json);
    while (tn_json_next_key(json, &key))
      if (is_cancelled(walk) || !walk_member(walk, container, key))
        return false;
  } else {
    tn_json_begin_array(json);
    while (tn_json_next_item(json))
      if (is_cancelled(walk) || !walk_item(walk, container))
        return false;
  }
  return !tn_json_has_failed(json);
}

static bool
walk_top(Walk *walk)
{
  TnJsonKind kind = tn_json_peek(&walk->json);
  if (kind != TN_JSON_OBJECT && kind != TN_JSON_ARRAY)
    return tn_json_fail(&walk->json, TN_DATA_ERROR_MALFORMED,
                        "found no object and no array; expected a memory snapshot");
  TnValue top = tn_snapshot_open_top(walk->snapshot, kind == TN_JSON_OBJECT);
  return walk_container(walk, top) && tn_json_expect_end(&walk->json);
}

static bool
read_file(TnSource *source, const TnReadOptions *options, TnDocument *document, GError **error)
{
  g_autoptr(TnSnapshot) snapshot = tn_snapshot_new(document);
  GError *problem = NULL;
  Walk walk = {.strings = document->strings, .snapshot = snapshot, .progress = options->progress};
  tn_json_init(&walk.json, source->name, source->data, source->size, &problem);
  walk.next_report = walk.json.at;
  bool is_good = walk_top(&walk);
  tn_json_clear(&walk.json);
  if (is_good)
    return tn_snapshot_finish(snapshot, source->name, false, error);
  if (!g_error_matches(problem, TN_DATA_ERROR, TN_DATA_ERROR_TRUNCATED) ||
      !options->is_partial_wanted) {
    g_propagate_error(error, problem);
    return false;
  }
  tn_diagnostics_add(document->diagnostics, "truncated", 1,
                     "%s; what stands before it was read, the rest is missing", problem->message);
  if (!tn_snapshot_finish(snapshot, source->name, true, NULL)) {
    g_propagate_error(error, problem);
    return false;
  }
  g_error_free(problem);
  return true;
}

/* An object (or a list of objects) in whose first KiBs stand keys that only a snapshot has. */
static int
sniff(const uint8_t *data, gsize size, const char *name)
{
  gsize n = MIN(size, (gsize)16384), at = tn_text_start(data, n);
  if (at >= n || (data[at] != '{' && data[at] != '['))
    return 0;
  bool has_traces = memmem(data, n, "\"device_traces\"", 15) != NULL;
  bool has_blocks = memmem(data, n, "\"total_size\"", 12) && memmem(data, n, "\"blocks\"", 8);
  return has_traces || has_blocks ? 85 : 0;
}

const TnReader tn_reader_pytorch_json = {
    .name = "pytorch-json",
    .holds = "PyTorch memory snapshot as JSON: the same dict",
    .patterns = "*.json;*.json.gz",
    .sniff = sniff,
    .read = read_file,
    .keeps_cut = true,
};
