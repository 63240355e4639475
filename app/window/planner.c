/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/planner.h"

#include "analysis/plan/plan.h"
#include "app/answer/inside-ops.h"
#include "app/window/background.h"
#include "app/window/left-dialog.h"
#include "data/document-view.h"
#include "data/runtime.h"
#include "app/window/tip.h"
#include "app/window/view-parts.h"
#include "data/units.h"

#include <glib/gi18n.h>

struct _TnPlanner {
  GtkPopover parent_instance;
  TnSession *session;
  GtkWidget *runtime, *strategy, *limit, *start, *stop, *spinner, *result, *tried;
  bool is_following;   /* the runtime changes because the study has another */
};

G_DEFINE_TYPE(TnPlanner, tn_planner, GTK_TYPE_POPOVER)

/* What is planned of a session and said of it: goes on while another tab is in front. */
typedef struct {
  TnPlanner *planner;  /* that shows it; NULL: its tab is not in front */
  TnProgress *running; /* of the present task; owned by it */
  char *result, *tried;
} Planning;

/* Held by the work and by each picture on its way; the last one lets go on the main thread. */
typedef struct {
  gint references;
  TnSession *session; /* owned reference */
  TnStudy *study;     /* owned reference: whose lives are planned */
  TnFindings *of_lives; /* owned: what is said of those lives, and of any plan of them */
  const TnDocument *asked_of; /* what was shown then; the session keeps it */
  const char *preset; /* the runtime's whose rules they follow; NULL: the file's */
  TnDocument *view;   /* of a study for another runtime; NULL: none, or the session keeps it by now */
  const TnStrategy *strategy;
  TnPlanParams params;
  TnStreamUses *uses; /* NULL: streams order nothing */
  TnProgress progress;
  gint64 last_shown; /* µs */
  bool is_done;
  TnPlan *plan;
  TnStudy *placed;
  TnFindings *findings;
  GError *error;
} PlanJob;

typedef struct {
  PlanJob *job; /* a reference */
  TnStudy *placed;
  TnFindings *findings;
} Better;

static void
unref_job(gpointer data)
{
  PlanJob *job = data;
  if (!g_atomic_int_dec_and_test(&job->references))
    return;
  tn_plan_free(job->plan);
  tn_stream_uses_free(job->uses);
  tn_study_unref(job->placed);
  tn_findings_free(job->findings);
  tn_findings_free(job->of_lives);
  tn_study_unref(job->study);
  tn_document_view_free(job->view);
  g_clear_error(&job->error);
  g_object_unref(job->session);
  g_free(job);
}

static void
free_planning(gpointer data)
{
  Planning *planning = data;
  g_free(planning->result);
  g_free(planning->tried);
  g_free(planning);
}

static Planning *
planning_of(TnSession *session)
{
  Planning *planning = g_object_get_data(G_OBJECT(session), "planning");
  if (planning)
    return planning;
  planning = g_new0(Planning, 1);
  g_object_set_data_full(G_OBJECT(session), "planning", planning, free_planning);
  return planning;
}

/* ---- what is said ----------------------------------------------------------------------------- */

static void
show_planning(TnPlanner *planner)
{
  const Planning *planning = planner->session ? planning_of(planner->session) : NULL;
  bool is_running = planning && planning->running;
  gtk_label_set_text(GTK_LABEL(planner->result), planning && planning->result ? planning->result : "");
  gtk_label_set_text(GTK_LABEL(planner->tried), planning && planning->tried ? planning->tried : "");
  gtk_widget_set_sensitive(planner->start, planning && !is_running);
  gtk_widget_set_sensitive(planner->stop, is_running);
  gtk_spinner_set_spinning(GTK_SPINNER(planner->spinner), is_running);
}

/* Takes the text. */
static void
say(Planning *planning, char *result)
{
  g_free(planning->result);
  planning->result = result;
  if (planning->planner)
    show_planning(planning->planner);
}

static TnFindings *
find(const TnStudy *study, const TnFindings *of_lives)
{
  TnFindParams params = {0};
  TnFindings *findings = tn_findings_new();
  tn_answer_keep_uncounted(of_lives, findings);
  tn_find_all(study, &params, findings);
  return findings;
}

/* ---- the best so far ---------------------------------------------------------------------------
 */

/* Another device, order or edit may have been chosen meanwhile: its picture is not taken away.  The document may be
 * the job's own, of another runtime. */
static bool
is_shown_still(const PlanJob *job)
{
  const TnStudy *shown = tn_session_get_study(job->session);
  return shown->device == job->study->device &&
         (shown->document == job->asked_of || shown->document == job->study->document);
}

/* Takes both. */
static void
show(PlanJob *job, TnStudy *placed, TnFindings *findings)
{
  if (job->view)
    tn_session_keep_document(job->session, g_steal_pointer(&job->view));
  tn_session_set_study(job->session, placed, findings);
}

static gboolean
show_better(gpointer data)
{
  Better *better = data;
  Planning *planning = planning_of(better->job->session);
  if (planning->running == &better->job->progress && !better->job->is_done &&
      is_shown_still(better->job)) {
    char size[48];
    say(planning,
        g_strdup_printf(_("so far %s"), tn_print_bytes(size, sizeof size, better->placed->arena_bytes,
                                                       TN_UNITS_BYTES)));
    show(better->job, g_steal_pointer(&better->placed), g_steal_pointer(&better->findings));
  }
  tn_study_unref(better->placed);
  tn_findings_free(better->findings);
  unref_job(better->job);
  g_free(better);
  return G_SOURCE_REMOVE;
}

/* From the working thread; at most four pictures a second. */
static void
on_improved(const tn_bytes *offset, uint32_t n, tn_bytes arena, void *payload)
{
  PlanJob *job = payload;
  gint64 now = g_get_monotonic_time();
  if (n != job->study->buffers->n || now - job->last_shown < 250 * 1000)
    return;
  job->last_shown = now;
  Better *better = g_new0(Better, 1);
  g_atomic_int_inc(&job->references);
  better->job = job;
  better->placed = tn_study_new_with_offsets(job->study, offset, &arena, 1);
  tn_study_prepare(better->placed, TN_GROUP_AUTO, NULL);
  better->findings = find(better->placed, job->of_lives);
  g_idle_add(show_better, better);
}

/* ---- the task ----------------------------------------------------------------------------------
 */

/* Another runtime has other aliases, sizes, workspaces: other lives, of the same file.  Names of its workspaces
 * are added to a copy of the strings: the window and its pictures read the file's meanwhile. */
static bool
take_runtime(PlanJob *job)
{
  TnStudyParams params = TN_STUDY_PARAMS_INIT;
  if (g_strcmp0(job->preset, job->study->preset) == 0)
    return true;
  params.graph.preset = job->preset;
  job->view = tn_document_view_new(job->study->document, NULL, true);
  TnStudy *study =
      tn_study_new(job->view, job->study->device_row, &params, &job->progress, &job->error);
  if (!study)
    return false;
  tn_study_unref(job->study);
  job->study = study;
  tn_findings_free(job->of_lives);
  job->of_lives = tn_findings_new();
  tn_answer_find_uncounted(study, job->of_lives);
  return true;
}

static void
work(gpointer data)
{
  PlanJob *job = data;
  if (!take_runtime(job))
    return;
  tn_bytes alignment = job->study->alignment;
  const TnStudy *study = job->study;
  job->uses = tn_stream_uses_new_for_study(study, NULL, NULL);
  job->params.uses = job->uses;
  job->params.progress = &job->progress;
  job->params.improved = on_improved;
  job->params.improved_payload = job;
  job->last_shown = g_get_monotonic_time();
  job->plan = tn_plan_new_for_buffers(job->study->buffers, job->strategy, alignment, &job->params);
  if (job->plan->status != TN_PLAN_FAILED && job->plan->offset) {
    job->placed = tn_study_new_with_offsets(job->study, job->plan->offset, job->plan->space_arena,
                                            job->plan->n_spaces);
    tn_study_prepare(job->placed, TN_GROUP_AUTO, NULL);
    job->findings = find(job->placed, job->of_lives);
  }
}

static char *
dup_result(const TnPlan *plan, const char *preset)
{
  char arena[48], bound[48];
  if (plan->status == TN_PLAN_FAILED)
    return g_strdup(plan->message ? plan->message : _("No plan"));
  /* A plan is worth its last bytes: exact figures. */
  tn_print_bytes(arena, sizeof arena, plan->arena_bytes, TN_UNITS_BYTES);
  tn_print_bytes(bound, sizeof bound, plan->proved_bound_bytes, TN_UNITS_BYTES);
  g_autofree char *name =
      preset ? g_strdup_printf(_("%s as %s"), plan->strategy, preset) : g_strdup(plan->strategy);
  return g_strdup_printf(
      plan->is_optimal ? _("%s: arena %s (optimal, proved), bound %s, in %.2f s")
                       : _("%s: arena %s (not proved optimal), bound %s, in %.2f s"),
      name, arena, bound, plan->seconds);
}

static char *
dup_tried(const TnPlan *plan)
{
  char size[48];
  GString *rows = g_string_new(NULL);
  for (guint i = 0; plan->status != TN_PLAN_FAILED && i < plan->tried->len; i++) {
    const TnPlanTry *try = &g_array_index(plan->tried, TnPlanTry, i);
    g_string_append_printf(
        rows, "%s%s  %s  %.3f s", i ? "\n" : "", try->strategy,
        try->status == TN_PLAN_FAILED
            ? "–"
            : tn_print_bytes(size, sizeof size, try->arena_bytes, TN_UNITS_BYTES),
        try->seconds);
  }
  if (plan->note)
    g_string_append_printf(rows, "\n%s", plan->note);
  return g_string_free(rows, FALSE);
}

static void
done(gpointer data)
{
  PlanJob *job = data;
  Planning *planning = planning_of(job->session);
  job->is_done = true;
  if (planning->running != &job->progress)
    return;
  planning->running = NULL;
  if (job->plan)
    planning->tried = dup_tried(job->plan);
  say(planning, job->plan ? dup_result(job->plan, job->study->preset) : g_strdup(job->error->message));
  if (job->placed && is_shown_still(job))
    show(job, g_steal_pointer(&job->placed), g_steal_pointer(&job->findings));
}

/* NULL: as the file says. */
static const TnRuntime *
chosen_runtime(TnPlanner *planner)
{
  guint row = gtk_drop_down_get_selected(GTK_DROP_DOWN(planner->runtime));
  bool is_any = gtk_widget_get_sensitive(planner->runtime) && row > 0;
  return is_any ? tn_runtimes()[row - 1] : NULL;
}

/* Its rules, and the planner most like its own. */
static void
on_runtime(GtkDropDown *drop, GParamSpec *pspec, TnPlanner *planner)
{
  const TnRuntime *runtime = chosen_runtime(planner);
  const char *name = runtime && runtime->strategy ? runtime->strategy : "best";
  tn_tip_set(
      planner->runtime, runtime ? runtime->title : _("Sizes and aliases as the file states them"));
  for (guint i = 0; tn_strategies()[i] && !planner->is_following; i++)
    if (g_strcmp0(tn_strategies()[i]->name, name) == 0)
      gtk_drop_down_set_selected(GTK_DROP_DOWN(planner->strategy), i);
}

/* Only a graph's lives depend on what runs it; the choice is what the study in front has. */
static void
follow_runtime(TnPlanner *planner)
{
  const TnStudy *study = planner->session ? tn_session_get_study(planner->session) : NULL;
  guint row = 0;
  for (guint i = 0; study && tn_runtimes()[i]; i++)
    if (g_strcmp0(tn_runtimes()[i]->name, study->preset) == 0)
      row = i + 1;
  planner->is_following = true;
  gtk_widget_set_sensitive(planner->runtime,
                           study && study->document->graph && !study->device->buffers);
  gtk_drop_down_set_selected(GTK_DROP_DOWN(planner->runtime), row);
  planner->is_following = false;
}

static void
on_study_changed(TnSession *session, TnPlanner *planner)
{
  if (!planning_of(session)->running)
    follow_runtime(planner);
}

static void
on_start(GtkButton *button, TnPlanner *planner)
{
  Planning *planning = planner->session ? planning_of(planner->session) : NULL;
  if (!planning || planning->running)
    return;
  PlanJob *job = g_new0(PlanJob, 1);
  job->references = 1;
  guint row = gtk_drop_down_get_selected(GTK_DROP_DOWN(planner->strategy));
  job->session = g_object_ref(planner->session);
  job->study = tn_study_ref(tn_session_get_study(planner->session));
  job->asked_of = job->study->document;
  job->of_lives = tn_findings_new();
  tn_answer_keep_uncounted(tn_session_get_findings(job->session), job->of_lives);
  job->strategy = tn_strategies()[row];
  const TnRuntime *runtime = chosen_runtime(planner);
  job->preset = runtime ? runtime->name : NULL;
  job->params.time_limit = gtk_spin_button_get_value(GTK_SPIN_BUTTON(planner->limit));
  planning->running = &job->progress;
  g_clear_pointer(&planning->tried, g_free);
  say(planning, g_strdup(_("Planning…")));
  tn_background_run(job, work, done, unref_job);
}

static void
on_left(GtkButton *button, TnPlanner *planner)
{
  GtkRoot *root = gtk_widget_get_root(GTK_WIDGET(planner));
  if (!planner->session)
    return;
  gtk_popover_popdown(GTK_POPOVER(planner));
  tn_left_dialog_show(GTK_WINDOW(root), planner->session);
}

static void
on_stop(GtkButton *button, TnPlanner *planner)
{
  const Planning *planning = planner->session ? planning_of(planner->session) : NULL;
  if (planning && planning->running)
    g_atomic_int_set(&planning->running->cancelled, 1);
}

void
tn_planner_forget(TnSession *session)
{
  Planning *planning = planning_of(session);
  if (planning->running)
    g_atomic_int_set(&planning->running->cancelled, 1);
  planning->running = NULL;
}

/* Another window's may show it by now. */
static void
leave_session(TnPlanner *planner)
{
  if (!planner->session)
    return;
  Planning *planning = planning_of(planner->session);
  if (planning->planner == planner)
    planning->planner = NULL;
  g_signal_handlers_disconnect_by_data(planner->session, planner);
  g_clear_object(&planner->session);
}

void
tn_planner_set_session(TnPlanner *planner, TnSession *session)
{
  if (planner->session == session)
    return;
  leave_session(planner);
  if (session) {
    planner->session = g_object_ref(session);
    planning_of(session)->planner = planner;
    g_signal_connect_object(session, "study-changed", G_CALLBACK(on_study_changed), planner, 0);
  }
  follow_runtime(planner);
  show_planning(planner);
}

/* ---- making ------------------------------------------------------------------------------------
 */

static GtkWidget *
make_strategies(void)
{
  const TnStrategy *const *all = tn_strategies();
  GtkStringList *names = gtk_string_list_new(NULL);
  guint best = 0;
  for (guint i = 0; all[i]; i++) {
    gtk_string_list_append(names, all[i]->name);
    if (g_strcmp0(all[i]->name, "best") == 0)
      best = i;
  }
  GtkWidget *drop = gtk_drop_down_new(G_LIST_MODEL(names), NULL);
  gtk_drop_down_set_selected(GTK_DROP_DOWN(drop), best);
  gtk_widget_set_hexpand(drop, TRUE);
  tn_view_name_drop_down(drop, _("Strategy"));
  return drop;
}

static GtkWidget *
make_runtimes(TnPlanner *planner)
{
  GtkStringList *names = gtk_string_list_new(NULL);
  gtk_string_list_append(names, _("As the file says"));
  for (guint i = 0; tn_runtimes()[i]; i++)
    gtk_string_list_append(names, tn_runtimes()[i]->name);
  GtkWidget *drop = gtk_drop_down_new(G_LIST_MODEL(names), NULL);
  tn_view_name_drop_down(drop, _("Preset"));
  g_signal_connect(drop, "notify::selected", G_CALLBACK(on_runtime), planner);
  return drop;
}

static void
attach(GtkGrid *grid, int row, const char *text, GtkWidget *widget)
{
  GtkWidget *label = gtk_label_new_with_mnemonic(text);
  gtk_label_set_xalign(GTK_LABEL(label), 0.0f);
  gtk_label_set_mnemonic_widget(GTK_LABEL(label), widget);
  gtk_grid_attach(grid, label, 0, row, 1, 1);
  gtk_grid_attach(grid, widget, 1, row, 1, 1);
}

static GtkWidget *
make_buttons(TnPlanner *planner)
{
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 8);
  planner->start = tn_view_spoken(gtk_button_new_with_mnemonic(_("_Plan")));
  planner->stop = tn_view_spoken(gtk_button_new_with_mnemonic(_("_Stop")));
  planner->spinner = gtk_spinner_new();
  gtk_widget_add_css_class(planner->start, "suggested-action");
  g_signal_connect(planner->start, "clicked", G_CALLBACK(on_start), planner);
  g_signal_connect(planner->stop, "clicked", G_CALLBACK(on_stop), planner);
  gtk_box_append(GTK_BOX(box), planner->start);
  gtk_box_append(GTK_BOX(box), planner->stop);
  gtk_box_append(GTK_BOX(box), planner->spinner);
  GtkWidget *left = tn_view_spoken(gtk_button_new_with_mnemonic(_("_What It Leaves…")));
  tn_tip_set(
      left, _("How much smaller a plan of the same lives could be, and because of "
              "which buffers"));
  gtk_widget_set_hexpand(left, TRUE);
  gtk_widget_set_halign(left, GTK_ALIGN_END);
  g_signal_connect(left, "clicked", G_CALLBACK(on_left), planner);
  gtk_box_append(GTK_BOX(box), left);
  return box;
}

static void
dispose(GObject *object)
{
  leave_session(TN_PLANNER(object));
  G_OBJECT_CLASS(tn_planner_parent_class)->dispose(object);
}

static void
tn_planner_class_init(TnPlannerClass *class)
{
  G_OBJECT_CLASS(class)->dispose = dispose;
}

static GtkWidget *
make_note(const char *class)
{
  GtkWidget *label = gtk_label_new("");
  gtk_label_set_wrap(GTK_LABEL(label), TRUE);
  gtk_label_set_xalign(GTK_LABEL(label), 0.0f);
  gtk_label_set_max_width_chars(GTK_LABEL(label), 44);
  if (class)
    gtk_widget_add_css_class(label, class);
  return label;
}

static void
tn_planner_init(TnPlanner *planner)
{
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 10), *grid = gtk_grid_new();
  planner->strategy = make_strategies();
  planner->runtime = make_runtimes(planner);
  planner->limit = gtk_spin_button_new_with_range(0.1, 3600.0, 1.0);
  gtk_spin_button_set_digits(GTK_SPIN_BUTTON(planner->limit), 1);
  gtk_spin_button_set_value(GTK_SPIN_BUTTON(planner->limit), 5.0);
  gtk_grid_set_row_spacing(GTK_GRID(grid), 6);
  gtk_grid_set_column_spacing(GTK_GRID(grid), 12);
  attach(GTK_GRID(grid), 0, _("_Runtime"), planner->runtime);
  attach(GTK_GRID(grid), 1, _("S_trategy"), planner->strategy);
  attach(GTK_GRID(grid), 2, _("Time _limit, seconds"), planner->limit);
  planner->result = make_note(NULL);
  planner->tried = make_note("dim-label");
  gtk_widget_add_css_class(planner->tried, "numeric");
  gtk_box_append(GTK_BOX(box), grid);
  gtk_box_append(GTK_BOX(box), make_buttons(planner));
  gtk_box_append(GTK_BOX(box), planner->result);
  gtk_box_append(GTK_BOX(box), planner->tried);
  gtk_widget_set_margin_start(box, 6);
  gtk_widget_set_margin_end(box, 6);
  gtk_widget_set_margin_top(box, 6);
  gtk_widget_set_margin_bottom(box, 6);
  gtk_popover_set_child(GTK_POPOVER(planner), box);
  gtk_popover_set_default_widget(GTK_POPOVER(planner), planner->start);
  show_planning(planner);
}

GtkWidget *
tn_planner_new(void)
{
  return g_object_new(TN_TYPE_PLANNER, NULL);
}
