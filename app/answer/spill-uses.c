/* SPDX-License-Identifier: MIT */
/* Who uses the lives of a spill plan last, of each stream: what a plan of several streams has to say, since an end of
 * a life tells of one op only. */
#include "config.h"

#include "app/answer/spill-answer.h"

#include "data/graph-order.h"

typedef struct {
  uint32_t row, stream, step;
} Use;

typedef struct {
  const TnSpillReport *spill;
  const TnGraph *graph;
  uint32_t *first; /* by tensor: its first row, TN_NONE */
  GArray *uses;    /* Use */
} Finder;

/* The parts of one tensor's life stand one behind the other. */
static void
list_rows(Finder *finder)
{
  const TnBuffers *b = finder->spill->lives->buffers;
  guint n = finder->graph->tensors->len;
  finder->first = g_new(uint32_t, (gsize)n + 1);
  for (guint t = 0; t < n; t++)
    finder->first[t] = TN_NONE;
  for (uint32_t i = b->n; i-- > 0;)
    if (b->tensor[i] < n)
      finder->first[b->tensor[i]] = i;
}

static void
add_tensors(Finder *finder, const uint32_t *tensors, uint32_t n, uint32_t stream, uint32_t step)
{
  const TnBuffers *b = finder->spill->lives->buffers;
  tn_tick begin = (tn_tick)step * 3;
  for (uint32_t k = 0; k < n; k++) {
    uint32_t holder = tensors[k] == TN_NONE ? TN_NONE : finder->spill->holder[tensors[k]];
    if (holder == TN_NONE)
      continue;
    for (uint32_t i = finder->first[holder]; i < b->n && b->tensor[i] == holder; i++) {
      Use use = {i, stream, step};
      if (b->start[i] < begin + 3 && b->end[i] > begin)
        g_array_append_val(finder->uses, use);
    }
  }
}

static int
compare_uses(const void *a, const void *b)
{
  const Use *x = a, *y = b;
  if (x->row != y->row)
    return x->row < y->row ? -1 : 1;
  if (x->stream != y->stream)
    return x->stream < y->stream ? -1 : 1;
  return x->step < y->step ? -1 : x->step > y->step;
}

/* A file names an op by its first run.  One that runs again is told by what its stream runs next, which ends later;
 * where that is nothing, by the last of all, behind which nobody comes. */
static uint32_t
op_that_tells(const Finder *finder, const Use *use)
{
  const TnSpillLives *lives = finder->spill->lives;
  uint32_t step = use->step;
  while (step < lives->n_steps &&
         (lives->is_again[step] || tn_graph_op(finder->graph, lives->step_op[step])->stream != use->stream))
    step++;
  return lives->step_op[MIN(step, lives->n_steps - 1)];
}

static GArray *
keep_last(const Finder *finder)
{
  GArray *last = g_array_new(FALSE, FALSE, sizeof(TnLastUse));
  for (guint i = 0; i < finder->uses->len; i++) {
    const Use *use = &g_array_index(finder->uses, Use, i);
    const Use *next = i + 1 < finder->uses->len ? use + 1 : NULL;
    if (next && next->row == use->row && next->stream == use->stream)
      continue;
    TnLastUse told = {use->row, op_that_tells(finder, use)};
    g_array_append_val(last, told);
  }
  return last;
}

GArray *
tn_spill_build_last_uses(const TnSpillReport *spill)
{
  const TnSpillLives *lives = spill->lives;
  Finder finder = {spill, spill->document->graph, NULL, NULL};
  if (!tn_graph_has_streams(finder.graph))
    return NULL;
  finder.uses = g_array_new(FALSE, FALSE, sizeof(Use));
  list_rows(&finder);
  for (uint32_t step = 0; step < lives->n_steps; step++) {
    const TnOp *op = tn_graph_op(finder.graph, lives->step_op[step]);
    add_tensors(&finder, tn_graph_inputs(finder.graph, op), op->n_inputs, op->stream, step);
    add_tensors(&finder, tn_graph_outputs(finder.graph, op), op->n_outputs, op->stream, step);
  }
  g_array_sort(finder.uses, compare_uses);
  GArray *last = keep_last(&finder);
  g_array_unref(finder.uses);
  g_free(finder.first);
  return last;
}
