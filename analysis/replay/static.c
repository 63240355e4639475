/* SPDX-License-Identifier: MIT */
/* The limit: offsets planned with all lives known.  No event is run. */
#include "config.h"

#include "analysis/plan/plan.h"
#include "analysis/replay/models.h"

#define SECONDS 2.0 /* of one search */

/* A plan holds its arena from the first event to the last. */
static void
add_plan_curve(const TnReplayLog *log, TnReplayResult *result)
{
  static const tn_tick start = 0;
  if (result->reserved_peak >= 0)
    result->curve = tn_curve_new(&start, &result->reserved_peak, 1, log->study->axis_end);
}

/* Where the run ends: behind the request that failed, where no more is wanted; and whether what
 * failed is asked for at all, as with the other models. */
static tn_tick
end_of_plan(const TnReplayLog *log, const TnReplayParams *params, bool *out_with_failed)
{
  *out_with_failed = params->limit > 0 && log->last_oom != TN_NONE;
  if (!params->stop_after_failed || log->last_oom == TN_NONE)
    return log->study->axis_end;
  return (tn_tick)g_array_index(log->ops, TnReplayOp, log->last_oom).event + 1;
}

/* The lives to plan, those of the requests that failed among them: one event long.  Spaces may share
 * their memory when everything is known. */
static TnBuffers *
lives_to_plan(const TnReplayLog *log, tn_tick end, bool with_failed)
{
  TnBuffers *buffers = tn_buffers_copy(log->study->buffers);
  for (guint i = 0; with_failed && i < log->ops->len; i++) {
    const TnReplayOp *op = &g_array_index(log->ops, TnReplayOp, i);
    if (op->action == TN_REPLAY_FAILED)
      tn_buffers_add(buffers, op->event, (tn_tick)op->event + 1, op->bytes, TN_KIND_ALLOCATION);
  }
  for (uint32_t i = 0; i < buffers->n; i++) {
    buffers->offset[i] = TN_NOT_PLACED;
    if (buffers->start[i] >= end)
      buffers->bytes[i] = 0;
    if (buffers->space)
      buffers->space[i] = 0;
  }
  return buffers;
}

static TnPlan *
plan_with(const TnBuffers *buffers, const char *strategy, const TnPlanParams *params)
{
  return tn_plan_new_for_buffers(buffers, tn_strategies_find(strategy), 0, params);
}

typedef struct {
  const TnBuffers *buffers;
  TnProgress *progress;
  TnPlan *plan;   /* the smallest found */
  tn_bytes bound; /* no plan is smaller */
} Planning;

/* Searches for one of at most `capacity`, 0: for the smallest; keeps what is better. */
static void
search(Planning *planning, tn_bytes capacity)
{
  TnPlanParams params = {
      .progress = planning->progress, .capacity = capacity, .time_limit = SECONDS};
  TnPlan *found = plan_with(planning->buffers, "best", &params);
  if (found->status != TN_PLAN_FAILED) {
    planning->bound = MAX(planning->bound, found->proved_bound_bytes);
    if (found->arena_bytes < planning->plan->arena_bytes) {
      TnPlan *larger = planning->plan;
      planning->plan = found;
      found = larger;
    }
  }
  tn_plan_free(found);
}

/* Whether a plan of at most `limit` may be there that was not found. */
static bool
is_open(const Planning *planning, tn_bytes limit)
{
  return limit > 0 && planning->plan->arena_bytes > limit && planning->bound <= limit;
}

/* The quick strategy's plan, or a better one where its arena is no answer yet.  What fits is looked
 * for by both questions, whether one fits and which is the smallest, so that a device which the
 * second one names is not refused by the first.  The search runs the quick strategy once more:
 * where that takes half of its time, there is none. */
static TnPlan *
plan_lives(const TnBuffers *buffers,
           const TnReplayParams *params,
           TnProgress *progress,
           tn_bytes *out_bound)
{
  gint64 begun = g_get_monotonic_time();
  TnPlanParams quick = {.progress = progress};
  Planning planning = {
      .buffers = buffers, .progress = progress, .plan = plan_with(buffers, "greedy-size", &quick)};
  bool is_failed = planning.plan->status == TN_PLAN_FAILED;
  planning.bound = is_failed ? TN_BYTES_UNKNOWN : planning.plan->proved_bound_bytes;
  if (!is_failed && g_get_monotonic_time() - begun < (gint64)(SECONDS / 2 * G_USEC_PER_SEC)) {
    if (params->wants_least && planning.plan->arena_bytes > planning.bound)
      search(&planning, 0);
    if (is_open(&planning, params->limit))
      search(&planning, params->limit);
    if (is_open(&planning, params->limit) && !params->wants_least)
      search(&planning, 0);
  }
  *out_bound = planning.bound;
  return planning.plan;
}

void
tn_replay_plan(const TnReplayLog *log,
               const TnReplayParams *params,
               TnReplayResult *result,
               TnProgress *progress)
{
  bool with_failed;
  tn_tick end = end_of_plan(log, params, &with_failed);
  g_autoptr(TnBuffers) buffers = lives_to_plan(log, end, with_failed);
  g_autoptr(TnCurve) live = tn_curve_new_for_buffers(buffers, MAX(end, log->study->axis_end));
  g_autoptr(TnPlan) plan = plan_lives(buffers, params, progress, &result->proved_bound);
  bool is_found = live && plan->status != TN_PLAN_FAILED;
  result->is_cancelled = tn_progress_is_cancelled(progress);
  result->reserved_peak = is_found ? plan->arena_bytes : TN_BYTES_UNKNOWN;
  result->allocated_peak = live ? live->peak : log->study->live->peak;
  result->reserved_peak_event = (uint32_t)(live ? live->peak_at : log->study->live->peak_at);
  result->n_ops = log->ops->len;
  if (params->with_curve)
    add_plan_curve(log, result);
  if (params->limit > 0 && result->reserved_peak > params->limit) {
    TnReplayOom oom = {.event = result->reserved_peak_event,
                       .reserved = params->limit,
                       .allocated = result->allocated_peak,
                       .device_free = TN_BYTES_UNKNOWN};
    g_array_append_val(result->ooms, oom);
  }
}

const TnAllocatorModel tn_allocator_static = {
    .name = "static", .title = "a plan made with all lives known: what no allocator can know"};
