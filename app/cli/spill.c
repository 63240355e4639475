/* SPDX-License-Identifier: MIT */
/* tenure-cli spill: what to move out, bring back and run again to fit into a budget. */
#include "config.h"

#include "app/cli/cli.h"

#include "analysis/budget/calibrate.h"
#include "analysis/budget/spill-lives.h"
#include "analysis/budget/spill.h"
#include "analysis/check.h"
#include "analysis/plan/plan.h"
#include "data/graph-order.h"
#include "data/write.h"

#include <stdio.h>
#include <string.h>

typedef struct {
  char *budget, *order, *cost_model, *link, *output, *least_bytes;
  gint sweep, least_idle;
  double time_limit;
  gboolean no_recompute, no_moves, with_candidates;
} SpillOptions;

typedef struct {
  const TnDocument *document;
  const TnCommonOptions *common;
  TnGraphLifetimeParams lifetime;
  TnLink *link;
  TnSpillAnswer *answer;
  TnSpillRun run;      /* of the plan found */
  tn_bytes arena;      /* with offsets; -1: no plan */
  tn_bytes arena_live; /* the largest sum alive with the lives cut */
  bool is_sound;
} Spill;

/* ---- names --------------------------------------------------------------------------------- */

static const char *
storage_name(const Spill *spill, uint32_t buffer)
{
  const TnGraph *graph = spill->document->graph;
  return tn_strings_get(spill->document->strings,
                        tn_graph_tensor(graph, spill->answer->model->tensor[buffer])->name);
}

static char *
build_op_name(const Spill *spill, uint32_t op)
{
  return tn_graph_build_op_text(spill->document->graph, spill->document->strings, op);
}

static char *
build_place_name(const Spill *spill, int32_t place)
{
  return place < 0 ? g_strdup("start")
                   : build_op_name(spill, spill->answer->model->order[place]);
}

/* ---- offsets ------------------------------------------------------------------------------- */

static bool
has_errors(const Spill *spill, const TnSpillLives *lives, const TnPlan *plan)
{
  g_autoptr(TnFindings) findings = tn_findings_new();
  TnCheckParams params = {.document = spill->document,
                          .buffers = lives->buffers,
                          .offset = plan->offset,
                          .alignment = spill->lifetime.alignment,
                          .space_arena = plan->space_arena,
                          .n_spaces = plan->n_spaces,
                          .limit = 1};
  tn_check_offsets(&params, findings);
  for (guint i = 0; i < findings->rows->len; i++)
    if (tn_findings_get(findings, i)->severity == TN_SEVERITY_ERROR)
      return true;
  return false;
}

/* The lives, cut where storages are elsewhere, given offsets and checked. */
static void
plan_offsets(Spill *spill)
{
  g_autoptr(TnGraphLives) lives = tn_graph_lives_new(
      spill->document->graph, spill->document->strings, &spill->lifetime, NULL);
  spill->arena = -1;
  if (!lives || !spill->answer->found.is_found)
    return;
  g_autoptr(TnSpillLives) cut =
      tn_spill_lives_new(spill->answer->model, &spill->answer->found.plan, spill->document->graph,
                         spill->document->strings, lives);
  TnPlanParams limits = TN_PLAN_PARAMS_INIT;
  limits.time_limit = 1;
  g_autoptr(TnPlan) plan = tn_plan_new_for_buffers(cut->buffers, tn_strategies_find("best"),
                                                   lives->alignment, &limits);
  spill->arena_live = tn_graph_live_peak(cut->buffers, cut->axis_end, NULL);
  if (plan->status == TN_PLAN_FAILED)
    return;
  spill->arena = plan->arena_bytes;
  spill->is_sound = !has_errors(spill, cut, plan);
}

/* ---- actions ------------------------------------------------------------------------------- */

static cJSON *
build_action(const Spill *spill, const char *what, uint32_t buffer, int32_t after, uint32_t by)
{
  cJSON *row = cJSON_CreateObject();
  const TnGraph *graph = spill->document->graph;
  g_autofree char *after_name = build_place_name(spill, after);
  g_autofree char *by_name = build_place_name(spill, (int32_t)by);
  cJSON_AddStringToObject(row, "action", what);
  cJSON_AddStringToObject(row, "tensor", storage_name(spill, buffer));
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
add_redo(cJSON *row, const Spill *spill, uint32_t place)
{
  cJSON *list = cJSON_AddArrayToObject(row, "ops_again");
  for (uint32_t r = spill->run.redo_first[place]; r < spill->run.redo_first[place + 1]; r++) {
    g_autofree char *name =
        build_op_name(spill, g_array_index(spill->run.redo_ops, uint32_t, r));
    cJSON_AddItemToArray(list, cJSON_CreateString(name));
  }
}

/* What a runtime does with one idle stretch: out and back, or dropped and made again. */
static void
add_idle_actions(cJSON *list, const Spill *spill, uint32_t i)
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
    cJSON *in = build_action(spill, "bring-back", idle->buffer, (int32_t)choice->back - 1, idle->to);
    add_times(in, spill->run.in_start[i], spill->run.in_end[i]);
    cJSON_AddItemToArray(list, in);
  } else if (choice->kind == TN_SPILL_RECOMPUTE) {
    cJSON_AddItemToArray(list, build_action(spill, "drop", idle->buffer, idle->from, choice->absent));
    cJSON *again =
        build_action(spill, "recompute", idle->buffer, (int32_t)idle->to - 1, idle->to);
    add_redo(again, spill, idle->to);
    add_times(again, spill->run.start[idle->to] - spill->run.redo[idle->to],
              spill->run.start[idle->to]);
    cJSON_AddItemToArray(list, again);
  }
}

static void
add_way_actions(cJSON *list, const Spill *spill)
{
  const TnSpillModel *model = spill->answer->model;
  for (uint32_t p = 0; p < model->n; p++) {
    uint32_t op = model->order[p], w = spill->answer->found.plan.way[op];
    const TnSpillWay *way = tn_spill_way(model, op, w);
    if (w == 0)
      continue;
    g_autofree char *name = build_op_name(spill, op);
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

/* ---- JSON ---------------------------------------------------------------------------------- */

static const char *
verdict_of(const Spill *spill, uint32_t i)
{
  static const char *const names[] = {"keep", "move", "recompute"};
  return names[spill->answer->found.plan.choice[i].kind];
}

static void
add_candidates(cJSON *object, const Spill *spill)
{
  const TnSpillModel *model = spill->answer->model;
  cJSON *list = cJSON_AddArrayToObject(object, "candidates");
  for (uint32_t i = 0; i < model->idles->len; i++) {
    const TnIdle *idle = tn_spill_idle(model, i);
    g_autofree char *reason = tn_spill_build_reason(spill->answer, i);
    g_autofree char *from = build_place_name(spill, idle->from);
    g_autofree char *to = build_place_name(spill, (int32_t)idle->to);
    cJSON *row = cJSON_CreateObject();
    cJSON_AddStringToObject(row, "tensor", storage_name(spill, idle->buffer));
    tn_json_add_bytes(row, "bytes", model->order_model->bytes[idle->buffer]);
    cJSON_AddStringToObject(row, "idle_after", from);
    cJSON_AddStringToObject(row, "next_use", to);
    cJSON_AddNumberToObject(row, "idle_ops", (double)((int32_t)idle->to - idle->from - 1));
    cJSON_AddNumberToObject(row, "copy_seconds",
                            model->out_seconds[idle->buffer] + model->in_seconds[idle->buffer]);
    cJSON_AddStringToObject(row, "verdict", verdict_of(spill, i));
    cJSON_AddStringToObject(row, "reason", reason);
    cJSON_AddItemToArray(list, row);
  }
}

static void
add_points(cJSON *object, const Spill *spill, const char *key, const GArray *points)
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
    if (point->overhead_seconds >= 0) {
      cJSON_AddNumberToObject(row, "overhead_seconds", point->overhead_seconds);
      cJSON_AddNumberToObject(row, "overhead_ratio",
                              point->overhead_seconds / MAX(spill->answer->model->seconds, 1e-12));
      tn_json_add_bytes(row, "spilled_bytes", point->moved_bytes);
      tn_json_add_bytes(row, "recomputed_bytes", point->recomputed_bytes);
      tn_json_add_bytes(row, "workspace_bytes", point->workspace);
    }
    cJSON_AddItemToArray(list, row);
  }
}

static void
add_lanes(cJSON *object, const Spill *spill)
{
  const TnSpillModel *model = spill->answer->model;
  cJSON *list = cJSON_AddArrayToObject(object, "steps");
  for (uint32_t p = 0; p < model->n; p++) {
    g_autofree char *name = build_place_name(spill, (int32_t)p);
    cJSON *row = cJSON_CreateObject();
    cJSON_AddStringToObject(row, "op", name);
    add_times(row, spill->run.start[p], spill->run.end[p]);
    tn_json_add_bytes(row, "bytes", spill->run.memory[p]);
    cJSON_AddItemToArray(list, row);
  }
}

static void
add_plan(cJSON *object, const Spill *spill)
{
  const TnSpillOutcome *outcome = &spill->answer->found.outcome;
  double overhead = outcome->seconds - spill->answer->model->seconds;
  tn_json_add_bytes(object, "peak_bytes", outcome->peak);
  tn_json_add_bytes(object, "spilled_bytes", outcome->moved_bytes);
  tn_json_add_bytes(object, "brought_back_bytes", outcome->back_bytes);
  tn_json_add_bytes(object, "recomputed_bytes", outcome->recomputed_bytes);
  cJSON_AddNumberToObject(object, "overhead_seconds", overhead);
  cJSON_AddNumberToObject(object, "overhead_ratio",
                          overhead / MAX(spill->answer->model->seconds, 1e-12));
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
  tn_json_add_bytes(object, "arena_bytes", spill->arena);
  tn_json_add_bytes(object, "fragmentation_bytes",
                    spill->arena < 0 ? -1 : spill->arena - spill->arena_live);
  cJSON *actions = cJSON_AddArrayToObject(object, "actions");
  add_way_actions(actions, spill);
  for (uint32_t i = 0; i < spill->answer->model->idles->len; i++)
    add_idle_actions(actions, spill, i);
  add_lanes(object, spill);
}

static cJSON *
build_json(const Spill *spill)
{
  const TnSpillAnswer *answer = spill->answer;
  cJSON *object = cJSON_CreateObject();
  cJSON_AddStringToObject(object, "format", "tenure-spill");
  cJSON_AddStringToObject(object, "file", spill->document->path);
  cJSON_AddStringToObject(object, "lifetime_model", tn_lifetime_model_name(spill->lifetime.model));
  cJSON_AddStringToObject(object, "link", spill->link->name);
  cJSON_AddStringToObject(object, "link_source", spill->link->source);
  cJSON_AddBoolToObject(object, "feasible", answer->found.is_found);
  cJSON_AddBoolToObject(object, "optimal", answer->found.is_optimal);
  cJSON_AddBoolToObject(object, "infeasible_proved", answer->found.is_proved_impossible);
  tn_json_add_bytes(object, "budget_bytes", answer->budget);
  tn_json_add_bytes(object, "baseline_peak_bytes", answer->baseline_peak);
  tn_json_add_bytes(object, "smallest_budget_bytes", answer->smallest_budget);
  g_autofree char *op = answer->smallest_op == TN_NONE ? g_strdup("start")
                                                       : build_op_name(spill, answer->smallest_op);
  cJSON_AddStringToObject(object, "smallest_budget_op", op);
  cJSON_AddNumberToObject(object, "compute_seconds", answer->model->seconds);
  cJSON_AddBoolToObject(object, "compute_seconds_estimated", answer->model->is_estimated);
  if (answer->found.is_found)
    add_plan(object, spill);
  else
    cJSON_AddArrayToObject(object, "actions");
  add_points(object, spill, "alternatives", answer->others);
  add_points(object, spill, "sweep", answer->sweep);
  add_candidates(object, spill);
  cJSON_AddNumberToObject(object, "spill_seconds", answer->seconds);
  tn_json_add_integer(object, "plans_tried", (int64_t)answer->found.n_plans);
  cJSON *order = cJSON_AddArrayToObject(object, "order");
  for (uint32_t p = 0; p < answer->model->n; p++)
    cJSON_AddItemToArray(order, cJSON_CreateNumber((double)tn_cli_op_id(
                                    spill->document->graph, answer->model->order[p])));
  tn_json_add_warnings(object, spill->document->diagnostics);
  return object;
}

/* ---- text ---------------------------------------------------------------------------------- */

static void
print_size(const Spill *spill, const char *what, tn_bytes bytes, const char *note)
{
  g_autofree char *text = tn_cli_size(spill->common, bytes);
  printf("%-16s %14s%s%s\n", what, text, note[0] ? "  " : "", note);
}

static void
print_points(const Spill *spill, const GArray *points, bool is_sweep)
{
  for (guint i = 0; i < points->len; i++) {
    const TnSpillPoint *point = &g_array_index(points, TnSpillPoint, i);
    g_autofree char *budget = tn_cli_size(spill->common, point->budget);
    g_autofree char *peak = tn_cli_size(spill->common, point->peak);
    g_autofree char *moved = tn_cli_size(spill->common, point->moved_bytes);
    double ratio = 100 * point->overhead_seconds / MAX(spill->answer->model->seconds, 1e-12);
    const char *name = is_sweep ? budget : point->name;
    if (!point->is_feasible && point->overhead_seconds < 0)
      printf("  %-14s %14s  no plan found\n", name, "-");
    else
      printf("  %-14s %14s  %s, overhead %6.2f %%, moved out %s%s\n", name, peak,
             point->is_feasible ? "fits" : "too large", ratio, moved,
             point->is_optimal ? ", optimal" : "");
  }
}

static void
print_choices(const Spill *spill, bool with_candidates)
{
  const TnSpillModel *model = spill->answer->model;
  for (uint32_t i = 0; i < model->idles->len; i++) {
    const TnIdle *idle = tn_spill_idle(model, i);
    if (!with_candidates && spill->answer->found.plan.choice[i].kind == TN_SPILL_KEEP)
      continue;
    g_autofree char *reason = tn_spill_build_reason(spill->answer, i);
    g_autofree char *from = build_place_name(spill, idle->from);
    g_autofree char *to = build_place_name(spill, (int32_t)idle->to);
    g_autofree char *size = tn_cli_size(spill->common, model->order_model->bytes[idle->buffer]);
    printf("  %-9s %12s  %s, idle from %s to %s: %s\n", verdict_of(spill, i), size,
           storage_name(spill, idle->buffer), from, to, reason);
  }
  for (uint32_t op = 0; op < model->n; op++) {
    uint32_t w = spill->answer->found.plan.way[op];
    if (w == 0)
      continue;
    g_autofree char *name = build_op_name(spill, op);
    g_autofree char *size = tn_cli_size(spill->common, tn_spill_way(model, op, w)->workspace);
    printf("  %-9s %12s  %s runs as '%s'%s, %.3g ms longer\n", "algorithm", size, name,
           tn_strings_get(spill->document->strings, tn_spill_way(model, op, w)->name),
           tn_spill_way(model, op, w)->tiles > 1 ? " in tiles" : "",
           1e3 * (tn_spill_way(model, op, w)->seconds - model->op_seconds[op]));
  }
}

static void
print_infeasible(const Spill *spill)
{
  const TnSpillAnswer *answer = spill->answer;
  g_autofree char *least = tn_cli_size(spill->common, answer->smallest_budget);
  g_autofree char *op = answer->smallest_op == TN_NONE
                            ? g_strdup("what is there at the start")
                            : build_op_name(spill, answer->smallest_op);
  if (answer->budget < answer->smallest_budget)
    printf("%-16s infeasible (proved): %s needs %s by itself\n", "Answer", op, least);
  else
    printf("%-16s %s\n", "Answer",
           answer->found.is_proved_impossible ? "infeasible (proved)" : "no plan was found");
}

static void
print_plan(const Spill *spill)
{
  const TnSpillOutcome *outcome = &spill->answer->found.outcome;
  double overhead = outcome->seconds - spill->answer->model->seconds;
  g_autofree char *note = g_strdup_printf(
      "%.2f %% of compute, %s", 100 * overhead / MAX(spill->answer->model->seconds, 1e-12),
      spill->answer->found.is_optimal ? "optimal (proved)" : "not proved optimal");
  print_size(spill, "Peak", outcome->peak, "with the plan");
  printf("%-16s %12.4f s  %s\n", "Overhead", overhead, note);
  print_size(spill, "Moved out", outcome->moved_bytes, "");
  print_size(spill, "Brought back", outcome->back_bytes, "");
  print_size(spill, "Recomputed", outcome->recomputed_bytes, "");
  if (outcome->copy_seconds > 0)
    printf("%-16s %12.1f %%  of %.4f s of copies\n", "Hidden",
           100 * MAX(1 - outcome->wait_seconds / outcome->copy_seconds, 0.0),
           outcome->copy_seconds);
  g_autofree char *fragmentation =
      g_strdup_printf("fragmentation adds %.2f %%",
                      100.0 * ((double)spill->arena / (double)MAX(spill->arena_live, 1) - 1));
  if (spill->arena >= 0)
    print_size(spill, "Arena", spill->arena, fragmentation);
}

static void
print_text(const Spill *spill, const SpillOptions *own)
{
  const TnSpillAnswer *answer = spill->answer;
  printf("%-16s %s: %s\n", "Link", spill->link->name, spill->link->source);
  print_size(spill, "Budget", answer->budget, "");
  print_size(spill, "Without a plan", answer->baseline_peak, "live peak");
  print_size(spill, "Least possible", answer->smallest_budget, "the largest working set");
  printf("%-16s %12.4f s%s\n", "Compute", answer->model->seconds,
         answer->model->is_estimated ? "  (estimated: 10 TFLOP/s, 500 GB/s, 5 µs an op)" : "");
  if (answer->found.is_found)
    print_plan(spill);
  else
    print_infeasible(spill);
  if (answer->others->len > 0)
    puts("Other answers");
  print_points(spill, answer->others, false);
  if (answer->sweep->len > 0)
    puts("Budgets");
  print_points(spill, answer->sweep, true);
  if (answer->found.is_found)
    puts("Choices");
  print_choices(spill, own->with_candidates);
}

/* ---- the command --------------------------------------------------------------------------- */

static bool
write_json(const Spill *spill, const char *path)
{
  g_autoptr(GError) error = NULL;
  cJSON *object = build_json(spill);
  char *text = cJSON_Print(object);
  bool is_good = tn_write_file(path, text, strlen(text), &error);
  if (error)
    tn_cli_complain("%s", error->message);
  cJSON_free(text);
  cJSON_Delete(object);
  return is_good;
}

static TnLink *
load_link_file(const char *path)
{
  g_autoptr(GError) error = NULL;
  g_autofree char *text = NULL;
  gsize size;
  TnLink *link = NULL;
  if (g_file_get_contents(path, &text, &size, &error))
    link = tn_link_new_from_text(path, text, size, &error);
  if (error)
    tn_cli_complain("--cost-model %s", error->message);
  return link;
}

static TnLink *
choose_link(const TnDocument *document, const SpillOptions *own)
{
  const TnLinkPreset *presets = tn_link_presets();
  if (own->cost_model)
    return load_link_file(own->cost_model);
  if (!own->link) {
    TnLink *link = tn_link_new_for_graph(document->graph);
    return link ? link : tn_link_new_for_preset(&presets[0]);
  }
  for (gsize i = 0; presets[i].name; i++)
    if (strcmp(presets[i].name, own->link) == 0)
      return tn_link_new_for_preset(&presets[i]);
  tn_cli_complain("--link %s: expected pcie3-x16, pcie4-x16 or pcie3-x8", own->link);
  return NULL;
}

static TnExit
report(Spill *spill, const SpillOptions *own)
{
  const TnSpillAnswer *answer = spill->answer;
  TnExit code = answer->found.is_found ? TN_EXIT_DONE : TN_EXIT_NO;
  tn_spill_run_init(&spill->run, answer->model);
  tn_spill_run(&spill->run, &answer->found.plan, answer->budget, false);
  plan_offsets(spill);
  tn_cli_print_warnings(spill->document->diagnostics);
  if (answer->found.is_found && spill->arena >= 0 && !spill->is_sound) {
    tn_cli_complain("the offsets of the spill plan break a rule, please report this");
    code = TN_EXIT_NO;
  }
  if (own->output && !write_json(spill, own->output))
    code = TN_EXIT_INPUT;
  else if (spill->common->is_json)
    tn_json_print(build_json(spill));
  else
    print_text(spill, own);
  tn_spill_run_clear(&spill->run);
  return code;
}

static TnExit
spill_graph(Spill *spill, const SpillOptions *own)
{
  TnSpillParams params = TN_SPILL_PARAMS_INIT;
  g_autoptr(GError) error = NULL;
  if (!own->budget) {
    tn_cli_complain("spill: --budget SIZE is missing");
    return TN_EXIT_USAGE;
  }
  if (!tn_cli_parse_size("--budget", own->budget, &params.budget) ||
      !tn_cli_parse_size("--least-bytes", own->least_bytes, &params.limits.least_bytes) ||
      !tn_cli_lifetime_params(spill->common, &spill->lifetime))
    return TN_EXIT_USAGE;
  params.time_limit = own->time_limit;
  params.sweep = (uint32_t)CLAMP(own->sweep, 0, 1000);
  params.limits.least_idle = (uint32_t)MAX(own->least_idle, 0);
  params.limits.no_moves = own->no_moves;
  params.limits.no_recompute = own->no_recompute;
  params.link = spill->link;
  g_autoptr(TnSpillAnswer) answer = tn_spill_new(
      spill->document->graph, spill->document->strings, &spill->lifetime, &params, &error);
  if (!answer) {
    tn_cli_complain("%s: %s", spill->document->path, error->message);
    return TN_EXIT_INPUT;
  }
  spill->answer = answer;
  return report(spill, own);
}

static TnExit
spill_document(const TnDocument *document, TnCommonOptions *common, const SpillOptions *own)
{
  TnExit code = TN_EXIT_USAGE;
  Spill spill = {.document = document, .common = common};
  if (!tn_cli_need_graph(document))
    return TN_EXIT_INPUT;
  g_autofree uint32_t *order =
      own->order ? tn_cli_build_order(document, common, own->order, 0, &code) : NULL;
  if (own->order && !order)
    return code;
  common->order = order;
  g_autoptr(TnLink) link = choose_link(document, own);
  if (!link)
    return own->cost_model ? TN_EXIT_INPUT : TN_EXIT_USAGE;
  spill.link = link;
  return spill_graph(&spill, own);
}

static TnExit
run(int argc, char **argv)
{
  TnCommonOptions common = {0};
  SpillOptions own = {0};
  g_auto(GStrv) files = NULL;
  const GOptionEntry entries[] = {
      {"budget", 0, 0, G_OPTION_ARG_STRING, &own.budget, "What there is; exit 1 where no plan fits",
       "SIZE"},
      {"order", 0, 0, G_OPTION_ARG_STRING, &own.order,
       "Of the ops: file (default), a method of `schedule`, or what `schedule -o` wrote", "WHAT"},
      {"cost-model", 0, 0, G_OPTION_ARG_FILENAME, &own.cost_model,
       "Transfer times: what `calibrate` wrote, or reads", "FILE"},
      {"link", 0, 0, G_OPTION_ARG_STRING, &own.link,
       "Transfer times: pcie3-x16, pcie4-x16 or pcie3-x8 (default: the graph's, else the first)",
       "NAME"},
      {"sweep", 0, 0, G_OPTION_ARG_INT, &own.sweep, "Plan for N budgets too", "N"},
      {"time-limit", 0, 0, G_OPTION_ARG_DOUBLE, &own.time_limit,
       "Stop searching after this long (default 2)", "SECONDS"},
      {"least-bytes", 0, 0, G_OPTION_ARG_STRING, &own.least_bytes, "Leave smaller storages", "SIZE"},
      {"least-idle", 0, 0, G_OPTION_ARG_INT, &own.least_idle,
       "Only storages that idle for so many ops", "N"},
      {"no-recompute", 0, 0, G_OPTION_ARG_NONE, &own.no_recompute, "Only move", NULL},
      {"no-moves", 0, 0, G_OPTION_ARG_NONE, &own.no_moves, "Only recompute", NULL},
      {"candidates", 0, 0, G_OPTION_ARG_NONE, &own.with_candidates,
       "List every idle storage with its verdict and why", NULL},
      {"output", 'o', 0, G_OPTION_ARG_FILENAME, &own.output, "Write the plan as JSON", "FILE"},
      {NULL, 0, 0, G_OPTION_ARG_NONE, NULL, NULL, NULL},
  };
  if (!tn_cli_parse(&tn_command_spill, argc, argv, &common, entries, 1, 1, &files))
    return TN_EXIT_USAGE;
  TnExit code;
  g_autoptr(TnDocument) document = tn_cli_load(files[0], &common, &code);
  if (document)
    code = spill_document(document, &common, &own);
  tn_common_options_clear(&common);
  char *const texts[] = {own.budget, own.order, own.cost_model, own.link, own.output,
                         own.least_bytes};
  for (gsize i = 0; i < G_N_ELEMENTS(texts); i++)
    g_free(texts[i]);
  return code;
}

const TnCommand tn_command_spill = {"spill", "FILE", "Fit a graph into a budget: move, recompute",
                                    run};
