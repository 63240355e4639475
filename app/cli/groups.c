/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/cli/groups.h"

#include <stdio.h>

#define MOST_LINES 20

static const TnCategories *
categories_of(const TnCommonOptions *options, TnStudy *study)
{
  TnGrouping grouping = TN_GROUP_AUTO;
  tn_grouping_from_name(options->group_by, &grouping);
  return tn_study_prepare(study, grouping, NULL) ? study->categories : NULL;
}

void
tn_cli_add_groups(cJSON *device, const TnCommonOptions *options, TnStudy *study)
{
  const TnCategories *categories = categories_of(options, study);
  if (!categories)
    return;
  cJSON *part = cJSON_AddObjectToObject(device, "alive_at_peak");
  cJSON_AddStringToObject(part, "grouping", tn_grouping_name(categories->grouping));
  if (categories->untold)
    cJSON_AddStringToObject(part, "untold", categories->untold);
  cJSON *rows = cJSON_AddArrayToObject(part, "rows");
  for (guint i = 0; i < categories->groups->len; i++) {
    const TnGroup *group = &g_array_index(categories->groups, TnGroup, i);
    if (group->n == 0)
      continue;
    cJSON *row = cJSON_CreateObject();
    cJSON_AddStringToObject(row, "name", group->name);
    tn_json_add_integer(row, "buffers", group->n);
    tn_json_add_bytes(row, "bytes", group->bytes);
    cJSON_AddItemToArray(rows, row);
  }
}

void
tn_cli_print_groups(const TnCommonOptions *options, TnStudy *study)
{
  const TnCategories *categories = categories_of(options, study);
  tn_bytes rest = 0;
  guint n_more = 0;
  if (!categories)
    return;
  tn_say("\nAlive at the peak, by %s\n", tn_grouping_title(categories->grouping));
  if (categories->untold)
    tn_say("%s\n", categories->untold);
  for (guint i = 0; i < categories->groups->len; i++) {
    const TnGroup *group = &g_array_index(categories->groups, TnGroup, i);
    if (group->n && i < MOST_LINES) {
      g_autofree char *size = tn_cli_size(options, group->bytes);
      tn_say("%14s  %6u  %s\n", size, group->n, group->name);
    } else if (group->n) {
      rest += group->bytes;
      n_more++;
    }
  }
  g_autofree char *more = tn_cli_size(options, rest);
  if (n_more)
    tn_say("%14s          %u more\n", more, n_more);
}
