/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/budget/spill-again.h"

#include <math.h>

#define MOST_OPS 4096 /* of one chain; a part of it costs less, which is still a bound */

typedef struct {
  const TnSpillModel *model;
  const double *least;
  uint32_t *last;  /* by buffer: place of its last reader; n: kept */
  uint32_t *stamp; /* by op */
  uint32_t n_stamps;
  GArray *chain;     /* uint32_t: ops of all chains of one next use, one after the other */
  uint32_t *sharers; /* by op: chains of that next use that it is in */
} Chains;

static void
find_last(Chains *chains)
{
  const TnOrderModel *order_model = chains->model->order_model;
  for (uint32_t b = 0; b < order_model->n_buffers; b++)
    for (uint32_t k = order_model->reader_first[b]; k < order_model->reader_first[b + 1]; k++)
      chains->last[b] = MAX(chains->last[b], chains->model->place[order_model->reader[k]]);
  for (uint32_t b = 0; b < order_model->n_buffers; b++)
    if (order_model->is_kept[b])
      chains->last[b] = chains->model->n;
}

/* Appends the ops that must run again for `buffer` before place `at`; false where one can't. */
static bool
append_chain(Chains *chains, uint32_t buffer, uint32_t at)
{
  const TnSpillModel *model = chains->model;
  const TnOrderModel *order_model = model->order_model;
  guint first = chains->chain->len;
  uint32_t maker = order_model->maker[buffer];
  chains->n_stamps++;
  chains->stamp[maker] = chains->n_stamps;
  g_array_append_val(chains->chain, maker);
  for (guint i = first; i < chains->chain->len && chains->chain->len - first < MOST_OPS; i++) {
    uint32_t op = g_array_index(chains->chain, uint32_t, i);
    if (!model->is_pure[op])
      return false;
    for (uint32_t k = order_model->read_first[op]; k < order_model->read_first[op + 1]; k++) {
      uint32_t b = order_model->read[k], before = order_model->maker[b];
      if (chains->last[b] >= at)
        continue;
      if (before == TN_NONE)
        return false;
      if (chains->stamp[before] == chains->n_stamps)
        continue;
      chains->stamp[before] = chains->n_stamps;
      g_array_append_val(chains->chain, before);
    }
  }
  return true;
}

/* All stretches (rows in `stretches`) whose next use is at one place. */
static void
price_place(Chains *chains, const GArray *stretches, double *again)
{
  const TnSpillModel *model = chains->model;
  g_autoptr(GArray) first = g_array_new(FALSE, FALSE, sizeof(guint));
  g_array_set_size(chains->chain, 0);
  for (guint s = 0; s < stretches->len; s++) {
    uint32_t i = g_array_index(stretches, uint32_t, s);
    const TnIdle *idle = tn_spill_idle(model, i);
    guint from = chains->chain->len;
    g_array_append_val(first, from);
    again[i] = append_chain(chains, idle->buffer, idle->to) ? 0 : HUGE_VAL;
    for (guint k = from; k < chains->chain->len; k++)
      chains->sharers[g_array_index(chains->chain, uint32_t, k)]++;
  }
  guint end = chains->chain->len;
  g_array_append_val(first, end);
  for (guint s = 0; s < stretches->len; s++)
    for (guint k = g_array_index(first, guint, s); k < g_array_index(first, guint, s + 1); k++) {
      uint32_t op = g_array_index(chains->chain, uint32_t, k);
      again[g_array_index(stretches, uint32_t, s)] += chains->least[op] / chains->sharers[op];
    }
  for (guint k = 0; k < chains->chain->len; k++)
    chains->sharers[g_array_index(chains->chain, uint32_t, k)] = 0;
}

double *
tn_spill_again_seconds(const TnSpillModel *model, const double *least)
{
  uint32_t n = model->n, n_idles = model->idles->len;
  double *again = g_new(double, (gsize)n_idles + 1);
  g_autofree uint32_t *last = g_new0(uint32_t, (gsize)model->order_model->n_buffers + 1);
  g_autofree uint32_t *stamp = g_new0(uint32_t, (gsize)n + 1);
  g_autofree uint32_t *sharers = g_new0(uint32_t, (gsize)n + 1);
  g_autoptr(GArray) chain = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  g_autoptr(GPtrArray) by_use = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
  Chains chains = {model, least, last, stamp, 0, chain, sharers};
  find_last(&chains);
  for (uint32_t p = 0; p <= n; p++)
    g_ptr_array_add(by_use, g_array_new(FALSE, FALSE, sizeof(uint32_t)));
  for (uint32_t i = 0; i < n_idles; i++) {
    const TnIdle *idle = tn_spill_idle(model, i);
    again[i] = HUGE_VAL;
    if (idle->recompute == TN_IDLE_CANDIDATE)
      g_array_append_val((GArray *)g_ptr_array_index(by_use, idle->to), i);
  }
  for (uint32_t p = 0; p <= n; p++)
    price_place(&chains, g_ptr_array_index(by_use, p), again);
  return again;
}
