/* SPDX-License-Identifier: MIT */
/* Beam search: of all sets with equally many ops done only the best few are followed, by peak so
 * far and then by what is alive; safe steps are taken at once.  For graphs too wide to solve. */
#include "config.h"

#include "analysis/order/commit.h"
#include "analysis/order/methods.h"
#include "analysis/order/states.h"

#include <stdlib.h>

enum { DEFAULT_WIDTH = 64 };
static const gsize most_bytes = 256u << 20;

typedef struct {
  TnOrderTask *task;
  TnWalker walker;
  TnStates states;
  GPtrArray *level; /* GArray of uint32_t rows, by ops done */
  GArray *path;
  uint32_t *ready;
} Beam;

static void
offer(Beam *beam, uint32_t parent, tn_bytes key, const uint32_t *ops, uint32_t n_ops)
{
  const TnWalker *walker = &beam->walker;
  uint32_t row = tn_states_find(&beam->states, walker->done, TN_NONE, walker->hash);
  if (row != TN_NONE && beam->states.row[row].key <= key)
    return;
  if (row == TN_NONE) {
    row = tn_states_add(&beam->states, walker->done, TN_NONE, walker->hash);
    g_array_append_val((GArray *)beam->level->pdata[walker->n_done], row);
  }
  TnState *state = &beam->states.row[row];
  state->key = key;
  state->live = walker->live;
  state->n_done = walker->n_done;
  tn_states_set_path(&beam->states, row, parent, ops, n_ops);
}

static int
compare(const void *a, const void *b, void *payload)
{
  const TnStates *states = payload;
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  const TnState *p = &states->row[x], *q = &states->row[y];
  if (p->key != q->key)
    return p->key < q->key ? -1 : 1;
  if (p->live != q->live)
    return p->live < q->live ? -1 : 1;
  return x < y ? -1 : 1;
}

static void
follow(Beam *beam, uint32_t row)
{
  TnWalker *walker = &beam->walker;
  tn_bytes key = beam->states.row[row].key;
  tn_walker_go_to(walker, tn_states_set(&beam->states, row));
  g_array_set_size(beam->path, 0);
  tn_order_commit(walker, key, beam->task->deadline, beam->task->params->progress, beam->path);
  if (beam->path->len > 0) {
    offer(beam, row, key, (uint32_t *)(void *)beam->path->data, beam->path->len);
    return;
  }
  uint32_t n = tn_walker_list_ready(walker, beam->ready);
  for (uint32_t i = 0; i < n; i++) {
    tn_bytes reached = MAX(key, tn_walker_during(walker, beam->ready[i]));
    if (reached >= beam->task->peak)
      continue;
    tn_walker_run(walker, beam->ready[i]);
    offer(beam, row, reached, &beam->ready[i], 1);
    tn_walker_undo(walker, beam->ready[i]);
  }
}

static uint32_t
width_of(const TnOrderTask *task)
{
  uint32_t wanted = task->params->beam_width ? task->params->beam_width : DEFAULT_WIDTH;
  gsize state = sizeof(TnState) + sizeof(uint64_t) * task->model->n_words;
  gsize room = most_bytes / (state * 8 * MAX(task->model->n, 1u));
  return (uint32_t)CLAMP(room, (gsize)1, (gsize)wanted);
}

/* Wide levels may have far more children than were reckoned with. */
static bool
is_full(const Beam *beam)
{
  gsize state = sizeof(TnState) + sizeof(uint64_t) * beam->states.n_words;
  return (gsize)beam->states.capacity * state + beam->states.paths->len * sizeof(uint32_t) >
         2 * most_bytes;
}

static bool
run(Beam *beam, uint32_t width)
{
  uint32_t n = beam->task->model->n;
  for (uint32_t done = 0; done < n; done++) {
    GArray *level = beam->level->pdata[done];
    g_qsort_with_data(level->data, (int)level->len, sizeof(uint32_t), compare, &beam->states);
    for (guint i = 0; i < MIN(level->len, width); i++) {
      if (is_full(beam) || (i % 8 == 0 && tn_order_task_is_late(beam->task)))
        return false;
      follow(beam, g_array_index(level, uint32_t, i));
    }
  }
  return ((GArray *)beam->level->pdata[n])->len > 0;
}

static void
find_beam(TnOrderTask *task)
{
  Beam beam = {.task = task};
  gint64 since = g_get_monotonic_time();
  uint32_t n = task->model->n;
  g_autofree uint32_t *order = g_new(uint32_t, (gsize)n + 1);
  tn_walker_init(&beam.walker, task->model);
  tn_states_init(&beam.states, task->model->n_words);
  beam.level = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
  for (uint32_t i = 0; i <= n; i++)
    g_ptr_array_add(beam.level, g_array_new(FALSE, FALSE, sizeof(uint32_t)));
  beam.path = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  beam.ready = g_new(uint32_t, (gsize)n + 1);
  offer(&beam, TN_NONE, task->bound, NULL, 0);
  if (run(&beam, width_of(task))) {
    tn_states_trace(&beam.states, g_array_index((GArray *)beam.level->pdata[n], uint32_t, 0),
                    order);
    tn_order_task_offer(task, "beam", order, since);
  }
  g_ptr_array_unref(beam.level);
  g_array_unref(beam.path);
  g_free(beam.ready);
  tn_states_clear(&beam.states);
  tn_walker_clear(&beam.walker);
}

const TnOrderMethod tn_order_method_beam = {
    "beam", "the best few sets of each size, with safe steps", find_beam};
