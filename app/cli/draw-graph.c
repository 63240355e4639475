/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/cli/draw-graph.h"

#include "app/answer/words.h"
#include "data/write.h"
#include "render/draw-budget.h"
#include "render/draw-orders.h"

#include <stdio.h>
#include <string.h>

#define ORDER_SECONDS 2 /* for each method */
#define SWEEP 24        /* budgets of the curve */

typedef struct {
  const TnDocument *document;
  const TnCommonOptions *options;
  const TnExportParams *params;
  TnUnits units;
  const char *view, *output;
} Task;

typedef struct {
  const void *picture;
  char *title, *note; /* owned */
} Page;

bool
tn_cli_is_graph_view(const char *view)
{
  return view && (strcmp(view, "orders") == 0 || strcmp(view, "budget") == 0);
}

static TnExit
write_page(const Task *task, TnExportDraw draw, Page *page)
{
  TnExportFormat format;
  g_autoptr(GError) error = NULL;
  tn_export_format_from_path(task->output, &format);
  g_autoptr(GByteArray) bytes = tn_export_build_drawing(task->params, format, draw, page, &error);
  g_free(page->title);
  g_free(page->note);
  if (!bytes || !tn_write_file(task->output, bytes->data, bytes->len, &error)) {
    tn_cli_complain("%s", error->message);
    return TN_EXIT_INPUT;
  }
  if (!task->options->is_json) {
    tn_say("%s: %dx%d, %s\n", task->output, task->params->width, task->params->height, task->view);
    return TN_EXIT_DONE;
  }
  cJSON *object = cJSON_CreateObject();
  cJSON_AddStringToObject(object, "written", task->output);
  cJSON_AddStringToObject(object, "view", task->view);
  tn_json_add_integer(object, "width", task->params->width);
  tn_json_add_integer(object, "height", task->params->height);
  tn_json_add_warnings(object, task->document->diagnostics);
  tn_json_print(object);
  return TN_EXIT_DONE;
}

/* "name: sentence"; owned. */
static char *
build_title(const Task *task, char *sentence)
{
  g_autofree char *name = g_path_get_basename(task->document->shown_path), *own = sentence;
  return g_strdup_printf("%s: %s", name, own);
}

/* ---- orders -------------------------------------------------------------------------------- */

static void
draw_orders(const TnPaint *paint, TnRect rect, const void *payload)
{
  const Page *page = payload;
  tn_draw_orders_page(paint, page->picture, rect, page->title, page->note);
}

static TnExit
write_orders(const Task *task, const TnGraphLifetimeParams *lifetime)
{
  const TnDocument *document = task->document;
  TnOrderParams params = TN_ORDER_PARAMS_INIT;
  g_autoptr(GError) error = NULL;
  params.time_limit = ORDER_SECONDS;
  g_autoptr(TnOrderComparison) comparison =
      tn_order_compare(document->graph, document->strings, lifetime, &params, &error);
  if (!comparison) {
    tn_cli_complain("%s: %s", document->shown_path, error->message);
    return TN_EXIT_INPUT;
  }
  g_autoptr(TnGraphLives) lives =
      tn_graph_lives_new(document->graph, document->strings, lifetime, NULL);
  TnOrdersPicture picture = {.comparison = comparison,
                             .selected = tn_order_comparison_best(comparison),
                             .step = TN_NONE,
                             .units = task->units};
  Page page = {.picture = &picture,
               .title = build_title(task, tn_answer_build_orders_sentence(comparison, task->units)),
               .note = tn_answer_build_orders_reason(comparison, document,
                                                     lives ? lives->n_unsized : 0, task->units)};
  return write_page(task, draw_orders, &page);
}

/* ---- a budget ------------------------------------------------------------------------------ */

static void
draw_budget(const TnPaint *paint, TnRect rect, const void *payload)
{
  const Page *page = payload;
  tn_draw_budget_page(paint, page->picture, rect, page->title, page->note);
}

static TnExit
write_budget(const Task *task, TnSpillReport *report)
{
  const TnSpillAnswer *answer = report->answer;
  TnBudgetPicture picture;
  tn_spill_report_run(report);
  tn_spill_report_plan_offsets(report);
  tn_budget_picture_init(&picture, task->document->graph, task->document->strings, answer,
                         &report->run);
  picture.units = task->units;
  Page page = {.picture = &picture,
               .title = build_title(task, tn_answer_build_spill_sentence(report, task->units)),
               .note = tn_answer_build_spill_note(report, task->units)};
  TnExit code = write_page(task, draw_budget, &page);
  tn_spill_report_clear(report);
  return code;
}

static TnExit
plan_budget(const Task *task, const TnGraphLifetimeParams *lifetime, tn_bytes budget)
{
  const TnDocument *document = task->document;
  TnSpillParams params = TN_SPILL_PARAMS_INIT;
  g_autoptr(GError) error = NULL;
  g_autoptr(TnLink) own = tn_link_new_for_graph(document->graph);
  g_autoptr(TnLink) preset = tn_link_new_for_preset(&tn_link_presets()[0]);
  params.link = own ? own : preset;
  params.budget = budget;
  params.sweep = SWEEP;
  g_autoptr(TnSpillAnswer) answer =
      tn_spill_new(document->graph, document->strings, lifetime, &params, &error);
  if (!answer) {
    tn_cli_complain("%s: %s", document->shown_path, error->message);
    return TN_EXIT_INPUT;
  }
  TnSpillReport report = {.document = document,
                          .lifetime = *lifetime,
                          .rate = params.limits.rate,
                          .link = params.link,
                          .answer = answer};
  return write_budget(task, &report);
}

/* ---- the view ------------------------------------------------------------------------------ */

TnExit
tn_cli_draw_graph_view(const char *path,
                       const TnCommonOptions *options,
                       const TnExportParams *params,
                       const char *view,
                       const char *budget,
                       const char *output)
{
  TnExit code;
  TnExportFormat format;
  TnGraphLifetimeParams lifetime;
  tn_bytes bytes = 0;
  Task task = {.options = options, .params = params, .view = view, .output = output};
  task.units = options->is_bytes ? TN_UNITS_BYTES : TN_UNITS_IEC;
  if (!tn_export_format_from_path(output, &format)) {
    tn_cli_complain("draw: -o FILE of --view %s ends with .png, .svg or .pdf", view);
    return TN_EXIT_USAGE;
  }
  if (!tn_cli_lifetime_params(options, &lifetime) ||
      !tn_cli_parse_budget("--budget", budget, &bytes))
    return TN_EXIT_USAGE;
  g_autoptr(TnDocument) document = tn_cli_load(path, options, &code);
  if (!document)
    return code;
  if (!tn_cli_need_graph(document))
    return TN_EXIT_INPUT;
  tn_cli_print_warnings(document->diagnostics);
  task.document = document;
  return strcmp(view, "orders") == 0 ? write_orders(&task, &lifetime)
                                     : plan_budget(&task, &lifetime, bytes);
}
