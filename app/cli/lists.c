/* SPDX-License-Identifier: MIT */
/* tenure-cli formats, tenure-cli strategies: what there is to choose from. */
#include "config.h"

#include "app/cli/cli.h"

#include "analysis/order/order.h"
#include "analysis/plan/plan.h"

#include <stdio.h>

static cJSON *
build_row(const char *name, const char *key, const char *what)
{
  cJSON *row = cJSON_CreateObject();
  cJSON_AddStringToObject(row, "name", name);
  cJSON_AddStringToObject(row, key, what);
  return row;
}

static TnExit
run_formats(int argc, char **argv)
{
  TnCommonOptions options = {0};
  g_auto(GStrv) files = NULL;
  if (!tn_cli_parse(&tn_command_formats, argc, argv, &options, NULL, 0, 0, &files))
    return TN_EXIT_USAGE;
  const TnReader *const *readers = tn_readers();
  cJSON *object = cJSON_CreateObject(), *list = cJSON_AddArrayToObject(object, "formats");
  for (gsize i = 0; readers[i]; i++) {
    if (options.is_json)
      cJSON_AddItemToArray(list, build_row(readers[i]->name, "holds", readers[i]->holds));
    else
      tn_say("%-16s %s\n", readers[i]->name, readers[i]->holds);
  }
  if (options.is_json)
    tn_json_print(object);
  else
    cJSON_Delete(object);
  tn_common_options_clear(&options);
  return TN_EXIT_DONE;
}

static TnExit
run_strategies(int argc, char **argv)
{
  TnCommonOptions options = {0};
  g_auto(GStrv) files = NULL;
  if (!tn_cli_parse(&tn_command_strategies, argc, argv, &options, NULL, 0, 0, &files))
    return TN_EXIT_USAGE;
  const TnStrategy *const *strategies = tn_strategies();
  cJSON *object = cJSON_CreateObject(), *list = cJSON_AddArrayToObject(object, "strategies");
  for (gsize i = 0; strategies[i]; i++) {
    if (options.is_json)
      cJSON_AddItemToArray(list, build_row(strategies[i]->name, "title", strategies[i]->title));
    else
      tn_say("%-16s %s\n", strategies[i]->name, strategies[i]->title);
  }
  list = cJSON_AddArrayToObject(object, "order_methods");
  if (!options.is_json)
    puts("\nOrders (schedule --method, plan --order):");
  for (gsize i = 0; tn_order_methods()[i]; i++) {
    const TnOrderMethod *method = tn_order_methods()[i];
    if (options.is_json)
      cJSON_AddItemToArray(list, build_row(method->name, "title", method->title));
    else
      tn_say("%-16s %s\n", method->name, method->title);
  }
  if (options.is_json)
    tn_json_print(object);
  else
    cJSON_Delete(object);
  tn_common_options_clear(&options);
  return TN_EXIT_DONE;
}

const TnCommand tn_command_formats = {"formats", "", "List the formats that are read", run_formats};
const TnCommand tn_command_strategies = {"strategies", "", "List the planners", run_strategies};
