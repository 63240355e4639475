/* SPDX-License-Identifier: MIT */
/* The smallest device on which a run passes. */
#include "config.h"

#include "analysis/replay/models.h"

#define STEP ((tn_bytes)2 << 20)
#define MOST ((tn_bytes)1 << 46) /* no device has as much; a limit, so that what failed is run, too */

/* The most that was asked for and held at once, before any rounding: no allocator holds it in less. */
static tn_bytes
least_held(const TnReplayLog *log, bool stop_after_failed)
{
  g_autofree tn_bytes *size_of = g_new0(tn_bytes, MAX(log->n_ids, 1u));
  tn_bytes held = 0, most = 0;
  for (guint i = 0; i < log->blocks->len; i++) {
    const TnReplayPlace *place = &g_array_index(log->blocks, TnReplayPlace, i);
    size_of[place->id] = MAX(place->requested, (tn_bytes)0);
    held = most = tn_add_saturated(held, size_of[place->id]);
  }
  for (guint i = 0; i < log->ops->len; i++) {
    const TnReplayOp *op = &g_array_index(log->ops, TnReplayOp, i);
    tn_bytes bytes = MAX(op->bytes, (tn_bytes)0);
    if (op->action == TN_REPLAY_GIVE) {
      held -= size_of[op->id];
      size_of[op->id] = 0;
    } else if (op->action == TN_REPLAY_TAKE) {
      size_of[op->id] = bytes;
      held = tn_add_saturated(held, bytes);
      most = MAX(most, held);
    } else if (op->action == TN_REPLAY_FAILED) {
      most = MAX(most, tn_add_saturated(held, bytes));
      if (stop_after_failed)
        break;
    }
  }
  return most;
}

static bool
fits(const TnReplayLog *log, TnReplayParams params, tn_bytes limit, TnProgress *progress)
{
  params.limit = limit;
  params.stop_at_oom = true;
  params.with_curve = false;
  g_autoptr(TnReplayResult) result = tn_replay_run(log, &params, progress);
  return result->ooms->len == 0 && !result->is_cancelled;
}

/* What an endless device reserved may be too little of a device: some allocators keep a part of it free,
 * or collect garbage by its size.  Goes up until it passes; -1 where nothing does. */
static tn_bytes
find_passing(const TnReplayLog *log, const TnReplayParams *params, tn_bytes *low, tn_bytes high,
             TnProgress *progress)
{
  for (tn_bytes step = STEP; !fits(log, *params, high, progress); step *= 2) {
    if (high >= MOST || tn_progress_is_cancelled(progress))
      return -1;
    *low = MAX(*low, high);
    high = MIN(high + step, MOST);
  }
  return high;
}

/* The arena of the best plan that is found.  Without a limit no failed request was in the run's. */
static TnReplaySmallest
find_arena(const TnReplayLog *log,
           TnReplayParams params,
           const TnReplayResult *had,
           TnProgress *progress)
{
  g_autoptr(TnReplayResult) own = NULL;
  if (!had || (params.limit == 0 && log->last_oom != TN_NONE)) {
    params.limit = MOST;
    params.with_curve = false;
    params.wants_least = true;
    had = own = tn_replay_run(log, &params, progress);
  }
  if (had->is_cancelled)
    return (TnReplaySmallest){TN_BYTES_UNKNOWN, TN_BYTES_UNKNOWN};
  return (TnReplaySmallest){had->reserved_peak, had->proved_bound};
}

static tn_bytes
bisect(const TnReplayLog *log, const TnReplayParams *given, TnProgress *progress)
{
  TnReplayParams params = *given;
  params.limit = MOST;
  params.with_curve = false;
  params.stop_at_oom = true;
  g_autoptr(TnReplayResult) endless = tn_replay_run(log, &params, progress);
  if (endless->reserved_peak < 0 || endless->is_cancelled || endless->ooms->len > 0)
    return TN_BYTES_UNKNOWN;
  if (endless->reserved_peak == 0)
    return endless->reserved_peak;
  /* On less than what is held nothing passes; a limit of 0 would be none. */
  tn_bytes low = MAX(least_held(log, params.stop_after_failed) - 1, (tn_bytes)0);
  tn_bytes high = find_passing(log, &params, &low, endless->reserved_peak, progress);
  while (high >= 0 && high - low > STEP) {
    tn_bytes middle = low + (high - low) / 2;
    if (fits(log, params, middle, progress))
      high = middle;
    else
      low = middle;
    if (tn_progress_is_cancelled(progress))
      return TN_BYTES_UNKNOWN;
  }
  return high >= 0 ? high : TN_BYTES_UNKNOWN;
}

TnReplaySmallest
tn_replay_find_smallest(const TnReplayLog *log,
                        const TnReplayParams *params,
                        const TnReplayResult *result,
                        TnProgress *progress)
{
  if (!params->model->take)
    return find_arena(log, *params, result, progress);
  return (TnReplaySmallest){bisect(log, params, progress), TN_BYTES_UNKNOWN};
}
