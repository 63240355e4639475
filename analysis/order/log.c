/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/order/log.h"

#include "analysis/order/walker.h"
#include "data/error.h"
#include "data/graph-order.h"

/* Storages that end with the op that runs next. */
static void
list_freed(const TnWalker *walker, uint32_t op, GArray *freed)
{
  const TnOrderModel *model = walker->model;
  for (uint32_t k = model->read_first[op]; k < model->read_first[op + 1]; k++) {
    uint32_t b = model->read[k];
    if (walker->readers_left[b] == 1 && !model->is_kept[b])
      g_array_append_val(freed, model->tensor[b]);
  }
  for (uint32_t k = model->made_first[op]; k < model->made_first[op + 1]; k++) {
    uint32_t b = model->made[k];
    if (walker->readers_left[b] == 0 && !model->is_kept[b])
      g_array_append_val(freed, model->tensor[b]);
  }
}

static void
walk(TnOrderLog *log, const uint32_t *order)
{
  TnWalker walker;
  GArray *freed = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  tn_walker_init(&walker, log->model);
  for (uint32_t p = 0; p < log->n; p++) {
    TnOrderStep *step = &log->step[p];
    step->op = order[p];
    step->during = tn_walker_during(&walker, order[p]);
    step->first_freed = freed->len;
    list_freed(&walker, order[p], freed);
    step->n_freed = freed->len - step->first_freed;
    tn_walker_run(&walker, order[p]);
    step->after = walker.live;
    log->place[order[p]] = p;
    if (step->during > log->peak) {
      log->peak = step->during;
      log->peak_at = p;
    }
  }
  log->freed = (uint32_t *)(void *)g_array_free(freed, FALSE);
  tn_walker_clear(&walker);
}

TnOrderLog *
tn_order_log_new(const TnGraph *graph,
                 TnStrings *strings,
                 const TnGraphLifetimeParams *lifetime,
                 GError **error)
{
  const uint32_t *order =
      lifetime->order ? lifetime->order : (const uint32_t *)(const void *)graph->order->data;
  if (!tn_graph_order_is_legal(graph, order, graph->ops->len)) {
    g_set_error(error, TN_DATA_ERROR, TN_DATA_ERROR_MALFORMED,
                "the order: found an op before one that it needs, or not each op once; expected an "
                "order that keeps every edge of the graph");
    return NULL;
  }
  TnOrderModel *model = tn_order_model_new(graph, strings, lifetime, error);
  if (!model)
    return NULL;
  TnOrderLog *log = g_new0(TnOrderLog, 1);
  log->model = model;
  log->n = model->n;
  log->step = g_new0(TnOrderStep, (gsize)model->n + 1);
  log->place = g_new0(uint32_t, (gsize)model->n + 1);
  walk(log, order);
  return log;
}

void
tn_order_log_free(TnOrderLog *log)
{
  if (!log)
    return;
  g_free(log->step);
  g_free(log->freed);
  g_free(log->place);
  tn_order_model_free(log->model);
  g_free(log);
}

static bool
is_alive(const TnOrderLog *log, uint32_t b, uint32_t step)
{
  const TnOrderModel *model = log->model;
  if (model->maker[b] != TN_NONE && log->place[model->maker[b]] > step)
    return false;
  if (model->is_kept[b] || (model->maker[b] != TN_NONE && log->place[model->maker[b]] == step))
    return true;
  for (uint32_t k = model->reader_first[b]; k < model->reader_first[b + 1]; k++)
    if (log->place[model->reader[k]] >= step)
      return true;
  return false;
}

void
tn_order_log_live(const TnOrderLog *log, uint32_t step, GArray *tensors)
{
  g_array_set_size(tensors, 0);
  for (uint32_t b = 0; b < log->model->n_buffers; b++)
    if (is_alive(log, b, step))
      g_array_append_val(tensors, log->model->tensor[b]);
}
