/* SPDX-License-Identifier: MIT */
/* Orders that look at no size: the file's, level by level, depth first. */
#include "config.h"

#include "analysis/order/methods.h"

#include <string.h>

static void
find_file(TnOrderTask *task)
{
  tn_order_task_offer(task, "file", task->file, g_get_monotonic_time());
}

/* ---- by level -------------------------------------------------------------------------- */

/* Ops of the first level need nothing, those of each next one something of the level before. */
static void
find_level(TnOrderTask *task)
{
  const TnOrderModel *model = task->model;
  gint64 since = g_get_monotonic_time();
  g_autofree uint32_t *order = g_new(uint32_t, (gsize)model->n + 1);
  g_autofree uint32_t *left = g_new(uint32_t, (gsize)model->n + 1);
  g_autofree uint32_t *level = g_new0(uint32_t, (gsize)model->n + 1);
  uint32_t n = 0;
  for (uint32_t i = 0; i < model->n; i++)
    if ((left[i] = model->before_first[i + 1] - model->before_first[i]) == 0)
      order[n++] = i;
  for (uint32_t at = 0; at < n; at++)
    for (uint32_t k = model->next_first[order[at]]; k < model->next_first[order[at] + 1]; k++) {
      uint32_t next = model->next[k];
      level[next] = MAX(level[next], level[order[at]] + 1);
      if (--left[next] == 0)
        order[n++] = next;
    }
  /* A stable counting sort by level: first[l] is where level l begins. */
  g_autofree uint32_t *first = g_new0(uint32_t, (gsize)n + 2);
  for (uint32_t i = 0; i < n; i++)
    first[level[i] + 1]++;
  for (uint32_t l = 0; l < n; l++)
    first[l + 1] += first[l];
  for (uint32_t i = 0; i < n; i++)
    order[first[level[i]]++] = i;
  tn_order_task_offer(task, "level", order, since);
}

/* ---- depth first ----------------------------------------------------------------------- */

/* Of the ops that may run, the one that became ready last; of several the one listed first. */
static void
find_depth_first(TnOrderTask *task)
{
  const TnOrderModel *model = task->model;
  gint64 since = g_get_monotonic_time();
  g_autofree uint32_t *order = g_new(uint32_t, (gsize)model->n + 1);
  g_autofree uint32_t *stack = g_new(uint32_t, (gsize)model->n + 1);
  g_autofree uint32_t *left = g_new(uint32_t, (gsize)model->n + 1);
  uint32_t n = 0, top = 0;
  for (uint32_t i = model->n; i-- > 0;)
    if ((left[i] = model->before_first[i + 1] - model->before_first[i]) == 0)
      stack[top++] = i;
  while (top > 0) {
    uint32_t op = order[n++] = stack[--top];
    for (uint32_t k = model->next_first[op + 1]; k-- > model->next_first[op];)
      if (--left[model->next[k]] == 0)
        stack[top++] = model->next[k];
  }
  tn_order_task_offer(task, "depth-first", order, since);
}

const TnOrderMethod tn_order_method_file = {"file", "the file's own order", find_file};
const TnOrderMethod tn_order_method_level = {
    "level", "level by level: all that needs nothing, then all that needs those, …", find_level};
const TnOrderMethod tn_order_method_depth_first = {
    "depth-first", "depth first: always on with what just became ready", find_depth_first};
