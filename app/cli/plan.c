/* SPDX-License-Identifier: MIT */
/* tenure-cli plan: lives → offsets. */
#include "config.h"

#include "app/cli/cli.h"
#include "app/cli/arena-sections.h"
#include "app/cli/plan-cost.h"
#include "app/cli/plan-dims.h"
#include "app/cli/plan-left.h"

#include "analysis/check.h"
#include "analysis/plan/plan.h"
#include "data/write.h"

#include <stdio.h>
#include <string.h>

#define NO_TICK G_MININT64

typedef struct {
  char *strategy, *capacity, *output, *order, *serve, *ge, *against;
  char **buckets;
  double time_limit;
  gint64 seed, compact_at;
} PlanOptions;

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

/* Why there is no plan. */
static const char *
reason_of(const TnPlan *plan)
{
  return plan->message ? plan->message : "the constraints contradict each other";
}

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

static bool
write_plan(const TnDocument *document, const TnStudy *study, const TnPlan *plan,
           const TnCommonOptions *common, const char *path)
{
  g_autoptr(GError) error = NULL;
  bool is_graph = study->graph_lives != NULL;
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
                         .space_arena_bytes = plan->space_arena,
                         .n_spaces = plan->n_spaces};
  g_autofree char *text = g_str_has_suffix(path, ".csv") ? tn_plan_build_csv(&output)
                                                         : tn_plan_build_json(&output);
  if (tn_write_file(path, text, strlen(text), &error))
    return true;
  tn_cli_complain("%s", error->message);
  return false;
}

static void
print_size(const TnCommonOptions *options, const char *what, tn_bytes bytes, const char *note)
{
  g_autofree char *text = tn_cli_size(options, bytes);
  tn_say("%-18s %14s%s%s\n", what, text, note[0] ? "  " : "", note);
}

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

/* There is no plan, and why. */
static void
print_none(const TnDocument *document, const TnStudy *study, const TnPlan *plan, tn_bytes capacity)
{
  cJSON *object = build_json(document, study, plan);
  if (capacity > 0)
    cJSON_AddBoolToObject(object, "fits", false);
  cJSON_AddStringToObject(object, "reason", reason_of(plan));
  tn_json_add_warnings(object, document->diagnostics);
  tn_json_print(object);
}

static void
print_json(const TnDocument *document,
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
    cJSON_AddBoolToObject(object, "fits", plan->arena_bytes <= capacity);
    cJSON_AddBoolToObject(object, "infeasible_proved", plan->status == TN_PLAN_INFEASIBLE);
  }
  tn_json_add_warnings(object, document->diagnostics);
  tn_json_print(object);
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

static void
print_text(const TnCommonOptions *options,
           const TnDocument *document,
           const TnStudy *study,
           const TnPlan *plan,
           tn_bytes capacity,
           const TnPlanCost *cost)
{
  g_autofree char *reach =
      plan->arena_bytes > 0
          ? g_strdup_printf("%s, %.2f %% above the bound",
                            plan->is_optimal ? "optimal (proved)" : "not proved optimal",
                            100.0 * ((double)plan->arena_bytes / (double)MAX(
                                         plan->proved_bound_bytes, (tn_bytes)1) - 1.0))
          : g_strdup("");
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
  if (capacity > 0)
    print_size(options, "Capacity", capacity,
               plan->arena_bytes <= capacity            ? "fits"
               : plan->status == TN_PLAN_INFEASIBLE     ? "does not fit: proved that no plan does"
               : plan->proved_bound_bytes > capacity    ? "does not fit: proved that no plan does"
                                                        : "does not fit (not proved impossible)");
  tn_arena_sections_print(options, document, plan->arena_bytes);
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

/* "recorded", or a planner; and there is no plan of its own to write. */
static bool
check_against(const PlanOptions *own)
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

/* What the options say of every plan that is made. */
typedef struct {
  const TnStrategy *strategy;
  tn_bytes capacity, alignment;
  unsigned ge_options;
} Wanted;

static bool
parse_wanted(const TnCommonOptions *common, const PlanOptions *own, Wanted *wanted)
{
  wanted->strategy = find_strategy(own->strategy, common);
  return wanted->strategy &&
         parse_ge(own->ge, wanted->strategy, own->against, &wanted->ge_options) &&
         tn_cli_parse_budget("--capacity", own->capacity, &wanted->capacity) &&
         tn_cli_parse_size("--align", common->align, &wanted->alignment);
}

static TnPlanParams
params_of(const PlanOptions *own, const Wanted *wanted)
{
  TnPlanParams params = TN_PLAN_PARAMS_INIT;
  params.capacity = wanted->capacity;
  params.time_limit = own->time_limit;
  params.seed = (uint64_t)own->seed;
  params.ge_options = wanted->ge_options;
  return params;
}

/* A plan that keeps all rules, or says why there is none, and the warnings of it; NULL: a planner broke a
 * rule.  Complains of both. */
static TnPlan *
build_plan(const TnStudy *study,
           const TnCommonOptions *common,
           const PlanOptions *own,
           const Wanted *wanted)
{
  const TnDocument *document = study->document;
  tn_bytes alignment = MAX(wanted->alignment, study->alignment);
  TnPlanParams params = params_of(own, wanted);
  bool is_unordered = false;
  g_autoptr(TnStreamUses) uses = tn_stream_uses_new_for_study(study, common->order, &is_unordered);
  params.uses = uses;
  if (is_unordered)
    tn_diagnostics_add(document->diagnostics, "streams-unknown", 1,
                       "the buffers are of several streams, and the file does not say which waits for "
                       "which: `ge` lets streams share nothing, other planners take no notice");
  g_autoptr(TnPlan) plan =
      tn_plan_new_for_buffers(study->buffers, wanted->strategy, alignment, &params);
  tn_cli_print_warnings(document->diagnostics);
  if (plan->status == TN_PLAN_FAILED) {
    tn_cli_complain("%s: no plan: %s", document->shown_path, reason_of(plan));
    return g_steal_pointer(&plan);
  }
  return is_sound(study, plan, alignment) ? g_steal_pointer(&plan) : NULL;
}

static TnExit
plan_file(const TnDocument *document, const TnCommonOptions *common, const PlanOptions *own)
{
  TnExit code;
  Wanted wanted;
  if (!check_against(own) || !parse_wanted(common, own, &wanted))
    return TN_EXIT_USAGE;
  g_autoptr(TnStudy) study = tn_cli_study(document, common, &code);
  if (!study)
    return code;
  tn_bytes alignment = MAX(wanted.alignment, study->alignment), capacity = wanted.capacity;
  if (own->compact_at != NO_TICK && (own->compact_at < 0 || own->compact_at >= study->axis_end)) {
    tn_cli_complain("--compact-at %" G_GINT64_FORMAT ": expected a tick from 0 to %" G_GINT64_FORMAT,
                    own->compact_at, study->axis_end - 1);
    return TN_EXIT_USAGE;
  }
  tn_cli_add_study_warnings(document, study);
  if (own->against) {
    TnLeftQuestion question = {own->against, wanted.strategy, alignment, common->order,
                               params_of(own, &wanted)};
    return tn_plan_left_run(study, common, &question);
  }
  g_autoptr(TnPlan) plan = build_plan(study, common, own, &wanted);
  if (plan && plan->status == TN_PLAN_FAILED && common->is_json)
    print_none(document, study, plan, capacity);
  if (!plan || plan->status == TN_PLAN_FAILED)
    return TN_EXIT_NO;
  if (own->output && !write_plan(document, study, plan, common, own->output))
    return TN_EXIT_INPUT;
  TnPlanCost cost =
      tn_plan_cost_find(document, study, plan, common->order, alignment, MAX(own->compact_at, -1));
  if (common->is_json)
    print_json(document, common, study, plan, alignment, capacity, &cost);
  else if (!tn_cli_is_stdout(own->output))
    print_text(common, document, study, plan, capacity, &cost);
  tn_plan_cost_clear(&cost);
  return capacity > 0 && plan->arena_bytes > capacity ? TN_EXIT_NO : TN_EXIT_DONE;
}

/* ---- shape buckets: one plan for each set of dimensions ---------------------------------------- */

/* "name.json" and "batch=4,seq=128" → "name-batch=4,seq=128.json". */
static char *
bucket_path(const char *output, const char *bucket)
{
  const char *dot = strrchr(output, '.');
  g_autofree char *safe = g_strdelimit(g_strdup(bucket), "/\\ ", '_');
  int stem = dot ? (int)(dot - output) : (int)strlen(output);
  return g_strdup_printf("%.*s-%s%s", stem, output, safe, dot ? dot : "");
}

static char **
join_bindings(char **bind, const char *bucket)
{
  g_auto(GStrv) more = g_strsplit(bucket, ",", -1);
  GPtrArray *all = g_ptr_array_new();
  for (gsize i = 0; bind && bind[i]; i++)
    g_ptr_array_add(all, g_strdup(bind[i]));
  for (gsize i = 0; more[i]; i++)
    g_ptr_array_add(all, g_strdup(g_strstrip(more[i])));
  g_ptr_array_add(all, NULL);
  return (char **)g_ptr_array_free(all, FALSE);
}

typedef struct {
  const PlanOptions *own;
  Wanted wanted;
  cJSON *rows; /* NULL: text */
  GHashTable *wanted_dims; /* of --serve; NULL: none */
  cJSON *warnings;     /* beside them */
  guint n_not;         /* too large for the capacity, or without a plan */
  const char *serving; /* the bucket with the smallest arena that serves; borrowed */
  tn_bytes serving_arena;
} Buckets;

static void
report_bucket(Buckets *buckets, const TnCommonOptions *common, const char *bucket,
              const TnStudy *study, const TnPlan *plan, const char *written)
{
  tn_bytes capacity = buckets->wanted.capacity;
  bool is_too_large = capacity > 0 && plan->arena_bytes > capacity;
  buckets->n_not += is_too_large;
  g_autoptr(GHashTable) dims = tn_cli_dims_parse("--bucket", bucket);
  if (buckets->wanted_dims && dims && tn_cli_dims_serve(dims, buckets->wanted_dims) &&
      (!buckets->serving || plan->arena_bytes < buckets->serving_arena)) {
    buckets->serving = bucket;
    buckets->serving_arena = plan->arena_bytes;
  }
  if (!buckets->rows) {
    g_autofree char *peak = tn_cli_size(common, study->live->peak);
    g_autofree char *arena = tn_cli_size(common, plan->arena_bytes);
    tn_say("%-32s %14s %14s  %s%s%s%s\n", bucket, peak, arena,
           plan->is_optimal ? "optimal" : "not proved",
           capacity <= 0  ? ""
           : is_too_large ? ", does not fit"
                          : ", fits",
           written ? "  " : "", written ? written : "");
    return;
  }
  cJSON *row = cJSON_CreateObject();
  cJSON_AddStringToObject(row, "bucket", bucket);
  tn_json_add_bytes(row, "live_peak_bytes", study->live->peak);
  tn_json_add_bytes(row, "arena_bytes", plan->arena_bytes);
  tn_json_add_bytes(row, "lower_bound_bytes", plan->lower_bound_bytes);
  cJSON_AddBoolToObject(row, "optimal", plan->is_optimal);
  tn_json_add_integer(row, "unsized_tensors", study->n_unsized);
  if (capacity > 0) {
    tn_json_add_bytes(row, "capacity_bytes", capacity);
    cJSON_AddBoolToObject(row, "fits", !is_too_large);
  }
  if (written)
    cJSON_AddStringToObject(row, "written", written);
  cJSON_AddItemToArray(buckets->rows, row);
}

static void
report_none(Buckets *buckets, const char *bucket, const TnStudy *study, const TnPlan *plan)
{
  buckets->n_not++;
  if (!buckets->rows) {
    tn_say("%-32s %14s %14s  %s\n", bucket, "", "no plan", reason_of(plan));
    return;
  }
  cJSON *row = cJSON_CreateObject();
  cJSON_AddStringToObject(row, "bucket", bucket);
  tn_json_add_bytes(row, "live_peak_bytes", study->live->peak);
  cJSON_AddNullToObject(row, "arena_bytes");
  cJSON_AddStringToObject(row, "reason", reason_of(plan));
  cJSON_AddItemToArray(buckets->rows, row);
}

static TnExit
plan_bucket(Buckets *buckets, const char *file, const TnCommonOptions *common, const char *bucket)
{
  TnExit code;
  const PlanOptions *own = buckets->own;
  PlanOptions rest = *own;
  TnCommonOptions bound = *common;
  g_auto(GStrv) bind = join_bindings(common->bind, bucket);
  bound.bind = bind;
  g_autoptr(TnDocument) document = tn_cli_load(file, &bound, &code);
  if (!document)
    return code;
  g_autofree uint32_t *order =
      own->order ? tn_cli_build_order(document, &bound, own->order, &rest.time_limit, &code) : NULL;
  bound.order = order;
  g_autoptr(TnStudy) study = order || !own->order ? tn_cli_study(document, &bound, &code) : NULL;
  if (!study)
    return code;
  tn_cli_add_study_warnings(document, study);
  g_autoptr(TnPlan) plan = build_plan(study, &bound, &rest, &buckets->wanted);
  if (!plan)
    return TN_EXIT_NO;
  if (buckets->rows)
    tn_json_append_warnings(buckets->warnings, document->diagnostics, "bucket", bucket);
  if (plan->status == TN_PLAN_FAILED) {
    report_none(buckets, bucket, study, plan);
    return TN_EXIT_DONE;
  }
  g_autofree char *path = own->output ? bucket_path(own->output, bucket) : NULL;
  if (path && !write_plan(document, study, plan, &bound, path))
    return TN_EXIT_INPUT;
  report_bucket(buckets, common, bucket, study, plan, path);
  return TN_EXIT_DONE;
}

/* What is of one plan alone. */
static bool
check_buckets(const PlanOptions *own)
{
  const char *other = own->against ? "--against" : own->compact_at != NO_TICK ? "--compact-at" : NULL;
  if (other)
    tn_cli_complain("plan: %s is of one plan: it does not go with --bucket", other);
  else if (tn_cli_is_stdout(own->output))
    tn_cli_complain("plan: --bucket writes a file for each: -o - has room for one only");
  bool is_good = !other && !tn_cli_is_stdout(own->output);
  for (char **bucket = own->buckets; is_good && *bucket; bucket++) {
    g_autoptr(GHashTable) dims = tn_cli_dims_parse("--bucket", *bucket);
    is_good = dims != NULL;
  }
  return is_good;
}

static bool
check_serve(const PlanOptions *own)
{
  if (own->serve && !own->buckets)
    tn_cli_complain("plan: --serve asks which --bucket serves, and there is none");
  return !own->serve || own->buckets;
}

static TnExit
plan_buckets(const char *file, const TnCommonOptions *common, const PlanOptions *own)
{
  Buckets buckets = {.own = own};
  g_autoptr(GHashTable) wanted_dims = NULL;
  if (!check_buckets(own) || !parse_wanted(common, own, &buckets.wanted))
    return TN_EXIT_USAGE;
  if (own->serve && !(wanted_dims = tn_cli_dims_parse("--serve", own->serve)))
    return TN_EXIT_USAGE;
  buckets.wanted_dims = wanted_dims;
  cJSON *object = cJSON_CreateObject();
  if (common->is_json) {
    buckets.rows = cJSON_AddArrayToObject(object, "buckets");
    buckets.warnings = cJSON_AddArrayToObject(object, "warnings");
  } else
    tn_say("%-32s %14s %14s\n", "Bucket", "live peak", "arena");
  TnExit code = TN_EXIT_DONE;
  for (gsize i = 0; own->buckets[i] && code == TN_EXIT_DONE; i++)
    code = plan_bucket(&buckets, file, common, own->buckets[i]);
  if (code == TN_EXIT_DONE && own->serve && !common->is_json)
    tn_say("%s is served by %s\n", own->serve, buckets.serving ? buckets.serving : "none of them");
  if (own->serve && buckets.serving)
    cJSON_AddStringToObject(object, "served_by", buckets.serving);
  if (common->is_json && code == TN_EXIT_DONE)
    tn_json_print(object);
  else
    cJSON_Delete(object);
  bool is_no = buckets.n_not > 0 || (own->serve && !buckets.serving);
  return code == TN_EXIT_DONE && is_no ? TN_EXIT_NO : code;
}

static TnExit
run(int argc, char **argv)
{
  TnCommonOptions common = {0};
  PlanOptions own = {.compact_at = NO_TICK};
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
  bool is_usage_good = check_serve(&own) && tn_cli_check_time_limit(own.time_limit) &&
                       tn_cli_check_output(&tn_command_plan, own.output, &common);
  g_autoptr(TnDocument) document =
      is_usage_good && !own.buckets ? tn_cli_load(files[0], &common, &code) : NULL;
  g_autofree uint32_t *order = NULL;
  if (is_usage_good && own.buckets)
    code = plan_buckets(files[0], &common, &own);
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
