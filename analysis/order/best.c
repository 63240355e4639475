/* SPDX-License-Identifier: MIT */
/* `exact` proves; `best` runs everything in a sensible order and stops once the bound is met.
 *
 * Where the best-first search of the whole runs out of its share of the time, the gap between bound
 * and best is halved by yes-or-no searches: "is there an order within T?" is far easier than the
 * optimum, since every step within T is free and safe steps abound. */
#include "config.h"

#include "analysis/order/exact.h"
#include "analysis/order/lazy.h"
#include "analysis/order/methods.h"
#include "analysis/order/symmetry.h"

static const gsize most_bytes = (gsize)512 << 20;

typedef struct {
  TnOrderTask *task;
  TnOrderModel *narrowed; /* the model without orders that can't be better than others */
  uint32_t *order;
  tn_bytes grain; /* every peak is a multiple of it */
} Solver;

static void
divide(tn_bytes *grain, tn_bytes bytes)
{
  while (bytes > 0) {
    tn_bytes rest = *grain % bytes;
    *grain = bytes;
    bytes = rest;
  }
}

/* What is alive is a sum of sizes: all their common divisors divide it. */
static tn_bytes
grain_of(const TnOrderModel *model)
{
  tn_bytes grain = 0;
  for (uint32_t b = 0; b < model->n_buffers; b++)
    divide(&grain, model->bytes[b]);
  for (uint32_t i = 0; i < model->n; i++) {
    divide(&grain, model->scratch[i]);
    divide(&grain, model->early_scratch[i]);
  }
  divide(&grain, model->base);
  divide(&grain, model->first_only);
  return MAX(grain, (tn_bytes)1);
}

static void
raise_bound(Solver *solver, tn_bytes bound)
{
  tn_bytes rounded = bound;
  if (bound < INT64_MAX)
    tn_round_up(bound, solver->grain, &rounded);
  solver->task->bound = MAX(solver->task->bound, rounded);
}

static void
solver_init(Solver *solver, TnOrderTask *task)
{
  g_autoptr(GArray) waits = tn_order_lazy_edges(task->model);
  g_autoptr(TnOrderModel) lazy = tn_order_model_new_with_edges(task->model, waits);
  g_autoptr(GArray) copies = tn_order_symmetry_edges(lazy);
  solver->task = task;
  solver->narrowed = tn_order_model_new_with_edges(lazy, copies);
  solver->order = g_new(uint32_t, (gsize)task->model->n + 1);
  solver->grain = grain_of(task->model);
  if (waits->len + copies->len == 0)
    return;
  /* Fewer orders: more is mandatory. */
  g_autoptr(TnReach) reach = tn_reach_new(solver->narrowed);
  g_autofree tn_bytes *by_op = g_new(tn_bytes, (gsize)task->model->n + 1);
  task->bound = MAX(task->bound, tn_order_bound(solver->narrowed, reach, by_op));
}

static void
solver_clear(Solver *solver)
{
  tn_order_model_free(solver->narrowed);
  g_free(solver->order);
}

/* One search with keys from `start` up to below `limit`, until `until`. */
static TnOrderSearchStatus
search(Solver *solver, tn_bytes start, tn_bytes limit, gint64 until, tn_bytes *out_bound)
{
  TnOrderTask *task = solver->task;
  gint64 since = g_get_monotonic_time();
  uint64_t n_states = 0;
  TnOrderSearch params = {.start = start,
                          .limit = limit,
                          .deadline = MIN(until, task->deadline),
                          .most_bytes = most_bytes,
                          .progress = task->params->progress};
  TnOrderSearchStatus status =
      tn_order_search(solver->narrowed, &params, solver->order, out_bound, &n_states);
  task->n_states += n_states;
  if (status == TN_ORDER_SOLVED)
    tn_order_task_offer(task, "exact", solver->order, since);
  return status;
}

static void
solve_whole(Solver *solver, gint64 until)
{
  TnOrderTask *task = solver->task;
  tn_bytes bound = task->bound;
  search(solver, task->bound, task->peak, until, &bound);
  raise_bound(solver, bound);
}

/* Is there an order within `threshold`?  Whatever the answer, it narrows the gap; none: it stays.
 */
static void
decide(Solver *solver, tn_bytes threshold, gint64 until)
{
  tn_bytes bound;
  if (search(solver, threshold, threshold + 1, until, &bound) == TN_ORDER_EXHAUSTED)
    raise_bound(solver, threshold + 1);
}

/* Asks in the middle of the gap first, then near its ends: a "no" is easier far below, a "yes" is
 * easier far above. */
static void
bisect(Solver *solver)
{
  static const double parts[] = {0.5, 0.125, 0.875, 0.03, 0.97};
  TnOrderTask *task = solver->task;
  gint64 slice = MAX((task->deadline - g_get_monotonic_time()) / 8, 1);
  if (task->params->budget >= task->bound && task->params->budget < task->peak)
    decide(solver, task->params->budget, g_get_monotonic_time() + slice * 2);
  for (gsize k = 0; k < 4 * G_N_ELEMENTS(parts) && !tn_order_task_is_done(task);) {
    tn_bytes low = task->bound, high = task->peak - 1;
    tn_bytes part = (tn_bytes)((double)(high - low) * parts[k % G_N_ELEMENTS(parts)]);
    tn_bytes middle = (low + part) / solver->grain * solver->grain;
    decide(solver, CLAMP(middle, low, high), g_get_monotonic_time() + slice);
    k = task->bound > low || task->peak <= high ? 0 : k + 1;
  }
}

static void
find_exact(TnOrderTask *task)
{
  Solver solver;
  tn_order_method_file.find(task);
  tn_order_method_greedy.find(task);
  solver_init(&solver, task);
  if (!tn_order_task_is_done(task))
    solve_whole(&solver, task->deadline);
  solver_clear(&solver);
}

/* The methods for graphs that are too wide, each with a sixth of the time that is left, on the
 * narrowed model: its orders are orders of the graph. */
static void
improve(Solver *solver)
{
  static const TnOrderMethod *const methods[] = {&tn_order_method_lookahead, &tn_order_method_beam,
                                                 &tn_order_method_windows};
  TnOrderTask *task = solver->task;
  const TnOrderModel *model = task->model;
  gint64 whole = task->deadline;
  task->model = solver->narrowed;
  for (gsize i = 0; i < G_N_ELEMENTS(methods) && !tn_order_task_is_done(task); i++) {
    gint64 now = g_get_monotonic_time();
    tn_progress_report(task->params->progress, 0.4 + 0.1 * (double)i, "Improving the order");
    task->deadline = now + (whole - now) / 6;
    methods[i]->find(task);
    task->deadline = whole;
  }
  task->model = model;
}

static void
find_best(TnOrderTask *task)
{
  static const TnOrderMethod *const first[] = {&tn_order_method_file, &tn_order_method_greedy,
                                               &tn_order_method_depth_first,
                                               &tn_order_method_level};
  Solver solver;
  for (gsize i = 0; i < G_N_ELEMENTS(first) && !tn_order_task_is_done(task); i++)
    first[i]->find(task);
  if (tn_order_task_is_done(task))
    return;
  solver_init(&solver, task);
  gint64 now = g_get_monotonic_time();
  tn_progress_report(task->params->progress, 0.1, "Searching the best order");
  if (!tn_order_task_is_done(task))
    solve_whole(&solver, now + (task->deadline - now) / 6);
  if (!tn_order_task_is_done(task))
    improve(&solver);
  if (!tn_order_task_is_done(task))
    bisect(&solver);
  solver_clear(&solver);
}

const TnOrderMethod tn_order_method_exact = {
    "exact", "best-first search over sets of ops; proves the optimum, or a bound", find_exact};
const TnOrderMethod tn_order_method_best = {
    "best", "all of them, the smallest kept; never worse than the file's", find_best};
