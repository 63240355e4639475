/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/budget/spill-run.h"

#include <math.h>
#include <string.h>

/* The lists of a run: idle stretches whose copy out may start at a place, that the op there waits
 * for to be out, whose reload starts there, that the op there waits for to be back, whose storage
 * is made again before it. */
enum { OUT_FROM, OUT_BY, IN_FROM, IN_BY, REDO_AT, N_LISTS };

enum { MOST_REDO_DEPTH = 64 };

void
tn_spill_plan_init(TnSpillPlan *plan, const TnSpillModel *model)
{
  plan->choice = g_new0(TnSpillChoice, (gsize)model->idles->len + 1);
  plan->way = g_new0(uint32_t, (gsize)model->n + 1);
}

void
tn_spill_plan_clear(TnSpillPlan *plan)
{
  g_free(plan->choice);
  g_free(plan->way);
}

void
tn_spill_plan_copy(TnSpillPlan *to, const TnSpillPlan *from, const TnSpillModel *model)
{
  memcpy(to->choice, from->choice, sizeof *to->choice * model->idles->len);
  memcpy(to->way, from->way, sizeof *to->way * model->n);
}

void
tn_spill_run_init(TnSpillRun *run, const TnSpillModel *model)
{
  gsize n = (gsize)model->n + 2, n_idles = (gsize)model->idles->len + 1;
  *run = (TnSpillRun){.model = model};
  run->absent = g_new(tn_bytes, n);
  run->memory = g_new0(tn_bytes, n);
  run->start = g_new0(double, n);
  run->end = g_new0(double, n);
  run->redo = g_new0(double, n);
  for (int l = 0; l < N_LISTS; l++) {
    run->head[l] = g_new(uint32_t, n);
    run->next[l] = g_new(uint32_t, n_idles);
  }
  run->out_start = g_new0(double, n_idles);
  run->out_end = g_new0(double, n_idles);
  run->in_start = g_new0(double, n_idles);
  run->in_end = g_new0(double, n_idles);
  run->redo_first = g_new0(uint32_t, n);
  run->redo_ops = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  run->stamp = g_new0(uint32_t, n);
}

void
tn_spill_run_clear(TnSpillRun *run)
{
  void *const columns[] = {run->absent, run->memory,    run->start,     run->end,
                           run->redo,   run->out_start, run->out_end,   run->in_start,
                           run->in_end, run->stamp,     run->redo_first};
  for (gsize i = 0; i < G_N_ELEMENTS(columns); i++)
    g_free(columns[i]);
  for (int l = 0; l < N_LISTS; l++) {
    g_free(run->head[l]);
    g_free(run->next[l]);
  }
  g_array_unref(run->redo_ops);
}

/* ---- lists ----------------------------------------------------------------------------- */

static void
put(TnSpillRun *run, int list, uint32_t place, uint32_t idle)
{
  run->next[list][idle] = run->head[list][place];
  run->head[list][place] = idle;
}

/* Whether an earlier stretch of the storage left a copy with the host. */
static bool
has_copy(const TnSpillModel *model, const TnSpillPlan *plan, uint32_t i)
{
  for (i = tn_spill_idle(model, i)->previous; i != TN_NONE; i = tn_spill_idle(model, i)->previous)
    if (plan->choice[i].kind == TN_SPILL_MOVE)
      return true;
  return false;
}

static bool
has_undecided_before(const TnSpillModel *model, const TnSpillPlan *plan, uint32_t i)
{
  for (i = tn_spill_idle(model, i)->previous; i != TN_NONE; i = tn_spill_idle(model, i)->previous)
    if (plan->choice[i].kind == TN_SPILL_KEEP)
      return true;
  return false;
}

/* From the last stretch to the first, so that each list is ascending. */
static void
sort_in(TnSpillRun *run, const TnSpillPlan *plan, bool is_bound, TnSpillOutcome *outcome)
{
  const TnSpillModel *model = run->model;
  for (int l = 0; l < N_LISTS; l++)
    memset(run->head[l], 0xff, sizeof(uint32_t) * ((gsize)model->n + 1));
  memset(run->absent, 0, sizeof(tn_bytes) * ((gsize)model->n + 2));
  for (uint32_t i = model->idles->len; i-- > 0;) {
    const TnSpillChoice *choice = &plan->choice[i];
    const TnIdle *idle = tn_spill_idle(model, i);
    tn_bytes bytes = model->order_model->bytes[idle->buffer];
    if (choice->kind == TN_SPILL_KEEP)
      continue;
    run->absent[choice->absent] += bytes;
    run->absent[choice->back] -= bytes;
    run->out_end[i] = -1;
    if (choice->kind == TN_SPILL_RECOMPUTE) {
      put(run, REDO_AT, idle->to, i);
      outcome->recomputed_bytes += bytes;
      continue;
    }
    put(run, IN_FROM, choice->back, i);
    put(run, IN_BY, idle->to, i);
    outcome->back_bytes += bytes;
    if (has_copy(model, plan, i) || (is_bound && has_undecided_before(model, plan, i)))
      continue;
    put(run, OUT_FROM, (uint32_t)((choice->is_early ? idle->made : idle->from) + 1), i);
    put(run, OUT_BY, choice->absent, i);
    outcome->moved_bytes += bytes;
  }
}

/* ---- running ops again ----------------------------------------------------------------- */

/* Whether a storage is in memory, ready to be read, when op runs again before place `at`. */
static bool
is_there(const TnSpillModel *model, const TnSpillPlan *plan, uint32_t b, uint32_t at)
{
  uint32_t maker = model->order_model->maker[b];
  bool lives_on = model->order_model->is_kept[b];
  if (maker != TN_NONE && model->place[maker] >= at)
    return false;
  for (uint32_t k = model->order_model->reader_first[b];
       k < model->order_model->reader_first[b + 1] && !lives_on; k++)
    lives_on = model->place[model->order_model->reader[k]] >= at;
  if (!lives_on)
    return false;
  for (uint32_t i = model->idle_first[b]; i < model->idle_first[b + 1]; i++) {
    const TnSpillChoice *choice = &plan->choice[i];
    bool is_gone = choice->kind != TN_SPILL_KEEP && choice->absent <= at && at < choice->back;
    if (is_gone || (choice->kind == TN_SPILL_RECOMPUTE && tn_spill_idle(model, i)->to == at))
      return false;
  }
  return true;
}

static bool
redo(TnSpillRun *run, const TnSpillPlan *plan, uint32_t op, uint32_t at, uint32_t depth)
{
  const TnSpillModel *model = run->model;
  const TnOrderModel *order_model = model->order_model;
  if (run->stamp[op] == run->n_stamps)
    return true;
  if (depth == MOST_REDO_DEPTH || !model->is_pure[op])
    return false;
  for (uint32_t k = order_model->read_first[op]; k < order_model->read_first[op + 1]; k++) {
    uint32_t b = order_model->read[k], maker = order_model->maker[b];
    if (is_there(model, plan, b, at))
      continue;
    if (maker == TN_NONE || !redo(run, plan, maker, at, depth + 1))
      return false;
  }
  run->stamp[op] = run->n_stamps;
  g_array_append_val(run->redo_ops, op);
  return true;
}

static bool
redo_all(TnSpillRun *run, const TnSpillPlan *plan)
{
  const TnSpillModel *model = run->model;
  g_array_set_size(run->redo_ops, 0);
  for (uint32_t p = 0; p < model->n; p++) {
    run->redo_first[p] = run->redo_ops->len;
    run->n_stamps++;
    for (uint32_t i = run->head[REDO_AT][p]; i != TN_NONE; i = run->next[REDO_AT][i])
      if (!redo(run, plan, model->order_model->maker[tn_spill_idle(model, i)->buffer], p, 0))
        return false;
  }
  run->redo_first[model->n] = run->redo_ops->len;
  return true;
}

/* While ops run again before place p all that they make is there, beside what lives there anyway;
 * what comes back to stay has its room from the beginning. */
static tn_bytes
redo_memory(TnSpillRun *run, const TnSpillPlan *plan, uint32_t p, tn_bytes absent)
{
  const TnSpillModel *model = run->model;
  const TnOrderModel *order_model = model->order_model;
  tn_bytes made = 0, scratch = 0;
  for (uint32_t r = run->redo_first[p]; r < run->redo_first[p + 1]; r++) {
    uint32_t op = g_array_index(run->redo_ops, uint32_t, r);
    made += order_model->made_bytes[op];
    scratch = MAX(scratch, tn_spill_scratch(model, op, plan->way[op]));
    for (uint32_t k = order_model->made_first[op]; k < order_model->made_first[op + 1]; k++)
      for (uint32_t i = model->idle_first[order_model->made[k]];
           i < model->idle_first[order_model->made[k] + 1]; i++)
        if (plan->choice[i].kind == TN_SPILL_RECOMPUTE && tn_spill_idle(model, i)->to == p)
          made -= order_model->bytes[order_model->made[k]];
  }
  return model->before[p] - absent + made + scratch;
}

/* ---- memory ---------------------------------------------------------------------------- */

static void
measure(TnSpillRun *run, const TnSpillPlan *plan, tn_bytes budget, TnSpillOutcome *outcome)
{
  const TnSpillModel *model = run->model;
  tn_bytes absent = 0;
  outcome->peak = model->start_bytes;
  outcome->over_at = TN_NONE;
  for (uint32_t p = 0; p < model->n; p++) {
    uint32_t op = model->order[p];
    absent += run->absent[p];
    run->memory[p] =
        tn_spill_held(model, p, tn_spill_way(model, op, plan->way[op])->scratch_change) - absent;
    if (run->redo_first[p + 1] > run->redo_first[p])
      run->memory[p] = MAX(run->memory[p], redo_memory(run, plan, p, absent));
    outcome->peak = MAX(outcome->peak, run->memory[p]);
    if (budget > 0 && run->memory[p] > budget && outcome->over_at == TN_NONE)
      outcome->over_at = p;
  }
}

/* ---- time ------------------------------------------------------------------------------ */

typedef struct {
  double compute, out, in; /* when each lane is free */
} Lanes;

/* Copies out that may start once the op at place p - 1 has ended. */
static void
start_outs(TnSpillRun *run, uint32_t p, Lanes *lanes, TnSpillOutcome *outcome)
{
  const TnSpillModel *model = run->model;
  for (uint32_t i = run->head[OUT_FROM][p]; i != TN_NONE; i = run->next[OUT_FROM][i]) {
    double seconds = model->out_seconds[tn_spill_idle(model, i)->buffer];
    run->out_start[i] = MAX(lanes->out, lanes->compute);
    lanes->out = run->out_end[i] = run->out_start[i] + seconds;
    outcome->copy_seconds += seconds;
  }
}

/* Reloads take their bytes once the copies out that this place waits for have ended. */
static void
wait_for_copies(TnSpillRun *run, uint32_t p, Lanes *lanes, TnSpillOutcome *outcome)
{
  const TnSpillModel *model = run->model;
  double free_at = lanes->compute;
  for (uint32_t i = run->head[OUT_BY][p]; i != TN_NONE; i = run->next[OUT_BY][i])
    free_at = MAX(free_at, run->out_end[i]);
  for (uint32_t i = run->head[IN_FROM][p]; i != TN_NONE; i = run->next[IN_FROM][i]) {
    double seconds = model->in_seconds[tn_spill_idle(model, i)->buffer];
    run->in_start[i] = MAX(lanes->in, free_at);
    lanes->in = run->in_end[i] = run->in_start[i] + seconds;
    outcome->copy_seconds += seconds;
  }
  for (uint32_t i = run->head[IN_BY][p]; i != TN_NONE; i = run->next[IN_BY][i])
    free_at = MAX(free_at, run->in_end[i]);
  outcome->wait_seconds += free_at - lanes->compute;
  lanes->compute = free_at;
}

static void
compute(TnSpillRun *run, const TnSpillPlan *plan, uint32_t p, Lanes *lanes, TnSpillOutcome *outcome)
{
  const TnSpillModel *model = run->model;
  uint32_t op = model->order[p];
  double seconds = tn_spill_way(model, op, plan->way[op])->seconds;
  run->redo[p] = 0;
  for (uint32_t r = run->redo_first[p]; r < run->redo_first[p + 1]; r++) {
    uint32_t again = g_array_index(run->redo_ops, uint32_t, r);
    run->redo[p] += tn_spill_way(model, again, plan->way[again])->seconds;
  }
  outcome->recompute_seconds += run->redo[p];
  outcome->way_seconds += seconds - model->op_seconds[op];
  run->start[p] = lanes->compute + run->redo[p];
  lanes->compute = run->end[p] = run->start[p] + seconds;
}

TnSpillOutcome
tn_spill_run(TnSpillRun *run, const TnSpillPlan *plan, tn_bytes budget, bool is_bound)
{
  TnSpillOutcome outcome = {0};
  Lanes lanes = {0, 0, 0};
  sort_in(run, plan, is_bound, &outcome);
  if (!redo_all(run, plan)) {
    outcome.seconds = HUGE_VAL;
    outcome.over_at = 0;
    outcome.peak = INT64_MAX;
    return outcome;
  }
  measure(run, plan, budget, &outcome);
  for (uint32_t p = 0; p < run->model->n; p++) {
    start_outs(run, p, &lanes, &outcome);
    wait_for_copies(run, p, &lanes, &outcome);
    compute(run, plan, p, &lanes, &outcome);
  }
  outcome.seconds = lanes.compute;
  return outcome;
}
