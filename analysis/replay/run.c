/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/replay/models.h"

#include <string.h>

const TnAllocatorModel *const *
tn_allocator_models(void)
{
  static const TnAllocatorModel *const models[] = {
      &tn_allocator_caching,   &tn_allocator_bfc,      &tn_allocator_scalable, &tn_allocator_buddy,
      &tn_allocator_first_fit, &tn_allocator_best_fit, &tn_allocator_static,   NULL};
  return models;
}

const TnAllocatorModel *
tn_allocator_models_find(const char *name)
{
  for (const TnAllocatorModel *const *model = tn_allocator_models(); *model; model++)
    if (strcmp((*model)->name, name) == 0)
      return *model;
  return NULL;
}

typedef struct {
  const TnReplayLog *log;
  const TnReplayParams *params;
  TnAllocator *allocator;
  TnReplayResult *result;
  uint32_t served; /* id of what failed as recorded and was served just now; TN_NONE */
  GArray *ticks, *values; /* the curve, where it is wanted */
} Run;

/* ---- what happened before the recording ---------------------------------------------------- */

static void
add_oom(Run *run, const TnReplayOp *op)
{
  const TnAllocator *a = run->allocator;
  TnReplayOom oom = {op->event, op->bytes, a->reserved, a->allocated,
                     a->limit > 0 ? a->limit - a->reserved : TN_BYTES_UNKNOWN, a->refused};
  g_array_append_val(run->result->ooms, oom);
}

static void
request_seeds(Run *run, bool only_outside)
{
  const GArray *blocks = run->log->blocks;
  for (guint i = 0; i < blocks->len; i++) {
    const TnReplayPlace *place = &g_array_index(blocks, TnReplayPlace, i);
    TnReplayOp op = {.bytes = place->requested, .id = place->id, .space = place->space};
    if ((!only_outside || place->segment == TN_NONE) &&
        !run->params->model->take(run->allocator, &op, 0))
      add_oom(run, &op);
  }
}

/* On a smaller device the cache would have been emptied before; what is still too much is a failure
 * at the first event. */
static void
fit_seeds(Run *run)
{
  const TnReplayOp nothing = {0};
  TnAllocator *a = run->allocator;
  if (a->limit == 0 || a->reserved <= a->limit)
    return;
  if (run->params->model->release)
    run->params->model->release(a);
  if (a->reserved > a->limit)
    add_oom(run, &nothing);
}

static void
seed(Run *run)
{
  const TnAllocatorModel *model = run->params->model;
  bool is_placed = !run->params->seeds_requested && model->seed && run->log->segments->len > 0 &&
                   model->seed(run->allocator, run->log);
  request_seeds(run, is_placed);
  fit_seeds(run);
}

/* ---- events -------------------------------------------------------------------------------- */

static void
note_peaks(Run *run, uint32_t event)
{
  const TnAllocator *a = run->allocator;
  TnReplayResult *result = run->result;
  result->allocated_peak = MAX(result->allocated_peak, a->allocated);
  if (a->reserved <= result->reserved_peak)
    return;
  tn_bytes free_bytes = a->reserved - a->allocated;
  result->reserved_peak = a->reserved;
  result->reserved_peak_event = event;
  result->fragmentation =
      free_bytes > 0 ? 1.0 - (double)run->params->model->largest_hole(a) / (double)free_bytes : 0.0;
}

static void
note_curve(Run *run, uint32_t event)
{
  tn_tick tick = event;
  tn_bytes value = run->allocator->reserved;
  guint n = run->ticks->len;
  if (n && g_array_index(run->values, tn_bytes, n - 1) == value)
    return;
  if (n && g_array_index(run->ticks, tn_tick, n - 1) == tick) {
    g_array_index(run->values, tn_bytes, n - 1) = value;
    return;
  }
  g_array_append_val(run->ticks, tick);
  g_array_append_val(run->values, value);
}

/* The log knows no life of what failed: whoever asked went on without it.  Served, it is held until the
 * next event, so that no number of tries adds up. */
static void
give_served(Run *run)
{
  if (run->served != TN_NONE)
    run->params->model->give(run->allocator, run->served);
  run->served = TN_NONE;
}

/* False where the run ends here. */
static bool
run_op(Run *run, const TnReplayOp *op)
{
  const TnReplayParams *params = run->params;
  TnAllocator *a = run->allocator;
  switch ((TnReplayAction)op->action) {
  case TN_REPLAY_TAKE:
  case TN_REPLAY_FAILED: {
    uint64_t hint = op->hint ? g_array_index(run->log->hints, uint64_t, op->hint - 1) : 0;
    bool was_recorded = op->action == TN_REPLAY_FAILED && a->limit == 0;
    if (!was_recorded && !params->model->take(a, op, hint)) {
      add_oom(run, op);
      return !params->stop_at_oom;
    }
    if (op->action == TN_REPLAY_TAKE)
      return true;
    run->served = was_recorded ? TN_NONE : op->id;
    return !params->stop_after_failed;
  }
  case TN_REPLAY_GIVE:
    params->model->give(a, op->id);
    return true;
  case TN_REPLAY_RETRY:
    if (a->limit > 0)
      return true;
    /* fall through */
  case TN_REPLAY_RELEASE:
    if (params->model->release)
      params->model->release(a);
    return true;
  }
  return true;
}

/* How often reserved equals the recorded figure.  The curve is walked along: its points come in the
 * order of the events. */
static void
compare(Run *run, const TnReplayOp *op, uint32_t *point)
{
  const TnCurve *recorded = run->log->study->reserved;
  while (*point + 1 < recorded->n && recorded->tick[*point + 1] <= (tn_tick)op->event)
    ++*point;
  run->result->n_compared++;
  run->result->n_equal += recorded->value[*point] == run->allocator->reserved;
}

static void
run_events(Run *run, TnProgress *progress)
{
  const TnReplayOp *ops = (const TnReplayOp *)(void *)run->log->ops->data;
  bool is_compared = run->log->study->reserved != NULL;
  uint32_t point = 0;
  for (guint i = 0; i < run->log->ops->len; i++) {
    run->result->n_ops++;
    give_served(run);
    bool goes_on = run_op(run, &ops[i]);
    /* The request that failed may be the one that raises the peak once it is served. */
    note_peaks(run, ops[i].event);
    if (!goes_on)
      break;
    /* A retry empties the cache within the request that follows: there is no state between. */
    if (is_compared && ops[i].action != TN_REPLAY_RETRY)
      compare(run, &ops[i], &point);
    if (run->ticks)
      note_curve(run, ops[i].event);
    if (i % 65536 == 0 && tn_progress_is_cancelled(progress)) {
      run->result->is_cancelled = true;
      break;
    }
  }
}

static void
run_model(Run *run, TnProgress *progress)
{
  const TnReplayParams *params = run->params;
  run->allocator = params->model->create(run->log, &params->settings, params->limit);
  if (params->with_curve) {
    run->ticks = g_array_new(FALSE, FALSE, sizeof(tn_tick));
    run->values = g_array_new(FALSE, FALSE, sizeof(tn_bytes));
  }
  seed(run);
  note_peaks(run, 0);
  if (run->ticks)
    note_curve(run, 0);
  if (!run->params->stop_at_oom || run->result->ooms->len == 0)
    run_events(run, progress);
  if (run->ticks) {
    run->result->curve = tn_curve_new((const tn_tick *)(void *)run->ticks->data,
                                      (const tn_bytes *)(void *)run->values->data, run->ticks->len,
                                      run->log->study->axis_end);
    g_array_unref(run->ticks);
    g_array_unref(run->values);
  }
  params->model->destroy(run->allocator);
}

/* ---- the whole ----------------------------------------------------------------------------- */

TnReplayResult *
tn_replay_run(const TnReplayLog *log, const TnReplayParams *params, TnProgress *progress)
{
  gint64 begin = g_get_monotonic_time();
  TnReplayResult *result = g_new0(TnReplayResult, 1);
  Run run = {.log = log, .params = params, .result = result, .served = TN_NONE};
  result->ooms = g_array_new(FALSE, FALSE, sizeof(TnReplayOom));
  result->proved_bound = TN_BYTES_UNKNOWN;
  result->recorded_peak = log->study->reserved ? log->study->reserved->peak : TN_BYTES_UNKNOWN;
  if (params->model->take)
    run_model(&run, progress);
  else
    tn_replay_plan(log, params, result, progress);
  result->seconds = (double)(g_get_monotonic_time() - begin) / 1e6;
  return result;
}

void
tn_replay_result_free(TnReplayResult *result)
{
  if (!result)
    return;
  g_array_unref(result->ooms);
  tn_curve_free(result->curve);
  g_free(result);
}
