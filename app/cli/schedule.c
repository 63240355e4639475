/* SPDX-License-Identifier: MIT */
/* tenure-cli schedule: an order with a low peak, the bound, and what offsets make of it. */
#include "config.h"

#include "app/cli/arena-sections.h"
#include "app/cli/cli.h"

#include "app/answer/order-answer.h"
#include "app/answer/time-limit.h"
#include "app/answer/words.h"
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
  TnOrderReport report;
  const TnCommonOptions *common;
} Schedule;

/* ---- output -------------------------------------------------------------------------------- */

static void
print_size(const Schedule *schedule, const char *what, tn_bytes bytes, const char *note)
{
  g_autofree char *text = tn_cli_size(schedule->common, bytes);
  tn_say("%-14s %14s%s%s\n", what, text, note[0] ? "  " : "", note);
}

static void
print_budget(const Schedule *schedule)
{
  static const char *const texts[] = {"", "this order fits", "proved: no order fits",
                                      "unknown: this order does not fit, others may"};
  const TnOrderReport *report = &schedule->report;
  g_autofree char *sum = tn_answer_build_residents_sum(report->answer->peak, report->resident,
                                                       report->budget, report->units);
  bool is_beside = report->answer->verdict == TN_ORDER_FITS && report->resident > 0;
  g_autofree char *note =
      g_strdup_printf("%s%s%s", texts[report->answer->verdict],
                      is_beside ? ", beside the residents: " : "", is_beside ? sum : "");
  if (report->budget > 0)
    print_size(schedule, "Budget", report->budget, note);
}

static void
print_log(const Schedule *schedule)
{
  const TnGraph *graph = schedule->report.document->graph;
  const TnStrings *strings = schedule->report.document->strings;
  tn_say("%6s  %14s %14s  %s\n", "step", "during", "after", "op, and what it frees");
  for (uint32_t p = 0; p < schedule->report.log->n; p++) {
    const TnOrderStep *step = &schedule->report.log->step[p];
    g_autofree char *name = tn_graph_build_op_text(graph, strings, step->op);
    g_autofree char *during = tn_cli_size(schedule->common, step->during);
    g_autofree char *after = tn_cli_size(schedule->common, step->after);
    tn_say("%6u%s %14s %14s  %s", p, p == schedule->report.log->peak_at ? "*" : " ", during, after,
           name);
    for (uint32_t k = 0; k < step->n_freed; k++)
      tn_say("%s%s", k ? ", " : "  -",
             tn_strings_get(
                 strings,
                 tn_graph_tensor(graph, schedule->report.log->freed[step->first_freed + k])->name));
    putchar('\n');
  }
}

static void
print_text(const Schedule *schedule)
{
  const TnOrderAnswer *answer = schedule->report.answer;
  g_autofree char *reason = tn_order_report_build_reason(&schedule->report);
  double gain =
      answer->baseline > 0 ? 100.0 * (1.0 - (double)answer->peak / (double)answer->baseline) : 0;
  g_autofree char *note = g_strdup_printf("%.1f %% below the file's order", gain);
  g_autofree char *added =
      answer->adds_batches
          ? g_strdup("batches that never run together share it")
          : tn_answer_build_added(answer->peak, tn_order_report_fragmentation(&schedule->report),
                                  schedule->report.apart);
  tn_say("%-14s %14s\n", "Method", answer->method);
  tn_say("%-14s %14s\n", "Lives", tn_lifetime_model_name(schedule->report.lifetime.model));
  tn_say("%-14s %14u\n", "Ops", answer->n);
  print_size(schedule, "File's order", answer->baseline, "live peak");
  print_size(schedule, "This order", answer->peak,
             answer->peak < answer->baseline ? note : "nothing gained");
  print_size(schedule, "Lower bound", answer->bound,
             answer->adds_batches ? "of batches added up, nothing proved"
             : answer->is_optimal ? "optimal (proved)"
                                  : "not proved optimal");
  tn_say("%-14s %s\n", "Why", reason);
  if (schedule->report.n_unsized > 0)
    tn_say("%-14s %14u  tensors count as 0 bytes in all of this: --bind gives dimensions values\n",
           "Unknown sizes", schedule->report.n_unsized);
  if (schedule->report.arena >= 0)
    print_size(schedule, "Arena", schedule->report.arena, added);
  if (schedule->report.resident > 0)
    print_size(schedule, "Residents", schedule->report.resident,
               "weights and the like: in no order less");
  print_budget(schedule);
  tn_say("%-14s %12.4f s\n", "Scheduled in", answer->seconds);
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
  cJSON *object = tn_order_report_build_json(&schedule->report);
  bool is_good = tn_json_write(object, path);
  cJSON_Delete(object);
  return is_good;
}

/* ---- the command --------------------------------------------------------------------------- */

static TnExit
report(const Schedule *schedule, const ScheduleOptions *own)
{
  tn_cli_print_warnings(schedule->report.document->diagnostics);
  if (own->output && !write_json(schedule, own->output))
    return TN_EXIT_INPUT;
  bool is_text = !schedule->common->is_json && !tn_cli_is_stdout(own->output);
  if (schedule->common->is_json)
    tn_json_print(tn_order_report_build_json(&schedule->report));
  else if (is_text)
    print_text(schedule);
  if (schedule->report.log && is_text)
    print_log(schedule);
  bool is_no = schedule->report.budget > 0 && schedule->report.answer->verdict != TN_ORDER_FITS;
  return is_no ? TN_EXIT_NO : TN_EXIT_DONE;
}

static bool
check_weights(const ScheduleOptions *own)
{
  if (own->memory_weight >= 0.0 && own->memory_weight <= 1.0)
    return tn_cli_check_time_limit(own->time_limit);
  tn_cli_complain("--memory-weight: expected a number from 0 to 1");
  return false;
}

static TnExit
schedule_graph(const TnDocument *document,
               const TnCommonOptions *common,
               const ScheduleOptions *own)
{
  Schedule schedule = {.common = common};
  schedule.report = (TnOrderReport){
      .document = document, .arena = -1, .units = common->is_bytes ? TN_UNITS_BYTES : TN_UNITS_IEC};
  TnOrderParams params = TN_ORDER_PARAMS_INIT;
  const TnOrderMethod *method = tn_order_methods_find(own->method ? own->method : "best");
  g_autoptr(GError) error = NULL;
  if (!method)
    tn_cli_complain("--method %s: no such method; `tenure-cli strategies` lists them", own->method);
  if (!method || !check_weights(own) || !tn_cli_lifetime_params(common, &schedule.report.lifetime) ||
      !tn_cli_parse_budget("--budget", own->budget, &schedule.report.budget))
    return TN_EXIT_USAGE;
  params.memory_weight = own->memory_weight;
  params.time_limit = own->time_limit * TN_ANSWER_SEARCH_PART;
  schedule.report.time_limit = own->time_limit;
  params.seed = (uint64_t)own->seed;
  params.budget = schedule.report.budget;
  params.keeps_in_place = own->keeps_in_place;
  g_autoptr(TnOrderAnswer) answer = tn_order_new(
      document->graph, document->strings, &schedule.report.lifetime, method, &params, &error);
  if (!answer) {
    tn_cli_complain("%s: %s", document->shown_path, error->message);
    return TN_EXIT_INPUT;
  }
  schedule.report.answer = answer;
  tn_order_report_plan_offsets(&schedule.report);
  TnGraphLifetimeParams lifetime = schedule.report.lifetime;
  lifetime.order = answer->order;
  g_autoptr(TnOrderLog) log =
      own->is_logged ? tn_order_log_new(document->graph, document->strings, &lifetime, NULL) : NULL;
  schedule.report.log = log;
  tn_arena_sections_warn(common, document, schedule.report.budget);
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
  TnExit code = TN_EXIT_USAGE;
  g_autoptr(TnDocument) document = tn_cli_check_stdout(&tn_command_schedule, own.output, &common)
                                       ? tn_cli_load(files[0], &common, &code)
                                       : NULL;
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
