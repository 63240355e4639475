/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/cli/plan-make.h"

#include "app/cli/arena-sections.h"

#include "analysis/check.h"
#include "data/write.h"

#include <string.h>

/* Of a preset its runtime's own, where none is named. */
static const TnStrategy *
find_strategy(const char *name, const TnCommonOptions *common)
{
  const TnRuntime *runtime = common->preset ? tn_runtimes_find(common->preset) : NULL;
  if (!name)
    name = runtime && runtime->strategy ? runtime->strategy : "best";
  const TnStrategy *strategy = tn_strategies_find(name);
  if (!strategy)
    tn_cli_complain("--strategy %s: no such planner; `tenure-cli strategies` lists them", name);
  return strategy;
}

/* "range,first-release": the options of GE's planner, which may be one of all that are tried. */
static bool
parse_ge(const char *text, const TnStrategy *strategy, const char *against, unsigned *out_options)
{
  bool is_ge = strcmp(strategy->name, "ge") == 0 || strcmp(strategy->name, "best") == 0 ||
               g_strcmp0(against, "ge") == 0;
  static const struct {
    const char *name;
    unsigned option;
  } rows[] = {{"range", TN_GE_RANGE},
              {"ascending", TN_GE_ASCENDING},
              {"first-release", TN_GE_FIRST_RELEASE},
              {"memory-priority", TN_GE_MEMORY_PRIORITY},
              {"extend-size", TN_GE_EXTEND_SIZE},
              {"base-refresh", TN_GE_BASE_REFRESH}};
  g_auto(GStrv) words = g_strsplit(text ? text : "", ",", -1);
  *out_options = 0;
  for (gsize i = 0; words[i]; i++) {
    gsize k = 0;
    while (k < G_N_ELEMENTS(rows) && strcmp(rows[k].name, words[i]) != 0)
      k++;
    if (k == G_N_ELEMENTS(rows)) {
      tn_cli_complain("--ge %s: expected range, ascending, first-release, memory-priority, extend-size "
                      "or base-refresh", text);
      return false;
    }
    *out_options |= rows[k].option;
  }
  if (text && !is_ge) {
    tn_cli_complain("--ge: of --strategy ge only, not of %s", strategy->name);
    return false;
  }
  return true;
}

bool
tn_cli_plan_parse(const TnCommonOptions *common,
                  const TnCliPlanOptions *own,
                  TnCliPlanWanted *wanted)
{
  wanted->strategy = find_strategy(own->strategy, common);
  return wanted->strategy &&
         parse_ge(own->ge, wanted->strategy, own->against, &wanted->ge_options) &&
         tn_cli_parse_budget("--capacity", own->capacity, &wanted->capacity) &&
         tn_cli_parse_size("--align", common->align, &wanted->alignment);
}

TnPlanParams
tn_cli_plan_params(const TnCliPlanOptions *own, const TnCliPlanWanted *wanted)
{
  TnPlanParams params = TN_PLAN_PARAMS_INIT;
  params.capacity = wanted->capacity;
  params.time_limit = own->time_limit;
  params.seed = (uint64_t)own->seed;
  params.ge_options = wanted->ge_options;
  return params;
}

/* No plan leaves the program unchecked, whatever the planner says of itself. */
static bool
is_sound(const TnStudy *study, const TnPlan *plan, tn_bytes alignment)
{
  g_autofree char *broken =
      tn_check_dup_plan_error(study->document, study->buffers, plan->offset, alignment,
                              plan->space_arena, plan->n_spaces);
  if (broken)
    tn_cli_complain("the planner %s made a plan that breaks a rule, please report this: %s",
                    plan->strategy, broken);
  return !broken;
}

TnPlan *
tn_cli_plan_build(const TnStudy *study,
                  const TnCommonOptions *common,
                  const TnCliPlanOptions *own,
                  const TnCliPlanWanted *wanted)
{
  const TnDocument *document = study->document;
  tn_bytes alignment = MAX(wanted->alignment, study->alignment);
  TnPlanParams params = tn_cli_plan_params(own, wanted);
  params.capacity = tn_arena_sections_room(common, document, wanted->capacity);
  bool is_unordered = false;
  g_autoptr(TnStreamUses) uses = tn_stream_uses_new_for_study(study, common->order, &is_unordered);
  params.uses = uses;
  if (is_unordered)
    tn_diagnostics_add(document->diagnostics, "streams-unknown", 1,
                       "the buffers are of several streams, and the file does not say which waits for "
                       "which: `ge` lets streams share nothing, other planners take no notice");
  g_autoptr(TnPlan) plan =
      tn_plan_new_for_buffers(study->buffers, wanted->strategy, alignment, &params);
  tn_cli_add_plan_warnings(document, plan);
  tn_cli_print_warnings(document->diagnostics);
  if (plan->status == TN_PLAN_FAILED) {
    tn_cli_complain("%s: no plan: %s", document->shown_path, tn_plan_reason(plan));
    return g_steal_pointer(&plan);
  }
  return is_sound(study, plan, alignment) ? g_steal_pointer(&plan) : NULL;
}

bool
tn_cli_plan_fits(const TnCommonOptions *common,
                 const TnDocument *document,
                 const TnPlan *plan,
                 tn_bytes capacity)
{
  tn_bytes needed;
  tn_arena_sections_need(common, document, plan->arena_bytes, &needed);
  return needed <= capacity;
}

bool
tn_cli_plan_write(const TnDocument *document,
                  const TnStudy *study,
                  const TnPlan *plan,
                  const TnCommonOptions *common,
                  const char *path)
{
  g_autoptr(GError) error = NULL;
  bool is_graph = study->graph_lives != NULL;
  g_autoptr(GArray) last_uses = tn_stream_uses_build_stated(study, common->order);
  TnPlanOutput output = {.document = document,
                         .device = study->device,
                         .buffers = study->buffers,
                         .offset = plan->offset,
                         .strategy = plan->strategy,
                         .lifetime_model = !is_graph              ? document->lifetime_model
                                           : common->lifetime_model ? common->lifetime_model
                                                                    : "kernel",
                         .lower_bound_bytes = plan->lower_bound_bytes,
                         .arena_bytes = plan->arena_bytes,
                         .resident_bytes = study->resident_bytes,
                         .is_optimal = plan->is_optimal,
                         .order = common->order,
                         .last_uses = last_uses,
                         .space_arena_bytes = plan->space_arena,
                         .n_spaces = plan->n_spaces};
  bool is_csv = g_str_has_suffix(path, ".csv");
  g_autofree char *text = is_csv ? tn_plan_build_csv(&output) : tn_plan_build_json(&output);
  if (is_csv && tn_cli_add_csv_losses(document, &output)) {
    /* The others were printed before the plan was made. */
    const TnDiagnostics *all = document->diagnostics;
    tn_say_error("warning: %s\n", tn_diagnostics_get(all, tn_diagnostics_length(all) - 1)->message);
  }
  if (tn_write_file(path, text, strlen(text), &error))
    return true;
  tn_cli_complain("%s", error->message);
  return false;
}
