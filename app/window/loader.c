/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/loader.h"

#include "analysis/plan/plan.h"
#include "app/answer/inside-ops.h"
#include "app/window/background.h"
#include "app/window/memory-watch.h"
#include "data/document-view.h"
#include "data/error.h"

#include <string.h>

typedef struct {
  TnLoadRequest request;
  TnProgress progress;
  TnMemoryWatch memory;
  void (*report)(double fraction, const char *stage, void *payload);
  void *payload;
  gint64 last_report; /* µs */
  GCancellable *cancellable;
  gulong cancel_handler;
} Job;

typedef struct {
  TnDocument *document;
  TnDocument *view; /* of it in the order that was asked for; NULL: as it is */
  TnFileStamp stamp;
  TnStudy *study;
  TnFindings *findings;
} Loaded;

typedef struct {
  Job *job;
  GTask *task;
  double fraction;
  char *stage;
} Message;

void
tn_load_request_copy(TnLoadRequest *to, const TnLoadRequest *from)
{
  *to = *from;
  to->path = g_strdup(from->path);
  to->text = g_strdup(from->text);
  to->bindings = from->bindings ? g_hash_table_ref(from->bindings) : NULL;
  to->order = from->order ? tn_kept_order_ref(from->order) : NULL;
}

void
tn_load_request_clear(TnLoadRequest *request)
{
  g_clear_pointer(&request->path, g_free);
  g_clear_pointer(&request->text, g_free);
  g_clear_pointer(&request->bindings, g_hash_table_unref);
  g_clear_pointer(&request->order, tn_kept_order_unref);
}

static void
free_job(gpointer data)
{
  Job *job = data;
  if (job->cancel_handler)
    g_cancellable_disconnect(job->cancellable, job->cancel_handler);
  g_clear_object(&job->cancellable);
  tn_load_request_clear(&job->request);
  g_free(job);
}

static void
free_loaded(gpointer data)
{
  Loaded *loaded = data;
  tn_study_unref(loaded->study);
  tn_findings_free(loaded->findings);
  tn_document_view_free(loaded->view);
  tn_document_free(loaded->document);
  g_free(loaded);
}

static gboolean
deliver(gpointer data)
{
  Message *message = data;
  if (!g_task_get_completed(message->task) && !message->job->progress.cancelled)
    message->job->report(message->fraction, message->stage, message->job->payload);
  g_object_unref(message->task);
  g_free(message->stage);
  g_free(message);
  return G_SOURCE_REMOVE;
}

/* From the working thread, at most thirty times a second. */
static void
on_progress(double fraction, const char *stage, void *payload)
{
  GTask *task = payload;
  Job *job = g_task_get_task_data(task);
  gint64 now = g_get_monotonic_time();
  if (!job->report || now - job->last_report < 33 * 1000)
    return;
  job->last_report = now;
  Message *message = g_new0(Message, 1);
  *message = (Message){job, g_object_ref(task), fraction, g_strdup(stage)};
  g_idle_add(deliver, message);
}

/* What has lives but no offsets is placed at once, so that there is a map to see. */
static TnStudy *
place(TnStudy *study, TnProgress *progress)
{
  if (study->is_log || study->arena_bytes != TN_BYTES_UNKNOWN || study->buffers->n == 0)
    return study;
  TnPlanParams params = TN_PLAN_PARAMS_INIT;
  params.progress = progress;
  tn_bytes alignment = study->alignment;
  /* A first look must come at once; the planner is one click away. */
  bool is_large = study->buffers->n > 20000;
  g_autoptr(TnStreamUses) uses =
      tn_stream_uses_new_for_study(study, NULL, NULL);
  params.uses = uses; /* `ge` needs no list of what streams keep apart */
  const char *name = uses ? "ge" : is_large ? "first-fit" : "greedy-size";
  g_autoptr(TnPlan) plan =
      tn_plan_new_for_buffers(study->buffers, tn_strategies_find(name), alignment, &params);
  if (plan->status == TN_PLAN_FAILED)
    return study;
  TnStudy *placed =
      tn_study_new_with_offsets(study, plan->offset, plan->space_arena, plan->n_spaces);
  tn_study_unref(study);
  return placed;
}

bool
tn_load_study(const TnDocument *document,
              uint32_t row,
              const char *preset,
              TnProgress *progress,
              TnStudy **out_study,
              TnFindings **out_findings,
              GError **error)
{
  TnStudyParams params = TN_STUDY_PARAMS_INIT;
  TnFindParams find = {0};
  params.graph.preset = preset;
  g_autoptr(TnStudy) study = tn_study_new(document, row, &params, progress, error);
  if (!study)
    return false;
  g_autoptr(TnFindings) findings = tn_findings_new();
  tn_answer_find_uncounted(study, findings); /* before: a plan has only the lives' buffers */
  study = place(g_steal_pointer(&study), progress);
  if (!tn_study_prepare(study, TN_GROUP_AUTO, progress)) {
    g_set_error(error, TN_DATA_ERROR, TN_DATA_ERROR_CANCELLED, "stopped");
    return false;
  }
  tn_find_all(study, &find, findings);
  *out_findings = g_steal_pointer(&findings);
  *out_study = g_steal_pointer(&study);
  return true;
}

static TnDocument *
load(const TnLoadRequest *request, const TnReadOptions *options, GError **error)
{
  if (!request->text)
    return tn_document_load(request->path, options, error);
  g_autoptr(TnSource) source =
      tn_source_new_for_bytes(request->path, request->text, strlen(request->text));
  return tn_document_load_source(source, options, error);
}

/* The one that was asked for, if the file still has it. */
static uint32_t
device_row(const TnDocument *document, int32_t ordinal)
{
  for (uint32_t i = 0; i < document->devices->len; i++)
    if (tn_document_get_device(document, i)->ordinal == ordinal)
      return i;
  return tn_study_first_device(document);
}

static bool
study_loaded(Job *job, Loaded *loaded, GError **error)
{
  const TnLoadRequest *request = &job->request;
  if (request->order)
    loaded->view = tn_kept_order_build_view(request->order, loaded->document);
  return tn_load_study(loaded->view ? loaded->view : loaded->document,
                       device_row(loaded->document, request->device), request->preset, &job->progress,
                       &loaded->study, &loaded->findings, error);
}

static void
work(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Job *job = data;
  TnReadOptions options = TN_READ_OPTIONS_INIT;
  GError *error = NULL;
  options.is_partial_wanted = job->request.is_partial_wanted;
  options.progress = &job->progress;
  options.bindings = job->request.bindings;
  job->progress.report = on_progress;
  job->progress.payload = task;
  Loaded *loaded = g_new0(Loaded, 1);
  if (!job->request.text)
    loaded->stamp = tn_file_stamp_of(job->request.path); /* before: what comes later is another file */
  loaded->document = load(&job->request, &options, &error);
  if (loaded->document && study_loaded(job, loaded, &error)) {
    g_task_return_pointer(task, loaded, free_loaded);
    return;
  }
  free_loaded(loaded);
  tn_memory_watch_explain(&job->memory, job->request.path, &error);
  g_task_return_error(task, error);
}

static void
on_cancelled(GCancellable *cancellable, gpointer data)
{
  g_atomic_int_set(&((Job *)data)->progress.cancelled, 1);
}

void
tn_load_async(const TnLoadRequest *request,
              GCancellable *cancellable,
              void (*progress)(double fraction, const char *stage, void *payload),
              void *payload,
              GAsyncReadyCallback callback,
              gpointer user_data)
{
  Job *job = g_new0(Job, 1);
  tn_load_request_copy(&job->request, request);
  job->report = progress;
  job->payload = payload;
  GTask *task = g_task_new(NULL, cancellable, callback, user_data);
  g_task_set_task_data(task, job, free_job);
  /* The task answers at once; the thread ends soon after and its result is dropped. */
  g_task_set_return_on_cancel(task, TRUE);
  if (cancellable) {
    job->cancellable = g_object_ref(cancellable);
    job->cancel_handler =
        g_cancellable_connect(cancellable, G_CALLBACK(on_cancelled), job, NULL);
  }
  job->memory.progress = &job->progress;
  tn_memory_watch_start(&job->memory, task);
  g_task_run_in_thread(task, work);
  g_object_unref(task);
}

TnSession *
tn_load_finish(GAsyncResult *result, GError **error)
{
  Loaded *loaded = g_task_propagate_pointer(G_TASK(result), error);
  if (!loaded)
    return NULL;
  TnSession *session = tn_session_new(loaded->document, loaded->study, loaded->findings);
  if (loaded->view)
    tn_session_keep_document(session, loaded->view);
  tn_session_set_stamp(session, &loaded->stamp);
  g_free(loaded);
  return session;
}

/* ---- another device, another order ------------------------------------------------------------- */

typedef struct {
  TnSession *session;         /* owned reference: keeps the document */
  const TnDocument *document; /* one of the session's */
  GVariant *order;            /* owned reference: the document's ops in another order; NULL: as they are */
  TnDocument *view;           /* so, owned until the session keeps it; NULL: none */
  uint32_t row;
  const char *preset; /* the present study's */
  guint generation; /* of the session's wishes: an older one is dropped */
  TnStudy *study;
  TnFindings *findings;
  GError *error;
} StudyJob;

static void
free_study_job(gpointer data)
{
  StudyJob *job = data;
  tn_study_unref(job->study);
  tn_findings_free(job->findings);
  tn_document_view_free(job->view);
  g_clear_pointer(&job->order, g_variant_unref);
  g_clear_error(&job->error);
  g_object_unref(job->session);
  g_free(job);
}

static const uint32_t *
order_of(GVariant *state, gsize *n)
{
  return g_variant_get_fixed_array(state, n, sizeof(uint32_t));
}

/* A study by other rules, or the first by the file's, may add names: to strings that nobody else reads. */
static void
study_work(gpointer data)
{
  StudyJob *job = data;
  gsize n;
  if (job->order)
    job->view = tn_document_view_new(job->document, order_of(job->order, &n), true);
  tn_load_study(job->view ? job->view : job->document, job->row, job->preset, NULL, &job->study,
                &job->findings, &job->error);
}

static guint
generation_of(TnSession *session)
{
  return GPOINTER_TO_UINT(g_object_get_data(G_OBJECT(session), "study-generation"));
}

static void
study_done(gpointer data)
{
  StudyJob *job = data;
  if (job->generation != generation_of(job->session))
    return;
  if (job->error) {
    tn_session_tell_failure(job->session, job->error->message);
    return;
  }
  if (job->view)
    tn_session_keep_document(job->session, g_steal_pointer(&job->view));
  tn_session_set_study(job->session, g_steal_pointer(&job->study),
                       g_steal_pointer(&job->findings));
}

/* Of a document of the session's, or, where there is one, in another order. */
static void
study_again(TnSession *session, const TnDocument *document, GVariant *order, uint32_t device_row)
{
  StudyJob *job = g_new0(StudyJob, 1);
  job->session = g_object_ref(session);
  job->document = document;
  job->order = order ? g_variant_ref(order) : NULL;
  job->row = device_row;
  job->preset = tn_session_get_study(session)->preset;
  job->generation = generation_of(session) + 1;
  g_object_set_data(G_OBJECT(session), "study-generation", GUINT_TO_POINTER(job->generation));
  tn_background_run(job, study_work, study_done, free_study_job);
}

void
tn_load_device(TnSession *session, uint32_t device_row)
{
  if (tn_session_get_study(session)->device_row != device_row)
    study_again(session, tn_session_get_document(session), NULL, device_row);
  else /* whatever is on its way is not wanted */
    g_object_set_data(G_OBJECT(session), "study-generation",
                      GUINT_TO_POINTER(generation_of(session) + 1));
}

/* ---- orders that can be taken back ------------------------------------------------------------- */

static GVariant *
order_state(const TnDocument *document)
{
  const GArray *order = document->graph->order;
  return g_variant_new_fixed_array(G_VARIANT_TYPE_UINT32, order->data, order->len,
                                   sizeof(uint32_t));
}

static void
put_order(gpointer session, GVariant *state)
{
  gsize n;
  const uint32_t *order = order_of(state, &n);
  const TnStudy *shown = tn_session_get_study(session);
  if (n != shown->document->graph->ops->len)
    return; /* of a graph before an edit that is still being taken back */
  const TnDocument *known = tn_session_find_studied(session, shown->document, order, shown->preset);
  study_again(session, known ? known : shown->document, known ? NULL : state, shown->device_row);
}

void
tn_load_order(TnSession *session, const uint32_t *order)
{
  const TnDocument *document = tn_session_get_document(session);
  g_autoptr(GVariant) before = g_variant_ref_sink(order_state(document));
  g_autoptr(GVariant) after = g_variant_ref_sink(
      order ? g_variant_new_fixed_array(G_VARIANT_TYPE_UINT32, order, document->graph->ops->len,
                                        sizeof(uint32_t))
            : order_state(tn_session_find_plain(session)));
  put_order(session, after);
  tn_undo_seal(tn_session_get_undo(session));
  tn_undo_push(tn_session_get_undo(session), "Order of Ops", session, put_order, before, after);
}
