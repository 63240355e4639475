/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "render/parts.h"

#include <sched.h>
#include <stdbool.h>
#include <time.h>

typedef struct {
  TnPartFunc func;
  gpointer data;
  guint n;
  gint next;          /* atomic: the first part that nobody has taken */
  gint holders;       /* atomic: threads that may still look at this */
  GMutex lock;
  GCond idle;
  guint n_working;    /* helpers at work; under the lock, as is ... */
  gint64 helped_ns;
} Work;

static _Thread_local double helped_ms;
static _Thread_local bool gives_way;

void
tn_parts_give_way(void)
{
  if (!gives_way)
    sched_setscheduler(0, SCHED_BATCH, &(struct sched_param){0}); /* Linux: of this thread */
  gives_way = true;
}

static gint64
thread_ns(void)
{
  struct timespec at;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &at);
  return (gint64)at.tv_sec * 1000000000 + at.tv_nsec;
}

static void
release(Work *work)
{
  if (!g_atomic_int_dec_and_test(&work->holders))
    return;
  g_mutex_clear(&work->lock);
  g_cond_clear(&work->idle);
  g_free(work);
}

static void
take_parts(Work *work)
{
  for (guint part; (part = (guint)g_atomic_int_add(&work->next, 1)) < work->n;)
    work->func(work->data, part);
}

/* One that comes when all parts are taken must not touch `data`: the caller may be gone. */
static void
help(gpointer data, gpointer unused)
{
  Work *work = data;
  gint64 from = thread_ns();
  tn_parts_give_way();
  g_mutex_lock(&work->lock);
  bool has_parts = (guint)g_atomic_int_get(&work->next) < work->n;
  work->n_working += has_parts;
  g_mutex_unlock(&work->lock);
  if (has_parts) {
    take_parts(work);
    g_mutex_lock(&work->lock);
    work->n_working--;
    work->helped_ns += thread_ns() - from;
    g_cond_signal(&work->idle);
    g_mutex_unlock(&work->lock);
  }
  release(work);
}

/* Never freed: threads of a pool that is idle end by themselves. */
static GThreadPool *
get_pool(void)
{
  static gsize pool;
  if (g_once_init_enter(&pool)) {
    GThreadPool *made =
        g_thread_pool_new(help, NULL, (gint)MAX(g_get_num_processors(), 2u) - 1, FALSE, NULL);
    g_once_init_leave(&pool, (gsize)made);
  }
  return (GThreadPool *)pool; /* NOLINT */
}

void
tn_parts_run(guint n, TnPartFunc func, gpointer data)
{
  guint n_helpers = n > 1 ? MIN(g_get_num_processors() - 1, n - 1) : 0;
  Work *work = g_new0(Work, 1);
  *work = (Work){.func = func, .data = data, .n = n, .holders = (gint)n_helpers + 1};
  g_mutex_init(&work->lock);
  g_cond_init(&work->idle);
  for (guint i = 0; i < n_helpers; i++)
    g_thread_pool_push(get_pool(), work, NULL);
  take_parts(work);
  g_mutex_lock(&work->lock);
  while (work->n_working)
    g_cond_wait(&work->idle, &work->lock);
  helped_ms += (double)work->helped_ns / 1e6;
  g_mutex_unlock(&work->lock);
  release(work);
}

guint
tn_parts_count(guint n, guint least)
{
  guint processors = g_get_num_processors();
  return processors < 2 ? 1 : CLAMP(n / MAX(least, 1u), 1u, 4 * processors);
}

double
tn_parts_helped_ms(void)
{
  return helped_ms;
}
