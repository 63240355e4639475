/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/orders-job.h"

#include "data/document-view.h"

#include <gio/gio.h>

/* Shared by the main thread (by its owner and what is under way to it) and the worker. */
struct TnOrdersJob {
  TnSession *session; /* owned reference: keeps the document; freed on the main thread */
  TnDocument *view;   /* owned: with strings of its own */
  const char *preset; /* the runtime's whose rules hold; NULL: the file's */
  double seconds;
  TnOrdersJobCalls calls;
  gpointer data; /* NULL once dropped; main thread only */
  bool is_dropped;
  TnProgress progress;
};

typedef struct {
  TnOrdersJob *job; /* owned reference */
  TnOrderRow row;
  const TnOrderMethod *next;
  GError *error;
} Message;

static void
clear_job(gpointer data)
{
  TnOrdersJob *job = data;
  tn_document_view_free(job->view);
  g_object_unref(job->session);
}

static gboolean
deliver(gpointer data)
{
  Message *message = data;
  TnOrdersJob *job = message->job;
  if (!job->is_dropped && message->error)
    job->calls.failed(message->error, job->data);
  else if (!job->is_dropped)
    job->calls.found(&message->row, message->next, job->data);
  tn_order_row_clear(&message->row);
  g_clear_error(&message->error);
  g_atomic_rc_box_release_full(job, clear_job);
  g_free(message);
  return G_SOURCE_REMOVE;
}

static bool
run_method(TnOrdersJob *job, const TnOrderMethod *method, const TnOrderMethod *next)
{
  TnGraphLifetimeParams lifetime = TN_GRAPH_LIFETIME_PARAMS_INIT;
  TnOrderParams params = TN_ORDER_PARAMS_INIT;
  Message *message = g_new0(Message, 1);
  lifetime.preset = job->preset;
  params.time_limit = job->seconds;
  params.progress = &job->progress;
  message->job = g_atomic_rc_box_acquire(job);
  bool is_good = tn_order_row_init(&message->row, job->view->graph, job->view->strings, &lifetime,
                                   method, &params, &message->error);
  bool goes_on = is_good && next && !tn_progress_is_cancelled(&job->progress);
  message->next = goes_on ? next : NULL;
  g_idle_add(deliver, message);
  return goes_on;
}

/* The job's last reference goes on the main thread. */
static gboolean
release(gpointer job)
{
  g_atomic_rc_box_release_full(job, clear_job);
  return G_SOURCE_REMOVE;
}

static void
work(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const TnOrderMethod *const *methods = tn_order_methods();
  for (gsize i = 0; methods[i] && run_method(data, methods[i], methods[i + 1]); i++)
    ;
  g_idle_add(release, data);
  g_task_return_boolean(task, TRUE);
}

static const uint32_t *
order_of(const TnDocument *document)
{
  return (const uint32_t *)(const void *)document->graph->order->data;
}

TnOrdersJob *
tn_orders_job_start(TnSession *session,
                    double seconds,
                    const TnOrdersJobCalls *calls,
                    gpointer data)
{
  TnOrdersJob *job = g_atomic_rc_box_new0(TnOrdersJob);
  const TnDocument *plain = tn_session_find_plain(session);
  job->session = g_object_ref(session);
  job->view = tn_document_view_new(tn_session_get_document(session), order_of(plain), true);
  job->preset = tn_session_get_study(session)->preset;
  job->seconds = seconds;
  job->calls = *calls;
  job->data = data;
  g_autoptr(GTask) task = g_task_new(NULL, NULL, NULL, NULL);
  g_task_set_task_data(task, g_atomic_rc_box_acquire(job), NULL);
  g_task_run_in_thread(task, work);
  return job;
}

void
tn_orders_job_stop(TnOrdersJob *job)
{
  g_atomic_int_set(&job->progress.cancelled, 1);
}

void
tn_orders_job_drop(TnOrdersJob *job)
{
  tn_orders_job_stop(job);
  job->is_dropped = true;
  job->data = NULL;
  g_atomic_rc_box_release_full(job, clear_job);
}
