/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/order/exact.h"

#include "analysis/order/commit.h"
#include "analysis/order/states.h"

typedef struct {
  const TnOrderModel *model;
  const TnOrderSearch *search;
  TnWalker walker;
  TnStates states;
  TnOpenHeap open;
  GArray *path; /* ops of the commits at hand */
  uint32_t *ready;
  tn_bytes bound; /* the key settled last */
  uint32_t n_settled;
} Search;

static bool
is_over(Search *search)
{
  const TnOrderSearch *limits = search->search;
  gsize bytes = (gsize)search->states.capacity *
                    (sizeof(TnState) + sizeof(uint64_t) * search->states.n_words) +
                search->open.capacity * sizeof(TnOpen) +
                search->states.paths->len * sizeof(uint32_t);
  if (bytes > limits->most_bytes)
    return true;
  if (search->n_settled++ % 64 != 0)
    return false;
  return tn_progress_is_cancelled(limits->progress) ||
         (limits->deadline && g_get_monotonic_time() > limits->deadline);
}

/* Offers a way to the walker's set with `op` added. */
static void
offer(Search *search, uint32_t parent, tn_bytes key, uint32_t op)
{
  TnWalker *walker = &search->walker;
  tn_bytes reached = MAX(key, tn_walker_during(walker, op));
  uint64_t hash = walker->hash ^ tn_walker_op_hash(op);
  if (reached >= search->search->limit)
    return;
  uint32_t row = tn_states_find(&search->states, walker->done, op, hash);
  if (row == TN_NONE) {
    row = tn_states_add(&search->states, walker->done, op, hash);
    search->states.row[row].n_done = walker->n_done + 1;
    search->states.row[row].live = walker->live + tn_walker_net(walker, op);
  } else if (search->states.row[row].is_closed || search->states.row[row].key <= reached) {
    return;
  }
  TnState *state = &search->states.row[row];
  state->key = reached;
  tn_states_set_path(&search->states, row, parent, &op, 1);
  tn_open_heap_push(&search->open, (TnOpen){reached, state->live, state->n_done, row});
}

/* Takes the safe steps from a settled state.  Returns the state where they end: TN_NONE where that
 * one has been settled before. */
static uint32_t
follow_commits(Search *search, uint32_t row, tn_bytes key)
{
  TnWalker *walker = &search->walker;
  g_array_set_size(search->path, 0);
  tn_order_commit(walker, key, search->search->deadline, search->search->progress, search->path);
  if (search->path->len == 0)
    return row;
  uint32_t end = tn_states_find(&search->states, walker->done, TN_NONE, walker->hash);
  if (end == TN_NONE)
    end = tn_states_add(&search->states, walker->done, TN_NONE, walker->hash);
  else if (search->states.row[end].is_closed)
    return TN_NONE;
  TnState *state = &search->states.row[end];
  state->key = key;
  state->live = walker->live;
  state->n_done = walker->n_done;
  state->is_closed = true;
  tn_states_set_path(&search->states, end, row, (uint32_t *)(void *)search->path->data,
                     search->path->len);
  return end;
}

static void
expand(Search *search, uint32_t row, tn_bytes key)
{
  uint32_t n = tn_walker_list_ready(&search->walker, search->ready);
  for (uint32_t i = 0; i < n; i++)
    offer(search, row, key, search->ready[i]);
}

static TnOrderSearchStatus
run(Search *search, uint32_t *out_order)
{
  while (search->open.n > 0) {
    TnOpen top = tn_open_heap_pop(&search->open);
    TnState *state = &search->states.row[top.row];
    if (state->is_closed || state->key < top.key)
      continue;
    search->bound = MAX(search->bound, top.key);
    if (is_over(search))
      return TN_ORDER_STOPPED;
    state->is_closed = true;
    tn_walker_go_to(&search->walker, tn_states_set(&search->states, top.row));
    uint32_t row = follow_commits(search, top.row, top.key);
    if (row == TN_NONE)
      continue;
    if (search->walker.n_done == search->model->n) {
      tn_states_trace(&search->states, row, out_order);
      return TN_ORDER_SOLVED;
    }
    expand(search, row, top.key);
  }
  search->bound = MAX(search->bound, search->search->limit);
  return TN_ORDER_EXHAUSTED;
}

TnOrderSearchStatus
tn_order_search(const TnOrderModel *model,
                const TnOrderSearch *params,
                uint32_t *out_order,
                tn_bytes *out_bound,
                uint64_t *out_states)
{
  Search search = {.model = model, .search = params, .bound = params->start};
  tn_walker_init(&search.walker, model);
  tn_states_init(&search.states, model->n_words);
  search.path = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  search.ready = g_new(uint32_t, (gsize)model->n + 1);
  uint32_t row = tn_states_add(&search.states, search.walker.done, TN_NONE, 0);
  search.states.row[row].key = params->start;
  if (params->start < params->limit)
    tn_open_heap_push(&search.open, (TnOpen){params->start, search.walker.live, 0, row});
  TnOrderSearchStatus status = run(&search, out_order);
  *out_bound = search.bound;
  *out_states = search.states.n;
  g_array_unref(search.path);
  g_free(search.ready);
  tn_open_heap_clear(&search.open);
  tn_states_clear(&search.states);
  tn_walker_clear(&search.walker);
  return status;
}
