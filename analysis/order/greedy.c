/* SPDX-License-Identifier: MIT */
/* List scheduling: always the ready op that changes the live bytes least upwards, then the longest
 * remaining path, then the id; every priority is computed anew at each step (kept ones go stale
 * when a tensor loses all readers but one).  `lookahead` plays the best few some steps on first.
 *
 * Source: the list scheduler of XLA's hlo_memory_scheduler (which re-keys too); the lookahead is of
 * orders-and-budgets.md. */
#include "config.h"

#include "analysis/order/methods.h"
#include "analysis/order/walker.h"

enum { LOOK_WIDTH = 4, LOOK_DEPTH = 4 };

typedef struct {
  TnOrderTask *task;
  TnWalker walker;
  double *path; /* seconds (or ops) from the start of op i to the end of the graph */
  double most_path, most_bytes;
  uint32_t *ready;
} Greedy;

/* Where the graph doesn't say how long its ops take, each counts as one. */
static void
measure_paths(Greedy *greedy)
{
  const TnOrderModel *model = greedy->task->model;
  bool is_timed = model->n > 0;
  for (uint32_t i = 0; i < model->n; i++)
    is_timed &= model->seconds[i] >= 0;
  for (uint32_t p = model->n; p-- > 0;) {
    uint32_t i = greedy->task->file[p];
    greedy->path[i] = 0;
    for (uint32_t k = model->next_first[i]; k < model->next_first[i + 1]; k++)
      greedy->path[i] = MAX(greedy->path[i], greedy->path[model->next[k]]);
    greedy->path[i] += is_timed ? model->seconds[i] : 1;
    greedy->most_path = MAX(greedy->most_path, greedy->path[i]);
    greedy->most_bytes = MAX(greedy->most_bytes, (double)model->made_bytes[i]);
  }
}

static void
greedy_init(Greedy *greedy, TnOrderTask *task)
{
  *greedy = (Greedy){.task = task, .most_path = 0, .most_bytes = 1};
  tn_walker_init(&greedy->walker, task->model);
  greedy->path = g_new0(double, (gsize)task->model->n + 1);
  greedy->ready = g_new(uint32_t, (gsize)task->model->n + 1);
  measure_paths(greedy);
  greedy->most_path = MAX(greedy->most_path, 1e-30);
}

static void
greedy_clear(Greedy *greedy)
{
  tn_walker_clear(&greedy->walker);
  g_free(greedy->path);
  g_free(greedy->ready);
}

static bool
is_better(const Greedy *greedy, uint32_t a, tn_bytes net_a, uint32_t b, tn_bytes net_b)
{
  double w = CLAMP(greedy->task->params->memory_weight, 0.0, 1.0);
  if (w < 1) {
    double of_a =
        w * (double)net_a / greedy->most_bytes - (1 - w) * greedy->path[a] / greedy->most_path;
    double of_b =
        w * (double)net_b / greedy->most_bytes - (1 - w) * greedy->path[b] / greedy->most_path;
    if (of_a < of_b || of_a > of_b)
      return of_a < of_b;
  }
  if (net_a != net_b)
    return net_a < net_b;
  if (greedy->path[a] < greedy->path[b] || greedy->path[a] > greedy->path[b])
    return greedy->path[a] > greedy->path[b];
  return a < b;
}

/* The `most` best of the ready ops, best first.  Returns how many. */
static uint32_t
choose(Greedy *greedy, uint32_t *out_ops, uint32_t most)
{
  tn_bytes nets[LOOK_WIDTH];
  uint32_t n_ready = tn_walker_list_ready(&greedy->walker, greedy->ready), n = 0;
  for (uint32_t i = 0; i < n_ready; i++) {
    uint32_t op = greedy->ready[i], at = n;
    tn_bytes net = tn_walker_net(&greedy->walker, op);
    while (at > 0 && is_better(greedy, op, net, out_ops[at - 1], nets[at - 1]))
      at--;
    if (at >= most)
      continue;
    n = MIN(n + 1, most);
    for (uint32_t k = n - 1; k > at; k--) {
      out_ops[k] = out_ops[k - 1];
      nets[k] = nets[k - 1];
    }
    out_ops[at] = op;
    nets[at] = net;
  }
  return n;
}

/* A second behind the deadline: every step looks at all ready ops, and there may be very many. */
static bool
is_over(const Greedy *greedy, gint64 since)
{
  TnOrderTask *task = greedy->task;
  return greedy->walker.n_done % 64 == 63 && tn_order_task_is_late(task) &&
         (task->is_cancelled ||
          g_get_monotonic_time() >= MAX(task->deadline, since) + G_USEC_PER_SEC);
}

/* What is left follows in the file's order. */
static void
fill_up(const Greedy *greedy, uint32_t *order)
{
  uint32_t n = greedy->walker.n_done;
  for (uint32_t p = 0; p < greedy->task->model->n; p++)
    if (!tn_set_has(greedy->walker.done, greedy->task->file[p]))
      order[n++] = greedy->task->file[p];
}

static void
find_greedy(TnOrderTask *task)
{
  Greedy greedy;
  gint64 since = g_get_monotonic_time();
  g_autofree uint32_t *order = g_new(uint32_t, (gsize)task->model->n + 1);
  greedy_init(&greedy, task);
  for (uint32_t p = 0; p < task->model->n && !is_over(&greedy, since); p++) {
    choose(&greedy, &order[p], 1);
    tn_walker_run(&greedy.walker, order[p]);
  }
  fill_up(&greedy, order);
  greedy_clear(&greedy);
  tn_order_task_offer(task, "greedy", order, since);
}

/* ---- lookahead ------------------------------------------------------------------------- */

typedef struct {
  tn_bytes peak, live;
} Outlook;

static bool
is_brighter(Outlook a, Outlook b)
{
  return a.peak != b.peak ? a.peak < b.peak : a.live < b.live;
}

/* The best that `depth` more steps can come to from here.  Each step costs a look at all ready ops.
 */
static Outlook
look(Greedy *greedy, uint32_t depth, uint32_t *out_first)
{
  uint32_t ops[LOOK_WIDTH], n = depth > 0 ? choose(greedy, ops, LOOK_WIDTH) : 0;
  Outlook best = {n > 0 ? INT64_MAX : 0, greedy->walker.live};
  for (uint32_t i = 0; i < n; i++) {
    tn_bytes during = tn_walker_during(&greedy->walker, ops[i]);
    tn_walker_run(&greedy->walker, ops[i]);
    Outlook next = look(greedy, depth - 1, NULL);
    tn_walker_undo(&greedy->walker, ops[i]);
    next.peak = MAX(next.peak, during);
    if (i > 0 && !is_brighter(next, best))
      continue;
    best = next;
    if (out_first)
      *out_first = ops[i];
  }
  return best;
}

static void
find_lookahead(TnOrderTask *task)
{
  Greedy greedy;
  gint64 since = g_get_monotonic_time();
  g_autofree uint32_t *order = g_new(uint32_t, (gsize)task->model->n + 1);
  bool is_late = false;
  greedy_init(&greedy, task);
  for (uint32_t p = 0; p < task->model->n && !is_over(&greedy, since); p++) {
    uint32_t n_ready = tn_walker_list_ready(&greedy.walker, greedy.ready);
    /* Out of time: go on without looking.  Wide graphs: look less far. */
    is_late = is_late || (p % 16 == 0 && tn_order_task_is_late(task));
    uint32_t depth = is_late ? 1 : n_ready > 1000 ? 2 : n_ready > 200 ? 3 : LOOK_DEPTH;
    look(&greedy, depth, &order[p]);
    tn_walker_run(&greedy.walker, order[p]);
  }
  fill_up(&greedy, order);
  greedy_clear(&greedy);
  tn_order_task_offer(task, "lookahead", order, since);
}

const TnOrderMethod tn_order_method_greedy = {
    "greedy", "the ready op that adds least, then the longest path; fresh priorities", find_greedy};
const TnOrderMethod tn_order_method_lookahead = {
    "lookahead", "greedy that plays its 4 best candidates 4 steps on", find_lookahead};
