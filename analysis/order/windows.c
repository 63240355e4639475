/* SPDX-License-Identifier: MIT */
/* Improves an order where the whole is too wide to solve: stretches of up to 25 ops are solved
 * exactly on their own, everything outside held still; again and again until none gets better. */
#include "config.h"

#include "analysis/order/exact.h"
#include "analysis/order/methods.h"
#include "analysis/order/walker.h"

#include <string.h>

enum { WINDOW = 25, STRIDE = 7 };
static const gsize most_bytes = 64u << 20;

typedef struct {
  TnOrderTask *task;
  TnWalker walker;
  uint32_t *order; /* the order at hand */
} Windows;

/* The peak of the stretch [from, to), run from where the walker stands; the walker comes back. */
static tn_bytes
peak_of(Windows *windows, uint32_t from, uint32_t to)
{
  tn_bytes peak = 0;
  for (uint32_t p = from; p < to; p++) {
    peak = MAX(peak, tn_walker_during(&windows->walker, windows->order[p]));
    tn_walker_run(&windows->walker, windows->order[p]);
  }
  for (uint32_t p = to; p-- > from;)
    tn_walker_undo(&windows->walker, windows->order[p]);
  return peak;
}

/* Solves the stretch that begins where the walker stands; true where it got better. */
static bool
improve(Windows *windows, uint32_t from, uint32_t to)
{
  tn_bytes limit = peak_of(windows, from, to), bound;
  uint64_t n_states;
  uint32_t found[WINDOW], ops[WINDOW];
  g_autofree tn_bytes *by_op = g_new(tn_bytes, WINDOW + 1);
  memcpy(ops, windows->order + from, sizeof *ops * (to - from));
  g_autoptr(TnOrderModel) part =
      tn_order_model_new_part(windows->task->model, windows->walker.done, ops, to - from);
  g_autoptr(TnReach) reach = tn_reach_new(part);
  TnOrderSearch search = {
      .start = tn_order_bound(part, reach, by_op),
      .limit = limit,
      .deadline = MIN(windows->task->deadline, g_get_monotonic_time() + G_USEC_PER_SEC / 5),
      .most_bytes = most_bytes,
      .progress = windows->task->params->progress};
  if (search.start >= limit ||
      tn_order_search(part, &search, found, &bound, &n_states) != TN_ORDER_SOLVED)
    return false;
  for (uint32_t i = 0; i < to - from; i++)
    windows->order[from + i] = part->origin[found[i]];
  return true;
}

static bool
pass(Windows *windows, uint32_t shift)
{
  uint32_t n = windows->task->model->n, at = 0;
  bool is_better = false;
  tn_walker_reset(&windows->walker);
  for (uint32_t from = 0; from < n && !tn_order_task_is_late(windows->task);
       from += from == 0 && shift ? shift : STRIDE) {
    for (; at < from; at++)
      tn_walker_run(&windows->walker, windows->order[at]);
    is_better |= improve(windows, from, MIN(from + WINDOW, n));
  }
  return is_better;
}

static void
find_windows(TnOrderTask *task)
{
  Windows windows = {.task = task};
  gint64 since = g_get_monotonic_time();
  uint32_t n = task->model->n, n_failed = 0;
  if (!task->has_best) {
    tn_order_method_file.find(task);
    tn_order_method_greedy.find(task);
  }
  windows.order = g_memdup2(task->best, sizeof(uint32_t) * ((gsize)n + 1));
  tn_walker_init(&windows.walker, task->model);
  for (uint32_t round = 0; n_failed < STRIDE && !tn_order_task_is_done(task); round++) {
    n_failed = pass(&windows, round % STRIDE) ? 0 : n_failed + 1;
    if (n_failed == 0)
      tn_order_task_offer(task, "windows", windows.order, since);
  }
  tn_order_task_offer(task, "windows", windows.order, since);
  tn_walker_clear(&windows.walker);
  g_free(windows.order);
}

const TnOrderMethod tn_order_method_windows = {
    "windows", "stretches of 25 ops of the best order so far, each solved exactly", find_windows};
