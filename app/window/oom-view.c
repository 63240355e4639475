/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/oom-view.h"

#include "app/window/background.h"
#include "app/window/replay-base.h"
#include "app/window/tip.h"
#include "app/window/view-parts.h"
#include "app/window/what-if.h"
#include "render/draw-oom.h"
#include "render/draw-totals.h"

#include <glib/gi18n.h>

struct _TnOomView {
  GtkBox parent_instance;
  TnSession *session;
  GtkWidget *bar, *label, *previous, *next, *spinner, *area;
  GtkWidget *toggle, *stack, *what_if;
  uint32_t k;             /* which failed request */
  const TnStudy *shown;   /* whose answer this is; compared, never followed */
  const TnDevice *device; /* whose suggestions these are; compared, never followed */
  TnOom *oom;
  TnSuggestions *suggestions;
  TnProgress *running; /* of the present job; owned by it */
};

G_DEFINE_TYPE(TnOomView, tn_oom_view, GTK_TYPE_BOX)

typedef struct {
  TnOomView *view;    /* owned reference */
  TnSession *session; /* owned reference: keeps the document */
  TnStudy *study;     /* owned reference */
  TnReplayBase *base; /* owned reference: of the same device */
  uint32_t mark;
  bool has_suggestions; /* already, of the same requests */
  TnProgress progress;
  TnOom *oom;
  TnSuggestions *suggestions;
} Job;

static void
free_job(gpointer data)
{
  Job *job = data;
  tn_oom_free(job->oom);
  tn_suggestions_free(job->suggestions);
  tn_replay_base_unref(job->base);
  tn_study_unref(job->study);
  g_object_unref(job->session);
  g_object_unref(job->view);
  g_free(job);
}

/* The smallest device of each setting takes a dozen runs more: not on a log of millions. */
static void
suggest(Job *job)
{
  const TnReplayLog *log = tn_replay_base_log(job->base);
  bool is_small = job->study->buffers->n < 300000;
  job->suggestions = tn_suggestions_new(log, log->limit_at_oom, is_small, &job->progress);
}

static void
work(gpointer data)
{
  Job *job = data;
  job->oom = tn_oom_new(job->study, job->mark, 0);
  if (!job->has_suggestions)
    suggest(job);
}

/* Of a text log: the sums it states are all there is to show of a failure, as in `draw --view oom`.
 */
static bool
has_only_totals(const TnStudy *study)
{
  return study->buffers->n == 0 && study->document->accounts->len > 0;
}

static void
show_state(TnOomView *view)
{
  const TnStudy *study = tn_session_get_study(view->session);
  uint32_t n = tn_oom_count(study->device);
  bool is_stepped = n > 1 && !has_only_totals(study);
  g_autofree char *text =
      n == 0   ? g_strdup(_("No request failed in this recording"))
      : n == 1 ? g_strdup(_("The request that failed"))
      : !is_stepped
          ? g_strdup_printf(ngettext("%u request that failed", "%u requests that failed", n), n)
          : g_strdup_printf(_("Failed request %u of %u"), view->k + 1, n);
  gtk_label_set_text(GTK_LABEL(view->label), text);
  gtk_widget_set_visible(view->previous, is_stepped);
  gtk_widget_set_visible(view->next, is_stepped);
  gtk_widget_set_sensitive(view->previous, view->k > 0);
  gtk_widget_set_sensitive(view->next, view->k + 1 < n);
  gtk_spinner_set_spinning(GTK_SPINNER(view->spinner), view->running != NULL);
  bool is_possible = tn_what_if_is_possible(view->session);
  gtk_widget_set_sensitive(view->toggle, is_possible);
  if (!is_possible)
    gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(view->toggle), FALSE);
  gtk_widget_queue_draw(view->area);
}

static void
drop_oom(TnOomView *view)
{
  if (view->running)
    g_atomic_int_set(&view->running->cancelled, 1);
  view->running = NULL;
  view->shown = NULL;
  g_clear_pointer(&view->oom, tn_oom_free);
}

static void
drop_answer(TnOomView *view)
{
  drop_oom(view);
  if (view->suggestions)
    tn_what_if_set_suggestions(TN_WHAT_IF(view->what_if), NULL);
  g_clear_pointer(&view->suggestions, tn_suggestions_free);
}

static void
done(gpointer data)
{
  Job *job = data;
  TnOomView *view = job->view;
  if (view->running != &job->progress)
    return;
  view->running = NULL;
  view->oom = g_steal_pointer(&job->oom);
  if (job->suggestions) {
    view->suggestions = g_steal_pointer(&job->suggestions);
    tn_what_if_set_suggestions(TN_WHAT_IF(view->what_if), view->suggestions);
  }
  show_state(view);
}

static void
ask(TnOomView *view)
{
  TnStudy *study = tn_session_get_study(view->session);
  if (!gtk_widget_get_mapped(GTK_WIDGET(view)) || view->shown == study)
    return;
  drop_oom(view);
  view->shown = study;
  uint32_t mark = tn_oom_find_mark(study->device, view->k);
  if (mark != TN_NONE && study->device->events.n > 0) {
    Job *job = g_new0(Job, 1);
    job->view = g_object_ref(view);
    job->session = g_object_ref(view->session);
    job->study = tn_study_ref(study);
    job->base = tn_replay_base_get(view->session);
    job->mark = mark;
    job->has_suggestions = view->suggestions != NULL;
    view->running = &job->progress;
    tn_background_run(job, work, done, free_job);
  }
  show_state(view);
}

/* The line above says that none failed; here stands what can be done. */
static const char *
advice(TnOomView *view)
{
  return tn_what_if_is_possible(view->session)
             ? _("“What If…” replays this log on a smaller device, with other settings or with "
                 "another allocator, and says which request would fail first.")
             : _("An allocator’s log of requests over time could be replayed here with other "
                 "settings; this file has none.");
}

static void
draw(GtkDrawingArea *area, cairo_t *cr, int width, int height, gpointer data)
{
  TnOomView *view = data;
  TnPaint paint = tn_view_paint(area, cr, width, height);
  TnRect rect = tn_view_room(GTK_WIDGET(area));
  const TnView *shown = tn_session_get_view(view->session);
  if (has_only_totals(shown->study))
    tn_draw_totals(&paint, shown->study->document, shown->units, rect);
  else if (view->oom)
    tn_draw_oom(&paint, shown, rect, view->oom, view->suggestions);
  else if (!view->running)
    tn_draw_no_oom(&paint, rect, advice(view));
}

static void
on_map(TnOomView *view)
{
  ask(view);
}

static void
on_study_changed(TnSession *session, TnOomView *view)
{
  const TnDevice *device = tn_session_get_study(session)->device;
  if (device != view->device) {
    view->k = 0;
    drop_answer(view);
  } else {
    drop_oom(view); /* names and colours are the study's */
  }
  view->device = device;
  ask(view);
}

static void
on_selection(TnSession *session, TnOomView *view)
{
  if (gtk_widget_get_mapped(view->area))
    gtk_widget_queue_draw(view->area);
}

static void
step(TnOomView *view, int by)
{
  view->k = (uint32_t)MAX((int)view->k + by, 0);
  drop_oom(view);
  ask(view);
}

uint32_t
tn_oom_view_get_request(TnOomView *view)
{
  return view->k;
}

static void
on_previous(GtkButton *button, TnOomView *view)
{
  step(view, -1);
}

static void
on_next(GtkButton *button, TnOomView *view)
{
  step(view, 1);
}

static void
on_toggled(GtkToggleButton *toggle, TnOomView *view)
{
  bool is_what_if = gtk_toggle_button_get_active(toggle);
  gtk_stack_set_visible_child(GTK_STACK(view->stack), is_what_if ? view->what_if : view->area);
}

static void
dispose(GObject *object)
{
  TnOomView *view = TN_OOM_VIEW(object);
  drop_answer(view);
  g_clear_object(&view->session);
  G_OBJECT_CLASS(tn_oom_view_parent_class)->dispose(object);
}

static void
tn_oom_view_class_init(TnOomViewClass *class)
{
  G_OBJECT_CLASS(class)->dispose = dispose;
}

static void
tn_oom_view_init(TnOomView *view)
{
  gtk_orientable_set_orientation(GTK_ORIENTABLE(view), GTK_ORIENTATION_VERTICAL);
}

static void
make_bar(TnOomView *view)
{
  view->bar = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 8);
  view->label = gtk_label_new("");
  view->previous = tn_view_spoken(gtk_button_new_with_mnemonic(_("_Previous")));
  view->next = tn_view_spoken(gtk_button_new_with_mnemonic(_("_Next")));
  view->spinner = gtk_spinner_new();
  view->toggle = tn_view_spoken(gtk_toggle_button_new_with_mnemonic(_("What _If…")));
  tn_tip_set(view->toggle, _("Replay with other settings or another device"));
  gtk_widget_set_hexpand(view->toggle, TRUE);
  gtk_widget_set_halign(view->toggle, GTK_ALIGN_END);
  gtk_widget_add_css_class(view->label, "heading");
  gtk_widget_set_margin_start(view->bar, 12);
  gtk_widget_set_margin_end(view->bar, 12);
  gtk_widget_set_margin_top(view->bar, 6);
  g_signal_connect(view->previous, "clicked", G_CALLBACK(on_previous), view);
  g_signal_connect(view->next, "clicked", G_CALLBACK(on_next), view);
  g_signal_connect(view->toggle, "toggled", G_CALLBACK(on_toggled), view);
  gtk_box_append(GTK_BOX(view->bar), view->label);
  gtk_box_append(GTK_BOX(view->bar), view->spinner);
  gtk_box_append(GTK_BOX(view->bar), view->previous);
  gtk_box_append(GTK_BOX(view->bar), view->next);
  gtk_box_append(GTK_BOX(view->bar), view->toggle);
}

GtkWidget *
tn_oom_view_new(TnSession *session)
{
  TnOomView *view = g_object_new(TN_TYPE_OOM_VIEW, NULL);
  view->session = g_object_ref(session);
  view->device = tn_session_get_study(session)->device;
  make_bar(view);
  view->area = gtk_drawing_area_new();
  tn_view_set_needed_height(view->area, 440);
  gtk_widget_set_hexpand(view->area, TRUE);
  gtk_widget_set_vexpand(view->area, TRUE);
  gtk_drawing_area_set_draw_func(GTK_DRAWING_AREA(view->area), draw, view, NULL);
  g_signal_connect(view, "map", G_CALLBACK(on_map), NULL);
  gtk_accessible_update_property(GTK_ACCESSIBLE(view->area), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                 _("Why the request failed, and what would have helped"), -1);
  gtk_box_append(GTK_BOX(view), view->bar);
  view->what_if = tn_what_if_new(session);
  view->stack = gtk_stack_new();
  gtk_stack_add_child(GTK_STACK(view->stack), view->area);
  gtk_stack_add_child(GTK_STACK(view->stack), view->what_if);
  gtk_box_append(GTK_BOX(view), view->stack);
  g_signal_connect_object(session, "study-changed", G_CALLBACK(on_study_changed), view, 0);
  g_signal_connect_object(session, "selection-changed", G_CALLBACK(on_selection), view, 0);
  g_signal_connect_object(session, "units-changed", G_CALLBACK(on_selection), view, 0);
  return GTK_WIDGET(view);
}
