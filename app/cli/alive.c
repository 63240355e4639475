/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/cli/alive.h"

#include <stdio.h>

#define MOST_ROWS 20
#define MOST_LINES 5

static const char *
name_of(const TnStudy *study, const TnOom *oom, const TnOomSite *row, bool is_module)
{
  return is_module ? tn_oom_module_name(oom, row) : tn_oom_site_name(oom, study, row);
}

static tn_bytes
sum_from(const GArray *rows, guint first)
{
  tn_bytes sum = 0;
  for (guint i = first; i < rows->len; i++)
    sum += g_array_index(rows, TnOomSite, i).bytes;
  return sum;
}

/* ---- JSON ---------------------------------------------------------------------------------- */

static void
add_rows(cJSON *object, const char *key, const TnStudy *study, const TnOom *oom, bool is_module)
{
  const GArray *rows = is_module ? oom->live_modules : oom->live;
  cJSON *part = cJSON_AddObjectToObject(object, key), *list = cJSON_AddArrayToObject(part, "rows");
  guint n = MIN(rows->len, (guint)MOST_ROWS);
  for (guint i = 0; i < n; i++) {
    const TnOomSite *row = &g_array_index(rows, TnOomSite, i);
    cJSON *item = cJSON_CreateObject();
    cJSON_AddStringToObject(item, "name", name_of(study, oom, row, is_module));
    tn_json_add_integer(item, "buffers", row->n);
    tn_json_add_integer(item, "bytes", row->bytes);
    tn_json_add_integer(item, "growth_bytes", row->growth);
    cJSON_AddItemToArray(list, item);
  }
  tn_json_add_integer(part, "rest", rows->len - n);
  tn_json_add_integer(part, "rest_bytes", sum_from(rows, n));
}

static cJSON *
build_alive(const TnStudy *study, const TnOom *oom)
{
  cJSON *object = cJSON_CreateObject();
  tn_json_add_integer(object, "device", study->device->ordinal);
  tn_json_add_integer(object, "at", oom->tick);
  cJSON_AddStringToObject(object, "verdict", tn_oom_verdict_name(oom->verdict));
  tn_json_add_integer(object, "alive_bytes", sum_from(oom->live, 0));
  if (oom->has_iteration)
    tn_json_add_integer(object, "growth_since", oom->since);
  add_rows(object, "by_call_site", study, oom, false);
  if (oom->modules->untold)
    cJSON_AddStringToObject(object, "modules_untold", oom->modules->untold);
  else
    add_rows(object, "by_module", study, oom, true);
  return object;
}

uint32_t
tn_cli_add_alive(cJSON *list, const TnStudy *study)
{
  g_autoptr(GArray) told = tn_oom_find_told(study->device);
  if (study->buffers->n == 0)
    return 0; /* a report in totals has no buffers to group */
  for (guint k = 0; k < told->len; k++) {
    g_autoptr(TnOom) oom = tn_oom_new(study, g_array_index(told, uint32_t, k), 0);
    cJSON_AddItemToArray(list, build_alive(study, oom));
  }
  return tn_oom_count(study->device) - told->len;
}

/* ---- text ---------------------------------------------------------------------------------- */

static void
print_rows(const TnCommonOptions *options, const TnStudy *study, const TnOom *oom, bool is_module)
{
  const GArray *rows = is_module ? oom->live_modules : oom->live;
  guint n = MIN(rows->len, (guint)MOST_LINES);
  for (guint i = 0; i < n; i++) {
    const TnOomSite *row = &g_array_index(rows, TnOomSite, i);
    g_autofree char *size = tn_cli_size(options, row->bytes);
    tn_say("%14s  %6u  %s\n", size, row->n, name_of(study, oom, row, is_module));
  }
  if (rows->len > n) {
    g_autofree char *rest = tn_cli_size(options, sum_from(rows, n));
    tn_say("%14s          %u more\n", rest, rows->len - n);
  }
}

void
tn_cli_print_alive(const TnCommonOptions *options, const TnStudy *study)
{
  uint32_t mark = tn_oom_find_mark(study->device, 0);
  if (mark == TN_NONE || study->buffers->n == 0)
    return;
  g_autoptr(TnOom) oom = tn_oom_new(study, mark, 0);
  g_autofree char *sum = tn_cli_size(options, sum_from(oom->live, 0));
  tn_say("\nAlive at the failure: %s, by call site\n", sum);
  print_rows(options, study, oom, false);
  if (oom->modules->untold) {
    tn_say("%s\n", oom->modules->untold);
    return;
  }
  tn_say("By module\n");
  print_rows(options, study, oom, true);
}
