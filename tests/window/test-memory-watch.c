/* SPDX-License-Identifier: MIT */
/* Work that takes more memory than it may is told to stop, and why it stopped is said. */
#include "config.h"

#include "app/window/memory-watch.h"

#include "data/error.h"
#include "data/memory.h"

#include <string.h>

#define PIECE ((gsize)1 << 20)
#define MOST_PIECES 400

typedef struct {
  TnProgress progress;
  TnMemoryWatch watch;
  gsize most; /* MiB that the work wants */
} Job;

static void
work(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Job *job = data;
  g_autoptr(GPtrArray) pieces = g_ptr_array_new_with_free_func(g_free);
  GError *error = NULL;
  while (pieces->len < job->most && !tn_progress_is_cancelled(&job->progress)) {
    g_ptr_array_add(pieces, memset(g_malloc(PIECE), 1, PIECE));
    g_usleep(2000);
  }
  if (tn_progress_is_cancelled(&job->progress))
    g_set_error(&error, TN_DATA_ERROR, TN_DATA_ERROR_CANCELLED, "stopped");
  tn_memory_watch_explain(&job->watch, "big.log", &error);
  if (error)
    g_task_return_error(task, error);
  else
    g_task_return_boolean(task, TRUE);
}

static void
on_ready(GObject *source, GAsyncResult *result, gpointer data)
{
  *(GAsyncResult **)data = g_object_ref(result);
}

/* The error of work on so many MiB that may have `more` bytes above what the process has now. */
static GError *
run(gsize most, gsize more)
{
  GAsyncResult *result = NULL;
  GError *error = NULL;
  Job *job = g_new0(Job, 1);
  GTask *task = g_task_new(NULL, NULL, on_ready, &result);
  job->most = most;
  job->watch = (TnMemoryWatch){.progress = &job->progress, .limit = tn_memory_in_use() + more};
  g_task_set_task_data(task, job, g_free);
  tn_memory_watch_start(&job->watch, task);
  g_task_run_in_thread(task, work);
  g_object_unref(task);
  while (!result)
    g_main_context_iteration(NULL, TRUE);
  g_task_propagate_boolean(G_TASK(result), &error);
  g_object_unref(result);
  return error;
}

static void
test_over(void)
{
  g_autoptr(GError) error = run(MOST_PIECES, 20 * PIECE);
  g_assert_error(error, TN_DATA_ERROR, TN_DATA_ERROR_TOO_LARGE);
  g_assert_true(g_str_has_prefix(error->message, "big.log: with it the program would need more than "));
}

static void
test_within(void)
{
  g_autoptr(GError) error = run(80, (gsize)1 << 40);
  g_assert_no_error(error);
}

static void
test_default(void)
{
  gsize limit = tn_memory_default_limit();
  g_assert_cmpuint(limit, >, PIECE);
  g_assert_cmpuint(tn_memory_in_use(), >, 0);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/memory-watch/over", test_over);
  g_test_add_func("/memory-watch/within", test_within);
  g_test_add_func("/memory-watch/default", test_default);
  return g_test_run();
}
