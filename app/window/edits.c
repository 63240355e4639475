/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/edits.h"

#include "analysis/graph-edit-effect.h"
#include "app/window/background.h"
#include "app/window/loader.h"
#include "data/document-view.h"
#include "data/edited-document.h"
#include "data/error.h"

#include <glib/gi18n.h>
#include <string.h>

struct _TnEdits {
  GObject parent_instance;
  TnSession *session; /* borrowed: its data */
  const TnDocument *base; /* what they are made on: the file, or it in the order that was chosen before
                             the first of them; the session's */
  const TnDocument *made; /* with them in place, as it was shown last; NULL: none are */
  GPtrArray *list;    /* TnGraphEdit *, in place */
  char *in_place;     /* the list as JSON */
  char *wanted;       /* as JSON, what is being planned; NULL: nothing is */
  bool is_undoing;    /* what is wanted comes from the list of changes */
  TnProgress *running; /* of the present job; owned by it */
  bool has_figures;
  const char *preset; /* the runtime's that they are of; NULL: the file's */
  TnEditFigures before, after;
};

G_DEFINE_TYPE(TnEdits, tn_edits, G_TYPE_OBJECT)

static guint changed_signal, refused_signal, told_signal, measured_signal;

typedef struct {
  TnEdits *edits;           /* owned reference */
  TnSession *session;       /* owned reference: has the document */
  const TnDocument *file;   /* as it was read, or in the order that was chosen */
  const char *preset;       /* the runtime's that is shown, whose rules go on to hold; NULL: the file's */
  char *json;
  bool is_before_wanted, is_undoing;
  bool is_measuring; /* of what is in place, by the rules that are shown now: nothing else is shown */
  bool is_added; /* the last edit is new */
  bool is_taken_over; /* of another reading of the file: what no longer fits is left out */
  guint n_left_out;
  char *why_left_out; /* the first of them */
  bool loses_order; /* that was chosen for the edited graph: its ops are others now */
  TnProgress progress;
  GPtrArray *list;
  TnEditFigures before, after;
  TnDocument *document; /* of the study; NULL: the file's */
  const TnDocument *known; /* the file as a study by these rules rests on it, the session's; NULL: none does */
  TnDocument *view;     /* then the file with strings of its own, for the rules add names; NULL: none */
  TnStudy *study;
  TnFindings *findings;
  GError *error;
} Job;

static void
free_job(gpointer data)
{
  Job *job = data;
  g_clear_pointer(&job->list, g_ptr_array_unref);
  tn_study_unref(job->study);
  tn_findings_free(job->findings);
  tn_document_free(job->document);
  tn_document_view_free(job->view);
  g_free(job->json);
  g_free(job->why_left_out);
  g_clear_error(&job->error);
  g_object_unref(job->edits);
  g_object_unref(job->session);
  g_free(job);
}

static GPtrArray *
new_list(void)
{
  return g_ptr_array_new_with_free_func((GDestroyNotify)tn_graph_edit_free);
}

/* ---- in the worker ------------------------------------------------------------------------- */

/* Both owned by the caller; the study must go first. */
static TnStudy *
study_edited(Job *job, const GPtrArray *list, TnDocument **out_document, TnFindings **out_findings, GError **error)
{
  TnStudy *study = NULL;
  *out_document = tn_document_new_edited(job->file, list, error);
  if (*out_document)
    tn_load_study(*out_document, 0, job->preset, &job->progress, &study, out_findings, error);
  return study;
}

/* By the rules of a runtime that does not take the graph as it was read. */
static const TnEditFigures nothing_known = {TN_BYTES_UNKNOWN, TN_BYTES_UNKNOWN, TN_BYTES_UNKNOWN, 0, 0};

static TnEditFigures
figures_of(const TnStudy *study)
{
  return (TnEditFigures){study->live->peak, study->arena_bytes, study->no_reuse_bytes,
                         study->document->graph->ops->len, study->buffers->n};
}

static bool
measure(Job *job, const GPtrArray *list, TnEditFigures *out, GError **error)
{
  g_autoptr(TnDocument) document = NULL;
  TnFindings *findings = NULL;
  TnStudy *study = study_edited(job, list, &document, &findings, error);
  if (study)
    *out = figures_of(study);
  tn_findings_free(findings);
  tn_study_unref(study);
  return study != NULL;
}

/* The graph as it was read, planned as the edited one is: a plan of the file is another planner's. */
static bool
measure_before(Job *job, GError **error)
{
  g_autoptr(GPtrArray) none = new_list();
  return measure(job, none, &job->before, error);
}

/* An edit that is asked for must do something: else a figure that stays the same is a riddle. */
static bool
check_effect(const Job *job, GError **error)
{
  TnGraphLifetimeParams params = TN_GRAPH_LIFETIME_PARAMS_INIT;
  const TnDocument *document = job->study->document;
  if (!job->is_added)
    return true;
  params.preset = job->preset;
  g_autofree char *reason =
      tn_graph_edit_dup_idle_reason(document->graph, document->strings, &params,
                                    job->list->pdata[job->list->len - 1]);
  if (reason)
    g_set_error(error, TN_DATA_ERROR, TN_DATA_ERROR_UNSUPPORTED,
                _("it would have no effect, for %s"), reason);
  return reason == NULL;
}

/* The first `n` of them. */
static bool
fit(const Job *job, guint n, GError **error)
{
  g_autoptr(GPtrArray) first = g_ptr_array_new();
  for (guint i = 0; i < n; i++)
    g_ptr_array_add(first, job->list->pdata[i]);
  g_autoptr(TnDocument) document = tn_document_new_edited(job->file, first, error);
  return document != NULL;
}

/* One after the other, as they are made; mostly all fit. */
static void
leave_out_what_fails(Job *job)
{
  if (fit(job, job->list->len, NULL))
    return;
  for (guint n = 1; n <= job->list->len && !tn_progress_is_cancelled(&job->progress);) {
    g_autoptr(GError) error = NULL;
    if (fit(job, n, &error)) {
      n++;
      continue;
    }
    if (job->n_left_out++ == 0)
      job->why_left_out = g_strdup(error->message);
    g_ptr_array_remove_index(job->list, n - 1);
  }
  g_free(job->json);
  job->json = tn_graph_edits_build_json(job->list);
}

/* No edit is left. */
static bool
study_file(Job *job, GError **error)
{
  if (!job->known)
    job->view = tn_document_view_new(job->file, NULL, true);
  return tn_load_study(job->view ? job->view : job->known, 0, job->preset, &job->progress, &job->study,
                       &job->findings, error);
}

static bool
plan(Job *job, GError **error)
{
  if (job->is_before_wanted && !measure_before(job, error))
    return false;
  job->list = tn_graph_edits_parse("edits", job->json, strlen(job->json), error);
  if (!job->list)
    return false;
  if (job->is_measuring)
    return measure(job, job->list, &job->after, error);
  if (job->is_taken_over)
    leave_out_what_fails(job);
  if (job->list->len == 0)
    return study_file(job, error);
  job->study = study_edited(job, job->list, &job->document, &job->findings, error);
  if (!job->study || !check_effect(job, error))
    return false;
  job->after = figures_of(job->study);
  return true;
}

static void
work(gpointer data)
{
  Job *job = data;
  plan(job, &job->error);
}

/* ---- showing it ---------------------------------------------------------------------------- */

static tn_index
buffer_of(const TnStudy *study, uint32_t tensor)
{
  for (uint32_t i = 0; tensor != TN_NONE && study->buffers->tensor && i < study->buffers->n; i++)
    if (study->buffers->tensor[i] == tensor)
      return i;
  return TN_NONE;
}

/* The eye stays where it was: tensors keep their rows, and ops mostly their ticks. */
static void
show(TnEdits *edits, TnStudy *study, TnFindings *findings)
{
  TnSession *session = edits->session;
  const TnStudy *old = tn_session_get_study(session);
  TnView view = *tn_session_get_view(session);
  uint32_t tensor = view.selected != TN_NONE && old->buffers->tensor
                        ? old->buffers->tensor[view.selected]
                        : TN_NONE;
  bool is_whole = view.t1 - view.t0 >= (double)old->axis_end;
  tn_session_set_study(session, study, findings);
  if (!is_whole) {
    TnView moved = *tn_session_get_view(session);
    moved.t0 = view.t0;
    moved.t1 = view.t1;
    tn_session_set_view(session, &moved);
  }
  tn_session_select(session, buffer_of(study, tensor));
}

static void put(gpointer owner, GVariant *state);

static void
accept(TnEdits *edits, Job *job)
{
  if (job->is_before_wanted)
    edits->before = job->before;
  edits->preset = job->preset;
  edits->after = job->list->len ? job->after : edits->before;
  edits->has_figures = true;
  g_ptr_array_unref(edits->list);
  edits->list = g_steal_pointer(&job->list);
  if (!job->is_undoing && strcmp(edits->in_place, job->json) != 0) {
    tn_undo_seal(tn_session_get_undo(edits->session));
    tn_undo_push(tn_session_get_undo(edits->session), "Edit of the Graph", edits, put,
                 g_variant_new_string(edits->in_place), g_variant_new_string(job->json));
  }
  g_free(edits->in_place);
  edits->in_place = g_strdup(job->json);
  edits->made = job->document;
  if (job->document)
    tn_session_keep_edited(edits->session, g_steal_pointer(&job->document));
  if (job->view)
    tn_session_keep_document(edits->session, g_steal_pointer(&job->view));
  show(edits, g_steal_pointer(&job->study), g_steal_pointer(&job->findings));
}

static void
tell_left_out(TnEdits *edits, const Job *job)
{
  g_autofree char *text =
      g_strdup_printf(ngettext("%u edit no longer fits the file and was left out: %s.",
                               "%u edits no longer fit the file and were left out. The first: %s.",
                               (gulong)job->n_left_out),
                      job->n_left_out, job->why_left_out);
  g_signal_emit(edits, told_signal, 0, text);
}

static void
take_figures(TnEdits *edits, const Job *job)
{
  edits->preset = job->preset;
  edits->before = job->error ? nothing_known : job->before;
  edits->after = job->error ? nothing_known : job->after;
  g_signal_emit(edits, measured_signal, 0);
}

static void follow_runtime(TnEdits *edits);

static void
done(gpointer data)
{
  Job *job = data;
  TnEdits *edits = job->edits;
  if (edits->running != &job->progress)
    return;
  edits->running = NULL;
  if (job->is_measuring) {
    take_figures(edits, job);
    follow_runtime(edits); /* which may be yet another */
    return;
  }
  g_clear_pointer(&edits->wanted, g_free);
  if (job->error)
    g_signal_emit(edits, refused_signal, 0, job->error->message);
  else
    accept(edits, job);
  g_signal_emit(edits, changed_signal, 0);
  if (!job->error && job->loses_order)
    g_signal_emit(edits, told_signal, 0, _("The order that was chosen for the graph before this edit is "
                                         "gone: its ops are others now. Choose one again in Orders."));
  if (!job->error && job->n_left_out > 0)
    tell_left_out(edits, job);
  follow_runtime(edits); /* an edit that was refused may have come between */
}

static const uint32_t *
order_of(const TnDocument *document)
{
  return (const uint32_t *)(const void *)document->graph->order->data;
}

static bool
is_same_order(const TnDocument *a, const TnDocument *b)
{
  return memcmp(order_of(a), order_of(b), a->graph->ops->len * sizeof(uint32_t)) == 0;
}

static bool
is_chosen(TnEdits *edits)
{
  const TnDocument *shown = tn_session_get_document(edits->session);
  return edits->base && edits->base->graph->ops == shown->graph->ops && is_same_order(edits->base, shown);
}

/* Before the first edit an order may have been chosen, or another may be: figures are of that one. */
static void
choose_base(TnEdits *edits)
{
  if (edits->list->len > 0 || is_chosen(edits))
    return;
  edits->base = tn_session_get_document(edits->session);
  edits->has_figures = false;
}

/* The last wish counts: what is being planned is told to stop. */
static Job *
job_new_for(TnEdits *edits, const char *json)
{
  Job *job = g_new0(Job, 1);
  if (edits->running)
    g_atomic_int_set(&edits->running->cancelled, 1);
  job->edits = g_object_ref(edits);
  job->session = g_object_ref(edits->session);
  job->file = edits->base;
  job->json = g_strdup(json);
  job->preset = tn_session_get_study(edits->session)->preset;
  edits->running = &job->progress;
  return job;
}

/* Takes the list of edits.  What is still to be said of it is the caller's. */
static Job *
job_new(TnEdits *edits, char *json)
{
  /* Another order of the graph that was shown is not wanted any more. */
  tn_load_device(edits->session, tn_session_get_study(edits->session)->device_row);
  g_free(edits->wanted);
  edits->wanted = json;
  choose_base(edits);
  Job *job = job_new_for(edits, json);
  job->loses_order = tn_edits_has_order(edits->session);
  job->known = tn_session_find_studied(edits->session, job->file, order_of(job->file), job->preset);
  job->is_before_wanted =
      !edits->has_figures || edits->preset != job->preset || edits->before.peak == TN_BYTES_UNKNOWN;
  return job;
}

/* Takes the job. */
static void
start(Job *job)
{
  TnEdits *edits = job->edits;
  tn_background_run(job, work, done, free_job);
  g_signal_emit(edits, changed_signal, 0);
}

/* Figures are of the rules that are shown: another runtime's are measured, beside its plan. */
static void
follow_runtime(TnEdits *edits)
{
  const char *preset = tn_session_get_study(edits->session)->preset;
  if (edits->running)
    return;
  if (edits->list->len == 0) {
    g_signal_emit(edits, measured_signal, 0); /* what is shown is what there is */
    return;
  }
  if (edits->preset == preset)
    return;
  Job *job = job_new_for(edits, edits->in_place);
  job->is_before_wanted = job->is_measuring = true;
  start(job);
}

static void
on_study_changed(TnSession *session, TnEdits *edits)
{
  follow_runtime(edits);
}

static void
put(gpointer owner, GVariant *state)
{
  Job *job = job_new(TN_EDITS(owner), g_variant_dup_string(state, NULL));
  job->is_undoing = true;
  start(job);
}

/* ---- changes ------------------------------------------------------------------------------- */

/* A copy of what is wanted, or in place. */
static GPtrArray *
copy_list(TnEdits *edits)
{
  const char *json = edits->wanted ? edits->wanted : edits->in_place;
  GPtrArray *list = tn_graph_edits_parse("edits", json, strlen(json), NULL);
  return list ? list : new_list();
}

static void
want_list(TnEdits *edits, GPtrArray *list, bool is_added)
{
  Job *job = job_new(edits, tn_graph_edits_build_json(list));
  job->is_added = is_added;
  start(job);
  g_ptr_array_unref(list);
}

void
tn_edits_add(TnEdits *edits, TnGraphEdit *edit)
{
  GPtrArray *list = copy_list(edits);
  g_ptr_array_add(list, edit);
  want_list(edits, list, true);
}

void
tn_edits_remove(TnEdits *edits, guint row)
{
  GPtrArray *list = copy_list(edits);
  if (row < list->len)
    g_ptr_array_remove_index(list, row);
  want_list(edits, list, false);
}

void
tn_edits_clear(TnEdits *edits)
{
  if (edits->list->len > 0 || edits->wanted)
    want_list(edits, new_list(), false);
}

void
tn_edits_set_json(TnEdits *edits, const char *json)
{
  start(job_new(edits, g_strdup(json)));
}

void
tn_edits_take_over(TnEdits *edits, TnEdits *from)
{
  if (from->list->len == 0 && !from->wanted)
    return;
  Job *job = job_new(edits, g_strdup(from->wanted ? from->wanted : from->in_place));
  job->is_taken_over = true;
  start(job);
}

/* ---- what there is ------------------------------------------------------------------------- */

char *
tn_edits_build_json(TnEdits *edits)
{
  return g_strdup(edits->in_place);
}

const GPtrArray *
tn_edits_get_list(TnEdits *edits)
{
  return edits->list;
}

bool
tn_edits_is_planning(TnEdits *edits)
{
  return edits->running != NULL;
}

bool
tn_edits_get_figures(TnEdits *edits, TnEditFigures *out_before, TnEditFigures *out_after)
{
  *out_before = edits->before;
  *out_after = edits->after;
  bool is_of_shown = is_chosen(edits) && edits->preset == tn_session_get_study(edits->session)->preset;
  return edits->has_figures && (edits->list->len > 0 || is_of_shown);
}

static TnEdits *
peek(TnSession *session)
{
  return g_object_get_data(G_OBJECT(session), "edits");
}

guint
tn_edits_count(TnSession *session)
{
  TnEdits *edits = peek(session);
  return edits ? edits->list->len : 0;
}

const TnDocument *
tn_edits_get_base(TnSession *session)
{
  return tn_edits_count(session) > 0 ? peek(session)->base : tn_session_get_document(session);
}

bool
tn_edits_has_order(TnSession *session)
{
  if (tn_edits_count(session) == 0)
    return false;
  const TnDocument *made = peek(session)->made, *shown = tn_session_get_document(session);
  return made->graph->ops == shown->graph->ops && !is_same_order(made, shown);
}

TnEdits *
tn_edits_get(TnSession *session)
{
  TnEdits *edits = peek(session);
  if (edits || !tn_session_get_file(session)->graph)
    return edits;
  edits = g_object_new(TN_TYPE_EDITS, NULL);
  edits->session = session;
  g_signal_connect_object(session, "study-changed", G_CALLBACK(on_study_changed), edits, 0);
  g_object_set_data_full(G_OBJECT(session), "edits", edits, g_object_unref);
  return edits;
}

static void
finalize(GObject *object)
{
  TnEdits *edits = TN_EDITS(object);
  g_ptr_array_unref(edits->list);
  g_free(edits->in_place);
  g_free(edits->wanted);
  G_OBJECT_CLASS(tn_edits_parent_class)->finalize(object);
}

static void
tn_edits_class_init(TnEditsClass *class)
{
  G_OBJECT_CLASS(class)->finalize = finalize;
  changed_signal = g_signal_new("changed", TN_TYPE_EDITS, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                G_TYPE_NONE, 0);
  refused_signal = g_signal_new("refused", TN_TYPE_EDITS, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                G_TYPE_NONE, 1, G_TYPE_STRING);
  measured_signal = g_signal_new("measured", TN_TYPE_EDITS, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                 G_TYPE_NONE, 0);
  told_signal = g_signal_new("told", TN_TYPE_EDITS, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                             G_TYPE_NONE, 1, G_TYPE_STRING);
}

static void
tn_edits_init(TnEdits *edits)
{
  edits->list = new_list();
  edits->in_place = tn_graph_edits_build_json(edits->list);
}
