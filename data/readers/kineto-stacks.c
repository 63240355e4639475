/* SPDX-License-Identifier: MIT */
/* Which ops an allocation happened in: ops of one thread nest in time, so a sweep over a thread's
 * ops and allocations with a stack of the open ones gives each its frames. */
#include "config.h"

#include "data/readers/kineto.h"

#define MAX_DEPTH 128

static int
compare_ops(gconstpointer a, gconstpointer b)
{
  const TnKinetoOp *x = a, *y = b;
  if (x->thread != y->thread)
    return x->thread < y->thread ? -1 : 1;
  if (x->ns != y->ns)
    return x->ns < y->ns ? -1 : 1;
  return x->duration > y->duration ? -1 : x->duration < y->duration;
}

static const TnKinetoMemory *
row_of(const GArray *memory, uint32_t i)
{
  return &g_array_index(memory, TnKinetoMemory, i);
}

static int
compare_rows(gconstpointer a, gconstpointer b, gpointer payload)
{
  uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
  const TnKinetoMemory *x = row_of(payload, i), *y = row_of(payload, k);
  if (x->thread != y->thread)
    return x->thread < y->thread ? -1 : 1;
  return i < k ? -1 : i > k; /* rows are sorted by time */
}

typedef struct {
  const GArray *ops;
  uint32_t next; /* the first op that has not begun */
  uint32_t open[MAX_DEPTH], depth;
} Sweep;

static const TnKinetoOp *
op_of(const Sweep *sweep, uint32_t i)
{
  return &g_array_index(sweep->ops, TnKinetoOp, i);
}

static void
close_ended(Sweep *sweep, int64_t ns)
{
  while (sweep->depth) {
    const TnKinetoOp *op = op_of(sweep, sweep->open[sweep->depth - 1]);
    if (ns <= tn_add_saturated(op->ns, op->duration))
      return;
    sweep->depth--;
  }
}

/* Opens the ops of this thread that have begun by `ns`, closes those that have ended. */
static void
advance(Sweep *sweep, uint32_t thread, int64_t ns)
{
  for (; sweep->next < sweep->ops->len; sweep->next++) {
    const TnKinetoOp *op = op_of(sweep, sweep->next);
    if (op->thread > thread || (op->thread == thread && op->ns > ns))
      break;
    if (op->thread < thread)
      continue;
    close_ended(sweep, op->ns);
    if (sweep->depth < MAX_DEPTH)
      sweep->open[sweep->depth++] = sweep->next;
  }
  close_ended(sweep, ns);
}

static uint32_t
intern_open(TnKineto *kineto, const Sweep *sweep)
{
  uint32_t frames[MAX_DEPTH];
  for (uint32_t d = 0; d < sweep->depth; d++) {
    const TnKinetoOp *op = op_of(sweep, sweep->open[sweep->depth - 1 - d]);
    frames[d] = tn_stacks_intern_frame(kineto->document->stacks, (TnFrame){.name = op->name});
  }
  return tn_stacks_intern(kineto->document->stacks, frames, sweep->depth);
}

uint32_t *
tn_kineto_build_stacks(TnKineto *kineto)
{
  uint32_t n = kineto->memory->len, thread = TN_NONE;
  uint32_t *stacks = g_new0(uint32_t, MAX(n, 1u));
  g_autofree uint32_t *order = g_new(uint32_t, MAX(n, 1u));
  Sweep sweep = {.ops = kineto->ops};
  for (uint32_t i = 0; i < n; i++)
    order[i] = i;
  g_array_sort(kineto->ops, compare_ops);
  g_qsort_with_data(order, (gint)n, sizeof *order, compare_rows, kineto->memory);
  for (uint32_t i = 0; i < n; i++) {
    const TnKinetoMemory *row = row_of(kineto->memory, order[i]);
    if (row->thread != thread)
      sweep.depth = 0;
    thread = row->thread;
    advance(&sweep, thread, row->ns);
    stacks[order[i]] = intern_open(kineto, &sweep);
  }
  return stacks;
}
