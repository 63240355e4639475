/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/order/order.h"

#include "analysis/batch-sum.h"
#include "analysis/order/locks.h"
#include "analysis/order/methods.h"
#include "analysis/order/walker.h"

#include <string.h>

static const double default_seconds = 10;

static const TnOrderMethod *const methods[] = {
    &tn_order_method_file,        &tn_order_method_level,
    &tn_order_method_depth_first, &tn_order_method_greedy,
    &tn_order_method_lookahead,   &tn_order_method_beam,
    &tn_order_method_windows,     &tn_order_method_exact,
    &tn_order_method_best,        NULL};

const TnOrderMethod *const *
tn_order_methods(void)
{
  return methods;
}

const TnOrderMethod *
tn_order_methods_find(const char *name)
{
  for (gsize i = 0; methods[i]; i++)
    if (strcmp(methods[i]->name, name) == 0)
      return methods[i];
  return NULL;
}

/* ---- the task -------------------------------------------------------------------------- */

void
tn_order_task_offer(TnOrderTask *task, const char *method, const uint32_t *order, gint64 since)
{
  tn_bytes peak = tn_order_model_peak(task->model, order);
  TnOrderTry try = {method, peak, (double)(g_get_monotonic_time() - since) / G_USEC_PER_SEC};
  bool is_known = false;
  for (guint i = 0; i < task->tried->len; i++) {
    TnOrderTry *had = &g_array_index(task->tried, TnOrderTry, i);
    if (strcmp(had->method, method) != 0)
      continue;
    is_known = true;
    had->peak = MIN(had->peak, peak);
    had->seconds = MAX(had->seconds, try.seconds);
  }
  if (!is_known)
    g_array_append_val(task->tried, try);
  if (task->has_best && peak >= task->peak)
    return;
  task->has_best = true;
  task->peak = peak;
  task->method = method;
  memcpy(task->best, order, sizeof *order * task->model->n);
}

bool
tn_order_task_is_late(TnOrderTask *task)
{
  task->is_cancelled |= tn_progress_is_cancelled(task->params->progress);
  return task->is_cancelled || g_get_monotonic_time() >= task->deadline;
}

bool
tn_order_task_is_done(TnOrderTask *task)
{
  return (task->has_best && task->peak <= task->bound) || tn_order_task_is_late(task);
}

/* ---- the answer ------------------------------------------------------------------------ */

tn_bytes
tn_order_peak(const TnGraph *graph,
              TnStrings *strings,
              const TnGraphLifetimeParams *lifetime,
              const uint32_t *order,
              GError **error)
{
  TnGraphLifetimeParams params = *lifetime;
  params.order = order;
  g_autoptr(TnGraphLives) lives = tn_graph_lives_new(graph, strings, &params, error);
  return lives ? tn_graph_live_peak(lives->buffers, lives->axis_end, NULL) : -1;
}

static TnOrderVerdict
judge(const TnOrderAnswer *answer, tn_bytes budget)
{
  if (budget <= 0)
    return TN_ORDER_NOT_ASKED;
  if (answer->peak <= budget)
    return TN_ORDER_FITS;
  return answer->bound > budget && !answer->adds_batches ? TN_ORDER_IMPOSSIBLE : TN_ORDER_UNKNOWN;
}

/* In a chain each op needs the one before it. */
static bool
is_chain(const TnOrderModel *model, const uint32_t *order)
{
  for (uint32_t p = 1; p < model->n; p++) {
    bool needs = false;
    for (uint32_t k = model->before_first[order[p]]; k < model->before_first[order[p] + 1]; k++)
      needs |= model->before[k] == order[p - 1];
    if (!needs)
      return false;
  }
  return true;
}

static void
find_mandatory(TnOrderTask *task, const tn_bytes *by_op)
{
  task->mandatory = task->bound;
  task->mandatory_op = TN_NONE;
  for (uint32_t p = task->model->n; p-- > 0;)
    if (by_op[task->file[p]] == task->bound)
      task->mandatory_op = task->file[p];
}

static void
run_method(TnOrderTask *task, const TnOrderMethod *method)
{
  g_autoptr(TnReach) reach = tn_reach_new(task->model);
  g_autofree tn_bytes *by_op = g_new0(tn_bytes, (gsize)task->model->n + 1);
  double seconds = task->params->time_limit > 0 ? task->params->time_limit : default_seconds;
  task->reach = reach;
  task->deadline = g_get_monotonic_time() + (gint64)(MIN(seconds, 1e9) * G_USEC_PER_SEC);
  task->bound = tn_order_bound(task->model, reach, by_op);
  find_mandatory(task, by_op);
  method->find(task);
  if (!task->has_best)
    tn_order_method_file.find(task);
}

static TnOrderAnswer *
build_answer(TnOrderTask *task)
{
  TnOrderAnswer *answer = g_new0(TnOrderAnswer, 1);
  answer->n = task->model->n;
  answer->order = g_steal_pointer(&task->best);
  answer->tried = g_steal_pointer(&task->tried);
  answer->bound = task->bound;
  answer->method = task->method;
  answer->mandatory = task->mandatory;
  answer->mandatory_op = task->mandatory_op;
  answer->is_only_order = is_chain(task->model, task->file);
  answer->n_states = task->n_states;
  answer->is_cancelled = task->is_cancelled;
  return answer;
}

static TnOrderModel *
build_model(const TnGraph *graph,
            TnStrings *strings,
            const TnGraphLifetimeParams *lifetime,
            const TnOrderParams *params,
            const uint32_t *file,
            GError **error)
{
  TnOrderModel *model = tn_order_model_new(graph, strings, lifetime, error);
  if (!model || !params->keeps_in_place)
    return model;
  g_autoptr(GArray) edges = tn_order_lock_edges(model, file);
  TnOrderModel *locked = tn_order_model_new_with_edges(model, edges);
  tn_order_model_free(model);
  return locked;
}

TnOrderAnswer *
tn_order_new(const TnGraph *graph,
             TnStrings *strings,
             const TnGraphLifetimeParams *lifetime,
             const TnOrderMethod *method,
             const TnOrderParams *params,
             GError **error)
{
  gint64 since = g_get_monotonic_time();
  const uint32_t *file =
      lifetime->order ? lifetime->order : (const uint32_t *)(const void *)graph->order->data;
  tn_bytes baseline = tn_order_peak(graph, strings, lifetime, file, error);
  g_autoptr(TnOrderModel) model =
      baseline < 0 ? NULL : build_model(graph, strings, lifetime, params, file, error);
  if (!model)
    return NULL;
  TnOrderTask task = {.model = model,
                      .file = file,
                      .params = params,
                      .peak = INT64_MAX,
                      .best = g_new(uint32_t, (gsize)model->n + 1),
                      .tried = g_array_new(FALSE, FALSE, sizeof(TnOrderTry))};
  run_method(&task, method);
  g_autoptr(TnOrderAnswer) answer = build_answer(&task);
  answer->baseline = baseline;
  answer->peak = tn_order_peak(graph, strings, lifetime, answer->order, error);
  if (answer->peak < 0)
    return NULL;
  /* Proofs are about the search's own model: they count only where it agrees with the truth. */
  answer->bound = answer->peak == task.peak ? MIN(answer->bound, answer->peak) : 0;
  answer->adds_batches = tn_batch_sum_has_several(graph);
  answer->is_optimal = answer->bound == answer->peak && !answer->adds_batches;
  answer->verdict = judge(answer, params->budget);
  answer->seconds = (double)(g_get_monotonic_time() - since) / G_USEC_PER_SEC;
  return g_steal_pointer(&answer);
}

void
tn_order_free(TnOrderAnswer *answer)
{
  if (!answer)
    return;
  g_free(answer->order);
  g_array_unref(answer->tried);
  g_free(answer);
}

const char *
tn_order_verdict_name(TnOrderVerdict verdict)
{
  static const char *const names[] = {NULL, "fits", "impossible", "unknown"};
  return names[verdict];
}
