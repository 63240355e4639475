/* SPDX-License-Identifier: MIT */
/* Of a spill plan: the keys of cli.md and more. */
#include "config.h"

#include "app/answer/spill-answer.h"

#include "app/answer/json.h"

/* ---- JSON ---------------------------------------------------------------------------------- */

static void
add_candidates(cJSON *object, const TnSpillReport *spill)
{
  const TnSpillModel *model = spill->answer->model;
  cJSON *list = cJSON_AddArrayToObject(object, "candidates");
  for (uint32_t i = 0; i < model->idles->len; i++) {
    const TnIdle *idle = tn_spill_idle(model, i);
    g_autofree char *reason = tn_spill_build_reason(spill->answer, i);
    g_autofree char *from = tn_spill_build_place_name(spill, idle->from);
    g_autofree char *to = tn_spill_build_place_name(spill, (int32_t)idle->to);
    cJSON *row = cJSON_CreateObject();
    cJSON_AddStringToObject(row, "tensor", tn_spill_storage_name(spill, idle->buffer));
    tn_json_add_bytes(row, "bytes", model->order_model->bytes[idle->buffer]);
    cJSON_AddStringToObject(row, "idle_after", from);
    cJSON_AddStringToObject(row, "next_use", to);
    cJSON_AddNumberToObject(row, "idle_ops", (double)((int32_t)idle->to - idle->from - 1));
    cJSON_AddNumberToObject(row, "copy_seconds",
                            model->out_seconds[idle->buffer] + model->in_seconds[idle->buffer]);
    cJSON_AddStringToObject(row, "verdict", tn_spill_verdict(spill, i));
    cJSON_AddStringToObject(row, "reason", reason);
    cJSON_AddItemToArray(list, row);
  }
}

static void
add_points(cJSON *object, const TnSpillReport *spill, const char *key, const GArray *points)
{
  cJSON *list = cJSON_AddArrayToObject(object, key);
  for (guint i = 0; i < points->len; i++) {
    const TnSpillPoint *point = &g_array_index(points, TnSpillPoint, i);
    cJSON *row = cJSON_CreateObject();
    if (point->name)
      cJSON_AddStringToObject(row, "name", point->name);
    tn_json_add_bytes(row, "budget_bytes", point->budget);
    cJSON_AddBoolToObject(row, "feasible", point->is_feasible);
    cJSON_AddBoolToObject(row, "optimal", point->is_optimal);
    tn_json_add_bytes(row, "peak_bytes", point->peak);
    if (point->peak >= 0) {
      cJSON_AddNumberToObject(row, "overhead_seconds", point->overhead_seconds);
      cJSON_AddNumberToObject(row, "overhead_ratio",
                              point->overhead_seconds / MAX(spill->answer->model->seconds, 1e-12));
      tn_json_add_bytes(row, "spilled_bytes", point->moved_bytes);
      tn_json_add_bytes(row, "recomputed_bytes", point->recomputed_bytes);
      tn_json_add_bytes(row, "workspace_bytes", point->workspace);
      if (!point->name)
        cJSON_AddNumberToObject(row, "overhead_bound_seconds", point->bound_seconds);
    }
    cJSON_AddItemToArray(list, row);
  }
}

static void
add_lanes(cJSON *object, const TnSpillReport *spill)
{
  const TnSpillModel *model = spill->answer->model;
  cJSON *list = cJSON_AddArrayToObject(object, "steps");
  for (uint32_t p = 0; p < model->n; p++) {
    g_autofree char *name = tn_spill_build_place_name(spill, (int32_t)p);
    cJSON *row = cJSON_CreateObject();
    cJSON_AddStringToObject(row, "op", name);
    cJSON_AddNumberToObject(row, "start_seconds", spill->run.start[p]);
    cJSON_AddNumberToObject(row, "end_seconds", spill->run.end[p]);
    tn_json_add_bytes(row, "bytes", spill->run.memory[p]);
    cJSON_AddItemToArray(list, row);
  }
}

static void
add_plan(cJSON *object, const TnSpillReport *spill)
{
  const TnSpillOutcome *outcome = &spill->answer->found.outcome;
  double overhead = tn_spill_overhead(spill->answer->model, outcome->seconds);
  tn_json_add_bytes(object, "peak_bytes", outcome->peak);
  tn_json_add_bytes(object, "spilled_bytes", outcome->moved_bytes);
  tn_json_add_bytes(object, "brought_back_bytes", outcome->back_bytes);
  tn_json_add_bytes(object, "recomputed_bytes", outcome->recomputed_bytes);
  cJSON_AddNumberToObject(object, "overhead_seconds", overhead);
  cJSON_AddNumberToObject(object, "overhead_ratio",
                          overhead / MAX(spill->answer->model->seconds, 1e-12));
  /* No plan loses less: the answer is within so much of the fastest one. */
  cJSON_AddNumberToObject(object, "overhead_bound_seconds",
                          tn_spill_overhead(spill->answer->model, spill->answer->bound_seconds));
  cJSON_AddNumberToObject(object, "gap_ratio", tn_spill_gap(spill->answer));
  cJSON_AddNumberToObject(object, "copy_seconds", outcome->copy_seconds);
  cJSON_AddNumberToObject(object, "wait_seconds", outcome->wait_seconds);
  cJSON_AddNumberToObject(object, "recompute_seconds", outcome->recompute_seconds);
  cJSON_AddNumberToObject(object, "algorithm_seconds", outcome->way_seconds);
  cJSON_AddNumberToObject(object, "hidden_ratio",
                          outcome->copy_seconds > 0
                              ? MAX(1 - outcome->wait_seconds / outcome->copy_seconds, 0.0)
                              : 1.0);
  tn_json_add_bytes(object, "workspace_bytes",
                    tn_spill_plan_workspace(spill->answer->model, &spill->answer->found.plan));
  tn_bytes arena = spill->offsets ? spill->offsets->arena_bytes : -1;
  tn_json_add_bytes(object, "arena_bytes", arena);
  tn_json_add_bytes(object, "fragmentation_bytes", arena < 0 ? -1 : tn_spill_report_fragmentation(spill));
  tn_json_add_bytes(object, "streams_bytes", arena < 0 ? -1 : spill->apart);
  cJSON_AddItemToObject(object, "actions", tn_spill_build_actions(spill));
  add_lanes(object, spill);
}

/* The keys that a script asks for, where nothing fits. */
static void
add_no_plan(cJSON *object)
{
  static const char *const keys[] = {"peak_bytes",       "spilled_bytes",  "brought_back_bytes",
                                     "recomputed_bytes", "overhead_seconds", "overhead_ratio"};
  for (gsize i = 0; i < G_N_ELEMENTS(keys); i++)
    cJSON_AddNullToObject(object, keys[i]);
  cJSON_AddArrayToObject(object, "actions");
}

cJSON *
tn_spill_build_json(const TnSpillReport *spill)
{
  const TnSpillAnswer *answer = spill->answer;
  cJSON *object = cJSON_CreateObject();
  cJSON_AddStringToObject(object, "format", "tenure-spill");
  cJSON_AddStringToObject(object, "file", spill->document->shown_path);
  cJSON_AddStringToObject(object, "lifetime_model", tn_lifetime_model_name(spill->lifetime.model));
  cJSON_AddStringToObject(object, "link", spill->link->name);
  cJSON_AddStringToObject(object, "link_source", spill->link->source);
  cJSON_AddBoolToObject(object, "feasible", answer->found.is_found);
  cJSON_AddBoolToObject(object, "optimal", answer->found.is_optimal);
  cJSON_AddBoolToObject(object, "infeasible_proved", answer->found.is_proved_impossible);
  tn_json_add_bytes(object, "budget_bytes", answer->budget);
  tn_json_add_bytes(object, "baseline_peak_bytes", answer->baseline_peak);
  tn_json_add_bytes(object, "smallest_budget_bytes", answer->smallest_budget);
  cJSON_AddBoolToObject(object, "smallest_budget_exact", answer->is_smallest_exact);
  g_autofree char *op = answer->smallest_op == TN_NONE
                            ? g_strdup("start")
                            : tn_spill_build_op_name(spill, answer->smallest_op);
  cJSON_AddStringToObject(object, "smallest_budget_op", op);
  cJSON_AddBoolToObject(object, "batches_added_up", answer->adds_batches);
  tn_json_add_integer(object, "unsized_tensors", spill->n_unsized);
  tn_bytes sum = tn_add_saturated(answer->found.outcome.peak, spill->resident);
  bool is_found = answer->found.is_found;
  tn_json_add_bytes(object, "resident_bytes", spill->resident);
  tn_json_add_bytes(object, "with_residents_bytes", is_found ? sum : -1);
  cJSON_AddBoolToObject(object, "fits_with_residents", is_found && sum <= answer->budget);
  cJSON_AddNumberToObject(object, "compute_seconds", answer->model->seconds);
  cJSON_AddBoolToObject(object, "compute_seconds_estimated", answer->model->is_estimated);
  if (is_found)
    add_plan(object, spill);
  else
    add_no_plan(object);
  add_points(object, spill, "alternatives", answer->others);
  add_points(object, spill, "sweep", answer->sweep);
  add_candidates(object, spill);
  cJSON_AddNumberToObject(object, "spill_seconds", answer->seconds);
  tn_json_add_integer(object, "plans_tried", (int64_t)answer->found.n_plans);
  cJSON *order = cJSON_AddArrayToObject(object, "order");
  for (uint32_t p = 0; p < answer->model->n; p++)
    cJSON_AddItemToArray(order, tn_json_new_integer(tn_answer_op_id(
                                    spill->document->graph, answer->model->order[p])));
  tn_json_add_warnings(object, spill->document->diagnostics);
  return object;
}
