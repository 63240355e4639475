/* SPDX-License-Identifier: MIT */
/* The limit: offsets planned with all lives known.  No event is run. */
#include "config.h"

#include "analysis/plan/plan.h"
#include "analysis/replay/models.h"

#define SECONDS 2.0 /* to search for a plan that fits */

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

/* Whether a search can change the answer. */
static bool
is_open(const TnPlan *plan, tn_bytes limit, bool wants_least)
{
  if (plan->status == TN_PLAN_FAILED)
    return false;
  bool is_between = plan->arena_bytes > limit && plan->proved_bound_bytes <= limit;
  return wants_least ? !plan->is_optimal : limit > 0 && is_between;
}

/* The quick strategy's plan, or a better one where its arena is no answer yet; and what no plan is
 * below. */
static TnPlan *
plan_lives(const TnBuffers *buffers, tn_bytes limit, bool wants_least, TnProgress *progress,
           tn_bytes *out_bound)
{
  TnPlanParams params = {.progress = progress, .capacity = wants_least ? 0 : limit};
  TnPlan *plan = plan_with(buffers, "greedy-size", &params);
  *out_bound = plan->status == TN_PLAN_FAILED ? TN_BYTES_UNKNOWN : plan->proved_bound_bytes;
  if (!is_open(plan, limit, wants_least))
    return plan;
  params.time_limit = SECONDS;
  TnPlan *searched = plan_with(buffers, "best", &params);
  if (searched->status != TN_PLAN_FAILED) {
    *out_bound = MAX(*out_bound, searched->proved_bound_bytes);
    if (searched->arena_bytes < plan->arena_bytes) {
      TnPlan *quick = plan;
      plan = searched;
      searched = quick;
    }
  }
  tn_plan_free(searched);
  return plan;
}

void
tn_replay_plan(const TnReplayLog *log, const TnReplayParams *params, bool wants_least,
               TnReplayResult *result, TnProgress *progress)
{
  bool with_failed;
  tn_tick end = end_of_plan(log, params, &with_failed);
  g_autoptr(TnBuffers) buffers = lives_to_plan(log, end, with_failed);
  g_autoptr(TnCurve) live = tn_curve_new_for_buffers(buffers, MAX(end, log->study->axis_end));
  g_autoptr(TnPlan) plan =
      plan_lives(buffers, params->limit, wants_least, progress, &result->proved_bound);
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
                       .allocated = result->allocated_peak};
    g_array_append_val(result->ooms, oom);
  }
}

const TnAllocatorModel tn_allocator_static = {
    .name = "static", .title = "a plan made with all lives known: what no allocator can know"};
