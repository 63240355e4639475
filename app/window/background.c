/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/background.h"

#include "render/parts.h"

#include <gio/gio.h>
#include <sys/resource.h>
#include <unistd.h>

#define QUIET 10 /* nice: a tenth of what others get where processors are short */

typedef struct {
  gpointer job;
  TnBackgroundFunc work, done;
  GDestroyNotify free_job;
} Background;

static void
work(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Background *background = data;
  tn_parts_give_way();
  background->work(background->job);
  g_task_return_boolean(task, TRUE);
}

static void
ready(GObject *source, GAsyncResult *result, gpointer data)
{
  Background *background = g_task_get_task_data(G_TASK(result));
  background->done(background->job);
  background->free_job(background->job);
}

static GTask *
new_task(gpointer job, TnBackgroundFunc run, TnBackgroundFunc done, GDestroyNotify free_job)
{
  Background *background = g_new0(Background, 1);
  GTask *task = g_task_new(NULL, NULL, ready, NULL);
  *background = (Background){job, run, done, free_job};
  g_task_set_task_data(task, background, g_free);
  return task;
}

void
tn_background_run(gpointer job, TnBackgroundFunc run, TnBackgroundFunc done, GDestroyNotify free_job)
{
  g_autoptr(GTask) task = new_task(job, run, done, free_job);
  g_task_run_in_thread(task, work);
}

/* A thread of its own: a thread's low priority cannot be taken back. */
static gpointer
work_quietly(gpointer task)
{
  setpriority(PRIO_PROCESS, (id_t)gettid(), QUIET);
  work(task, NULL, g_task_get_task_data(task), NULL);
  g_object_unref(task);
  return NULL;
}

void
tn_background_run_quietly(gpointer job,
                          TnBackgroundFunc run,
                          TnBackgroundFunc done,
                          GDestroyNotify free_job)
{
  g_thread_unref(g_thread_new("quiet", work_quietly, new_task(job, run, done, free_job)));
}
