/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/what-if.h"

#include "app/window/background.h"
#include "app/window/replay-base.h"
#include "app/window/view-parts.h"
#include "app/window/what-if-form.h"
#include "app/window/what-if-list.h"
#include "app/window/what-if-text.h"
#include "render/draw-what-if.h"

#include <glib/gi18n.h>

#define MOST_PLANNED 100000 /* buffers: a plan of more takes long */
#define WAIT_MS 150         /* after the last change: a number is typed digit by digit */

struct _TnWhatIf {
  GtkBox parent_instance;
  TnSession *session;
  GtkWidget *form, *list_box, *list, *verdict, *peaks, *spinner, *area;
  const TnSuggestions *suggestions; /* borrowed */
  TnReplayBase *base;               /* owned reference; NULL: nothing was asked yet */
  GVariant *kept;                   /* what the controls said last; undo knows of it */
  bool is_filling_recorded;         /* a study's first settings: no change of a person's */
  TnProgress *running;              /* of the present job; owned by it */
  bool is_pending;                  /* something changed since that was started */
  guint wait;                       /* source */
  TnReplayParams params;            /* of the result */
  TnReplayResult *result;
};

G_DEFINE_TYPE(TnWhatIf, tn_what_if, GTK_TYPE_BOX)

static guint answered_signal;

typedef struct {
  TnWhatIf *panel;    /* owned reference */
  TnSession *session; /* owned reference: keeps the document */
  TnReplayBase *base; /* owned reference */
  TnReplayParams params;
  TnProgress progress;
  TnReplayResult *result; /* NULL where only the log was built */
} Job;

/* NULL where it was not built yet. */
static const TnReplayLog *
peek_log(const TnWhatIf *panel)
{
  return panel->base ? tn_replay_base_peek(panel->base) : NULL;
}

static void
free_job(gpointer data)
{
  Job *job = data;
  tn_replay_result_free(job->result);
  tn_replay_base_unref(job->base);
  g_object_unref(job->session);
  g_object_unref(job->panel);
  g_free(job);
}

/* ---- what it says -------------------------------------------------------------------------- */

static void
show_message(TnWhatIf *panel, const char *verdict, const char *peaks)
{
  gtk_label_set_text(GTK_LABEL(panel->verdict), verdict);
  gtk_label_set_text(GTK_LABEL(panel->peaks), peaks);
}

static void
show_state(TnWhatIf *panel)
{
  TnUnits units = tn_session_get_view(panel->session)->units;
  gtk_spinner_set_spinning(GTK_SPINNER(panel->spinner), panel->running != NULL);
  gtk_widget_set_sensitive(panel->form, peek_log(panel) != NULL);
  if (panel->result) {
    g_autofree char *verdict =
        tn_what_if_dup_verdict(peek_log(panel), &panel->params, panel->result, units);
    g_autofree char *peaks = tn_what_if_dup_peaks(panel->result, units);
    show_message(panel, verdict, peaks);
    if (!panel->running)
      g_signal_emit(panel, answered_signal, 0);
  }
  gtk_widget_queue_draw(panel->area);
}

/* ---- the jobs ------------------------------------------------------------------------------ */

static void start(TnWhatIf *panel);

static void
work(gpointer data)
{
  Job *job = data;
  const TnReplayLog *log = tn_replay_base_log(job->base);
  if (job->params.model)
    job->result = tn_replay_run(log, &job->params, &job->progress);
}

static void
fill_as_recorded(TnWhatIf *panel)
{
  const TnReplayLog *log = peek_log(panel);
  if (log)
    tn_what_if_form_fill(TN_WHAT_IF_FORM(panel->form), tn_allocator_models()[0], &log->recorded,
                         log->limit);
}

static void
done(gpointer data)
{
  Job *job = data;
  TnWhatIf *panel = job->panel;
  if (panel->running != &job->progress)
    return;
  panel->running = NULL;
  if (job->result && !panel->is_pending) {
    g_clear_pointer(&panel->result, tn_replay_result_free);
    panel->result = g_steal_pointer(&job->result);
    panel->params = job->params;
  }
  if (!job->params.model) {
    panel->is_filling_recorded = true;
    fill_as_recorded(panel);
    panel->is_filling_recorded = false;
  } else if (panel->is_pending) {
    start(panel);
  }
  show_state(panel);
}

static void
run(TnWhatIf *panel, const TnReplayParams *params)
{
  Job *job = g_new0(Job, 1);
  job->panel = g_object_ref(panel);
  job->session = g_object_ref(panel->session);
  job->base = tn_replay_base_ref(panel->base);
  job->params = *params;
  panel->running = &job->progress;
  panel->is_pending = false;
  tn_background_run(job, work, done, free_job);
  show_state(panel);
}

/* Replays with what the controls say; after the present job, where there is one, which is told to
 * stop. */
static void
start(TnWhatIf *panel)
{
  g_autofree char *message = NULL;
  const TnReplayLog *log = peek_log(panel);
  TnReplayParams params = {.with_curve = true};
  if (panel->running) {
    g_atomic_int_set(&panel->running->cancelled, 1);
    panel->is_pending = true;
    return;
  }
  panel->is_pending = false;
  if (!log)
    return;
  if (tn_what_if_form_read(TN_WHAT_IF_FORM(panel->form), &params, &message) &&
      !params.model->take && log->study->buffers->n > MOST_PLANNED)
    message = g_strdup(_("A plan of so many buffers takes long: the Plan button makes one."));
  if (message) {
    g_clear_pointer(&panel->result, tn_replay_result_free);
    show_message(panel, message, "");
    show_state(panel);
    return;
  }
  params.seeds_requested = params.settings.expandable_segments != log->recorded.expandable_segments;
  run(panel, &params);
}

static gboolean
on_waited(gpointer data)
{
  TnWhatIf *panel = data;
  panel->wait = 0;
  start(panel);
  return G_SOURCE_REMOVE;
}

/* The settings, and the device that they are of: the form is filled anew for each. */
static GVariant *
state_of(const TnWhatIf *panel, GVariant *settings)
{
  return g_variant_new("(uv)", tn_replay_base_study(panel->base)->device_row, settings);
}

static bool
is_of_shown_device(gpointer owner, GVariant *state)
{
  const TnWhatIf *panel = owner;
  uint32_t row;
  g_variant_get(state, "(uv)", &row, NULL);
  return panel->base && tn_replay_base_study(panel->base)->device_row == row;
}

static void
put_settings(gpointer panel, GVariant *state)
{
  g_autoptr(GVariant) settings = NULL;
  g_variant_get(state, "(uv)", NULL, &settings);
  tn_what_if_form_set_state(TN_WHAT_IF_FORM(TN_WHAT_IF(panel)->form), settings);
}

/* A change of a person's can be taken back. */
static void
keep_settings(TnWhatIf *panel)
{
  GVariant *now = g_variant_ref_sink(tn_what_if_form_get_state(TN_WHAT_IF_FORM(panel->form)));
  if (panel->kept && panel->base && !panel->is_filling_recorded)
    tn_undo_push_shared(tn_session_get_undo(panel->session), tn_what_if_form_name_change(panel->kept, now),
                        panel, put_settings, is_of_shown_device, state_of(panel, panel->kept),
                        state_of(panel, now));
  g_clear_pointer(&panel->kept, g_variant_unref);
  panel->kept = now;
}

static void
on_form_changed(TnWhatIfForm *form, TnWhatIf *panel)
{
  keep_settings(panel);
  g_clear_handle_id(&panel->wait, g_source_remove);
  panel->wait = g_timeout_add(WAIT_MS, on_waited, panel);
}

static void
drop_answer(TnWhatIf *panel)
{
  g_clear_handle_id(&panel->wait, g_source_remove);
  if (panel->running)
    g_atomic_int_set(&panel->running->cancelled, 1);
  panel->running = NULL;
  panel->is_pending = false;
  g_clear_pointer(&panel->result, tn_replay_result_free);
  g_clear_pointer(&panel->base, tn_replay_base_unref);
  g_clear_pointer(&panel->kept, g_variant_unref);
}

static bool
is_of_device(const TnWhatIf *panel, const TnStudy *study)
{
  return panel->base && tn_replay_base_study(panel->base)->device == study->device;
}

/* Of a device that is looked at for the first time: builds the log, once. */
static void
ask(TnWhatIf *panel)
{
  TnStudy *study = tn_session_get_study(panel->session);
  if (!gtk_widget_get_mapped(GTK_WIDGET(panel)) || is_of_device(panel, study))
    return;
  drop_answer(panel);
  show_message(panel, "", "");
  if (tn_what_if_is_possible(panel->session)) {
    const TnReplayParams none = {0};
    panel->base = tn_replay_base_get(panel->session);
    run(panel, &none);
  }
  show_state(panel);
}

const char *
tn_what_if_get_verdict(TnWhatIf *panel)
{
  return gtk_label_get_text(GTK_LABEL(panel->verdict));
}

bool
tn_what_if_is_possible(TnSession *session)
{
  const TnStudy *study = tn_session_get_study(session);
  return study->document->kind == TN_DOCUMENT_LOG && study->buffers->n > 0 &&
         study->device->events.n > 0;
}

/* ---- the suggestions ----------------------------------------------------------------------- */

static GtkWidget *
make_label(const char *text, const char *class)
{
  GtkWidget *label = gtk_label_new(text);
  gtk_label_set_xalign(GTK_LABEL(label), 0.0f);
  if (class)
    gtk_widget_add_css_class(label, class);
  return label;
}

void
tn_what_if_set_suggestions(TnWhatIf *panel, const TnSuggestions *suggestions)
{
  panel->suggestions = suggestions;
  tn_what_if_list_fill(GTK_LIST_BOX(panel->list), suggestions,
                       tn_session_get_view(panel->session)->units);
  gtk_widget_set_visible(panel->list_box, suggestions && suggestions->rows->len > 0);
}

static void
on_row(GtkListBox *list, GtkListBoxRow *row, TnWhatIf *panel)
{
  uint32_t i = (uint32_t)gtk_list_box_row_get_index(row);
  if (!panel->suggestions || !peek_log(panel))
    return;
  const TnSuggestion *try = tn_suggestions_get(panel->suggestions, i);
  tn_what_if_form_fill(TN_WHAT_IF_FORM(panel->form), try->model, &try->settings,
                       panel->suggestions->limit);
}

/* ---- the widget ---------------------------------------------------------------------------- */

static void
draw(GtkDrawingArea *area, cairo_t *cr, int width, int height, gpointer data)
{
  TnWhatIf *panel = data;
  TnPaint paint = tn_view_paint(area, cr, width, height);
  TnRect rect = tn_view_room(GTK_WIDGET(area));
  const TnView *view = tn_session_get_view(panel->session);
  if (!panel->result || !is_of_device(panel, view->study))
    return;
  g_autofree char *settings = tn_replay_settings_format(&panel->params.settings);
  bool is_default = panel->params.model == tn_allocator_models()[0];
  tn_draw_what_if(&paint, view, rect, panel->result, panel->params.limit,
                  is_default ? settings : panel->params.model->name);
}

static void
on_map(TnWhatIf *panel)
{
  ask(panel);
}

static void
on_study_changed(TnSession *session, TnWhatIf *panel)
{
  if (!is_of_device(panel, tn_session_get_study(session)))
    drop_answer(panel);
  ask(panel);
}

static void
on_view_changed(TnSession *session, TnWhatIf *panel)
{
  if (gtk_widget_get_mapped(panel->area))
    gtk_widget_queue_draw(panel->area);
}

static void
on_units_changed(TnSession *session, TnWhatIf *panel)
{
  tn_what_if_set_suggestions(panel, panel->suggestions);
  show_state(panel);
}

static void
on_recorded(GtkButton *button, TnWhatIf *panel)
{
  fill_as_recorded(panel);
}

static void
dispose(GObject *object)
{
  TnWhatIf *panel = TN_WHAT_IF(object);
  drop_answer(panel);
  panel->suggestions = NULL;
  g_clear_object(&panel->session);
  G_OBJECT_CLASS(tn_what_if_parent_class)->dispose(object);
}

static void
tn_what_if_class_init(TnWhatIfClass *class)
{
  G_OBJECT_CLASS(class)->dispose = dispose;
  answered_signal = g_signal_new("answered", G_TYPE_FROM_CLASS(class), G_SIGNAL_RUN_LAST, 0, NULL,
                                 NULL, NULL, G_TYPE_NONE, 0);
}

static GtkWidget *
make_suggestions(TnWhatIf *panel)
{
  panel->list_box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 4);
  panel->list = gtk_list_box_new();
  gtk_list_box_set_selection_mode(GTK_LIST_BOX(panel->list), GTK_SELECTION_NONE);
  gtk_widget_add_css_class(panel->list, "boxed-list");
  gtk_accessible_update_property(GTK_ACCESSIBLE(panel->list), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                 _("Settings that were tried"), -1);
  g_signal_connect(panel->list, "row-activated", G_CALLBACK(on_row), panel);
  gtk_box_append(GTK_BOX(panel->list_box), make_label(_("Settings that were tried"), "heading"));
  gtk_box_append(GTK_BOX(panel->list_box), panel->list);
  gtk_widget_set_visible(panel->list_box, FALSE);
  return panel->list_box;
}

static GtkWidget *
make_controls(TnWhatIf *panel)
{
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 8);
  GtkWidget *scrolled = gtk_scrolled_window_new();
  GtkWidget *recorded = tn_view_spoken(gtk_button_new_with_mnemonic(_("As _Recorded")));
  panel->form = tn_what_if_form_new();
  g_signal_connect(panel->form, "changed", G_CALLBACK(on_form_changed), panel);
  g_signal_connect(recorded, "clicked", G_CALLBACK(on_recorded), panel);
  gtk_widget_set_halign(recorded, GTK_ALIGN_START);
  gtk_box_append(GTK_BOX(box), panel->form);
  gtk_box_append(GTK_BOX(box), recorded);
  gtk_box_append(GTK_BOX(box), make_suggestions(panel));
  gtk_widget_set_margin_start(box, 12);
  gtk_widget_set_margin_end(box, 12);
  gtk_widget_set_margin_top(box, 6);
  gtk_widget_set_margin_bottom(box, 12);
  gtk_scrolled_window_set_policy(GTK_SCROLLED_WINDOW(scrolled), GTK_POLICY_NEVER,
                                 GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scrolled), box);
  gtk_widget_set_hexpand(scrolled, FALSE);
  return scrolled;
}

static GtkWidget *
make_answer(TnWhatIf *panel)
{
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 2);
  GtkWidget *head = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 8);
  panel->verdict = make_label("", "heading");
  panel->peaks = make_label("", "dim-label");
  panel->spinner = gtk_spinner_new();
  panel->area = gtk_drawing_area_new();
  tn_view_set_needed_height(panel->area, 300);
  gtk_label_set_wrap(GTK_LABEL(panel->verdict), TRUE);
  gtk_label_set_wrap(GTK_LABEL(panel->peaks), TRUE);
  gtk_widget_set_hexpand(panel->verdict, TRUE);
  gtk_widget_set_margin_end(panel->peaks, 12);
  gtk_widget_set_vexpand(panel->area, TRUE);
  gtk_widget_set_margin_top(box, 6);
  gtk_drawing_area_set_draw_func(GTK_DRAWING_AREA(panel->area), draw, panel, NULL);
  gtk_accessible_update_property(GTK_ACCESSIBLE(panel->area), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                 _("Reserved memory, recorded and replayed"), -1);
  gtk_box_append(GTK_BOX(head), panel->verdict);
  gtk_box_append(GTK_BOX(head), panel->spinner);
  gtk_box_append(GTK_BOX(box), head);
  gtk_box_append(GTK_BOX(box), panel->peaks);
  gtk_box_append(GTK_BOX(box), panel->area);
  return box;
}

static void
tn_what_if_init(TnWhatIf *panel)
{
  gtk_box_append(GTK_BOX(panel), make_controls(panel));
  gtk_box_append(GTK_BOX(panel), make_answer(panel));
  g_signal_connect(panel, "map", G_CALLBACK(on_map), NULL);
}

GtkWidget *
tn_what_if_new(TnSession *session)
{
  TnWhatIf *panel = g_object_new(TN_TYPE_WHAT_IF, NULL);
  panel->session = g_object_ref(session);
  g_signal_connect_object(session, "study-changed", G_CALLBACK(on_study_changed), panel, 0);
  g_signal_connect_object(session, "view-changed", G_CALLBACK(on_view_changed), panel, 0);
  g_signal_connect_object(session, "units-changed", G_CALLBACK(on_units_changed), panel, 0);
  return GTK_WIDGET(panel);
}
