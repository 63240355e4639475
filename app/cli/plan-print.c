/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/cli/plan-print.h"

#include "app/cli/arena-sections.h"
#include "app/cli/plan-make.h"

#include <string.h>

static tn_bytes
largest_workspace(const TnBuffers *buffers)
{
  tn_bytes most = 0;
  for (uint32_t i = 0; i < buffers->n; i++)
    if (buffers->kind[i] == TN_KIND_WORKSPACE)
      most = MAX(most, buffers->bytes[i]);
  return most;
}

/* What a compiler that plans apart would ask for: residents + the arena of everything but
 * workspaces + the largest workspace. */
static tn_bytes
upper_estimate(const TnStudy *study,
               const TnPlan *plan,
               tn_bytes alignment,
               const uint32_t *order)
{
  tn_bytes workspace = largest_workspace(study->buffers);
  if (workspace == 0)
    return study->resident_bytes + plan->arena_bytes;
  g_autoptr(TnBuffers) rest = tn_buffers_copy(study->buffers);
  for (uint32_t i = 0; i < rest->n; i++)
    if (rest->kind[i] == TN_KIND_WORKSPACE)
      rest->bytes[i] = 0;
  TnPlanParams params = TN_PLAN_PARAMS_INIT;
  g_autoptr(TnStreamUses) uses = tn_stream_uses_new_for_study(study, order, NULL);
  params.uses = uses;
  g_autoptr(TnPlan) apart =
      tn_plan_new_for_buffers(rest, tn_strategies_find("greedy-size"), alignment, &params);
  return study->resident_bytes + apart->arena_bytes + workspace;
}

/* Whether it is proved that no plan fits, with what the runtime has beside it. */
static bool
is_impossible(const TnCommonOptions *common,
              const TnDocument *document,
              const TnPlan *plan,
              tn_bytes capacity)
{
  tn_bytes least;
  /* The tail may be smaller then, and the planner was given what it leaves: the head alone is sure. */
  if (tn_arena_sections_may_repeat(common, document))
    return plan->proved_bound_bytes > capacity;
  tn_arena_sections_need(common, document, plan->proved_bound_bytes, &least);
  return plan->status == TN_PLAN_INFEASIBLE || least > capacity;
}

/* ---- for a program ----------------------------------------------------------------------------- */

/* What is said of a plan that failed, too: its arena is null. */
static cJSON *
build_json(const TnDocument *document, const TnStudy *study, const TnPlan *plan)
{
  bool has_failed = plan->status == TN_PLAN_FAILED;
  cJSON *object = cJSON_CreateObject();
  cJSON_AddStringToObject(object, "file", document->shown_path);
  cJSON_AddStringToObject(object, "strategy", plan->strategy);
  cJSON *tried = cJSON_AddArrayToObject(object, "tried");
  for (guint i = 0; i < plan->tried->len; i++) {
    const TnPlanTry *try = &g_array_index(plan->tried, TnPlanTry, i);
    cJSON *row = cJSON_CreateObject();
    cJSON_AddStringToObject(row, "strategy", try->strategy);
    tn_json_add_bytes(row, "arena_bytes", try->status == TN_PLAN_FAILED ? -1 : try->arena_bytes);
    cJSON_AddNumberToObject(row, "plan_seconds", try->seconds);
    cJSON_AddItemToArray(tried, row);
  }
  tn_json_add_integer(object, "buffers", study->buffers->n);
  tn_json_add_bytes(object, "lower_bound_bytes", plan->lower_bound_bytes);
  tn_json_add_bytes(object, "proved_bound_bytes", plan->proved_bound_bytes);
  tn_json_add_bytes(object, "arena_bytes", has_failed ? -1 : plan->arena_bytes);
  tn_json_add_bytes(object, "recorded_arena_bytes", study->arena_bytes);
  cJSON_AddBoolToObject(object, "optimal", !has_failed && plan->is_optimal);
  tn_json_add_bytes(object, "no_reuse_bytes", plan->no_reuse_bytes);
  tn_json_add_bytes(object, "resident_bytes", study->resident_bytes);
  tn_json_add_bytes(object, "workspace_bytes", largest_workspace(study->buffers));
  return object;
}

void
tn_cli_plan_print_none(const TnDocument *document,
                       const TnStudy *study,
                       const TnPlan *plan,
                       tn_bytes capacity)
{
  cJSON *object = build_json(document, study, plan);
  if (capacity > 0)
    cJSON_AddBoolToObject(object, "fits", false);
  cJSON_AddStringToObject(object, "reason", tn_plan_reason(plan));
  tn_json_add_warnings(object, document->diagnostics);
  tn_json_print(object);
}

void
tn_cli_plan_print_json(const TnDocument *document,
                       const TnCommonOptions *common,
                       const TnStudy *study,
                       const TnPlan *plan,
                       tn_bytes alignment,
                       tn_bytes capacity,
                       const TnPlanCost *cost)
{
  cJSON *object = build_json(document, study, plan);
  tn_json_add_bytes(object, "upper_estimate_bytes",
                    upper_estimate(study, plan, alignment, common->order));
  cJSON_AddNumberToObject(object, "plan_seconds", plan->seconds);
  tn_plan_cost_add_json(object, cost);
  tn_arena_sections_add_json(object, common, document, plan->arena_bytes);
  if (capacity > 0) {
    tn_json_add_bytes(object, "capacity_bytes", capacity);
    bool fits = tn_cli_plan_fits(common, document, plan, capacity);
    cJSON_AddBoolToObject(object, "fits", fits);
    cJSON_AddBoolToObject(object, "infeasible_proved",
                          !fits && is_impossible(common, document, plan, capacity));
  }
  tn_json_add_warnings(object, document->diagnostics);
  tn_json_print(object);
}

/* ---- for a person ------------------------------------------------------------------------------ */

static void
print_size(const TnCommonOptions *options, const char *what, tn_bytes bytes, const char *note)
{
  g_autofree char *text = tn_cli_size(options, bytes);
  tn_say("%-18s %14s%s%s\n", what, text, note[0] ? "  " : "", note);
}

static void
print_tries(const TnCommonOptions *options, const GArray *tried)
{
  int width = 16; /* as the rows above; GE's names are longer */
  for (guint i = 0; i < tried->len; i++)
    width = MAX(width, (int)strlen(g_array_index(tried, TnPlanTry, i).strategy));
  for (guint i = 0; i < tried->len && tried->len > 1; i++) {
    const TnPlanTry *try = &g_array_index(tried, TnPlanTry, i);
    g_autofree char *size =
        try->status == TN_PLAN_FAILED ? g_strdup("none") : tn_cli_size(options, try->arena_bytes);
    tn_say("  %-*s %14s  %.3f s\n", width, try->strategy, size, try->seconds);
  }
}

/* Of a file with a plan of its own: what that leaves on the table. */
static void
print_recorded(const TnCommonOptions *options, const TnStudy *study, const TnPlan *plan)
{
  tn_bytes less = study->arena_bytes - plan->arena_bytes;
  if (study->arena_bytes == TN_BYTES_UNKNOWN)
    return;
  g_autofree char *size = tn_cli_size(options, less < 0 ? -less : less);
  g_autofree char *words = less == 0 ? g_strdup("the same as this plan")
                                     : g_strdup_printf("%s %s than this plan", size,
                                                       less > 0 ? "more" : "less");
  print_size(options, "In the file", study->arena_bytes, words);
}

/* Of several spaces each has its own moment; and more may be proved than what is alive asks for. */
static void
print_bounds(const TnCommonOptions *options, const TnPlan *plan)
{
  g_autofree char *sums =
      plan->n_spaces > 1 ? g_strdup_printf("sum of the largest alive at once in each of %u spaces",
                                           plan->n_spaces)
                         : g_strdup("largest sum alive at once");
  print_size(options, "Lower bound", plan->lower_bound_bytes, sums);
  if (plan->proved_bound_bytes > plan->lower_bound_bytes)
    print_size(options, "Proved bound", plan->proved_bound_bytes, "no plan is smaller");
}

/* How far from what is proved; a bound of nothing is none to compare with. */
static char *
dup_reach(const TnPlan *plan)
{
  const char *claim = plan->is_optimal ? "optimal (proved)" : "not proved optimal";
  if (plan->arena_bytes <= 0)
    return g_strdup("");
  if (plan->proved_bound_bytes <= 0)
    return g_strdup(claim);
  double ratio = (double)plan->arena_bytes / (double)plan->proved_bound_bytes;
  return g_strdup_printf("%s, %.2f %% above the bound", claim, 100.0 * (ratio - 1.0));
}

static char *
dup_verdict(const TnCommonOptions *options,
            const TnDocument *document,
            const TnPlan *plan,
            tn_bytes capacity)
{
  tn_bytes needed;
  bool has_sections =
      tn_arena_sections_need(options, document, plan->arena_bytes, &needed);
  bool is_proved = is_impossible(options, document, plan, capacity);
  if (needed <= capacity)
    return g_strdup(has_sections ? "fits on 32 bits, as far as the file tells" : "fits");
  const char *proof = is_proved ? "proved that no plan does" : "not proved impossible";
  if (!has_sections)
    return g_strdup_printf(is_proved ? "does not fit: %s" : "does not fit (%s)", proof);
  g_autofree char *size = tn_cli_size(options, needed);
  if (tn_arena_sections_may_repeat(options, document))
    return g_strdup_printf("does not fit: the whole arena takes %s, counting a sub-graph for each op "
                           "that runs it (%s)", size, proof);
  return g_strdup_printf("does not fit: the whole arena takes %s or more (%s)", size, proof);
}

void
tn_cli_plan_print_text(const TnCommonOptions *options,
                       const TnDocument *document,
                       const TnStudy *study,
                       const TnPlan *plan,
                       tn_bytes capacity,
                       const TnPlanCost *cost)
{
  g_autofree char *reach = dup_reach(plan);
  g_autofree char *reuse =
      g_strdup_printf("reuse ratio %.1f %%",
                      plan->no_reuse_bytes > 0
                          ? 100.0 * (1.0 - (double)plan->arena_bytes / (double)plan->no_reuse_bytes)
                          : 0.0);
  tn_say("%-18s %14s\n", "Strategy", plan->strategy);
  tn_say("%-18s %14u\n", "Buffers", study->buffers->n);
  print_bounds(options, plan);
  print_size(options, "Arena", plan->arena_bytes, reach);
  print_recorded(options, study, plan);
  print_size(options, "Without reuse", plan->no_reuse_bytes, reuse);
  if (study->resident_bytes > 0)
    print_size(options, "Residents", study->resident_bytes, "not part of the arena");
  tn_say("%-18s %12.3f s\n", "Planned in", plan->seconds);
  print_tries(options, plan->tried);
  tn_plan_cost_print(options, cost);
  if (capacity > 0) {
    g_autofree char *verdict = dup_verdict(options, document, plan, capacity);
    print_size(options, "Capacity", capacity, verdict);
  }
  tn_arena_sections_print(options, document, plan->arena_bytes);
}
