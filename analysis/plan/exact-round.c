/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/plan/exact-private.h"

/* Orders that solve what others do not; the first ones solve the most. */
static const char *const orders[] = {"TWA", "TAW", "WAT", "TCA", "OAT", "CAT", "TLA", "TOW"};

static void
take_decision(Round *round, guint index)
{
  gint least = g_atomic_int_get(&round->decisive);
  while ((gint)index < least &&
         !g_atomic_int_compare_and_exchange(&round->decisive, least, (gint)index))
    least = g_atomic_int_get(&round->decisive);
  for (guint k = index + 1; k < round->n; k++)
    g_atomic_int_set(&round->jobs[k].stop, 1);
}

static void
work(Round *round, TnDive *dive)
{
  uint64_t nodes = 0;
  for (;;) {
    guint index = (guint)g_atomic_int_add(&round->next, 1);
    if (index >= round->n || (gint)index > g_atomic_int_get(&round->decisive))
      break;
    Job *job = &round->jobs[index];
    TnDiveParams params = {.capacity = job->capacity,
                           .n_nodes_max = job->n_nodes_max,
                           .n_fails_max = round->n_fails_max,
                           .deadline = round->deadline,
                           .stop = &job->stop,
                           .progress = round->exact->params->progress,
                           .order = job->order};
    job->result = tn_dive_run(dive, &params, job->offset, &job->need, &nodes);
    if (job->result != TN_DIVE_ENDED)
      take_decision(round, index);
  }
  __atomic_fetch_add(&round->nodes, nodes, __ATOMIC_RELAXED);
}

typedef struct {
  Round *round;
  TnDive *dive;
} Helper;

static gpointer
help(gpointer data)
{
  Helper *helper = data;
  work(helper->round, helper->dive);
  return NULL;
}

void
tn_exact_run_round(Round *round, PartState *part)
{
  bool is_long =
      round->n_nodes_max > 4096 && round->exact->params->n_threads != 1 && !round->is_alone;
  GThread *thread = NULL;
  if (!part->dive[0])
    part->dive[0] = tn_dive_new(round->field);
  if (is_long && !part->dive[1])
    part->dive[1] = tn_dive_new(round->field);
  Helper helper = {round, part->dive[1]};
  if (is_long)
    thread = g_thread_try_new("exact", help, &helper, NULL);
  work(round, part->dive[0]);
  if (thread)
    g_thread_join(thread);
  round->exact->nodes += round->nodes;
}

void
tn_exact_add_jobs(Round *round, int32_t capacity, uint64_t n_nodes_max)
{
  for (uint32_t k = 0; k < round->n; k++)
    if (round->jobs[k].capacity == capacity)
      return;
  for (gsize i = 0; i < G_N_ELEMENTS(orders) && round->n < N_JOBS_MAX; i++)
    round->jobs[round->n++] = (Job){.capacity = capacity,
                                    .order = orders[i],
                                    .n_nodes_max = n_nodes_max,
                                    .result = TN_DIVE_ENDED,
                                    .offset = g_new(int32_t, round->field->n)};
}
