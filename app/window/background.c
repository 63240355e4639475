/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/background.h"

#include <gio/gio.h>

typedef struct {
  gpointer job;
  TnBackgroundFunc work, done;
  GDestroyNotify free_job;
} Background;

static void
work(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Background *background = data;
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

void
tn_background_run(gpointer job, TnBackgroundFunc run, TnBackgroundFunc done, GDestroyNotify free_job)
{
  Background *background = g_new0(Background, 1);
  g_autoptr(GTask) task = g_task_new(NULL, NULL, ready, NULL);
  *background = (Background){job, run, done, free_job};
  g_task_set_task_data(task, background, g_free);
  g_task_run_in_thread(task, work);
}
