/* SPDX-License-Identifier: MIT */
/* The dict of a PyTorch memory snapshot as JSON, as the official viewer takes it too. */
#include "config.h"

#include "data/error.h"
#include "data/readers/json-scan.h"
#include "data/readers/readers.h"
#include "data/readers/snapshot.h"

#include <string.h>

typedef struct {
  const char *name;
  TnJson json;
  TnStrings *strings;
  TnSnapshot *snapshot;
  TnProgress *progress;
  const char *next_report;
  GError **error;
} Walk;

static bool walk_container(Walk *walk, TnValue container);

static bool
fail(Walk *walk)
{
  tn_json_set_error(&walk->json, walk->name, walk->error);
  return false;
}

static bool
is_cancelled(Walk *walk)
{
  if (walk->json.at < walk->next_report)
    return false;
  walk->next_report = walk->json.at + (1 << 20);
  tn_progress_report(walk->progress,
                     (double)(walk->json.at - walk->json.data) /
                         (double)(walk->json.end - walk->json.data),
                     "Reading");
  if (!tn_progress_is_cancelled(walk->progress))
    return false;
  g_set_error(walk->error, TN_DATA_ERROR, TN_DATA_ERROR_CANCELLED, "%s: stopped", walk->name);
  return true;
}

static TnValue
scalar(Walk *walk, TnJsonToken token)
{
  TnValue value = {.type = TN_VALUE_NONE};
  gsize n;
  if (token == TN_JSON_INTEGER || token == TN_JSON_TRUE || token == TN_JSON_FALSE) {
    value.type = TN_VALUE_INTEGER;
    value.integer = token == TN_JSON_INTEGER ? walk->json.integer : token == TN_JSON_TRUE;
  } else if (token == TN_JSON_REAL) {
    /* 2^63 and above: an address, or the line "-1" of generated code. */
    bool is_unsigned = walk->json.real >= 9223372036854775808.0 && walk->json.real < 1.85e19;
    value.type = is_unsigned ? TN_VALUE_UNSIGNED : TN_VALUE_REAL;
    value.real = walk->json.real;
    if (is_unsigned)
      value.integer = (int64_t)g_ascii_strtoull(walk->json.token, NULL, 10);
  } else if (token == TN_JSON_STRING) {
    const char *text = tn_json_text(&walk->json, &n);
    value.type = TN_VALUE_STRING;
    value.row = tn_strings_intern(walk->strings, text, (gssize)n);
  }
  return value;
}

/* [a, b] of two integers where a pool's id belongs: JSON has no tuples. */
static bool
read_pair(Walk *walk, TnValue *out_value)
{
  int64_t halves[2] = {0, 0};
  uint32_t n = 0;
  TnJsonToken token;
  while ((token = tn_json_next(&walk->json)) == TN_JSON_INTEGER && n < 2)
    halves[n++] = walk->json.integer;
  while (token != TN_JSON_ARRAY_END) {
    if (token == TN_JSON_ERROR || !tn_json_skip(&walk->json, token))
      return fail(walk);
    token = tn_json_next(&walk->json);
  }
  if (n == 2)
    *out_value = (TnValue){.type = TN_VALUE_PAIR, .row = (uint32_t)halves[0],
                           .integer = halves[1]};
  return true;
}

static bool
set(Walk *walk, TnValue dict, uint32_t key, TnValue value)
{
  if (tn_snapshot_set(walk->snapshot, dict, key, value))
    return true;
  walk->json.expected = NULL;
  g_set_error(walk->error, TN_DATA_ERROR, TN_DATA_ERROR_MALFORMED, "%s: byte %" G_GSIZE_FORMAT
              ": %s", walk->name, (gsize)(walk->json.token - walk->json.data),
              tn_snapshot_problem(walk->snapshot));
  return false;
}

static bool
walk_member(Walk *walk, TnValue dict)
{
  gsize n;
  const char *text = tn_json_text(&walk->json, &n);
  uint32_t key = tn_strings_intern(walk->strings, text, (gssize)n);
  bool is_pool = g_str_has_suffix(tn_strings_get(walk->strings, key), "pool_id");
  TnJsonToken token = tn_json_next(&walk->json);
  if (token == TN_JSON_ERROR)
    return fail(walk);
  TnValue value = {.type = TN_VALUE_NONE};
  if (token == TN_JSON_ARRAY && is_pool) {
    if (!read_pair(walk, &value))
      return false;
  } else if (token == TN_JSON_OBJECT || token == TN_JSON_ARRAY) {
    value = tn_snapshot_open_member(walk->snapshot, dict, key, token == TN_JSON_OBJECT);
    if (value.role == TN_ROLE_SKIP)
      return tn_json_skip(&walk->json, token) || fail(walk);
    if (!walk_container(walk, value))
      return false;
  } else {
    value = scalar(walk, token);
  }
  return set(walk, dict, key, value);
}

static bool
walk_item(Walk *walk, TnValue list, TnJsonToken token)
{
  if (token != TN_JSON_OBJECT && token != TN_JSON_ARRAY)
    return true;
  TnValue item = tn_snapshot_open_item(walk->snapshot, list, token == TN_JSON_OBJECT);
  if (item.role == TN_ROLE_SKIP)
    return tn_json_skip(&walk->json, token) || fail(walk);
  if (!walk_container(walk, item))
    return false;
  tn_snapshot_append(walk->snapshot, list, item);
  return true;
}

/* Recursion is as deep as the roles nest (top, traces, trace, event, frames, frame). */
static bool
walk_container(Walk *walk, TnValue container)
{
  for (;;) {
    TnJsonToken token = tn_json_next(&walk->json);
    if (token == TN_JSON_ERROR)
      return fail(walk);
    if (token == TN_JSON_OBJECT_END || token == TN_JSON_ARRAY_END)
      return true;
    if (is_cancelled(walk))
      return false;
    bool is_good = token == TN_JSON_KEY ? walk_member(walk, container)
                                        : walk_item(walk, container, token);
    if (!is_good)
      return false;
  }
}

static bool
walk_top(Walk *walk)
{
  TnJsonToken token = tn_json_next(&walk->json);
  if (token != TN_JSON_OBJECT && token != TN_JSON_ARRAY)
    return fail(walk);
  TnValue top = tn_snapshot_open_top(walk->snapshot, token == TN_JSON_OBJECT);
  if (!walk_container(walk, top))
    return false;
  return tn_json_next(&walk->json) == TN_JSON_END || fail(walk);
}

static bool
read_file(TnSource *source, const TnReadOptions *options, TnDocument *document, GError **error)
{
  g_autoptr(TnSnapshot) snapshot = tn_snapshot_new(document);
  g_autoptr(GError) problem = NULL;
  Walk walk = {.name = source->name,
               .strings = document->strings,
               .snapshot = snapshot,
               .progress = options->progress,
               .error = &problem};
  tn_json_init(&walk.json, source->data, source->size);
  walk.next_report = walk.json.at;
  bool is_good = walk_top(&walk);
  tn_json_clear(&walk.json);
  if (is_good)
    return tn_snapshot_finish(snapshot, source->name, false, error);
  if (!g_error_matches(problem, TN_DATA_ERROR, TN_DATA_ERROR_TRUNCATED) ||
      !options->is_partial_wanted) {
    g_propagate_error(error, g_steal_pointer(&problem));
    return false;
  }
  tn_diagnostics_add(document->diagnostics, "truncated", 1,
                     "%s; what stands before it was read, the rest is missing", problem->message);
  return tn_snapshot_finish(snapshot, source->name, true, error);
}

/* An object (or a list of objects) in whose first KiBs stand keys that only a snapshot has. */
static int
sniff(const uint8_t *data, gsize size, const char *name)
{
  gsize at = 0, n = MIN(size, (gsize)16384);
  while (at < n && strchr(" \t\r\n", data[at]) && data[at])
    at++;
  if (at >= n || (data[at] != '{' && data[at] != '['))
    return 0;
  const char *text = (const char *)data;
  bool has_segments = g_strstr_len(text, (gssize)n, "\"segments\"") != NULL;
  bool has_traces = g_strstr_len(text, (gssize)n, "\"device_traces\"") != NULL;
  bool has_blocks = g_strstr_len(text, (gssize)n, "\"total_size\"") &&
                    g_strstr_len(text, (gssize)n, "\"blocks\"");
  return has_traces ? 85 : has_segments && has_blocks ? 85 : has_blocks && data[at] == '[' ? 80 : 0;
}

const TnReader tn_reader_pytorch_json = {
    .name = "pytorch-json",
    .holds = "PyTorch memory snapshot as JSON: the same dict",
    .patterns = "*.json;*.json.gz",
    .sniff = sniff,
    .read = read_file,
};
