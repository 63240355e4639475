/* SPDX-License-Identifier: MIT */
/* tenure-cli plan: lives → offsets. */
#include "config.h"

#include "app/cli/plan-buckets.h"
#include "app/cli/plan-cost.h"
#include "app/cli/plan-left.h"
#include "app/cli/plan-print.h"

#include "analysis/plan/plan.h"

#include <string.h>

/* "recorded", or a planner; and there is no plan of its own to write. */
static bool
check_against(const TnCliPlanOptions *own)
{
  if (!own->against)
    return true;
  if (strcmp(own->against, "recorded") != 0 && !tn_strategies_find(own->against)) {
    tn_cli_complain("--against %s: expected recorded, or a planner of `tenure-cli strategies`",
                    own->against);
    return false;
  }
  if (own->output || own->capacity)
    tn_cli_complain("--against compares two plans: it goes with neither -o nor --capacity");
  return !own->output && !own->capacity;
}

static TnExit
plan_file(const TnDocument *document, const TnCommonOptions *common, const TnCliPlanOptions *own)
{
  TnExit code;
  TnCliPlanWanted wanted;
  if (!check_against(own) || !tn_cli_plan_parse(common, own, &wanted))
    return TN_EXIT_USAGE;
  g_autoptr(TnStudy) study = tn_cli_study(document, common, &code);
  if (!study)
    return code;
  tn_bytes alignment = MAX(wanted.alignment, study->alignment), capacity = wanted.capacity;
  if (own->compact_at != TN_CLI_NO_TICK && (own->compact_at < 0 || own->compact_at >= study->axis_end)) {
    tn_cli_complain("--compact-at %" G_GINT64_FORMAT ": expected a tick from 0 to %" G_GINT64_FORMAT,
                    own->compact_at, study->axis_end - 1);
    return TN_EXIT_USAGE;
  }
  tn_cli_add_study_warnings(document, study);
  tn_cli_add_other_devices(study, common);
  if (own->against) {
    TnLeftQuestion question = {own->against, wanted.strategy, alignment, common->order,
                               tn_cli_plan_params(own, &wanted)};
    return tn_plan_left_run(study, common, &question);
  }
  g_autoptr(TnPlan) plan = tn_cli_plan_build(study, common, own, &wanted);
  if (plan && plan->status == TN_PLAN_FAILED && common->is_json)
    tn_cli_plan_print_none(document, study, plan, capacity);
  if (!plan || plan->status == TN_PLAN_FAILED)
    return TN_EXIT_NO;
  if (own->output && !tn_cli_plan_write(document, study, plan, common, own->output))
    return TN_EXIT_INPUT;
  TnPlanCost cost =
      tn_plan_cost_find(document, study, plan, common->order, alignment, MAX(own->compact_at, -1));
  if (common->is_json)
    tn_cli_plan_print_json(document, common, study, plan, alignment, capacity, &cost);
  else if (!tn_cli_is_stdout(own->output))
    tn_cli_plan_print_text(common, document, study, plan, capacity, &cost);
  tn_plan_cost_clear(&cost);
  return capacity > 0 && !tn_cli_plan_fits(common, document, plan, capacity) ? TN_EXIT_NO
                                                                             : TN_EXIT_DONE;
}

static TnExit
run(int argc, char **argv)
{
  TnCommonOptions common = {0};
  TnCliPlanOptions own = {.compact_at = TN_CLI_NO_TICK};
  g_auto(GStrv) files = NULL;
  const GOptionEntry entries[] = {
      {"strategy", 0, 0, G_OPTION_ARG_STRING, &own.strategy,
       "The planner (default: the preset's, else best: all, the smallest kept)", "NAME"},
      {"capacity", 0, 0, G_OPTION_ARG_STRING, &own.capacity, "Must fit into this; exit 1 if not",
       "SIZE"},
      {"time-limit", 0, 0, G_OPTION_ARG_DOUBLE, &own.time_limit, "Stop searching after this long",
       "SECONDS"},
      {"ge", 0, 0, G_OPTION_ARG_STRING, &own.ge,
       "Of --strategy ge: range, ascending, first-release, memory-priority, extend-size, base-refresh",
       "OPTION,…"},
      {"against", 0, 0, G_OPTION_ARG_STRING, &own.against,
       "What this plan leaves on the table: recorded (the file's), ge, or another planner", "PLAN"},
      {"order", 0, 0, G_OPTION_ARG_FILENAME, &own.order,
       "Of a graph's ops: file (default), a method of `schedule`, or what `schedule -o` wrote",
       "WHAT"},
      {"bucket", 0, 0, G_OPTION_ARG_STRING_ARRAY, &own.buckets,
       "Plan a model for these dimensions; several give a table, and a plan each with -o",
       "DIM=N,…"},
      {"serve", 0, 0, G_OPTION_ARG_STRING, &own.serve,
       "Say which bucket serves an input of these dimensions", "DIM=N,…"},
      {"compact-at", 0, 0, G_OPTION_ARG_INT64, &own.compact_at,
       "What moving everything down at this tick would win (default: where the arena is highest)",
       "TICK"},
      {"seed", 0, 0, G_OPTION_ARG_INT64, &own.seed, "Of the planners that draw lots", "N"},
      {"output", 'o', 0, G_OPTION_ARG_FILENAME, &own.output, "Write the plan (.json or .csv)",
       "FILE"},
      {NULL, 0, 0, G_OPTION_ARG_NONE, NULL, NULL, NULL},
  };
  if (!tn_cli_parse(&tn_command_plan, argc, argv, &common, entries, 1, 1, &files))
    return TN_EXIT_USAGE;
  TnExit code = TN_EXIT_USAGE;
  bool is_usage_good = tn_cli_plan_check_serve(&own) && tn_cli_check_time_limit(own.time_limit) &&
                       tn_cli_check_output(&tn_command_plan, own.output, &common);
  g_autoptr(TnDocument) document =
      is_usage_good && !own.buckets ? tn_cli_load(files[0], &common, &code) : NULL;
  g_autofree uint32_t *order = NULL;
  if (is_usage_good && own.buckets)
    code = tn_cli_plan_buckets(files[0], &common, &own);
  if (document && own.order)
    order = tn_cli_build_order(document, &common, own.order, &own.time_limit, &code);
  common.order = order;
  if (document && (order || !own.order))
    code = plan_file(document, &common, &own);
  tn_common_options_clear(&common);
  g_free(own.strategy);
  g_free(own.ge);
  g_free(own.against);
  g_free(own.capacity);
  g_free(own.output);
  g_free(own.order);
  g_free(own.serve);
  g_strfreev(own.buckets);
  return code;
}

const TnCommand tn_command_plan = {"plan", "FILE", "Give every buffer an offset", run};
