/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/cli/arena-sections.h"

#include "analysis/tflm-arena.h"

#include <stdio.h>
#include <string.h>

static bool
is_wanted(const TnCommonOptions *common, const TnDocument *document)
{
  return document->graph && g_strcmp0(common->preset, "tflm") == 0;
}

/* On a microcontroller and on a 64-bit host; false: not asked for. */
static bool
build(const TnCommonOptions *common, const TnDocument *document, tn_bytes head_bytes,
      TnTflmArena **out_small, TnTflmArena **out_host)
{
  if (!is_wanted(common, document))
    return false;
  *out_small = tn_tflm_arena_new(document->graph, document->strings, head_bytes, 4);
  *out_host = tn_tflm_arena_new(document->graph, document->strings, head_bytes, 8);
  return *out_small && *out_host;
}

bool
tn_arena_sections_need(const TnCommonOptions *common, const TnDocument *document,
                       tn_bytes head_bytes, tn_bytes *out_bytes)
{
  g_autoptr(TnTflmArena) small = NULL;
  g_autoptr(TnTflmArena) host = NULL;
  bool is_known = build(common, document, head_bytes, &small, &host);
  *out_bytes = is_known ? small->total : head_bytes;
  return is_known;
}

bool
tn_arena_sections_may_repeat(const TnCommonOptions *common, const TnDocument *document)
{
  g_autoptr(TnTflmArena) small = NULL;
  g_autoptr(TnTflmArena) host = NULL;
  return build(common, document, 0, &small, &host) && small->may_repeat;
}

tn_bytes
tn_arena_sections_room(const TnCommonOptions *common, const TnDocument *document,
                       tn_bytes capacity)
{
  g_autoptr(TnTflmArena) small = NULL;
  g_autoptr(TnTflmArena) host = NULL;
  if (capacity <= 0 || !build(common, document, 0, &small, &host))
    return capacity;
  return MAX(capacity - small->section[TN_TFLM_TAIL], (tn_bytes)1);
}

void
tn_arena_sections_warn(const TnCommonOptions *common, const TnDocument *document, tn_bytes budget)
{
  g_autoptr(TnTflmArena) small = NULL;
  g_autoptr(TnTflmArena) host = NULL;
  if (budget <= 0 || !build(common, document, 0, &small, &host))
    return;
  g_autofree char *tail = tn_cli_size(common, small->section[TN_TFLM_TAIL]);
  tn_diagnostics_add(document->diagnostics, "head-alone", 1,
                     "the budget is compared with what is alive, in TFLM's head alone: on 32 bits the tail "
                     "takes %s more, as far as the file tells (`plan --capacity` counts it)", tail);
}

static void
print_sum(const TnCommonOptions *common, const char *what, tn_bytes small, tn_bytes host)
{
  g_autofree char *a = tn_cli_size(common, small);
  g_autofree char *b = tn_cli_size(common, host);
  tn_say("  %-32s %12s %12s\n", what, a, b);
}

void
tn_arena_sections_print(const TnCommonOptions *common, const TnDocument *document,
                        tn_bytes head_bytes)
{
  g_autoptr(TnTflmArena) small = NULL;
  g_autoptr(TnTflmArena) host = NULL;
  if (!build(common, document, head_bytes, &small, &host))
    return;
  tn_say("\nTFLM's whole arena, as far as the file tells\n  %-32s %12s %12s\n", "", "32-bit",
         "64-bit");
  for (guint i = 0; i < small->rows->len; i++) {
    const TnTflmRow *row = &g_array_index(small->rows, TnTflmRow, i);
    g_autofree char *a = tn_cli_size(common, row->bytes);
    g_autofree char *b =
        tn_cli_size(common, g_array_index(host->rows, TnTflmRow, i).bytes);
    g_autofree char *what = g_strdup_printf("%s: %s", tn_tflm_section_name(row->section), row->what);
    tn_say("  %-32s %12s %12s  %s\n", what, a, b, row->source);
  }
  print_sum(common, "tail + larger of head, temp", small->total, host->total);
  for (guint i = 0; i < small->unknown->len; i++)
    tn_say("  not in it: %s\n", (const char *)small->unknown->pdata[i]);
}

void
tn_arena_sections_add_json(cJSON *object, const TnCommonOptions *common,
                           const TnDocument *document, tn_bytes head_bytes)
{
  g_autoptr(TnTflmArena) small = NULL;
  g_autoptr(TnTflmArena) host = NULL;
  if (!build(common, document, head_bytes, &small, &host))
    return;
  cJSON *rows = cJSON_AddArrayToObject(object, "arena_sections");
  for (guint i = 0; i < small->rows->len; i++) {
    const TnTflmRow *row = &g_array_index(small->rows, TnTflmRow, i);
    cJSON *item = cJSON_CreateObject();
    cJSON_AddStringToObject(item, "section", tn_tflm_section_name(row->section));
    cJSON_AddStringToObject(item, "what", row->what);
    tn_json_add_bytes(item, "bytes", row->bytes);
    tn_json_add_bytes(item, "host64_bytes", g_array_index(host->rows, TnTflmRow, i).bytes);
    cJSON_AddStringToObject(item, "source", row->source);
    cJSON_AddItemToArray(rows, item);
  }
  cJSON *sums = cJSON_AddObjectToObject(object, "arena_sections_bytes");
  tn_json_add_bytes(sums, "head_bytes", small->section[TN_TFLM_HEAD]);
  tn_json_add_bytes(sums, "temp_bytes", small->section[TN_TFLM_TEMP]);
  tn_json_add_bytes(sums, "tail_bytes", small->section[TN_TFLM_TAIL]);
  tn_json_add_bytes(sums, "total_bytes", small->total);
  cJSON *unknown = cJSON_AddArrayToObject(object, "arena_sections_unknown");
  for (guint i = 0; i < small->unknown->len; i++)
    cJSON_AddItemToArray(unknown, cJSON_CreateString(small->unknown->pdata[i]));
}
