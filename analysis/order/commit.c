/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/order/commit.h"

enum { MOST_DEPTH = 64, MOST_TRIES = 400 };

typedef struct {
  TnWalker *walker;
  tn_bytes key, start;
  uint32_t path[MOST_DEPTH], n_path, n_tries;
} Climb;

static void
step(Climb *climb, uint32_t op)
{
  tn_walker_run(climb->walker, op);
  climb->path[climb->n_path++] = op;
}

/* Runs `op` and then, one way or another, what it made ready, until no more is alive than at the
 * start; back where it was and false where no way leads there within the key. */
static bool
climb_from(Climb *climb, uint32_t op)
{
  TnWalker *walker = climb->walker;
  const TnOrderModel *model = walker->model;
  if (climb->n_path == MOST_DEPTH || climb->n_tries++ >= MOST_TRIES ||
      tn_walker_during(walker, op) > climb->key)
    return false;
  step(climb, op);
  if (walker->live <= climb->start)
    return true;
  for (uint32_t k = model->next_first[op]; k < model->next_first[op + 1]; k++)
    if (walker->before_left[model->next[k]] == 0 && climb_from(climb, model->next[k]))
      return true;
  climb->n_path--;
  tn_walker_undo(walker, op);
  return false;
}

static bool
commit_one(TnWalker *walker, tn_bytes key, GArray *ops)
{
  for (uint32_t w = 0; w < walker->model->n_words; w++)
    for (uint64_t set = walker->ready[w]; set; set &= set - 1) {
      uint32_t op = w * 64 + (uint32_t)__builtin_ctzll(set);
      if (tn_walker_net(walker, op) > 0 || tn_walker_during(walker, op) > key)
        continue;
      tn_walker_run(walker, op);
      g_array_append_val(ops, op);
      return true;
    }
  return false;
}

static bool
commit_path(TnWalker *walker, tn_bytes key, GArray *ops)
{
  Climb climb = {.walker = walker, .key = key, .start = walker->live};
  for (uint32_t w = 0; w < walker->model->n_words; w++)
    for (uint64_t set = walker->ready[w]; set; set &= set - 1)
      if (climb_from(&climb, w * 64 + (uint32_t)__builtin_ctzll(set))) {
        g_array_append_vals(ops, climb.path, climb.n_path);
        return true;
      }
  return false;
}

void
tn_order_commit(
    TnWalker *walker, tn_bytes key, gint64 deadline, TnProgress *progress, GArray *ops)
{
  for (uint32_t n = 1; commit_one(walker, key, ops) || commit_path(walker, key, ops); n++)
    if (n % 64 == 0 && (tn_progress_is_cancelled(progress) ||
                        (deadline && g_get_monotonic_time() >= deadline)))
      return;
}
