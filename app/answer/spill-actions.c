/* SPDX-License-Identifier: MIT */
/* What a runtime has to do, one action for each step. */
#include "config.h"

#include "app/answer/spill-answer.h"

#include "app/answer/json.h"
#include "data/graph-order.h"
#include "data/write.h"

/* ---- names --------------------------------------------------------------------------------- */

const char *
tn_spill_storage_name(const TnSpillReport *spill, uint32_t buffer)
{
  const TnGraph *graph = spill->document->graph;
  return tn_strings_get(spill->document->strings,
                        tn_graph_tensor(graph, spill->answer->model->tensor[buffer])->name);
}

char *
tn_spill_build_op_name(const TnSpillReport *spill, uint32_t op)
{
  return tn_graph_build_op_text(spill->document->graph, spill->document->strings, op);
}

char *
tn_spill_build_place_name(const TnSpillReport *spill, int32_t place)
{
  return place < 0 ? g_strdup("start")
                   : tn_spill_build_op_name(spill, spill->answer->model->order[place]);
}

const char *
tn_spill_verdict(const TnSpillReport *spill, uint32_t i)
{
  static const char *const names[] = {"keep", "move", "recompute"};
  return names[spill->answer->found.plan.choice[i].kind];
}

/* ---- actions ------------------------------------------------------------------------------- */

static cJSON *
build_action(
    const TnSpillReport *spill, const char *what, uint32_t buffer, int32_t after, uint32_t by)
{
  cJSON *row = cJSON_CreateObject();
  const TnGraph *graph = spill->document->graph;
  g_autofree char *after_name = tn_spill_build_place_name(spill, after);
  g_autofree char *by_name = tn_spill_build_place_name(spill, (int32_t)by);
  cJSON_AddStringToObject(row, "action", what);
  cJSON_AddStringToObject(row, "tensor", tn_spill_storage_name(spill, buffer));
  int64_t id = tn_graph_tensor(graph, spill->answer->model->tensor[buffer])->file_id;
  tn_json_add_integer(row, "tensor_id", id >= 0 ? id : spill->answer->model->tensor[buffer]);
  tn_json_add_bytes(row, "bytes", spill->answer->model->order_model->bytes[buffer]);
  cJSON_AddNumberToObject(row, "after_step", after);
  cJSON_AddStringToObject(row, "after_op", after_name);
  cJSON_AddNumberToObject(row, "by_step", by);
  cJSON_AddStringToObject(row, "by_op", by_name);
  return row;
}

static void
add_times(cJSON *row, double start, double end)
{
  cJSON_AddNumberToObject(row, "start_seconds", start);
  cJSON_AddNumberToObject(row, "end_seconds", end);
}

static void
add_redo(cJSON *row, const TnSpillReport *spill, uint32_t place)
{
  cJSON *list = cJSON_AddArrayToObject(row, "ops_again");
  for (uint32_t r = spill->run.redo_first[place]; r < spill->run.redo_first[place + 1]; r++) {
    g_autofree char *name =
        tn_spill_build_op_name(spill, g_array_index(spill->run.redo_ops, uint32_t, r));
    cJSON_AddItemToArray(list, cJSON_CreateString(name));
  }
}

/* What a runtime does with one idle stretch: out and back, or dropped and made again. */
static void
add_idle_actions(cJSON *list, const TnSpillReport *spill, uint32_t i)
{
  const TnIdle *idle = tn_spill_idle(spill->answer->model, i);
  const TnSpillChoice *choice = &spill->answer->found.plan.choice[i];
  if (choice->kind == TN_SPILL_MOVE) {
    bool is_copied = spill->run.out_end[i] >= 0;
    cJSON *out = build_action(spill, is_copied ? "move-out" : "drop-clean", idle->buffer,
                              choice->is_early ? idle->made : idle->from, choice->absent);
    if (is_copied)
      add_times(out, spill->run.out_start[i], spill->run.out_end[i]);
    cJSON_AddItemToArray(list, out);
    cJSON *in =
        build_action(spill, "bring-back", idle->buffer, (int32_t)choice->back - 1, idle->to);
    add_times(in, spill->run.in_start[i], spill->run.in_end[i]);
    cJSON_AddItemToArray(list, in);
  } else if (choice->kind == TN_SPILL_RECOMPUTE) {
    cJSON_AddItemToArray(list,
                         build_action(spill, "drop", idle->buffer, idle->from, choice->absent));
    cJSON *again = build_action(spill, "recompute", idle->buffer, (int32_t)idle->to - 1, idle->to);
    add_redo(again, spill, idle->to);
    add_times(again, spill->run.start[idle->to] - spill->run.redo[idle->to],
              spill->run.start[idle->to]);
    cJSON_AddItemToArray(list, again);
  }
}

static void
add_way_actions(cJSON *list, const TnSpillReport *spill)
{
  const TnSpillModel *model = spill->answer->model;
  for (uint32_t p = 0; p < model->n; p++) {
    uint32_t op = model->order[p], w = spill->answer->found.plan.way[op];
    const TnSpillWay *way = tn_spill_way(model, op, w);
    if (w == 0)
      continue;
    g_autofree char *name = tn_spill_build_op_name(spill, op);
    cJSON *row = cJSON_CreateObject();
    cJSON_AddStringToObject(row, "action", "algorithm");
    cJSON_AddStringToObject(row, "op", name);
    cJSON_AddNumberToObject(row, "step", p);
    cJSON_AddStringToObject(row, "algorithm", tn_strings_get(spill->document->strings, way->name));
    if (way->tiles > 1)
      cJSON_AddNumberToObject(row, "tiles", way->tiles);
    tn_json_add_bytes(row, "workspace_bytes", way->workspace);
    cJSON_AddNumberToObject(row, "more_seconds", way->seconds - model->op_seconds[op]);
    cJSON_AddItemToArray(list, row);
  }
}

cJSON *
tn_spill_build_actions(const TnSpillReport *spill)
{
  cJSON *actions = cJSON_CreateArray();
  add_way_actions(actions, spill);
  for (uint32_t i = 0; i < spill->answer->model->idles->len; i++)
    add_idle_actions(actions, spill, i);
  return actions;
}

/* ---- a plan of offsets ------------------------------------------------------------------- */

static char *
build_with(const TnSpillReport *spill, const char *extra)
{
  g_autoptr(GArray) last_uses = tn_spill_build_last_uses(spill);
  TnPlanOutput output = {.document = spill->document,
                         .device = tn_document_get_device(spill->document, 0),
                         .buffers = spill->lives->buffers,
                         .lifetime_model = tn_lifetime_model_name(spill->lifetime.model),
                         .lower_bound_bytes = -1,
                         .arena_bytes = -1,
                         .resident_bytes = spill->resident,
                         .order = spill->lives->step_op,
                         .n_order = spill->lives->n_steps,
                         .axis_end = spill->lives->axis_end,
                         .last_uses = last_uses,
                         .extra = extra};
  const TnPlan *plan = spill->offsets;
  if (plan) {
    output.offset = plan->offset;
    output.strategy = plan->strategy;
    output.lower_bound_bytes = plan->lower_bound_bytes;
    output.arena_bytes = plan->arena_bytes;
    output.is_optimal = plan->is_optimal;
    output.space_arena_bytes = plan->space_arena;
    output.n_spaces = plan->n_spaces;
  }
  return tn_plan_build_json(&output);
}

char *
tn_spill_build_offsets(const TnSpillReport *spill)
{
  return build_with(spill, NULL);
}

char *
tn_spill_build_plan(const TnSpillReport *spill)
{
  if (!spill->offsets)
    return NULL;
  cJSON *actions = tn_spill_build_actions(spill);
  g_autofree char *text = tn_json_dup_text(actions, true);
  cJSON_Delete(actions);
  if (!text)
    return NULL;
  g_autofree char *extra = g_strdup_printf("\"actions\": %s", text);
  return build_with(spill, extra);
}
