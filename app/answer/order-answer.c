/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/answer/order-answer.h"

#include "analysis/plan/plan.h"
#include "analysis/plan/streams-apart.h"
#include "analysis/stream-uses.h"
#include "app/answer/json.h"
#include "app/answer/time-limit.h"
#include "data/graph-order.h"

/* ---- why it is so -------------------------------------------------------------------------- */

char *
tn_order_report_build_reason(const TnOrderReport *report)
{
  const TnOrderAnswer *answer = report->answer;
  g_autofree char *bytes = tn_format_bytes(answer->mandatory, report->units);
  g_autofree char *low = tn_format_bytes(answer->bound, report->units);
  g_autofree char *high = tn_format_bytes(answer->peak, report->units);
  if (answer->adds_batches)
    return g_strdup("batches, of which one runs at a time, are added up here: nothing is proved");
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
  g_autofree char *op = tn_graph_build_op_text(report->document->graph, report->document->strings,
                                               answer->mandatory_op);
  return g_strdup_printf(
      "while '%s' runs, %s are alive in every order: what the ops before it made "
      "and it, or ops after it, still read",
      op, bytes);
}

/* ---- offsets ------------------------------------------------------------------------------- */

/* Never below the order's live peak, often equal to it. */
void
tn_order_report_plan_offsets(TnOrderReport *report)
{
  TnGraphLifetimeParams params = report->lifetime;
  TnPlanParams limits = TN_PLAN_PARAMS_INIT;
  limits.time_limit = tn_answer_offset_seconds(report->time_limit, report->answer->seconds);
  params.order = report->answer->order;
  g_autoptr(TnGraphLives) lives =
      tn_graph_lives_new(report->document->graph, report->document->strings, &params, NULL);
  if (!lives)
    return;
  g_autoptr(TnStreamUses) uses =
      tn_stream_uses_new(report->document, tn_document_get_device(report->document, 0), lives->buffers,
                         lives->row_of, params.order, NULL);
  limits.uses = uses;
  g_autoptr(TnPlan) plan = tn_plan_new_for_buffers(lives->buffers, tn_strategies_find("best"),
                                                   lives->alignment, &limits);
  report->resident = lives->resident_bytes;
  report->n_unsized = lives->n_unsized;
  report->arena = plan->status == TN_PLAN_FAILED ? -1 : plan->arena_bytes;
  if (report->arena >= 0)
    report->apart = tn_streams_apart(lives->buffers, plan->space_arena, plan->n_spaces, uses,
                                     report->arena - report->answer->peak);
}

tn_bytes
tn_order_report_fragmentation(const TnOrderReport *report)
{
  return report->arena - report->answer->peak - report->apart;
}

/* ---- JSON -------------------------------------------------------------------------------- */

static void
add_order(cJSON *object, const TnOrderReport *report)
{
  const TnGraph *graph = report->document->graph;
  cJSON *order = cJSON_AddArrayToObject(object, "order");
  cJSON *names = cJSON_AddArrayToObject(object, "order_names");
  for (uint32_t p = 0; p < report->answer->n; p++) {
    uint32_t op = report->answer->order[p];
    g_autofree char *name = tn_graph_build_op_text(graph, report->document->strings, op);
    cJSON_AddItemToArray(order, tn_json_new_integer(tn_answer_op_id(graph, op)));
    cJSON_AddItemToArray(names, cJSON_CreateString(name));
  }
}

static void
add_log(cJSON *object, const TnOrderReport *report)
{
  const TnGraph *graph = report->document->graph;
  const TnStrings *strings = report->document->strings;
  cJSON *list = cJSON_AddArrayToObject(object, "steps");
  cJSON_AddNumberToObject(object, "peak_step", report->log->peak_at);
  for (uint32_t p = 0; p < report->log->n; p++) {
    const TnOrderStep *step = &report->log->step[p];
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
              strings, tn_graph_tensor(graph, report->log->freed[step->first_freed + k])->name)));
    cJSON_AddItemToArray(list, row);
  }
}

cJSON *
tn_order_report_build_json(const TnOrderReport *report)
{
  g_autofree char *reason = tn_order_report_build_reason(report);
  const TnOrderAnswer *answer = report->answer;
  /* The arena holds one batch at a time, a peak of several added up has no share in it. */
  bool is_split = report->arena >= 0 && !answer->adds_batches;
  cJSON *object = cJSON_CreateObject();
  cJSON_AddStringToObject(object, "format", "tenure-order");
  cJSON_AddStringToObject(object, "file", report->document->shown_path);
  cJSON_AddStringToObject(object, "method", answer->method);
  cJSON_AddStringToObject(object, "lifetime_model", tn_lifetime_model_name(report->lifetime.model));
  tn_json_add_integer(object, "ops", answer->n);
  tn_json_add_bytes(object, "peak_bytes", answer->peak);
  tn_json_add_bytes(object, "baseline_peak_bytes", answer->baseline);
  tn_json_add_bytes(object, "lower_bound_bytes", answer->bound);
  cJSON_AddBoolToObject(object, "optimal", answer->is_optimal);
  cJSON_AddStringToObject(object, "reason", reason);
  tn_bytes sum = tn_add_saturated(answer->peak, report->resident);
  tn_json_add_bytes(object, "resident_bytes", report->resident);
  tn_json_add_bytes(object, "with_residents_bytes", sum);
  cJSON_AddBoolToObject(object, "batches_added_up", answer->adds_batches);
  tn_json_add_integer(object, "unsized_tensors", report->n_unsized);
  tn_json_add_bytes(object, "arena_bytes", report->arena);
  tn_json_add_bytes(object, "fragmentation_bytes",
                    is_split ? tn_order_report_fragmentation(report) : -1);
  tn_json_add_bytes(object, "streams_bytes", is_split ? report->apart : -1);
  cJSON_AddNumberToObject(object, "schedule_seconds", answer->seconds);
  tn_json_add_integer(object, "states", (int64_t)answer->n_states);
  if (report->budget > 0) {
    tn_json_add_bytes(object, "budget_bytes", report->budget);
    cJSON_AddStringToObject(object, "budget", tn_order_verdict_name(answer->verdict));
    cJSON_AddBoolToObject(object, "fits", answer->verdict == TN_ORDER_FITS);
    cJSON_AddBoolToObject(object, "fits_with_residents", sum <= report->budget);
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
  add_order(object, report);
  if (report->log)
    add_log(object, report);
  tn_json_add_warnings(object, report->document->diagnostics);
  return object;
}
