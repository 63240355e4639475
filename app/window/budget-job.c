/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/budget-job.h"

#include "data/document-view.h"

#include <gio/gio.h>
#include <glib/gi18n.h>

#define PLAN_SECONDS 5 /* with the other answers */
#define SWEEP_SECONDS 4
#define SWEEP_BUDGETS 24

struct TnBudgetJob {
  TnBudgetAnswer *answer; /* owned reference */
  TnBudgetJobCalls calls;
  gpointer data;
  bool is_dropped; /* main thread only */
  TnProgress progress;
};

/* ---- links --------------------------------------------------------------------------------- */

static TnLink *
build_link(const TnGraph *graph, guint i)
{
  TnLink *own = tn_link_new_for_graph(graph);
  if (own && i == 0)
    return own;
  const TnLinkPreset *preset = &tn_link_presets()[own ? i - 1 : i];
  tn_link_free(own);
  return tn_link_new_for_preset(preset);
}

char **
tn_budget_link_names(const TnGraph *graph)
{
  g_autoptr(GStrvBuilder) names = g_strv_builder_new();
  g_autoptr(TnLink) own = tn_link_new_for_graph(graph);
  if (own)
    g_strv_builder_add(names, _("The graph’s own link"));
  for (const TnLinkPreset *preset = tn_link_presets(); preset->name; preset++)
    g_strv_builder_add(names, preset->title);
  return g_strv_builder_end(names);
}

/* ---- answers ------------------------------------------------------------------------------- */

static void
clear_answer(gpointer data)
{
  TnBudgetAnswer *answer = data;
  tn_spill_report_clear(&answer->report);
  tn_spill_free(answer->answer);
  tn_link_free(answer->link);
  g_clear_error(&answer->error);
  tn_document_view_free(answer->view);
  tn_study_unref(answer->study);
  g_object_unref(answer->session);
}

void
tn_budget_answer_unref(TnBudgetAnswer *answer)
{
  if (answer)
    g_atomic_rc_box_release_full(answer, clear_answer);
}

static void
clear_job(gpointer data)
{
  tn_budget_answer_unref(((TnBudgetJob *)data)->answer);
}

static gboolean
deliver(gpointer data)
{
  TnBudgetJob *job = data;
  if (!job->is_dropped)
    job->calls.done(g_steal_pointer(&job->answer), job->data);
  g_atomic_rc_box_release_full(job, clear_job);
  return G_SOURCE_REMOVE;
}

typedef struct {
  TnBudgetJob *job; /* owned reference */
  TnSpillPoint point;
} Swept;

static gboolean
deliver_point(gpointer data)
{
  Swept *swept = data;
  if (!swept->job->is_dropped)
    swept->job->calls.swept(&swept->point, swept->job->data);
  g_atomic_rc_box_release_full(swept->job, clear_job);
  g_free(swept);
  return G_SOURCE_REMOVE;
}

/* From the working thread. */
static void
on_swept(const TnSpillPoint *point, void *job)
{
  Swept *swept = g_new0(Swept, 1);
  swept->job = g_atomic_rc_box_acquire(job);
  swept->point = *point;
  g_idle_add(deliver_point, swept);
}

static void
plan(TnBudgetJob *job)
{
  TnBudgetAnswer *answer = job->answer;
  TnGraphLifetimeParams lifetime = TN_GRAPH_LIFETIME_PARAMS_INIT;
  TnSpillParams params = TN_SPILL_PARAMS_INIT;
  lifetime.preset = answer->study->preset;
  params.budget = answer->request.is_sweep ? INT64_MAX : answer->request.budget;
  params.sweep = answer->request.is_sweep ? SWEEP_BUDGETS : 0;
  params.time_limit = answer->request.is_sweep ? SWEEP_SECONDS : PLAN_SECONDS;
  params.with_alternatives = !answer->request.is_sweep;
  params.link = answer->link;
  params.progress = &job->progress;
  params.swept = on_swept;
  params.payload = job;
  answer->answer =
      tn_spill_new(answer->view->graph, answer->view->strings, &lifetime, &params, &answer->error);
  if (!answer->answer || tn_progress_is_cancelled(&job->progress))
    return;
  answer->report = (TnSpillReport){.document = answer->view,
                                   .lifetime = lifetime,
                                   .rate = params.limits.rate,
                                   .link = answer->link,
                                   .answer = answer->answer};
  if (answer->request.is_sweep)
    return;
  tn_spill_report_run(&answer->report);
  tn_spill_report_plan_offsets(&answer->report);
}

static void
work(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  plan(data);
  /* The reference of the worker goes to the main thread. */
  g_idle_add(deliver, data);
  g_task_return_boolean(task, TRUE);
}

TnBudgetJob *
tn_budget_job_start(TnSession *session,
                    const TnBudgetRequest *request,
                    const TnBudgetJobCalls *calls,
                    gpointer data)
{
  TnBudgetJob *job = g_atomic_rc_box_new0(TnBudgetJob);
  TnBudgetAnswer *answer = g_atomic_rc_box_new0(TnBudgetAnswer);
  answer->session = g_object_ref(session);
  answer->study = tn_study_ref(tn_session_get_study(session));
  answer->view = tn_document_view_new(answer->study->document, NULL, true);
  answer->request = *request;
  answer->link = build_link(answer->view->graph, request->link);
  job->answer = answer;
  job->calls = *calls;
  job->data = data;
  g_autoptr(GTask) task = g_task_new(NULL, NULL, NULL, NULL);
  g_task_set_task_data(task, g_atomic_rc_box_acquire(job), NULL);
  g_task_run_in_thread(task, work);
  return job;
}

void
tn_budget_job_drop(TnBudgetJob *job)
{
  g_atomic_int_set(&job->progress.cancelled, 1);
  job->is_dropped = true;
  g_atomic_rc_box_release_full(job, clear_job);
}
