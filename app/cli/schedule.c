/* SPDX-License-Identifier: MIT */
/* tenure-cli schedule: an order with a low peak, the bound, and what offsets make of it. */
#include "config.h"

#include "app/cli/cli.h"

#include "analysis/order/log.h"
#include "analysis/order/order.h"
#include "analysis/plan/plan.h"
#include "data/graph-order.h"
#include "data/write.h"

#include <stdio.h>
#include <string.h>

typedef struct {
  char *method, *budget, *output;
  double memory_weight, time_limit;
  gint64 seed;
  gboolean is_logged, keeps_in_place;
} ScheduleOptions;

typedef struct {
  const TnDocument *document;
  const TnCommonOptions *common;
  TnOrderAnswer *answer;
  TnGraphLifetimeParams lifetime;
  TnOrderLog *log; /* with --log; else NULL */
  tn_bytes budget, resident, arena;
  uint32_t n_unsized;
} Schedule;

/* ---- why it is so -------------------------------------------------------------------------- */

/* Why no order is smaller, or how much is open.  Owned. */
static char *
build_reason(const Schedule *schedule)
{
  const TnOrderAnswer *answer = schedule->answer;
  g_autofree char *bytes = tn_cli_size(schedule->common, answer->mandatory);
  g_autofree char *low = tn_cli_size(schedule->common, answer->bound);
  g_autofree char *high = tn_cli_size(schedule->common, answer->peak);
  if (!answer->is_optimal)
    return g_strdup_printf("the optimum lies between %s and %s", low, high);
  if (answer->n <= 1)
    return g_strdup("there is only one order");
  if (answer->is_only_order)
    return g_strdup("each op needs the one before it: there is only one order");
  if (answer->mandatory != answer->peak)
    return g_strdup("all orders were searched: none has a lower peak");
  if (answer->mandatory_op == TN_NONE)
    return g_strdup_printf("the graph's inputs are %s before the first op", bytes);
  g_autofree char *op = tn_graph_build_op_text(schedule->document->graph,
                                               schedule->document->strings, answer->mandatory_op);
  return g_strdup_printf(
      "while '%s' runs, %s are alive in every order: what the ops before it made "
      "and it, or ops after it, still read",
      op, bytes);
}

/* ---- offsets ------------------------------------------------------------------------------- */

/* What a planner makes of the order: never below its live peak, often equal to it. */
static bool
plan_offsets(Schedule *schedule)
{
  TnGraphLifetimeParams params = schedule->lifetime;
  TnPlanParams limits = TN_PLAN_PARAMS_INIT;
  limits.time_limit = 1;
  params.order = schedule->answer->order;
  g_autoptr(TnGraphLives) lives =
      tn_graph_lives_new(schedule->document->graph, schedule->document->strings, &params, NULL);
  if (!lives)
    return false;
  g_autoptr(TnPlan) plan = tn_plan_new_for_buffers(lives->buffers, tn_strategies_find("best"),
                                                   lives->alignment, &limits);
  schedule->resident = lives->resident_bytes;
  schedule->n_unsized = lives->n_unsized;
  schedule->arena = plan->status == TN_PLAN_FAILED ? -1 : plan->arena_bytes;
  return true;
}

/* ---- output -------------------------------------------------------------------------------- */

static void
add_order(cJSON *object, const Schedule *schedule)
{
  const TnGraph *graph = schedule->document->graph;
  cJSON *order = cJSON_AddArrayToObject(object, "order");
  cJSON *names = cJSON_AddArrayToObject(object, "order_names");
  for (uint32_t p = 0; p < schedule->answer->n; p++) {
    uint32_t op = schedule->answer->order[p];
    g_autofree char *name = tn_graph_build_op_text(graph, schedule->document->strings, op);
    cJSON_AddItemToArray(order, cJSON_CreateNumber((double)tn_cli_op_id(graph, op)));
    cJSON_AddItemToArray(names, cJSON_CreateString(name));
  }
}

static void
add_log(cJSON *object, const Schedule *schedule)
{
  const TnGraph *graph = schedule->document->graph;
  const TnStrings *strings = schedule->document->strings;
  cJSON *list = cJSON_AddArrayToObject(object, "steps");
  cJSON_AddNumberToObject(object, "peak_step", schedule->log->peak_at);
  for (uint32_t p = 0; p < schedule->log->n; p++) {
    const TnOrderStep *step = &schedule->log->step[p];
    g_autofree char *name = tn_graph_build_op_text(graph, strings, step->op);
    cJSON *row = cJSON_CreateObject(), *freed;
    cJSON_AddStringToObject(row, "op", name);
    tn_json_add_bytes(row, "during_bytes", step->during);
    tn_json_add_bytes(row, "after_bytes", step->after);
    freed = cJSON_AddArrayToObject(row, "freed");
    for (uint32_t k = 0; k < step->n_freed; k++)
      cJSON_AddItemToArray(
          freed,
          cJSON_CreateString(tn_strings_get(
              strings, tn_graph_tensor(graph, schedule->log->freed[step->first_freed + k])->name)));
    cJSON_AddItemToArray(list, row);
  }
}

static cJSON *
build_json(const Schedule *schedule)
{
  const TnOrderAnswer *answer = schedule->answer;
  g_autofree char *reason = build_reason(schedule);
  cJSON *object = cJSON_CreateObject();
  cJSON_AddStringToObject(object, "format", "tenure-order");
  cJSON_AddStringToObject(object, "file", schedule->document->path);
  cJSON_AddStringToObject(object, "method", answer->method);
  cJSON_AddStringToObject(object, "lifetime_model",
                          tn_lifetime_model_name(schedule->lifetime.model));
  tn_json_add_integer(object, "ops", answer->n);
  tn_json_add_bytes(object, "peak_bytes", answer->peak);
  tn_json_add_bytes(object, "baseline_peak_bytes", answer->baseline);
  tn_json_add_bytes(object, "lower_bound_bytes", answer->bound);
  cJSON_AddBoolToObject(object, "optimal", answer->is_optimal);
  cJSON_AddStringToObject(object, "reason", reason);
  tn_json_add_bytes(object, "resident_bytes", schedule->resident);
  tn_json_add_integer(object, "unsized_tensors", schedule->n_unsized);
  tn_json_add_bytes(object, "arena_bytes", schedule->arena);
  tn_json_add_bytes(object, "fragmentation_bytes",
                    schedule->arena < 0 ? -1 : schedule->arena - answer->peak);
  cJSON_AddNumberToObject(object, "schedule_seconds", answer->seconds);
  tn_json_add_integer(object, "states", (int64_t)answer->n_states);
  if (schedule->budget > 0) {
    tn_json_add_bytes(object, "budget_bytes", schedule->budget);
    cJSON_AddStringToObject(object, "budget", tn_order_verdict_name(answer->verdict));
    cJSON_AddBoolToObject(object, "fits", answer->verdict == TN_ORDER_FITS);
  }
  cJSON *tried = cJSON_AddArrayToObject(object, "tried");
  for (guint i = 0; i < answer->tried->len; i++) {
    const TnOrderTry *try = &g_array_index(answer->tried, TnOrderTry, i);
    cJSON *row = cJSON_CreateObject();
    cJSON_AddStringToObject(row, "method", try->method);
    tn_json_add_bytes(row, "peak_bytes", try->peak);
    cJSON_AddNumberToObject(row, "seconds", try->seconds);
    cJSON_AddItemToArray(tried, row);
  }
  add_order(object, schedule);
  if (schedule->log)
    add_log(object, schedule);
  tn_json_add_warnings(object, schedule->document->diagnostics);
  return object;
}

static void
print_size(const Schedule *schedule, const char *what, tn_bytes bytes, const char *note)
{
  g_autofree char *text = tn_cli_size(schedule->common, bytes);
  printf("%-14s %14s%s%s\n", what, text, note[0] ? "  " : "", note);
}

static void
print_budget(const Schedule *schedule)
{
  static const char *const texts[] = {"", "this order fits", "proved: no order fits",
                                      "unknown: this order does not fit, others may"};
  if (schedule->budget > 0)
    print_size(schedule, "Budget", schedule->budget, texts[schedule->answer->verdict]);
}

static void
print_log(const Schedule *schedule)
{
  const TnGraph *graph = schedule->document->graph;
  const TnStrings *strings = schedule->document->strings;
  printf("%6s  %14s %14s  %s\n", "step", "during", "after", "op, and what it frees");
  for (uint32_t p = 0; p < schedule->log->n; p++) {
    const TnOrderStep *step = &schedule->log->step[p];
    g_autofree char *name = tn_graph_build_op_text(graph, strings, step->op);
    g_autofree char *during = tn_cli_size(schedule->common, step->during);
    g_autofree char *after = tn_cli_size(schedule->common, step->after);
    printf("%6u%s %14s %14s  %s", p, p == schedule->log->peak_at ? "*" : " ", during, after, name);
    for (uint32_t k = 0; k < step->n_freed; k++)
      printf(
          "%s%s", k ? ", " : "  -",
          tn_strings_get(
              strings, tn_graph_tensor(graph, schedule->log->freed[step->first_freed + k])->name));
    putchar('\n');
  }
}

static void
print_text(const Schedule *schedule)
{
  const TnOrderAnswer *answer = schedule->answer;
  g_autofree char *reason = build_reason(schedule);
  double gain =
      answer->baseline > 0 ? 100.0 * (1.0 - (double)answer->peak / (double)answer->baseline) : 0;
  g_autofree char *note = g_strdup_printf("%.1f %% below the file's order", gain);
  g_autofree char *fragmentation =
      schedule->arena == answer->peak
          ? g_strdup("fragmentation adds nothing")
          : g_strdup_printf("fragmentation adds %.2f %%",
                            100.0 * ((double)schedule->arena / (double)MAX(answer->peak, 1) - 1.0));
  printf("%-14s %14s\n", "Method", answer->method);
  printf("%-14s %14s\n", "Lives", tn_lifetime_model_name(schedule->lifetime.model));
  printf("%-14s %14u\n", "Ops", answer->n);
  print_size(schedule, "File's order", answer->baseline, "live peak");
  print_size(schedule, "This order", answer->peak,
             answer->peak < answer->baseline ? note : "nothing gained");
  print_size(schedule, "Lower bound", answer->bound,
             answer->is_optimal ? "optimal (proved)" : "not proved optimal");
  printf("%-14s %s\n", "Why", reason);
  if (schedule->n_unsized > 0)
    printf("%-14s %14u  tensors count as 0 bytes in all of this: --bind gives dimensions values\n",
           "Unknown sizes", schedule->n_unsized);
  if (schedule->arena >= 0)
    print_size(schedule, "Arena", schedule->arena, fragmentation);
  if (schedule->resident > 0)
    print_size(schedule, "Residents", schedule->resident, "weights and the like: in no order less");
  print_budget(schedule);
  printf("%-14s %12.4f s\n", "Scheduled in", answer->seconds);
  for (guint i = 0; i < answer->tried->len && answer->tried->len > 1; i++) {
    const TnOrderTry *try = &g_array_index(answer->tried, TnOrderTry, i);
    g_autofree char *name = g_strdup_printf("  %s", try->method);
    g_autofree char *seconds = g_strdup_printf("%.4f s", try->seconds);
    print_size(schedule, name, try->peak, seconds);
  }
}

static bool
write_json(const Schedule *schedule, const char *path)
{
  g_autoptr(GError) error = NULL;
  cJSON *object = build_json(schedule);
  char *text = cJSON_Print(object);
  bool is_good = tn_write_file(path, text, strlen(text), &error);
  if (error)
    tn_cli_complain("%s", error->message);
  cJSON_free(text);
  cJSON_Delete(object);
  return is_good;
}

/* ---- the command --------------------------------------------------------------------------- */

static TnExit
report(const Schedule *schedule, const ScheduleOptions *own)
{
  tn_cli_print_warnings(schedule->document->diagnostics);
  if (own->output && !write_json(schedule, own->output))
    return TN_EXIT_INPUT;
  if (schedule->common->is_json)
    tn_json_print(build_json(schedule));
  else
    print_text(schedule);
  if (schedule->log && !schedule->common->is_json)
    print_log(schedule);
  bool is_no = schedule->budget > 0 && schedule->answer->verdict != TN_ORDER_FITS;
  return is_no ? TN_EXIT_NO : TN_EXIT_DONE;
}

static TnExit
schedule_graph(const TnDocument *document,
               const TnCommonOptions *common,
               const ScheduleOptions *own)
{
  Schedule schedule = {.document = document, .common = common, .arena = -1};
  TnOrderParams params = TN_ORDER_PARAMS_INIT;
  const TnOrderMethod *method = tn_order_methods_find(own->method ? own->method : "best");
  g_autoptr(GError) error = NULL;
  if (!method)
    tn_cli_complain("--method %s: no such method; `tenure-cli strategies` lists them", own->method);
  if (!method || !tn_cli_lifetime_params(common, &schedule.lifetime) ||
      !tn_cli_parse_size("--budget", own->budget, &schedule.budget))
    return TN_EXIT_USAGE;
  params.memory_weight = own->memory_weight;
  params.time_limit = own->time_limit;
  params.seed = (uint64_t)own->seed;
  params.budget = schedule.budget;
  params.keeps_in_place = own->keeps_in_place;
  g_autoptr(TnOrderAnswer) answer =
      tn_order_new(document->graph, document->strings, &schedule.lifetime, method, &params, &error);
  if (!answer) {
    tn_cli_complain("%s: %s", document->path, error->message);
    return TN_EXIT_INPUT;
  }
  schedule.answer = answer;
  plan_offsets(&schedule);
  TnGraphLifetimeParams lifetime = schedule.lifetime;
  lifetime.order = answer->order;
  g_autoptr(TnOrderLog) log =
      own->is_logged ? tn_order_log_new(document->graph, document->strings, &lifetime, NULL) : NULL;
  schedule.log = log;
  return report(&schedule, own);
}

static TnExit
run(int argc, char **argv)
{
  TnCommonOptions common = {0};
  ScheduleOptions own = {.memory_weight = 1};
  g_auto(GStrv) files = NULL;
  const GOptionEntry entries[] = {
      {"method", 0, 0, G_OPTION_ARG_STRING, &own.method,
       "How to find the order (default best: all, the smallest kept)", "NAME"},
      {"memory-weight", 0, 0, G_OPTION_ARG_DOUBLE, &own.memory_weight,
       "Of greedy: memory against the remaining path, 0 to 1 (default 1)", "W"},
      {"budget", 0, 0, G_OPTION_ARG_STRING, &own.budget,
       "Is there an order within this?  Exit 1 where none was found", "SIZE"},
      {"time-limit", 0, 0, G_OPTION_ARG_DOUBLE, &own.time_limit,
       "Stop searching after this long (default 10)", "SECONDS"},
      {"seed", 0, 0, G_OPTION_ARG_INT64, &own.seed, "Of what draws lots", "N"},
      {"keep-in-place", 0, 0, G_OPTION_ARG_NONE, &own.keeps_in_place,
       "What the file's order writes in place stays in place: its readers run before", NULL},
      {"log", 0, 0, G_OPTION_ARG_NONE, &own.is_logged,
       "List each step: what is alive during and after it, what it frees", NULL},
      {"output", 'o', 0, G_OPTION_ARG_FILENAME, &own.output, "Write the order as JSON", "FILE"},
      {NULL, 0, 0, G_OPTION_ARG_NONE, NULL, NULL, NULL},
  };
  if (!tn_cli_parse(&tn_command_schedule, argc, argv, &common, entries, 1, 1, &files))
    return TN_EXIT_USAGE;
  TnExit code;
  g_autoptr(TnDocument) document = tn_cli_load(files[0], &common, &code);
  if (document)
    code = tn_cli_need_graph(document) ? schedule_graph(document, &common, &own) : TN_EXIT_INPUT;
  tn_common_options_clear(&common);
  g_free(own.method);
  g_free(own.budget);
  g_free(own.output);
  return code;
}

const TnCommand tn_command_schedule = {"schedule", "FILE",
                                       "Find an order of the ops with a low peak", run};
