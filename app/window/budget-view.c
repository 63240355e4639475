/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/budget-view.h"

#include "app/answer/json.h"
#include "app/answer/words.h"
#include "app/window/background.h"
#include "app/window/budget-tables.h"
#include "app/window/save-dialog.h"
#include "app/window/texture.h"
#include "app/window/tip.h"
#include "app/window/view-parts.h"
#include "data/error.h"
#include "render/draw-budget.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#define WAIT_MS 150      /* after the last change: a slider is drawn along */
#define SWEEP_SHARE 0.42 /* of the width */
#define GAP 12

/* What a drawing of the lanes is of. */
typedef struct {
  const TnBudgetAnswer *plan;
  const TnTheme *theme;
  int width, height;
  double scale;
  TnUnits units;
} Lanes;

struct _TnBudgetView {
  GtkBox parent_instance;
  TnSession *session;
  GtkWidget *verdict, *note, *spinner, *save, *scale, *entry, *link, *area, *tables;
  TnBudgetAnswer *plan,
      *sweep;       /* owned; may be of an older budget, never of another study or link */
  GArray *points;   /* TnSpillPoint: the curve as far as it is known */
  TnBudgetJob *job; /* owned; NULL: none runs */
  tn_bytes budget;  /* asked for; 0: half way */
  bool is_chosen;   /* by a person; else it is half way for whatever study there is */
  guint wait;       /* source */
  bool is_filling;
  Lanes drawn;             /* what `lanes` shows; its plan may be gone */
  cairo_surface_t *lanes;  /* owned; NULL: none yet */
  bool is_drawing;         /* others, on another thread */
};

G_DEFINE_TYPE(TnBudgetView, tn_budget_view, GTK_TYPE_BOX)

static guint answered_signal;

const TnBudgetAnswer *
tn_budget_view_get_plan(TnBudgetView *view)
{
  return view->plan;
}

const TnBudgetAnswer *
tn_budget_view_get_sweep(TnBudgetView *view)
{
  return view->sweep;
}

static TnUnits
units_of(TnBudgetView *view)
{
  return tn_session_get_view(view->session)->units;
}

/* ---- what it says -------------------------------------------------------------------------- */

static void
show_entry(TnBudgetView *view)
{
  char size[48];
  gtk_editable_set_enable_undo(GTK_EDITABLE(view->entry), FALSE); /* what is taken back was typed */
  gtk_editable_set_text(GTK_EDITABLE(view->entry),
                        tn_print_bytes(size, sizeof size, view->budget, units_of(view)));
  gtk_editable_set_enable_undo(GTK_EDITABLE(view->entry), TRUE);
  gtk_widget_remove_css_class(view->entry, "error");
}

static void
show_controls(TnBudgetView *view)
{
  const TnSpillAnswer *answer = view->plan ? view->plan->answer : NULL;
  bool is_open = answer && answer->curve_budget > answer->smallest_budget;
  gtk_widget_set_sensitive(view->scale, is_open);
  gtk_widget_set_sensitive(view->entry, answer != NULL);
  gtk_widget_set_sensitive(view->save,
                           answer && answer->found.is_found && answer->budget == view->budget);
  gtk_spinner_set_spinning(GTK_SPINNER(view->spinner), view->job != NULL);
  if (!answer)
    return;
  double room = (double)answer->curve_budget - (double)answer->smallest_budget;
  view->is_filling = true;
  if (is_open) {
    gtk_range_set_range(GTK_RANGE(view->scale), (double)answer->smallest_budget,
                        (double)answer->curve_budget);
    gtk_range_set_increments(GTK_RANGE(view->scale), MAX(room / 100, 1.0), MAX(room / 10, 1.0));
  }
  gtk_range_set_value(GTK_RANGE(view->scale), (double)view->budget);
  view->is_filling = false;
}

static void
show_answer(TnBudgetView *view)
{
  const TnBudgetAnswer *plan = view->plan;
  g_autofree char *verdict = NULL, *note = NULL;
  if (plan && plan->answer) {
    verdict = tn_answer_build_spill_sentence(&plan->report, units_of(view));
    note = tn_answer_build_spill_note(&plan->report, units_of(view));
  }
  gtk_label_set_text(GTK_LABEL(view->verdict), verdict               ? verdict
                                               : plan && plan->error ? plan->error->message
                                                                     : _("Planning"));
  gtk_label_set_text(GTK_LABEL(view->note), note ? note : "");
  tn_budget_tables_set(TN_BUDGET_TABLES(view->tables), plan);
  gtk_widget_queue_draw(view->area);
}

/* ---- the jobs ------------------------------------------------------------------------------ */

static void ask(TnBudgetView *view);

static void
drop_job(TnBudgetView *view)
{
  if (view->job)
    tn_budget_job_drop(g_steal_pointer(&view->job));
}

static void
drop_lanes(TnBudgetView *view)
{
  g_clear_pointer(&view->lanes, cairo_surface_destroy);
  view->drawn.plan = NULL;
}

static void
drop_answers(TnBudgetView *view)
{
  tn_budget_tables_set(TN_BUDGET_TABLES(view->tables), NULL);
  drop_lanes(view);
  g_clear_pointer(&view->plan, tn_budget_answer_unref);
  g_clear_pointer(&view->sweep, tn_budget_answer_unref);
  g_array_set_size(view->points, 0);
}

static void
take_plan(TnBudgetView *view, TnBudgetAnswer *plan)
{
  tn_budget_tables_set(TN_BUDGET_TABLES(view->tables), NULL);
  view->drawn.plan = NULL; /* another may come to have its address; its lanes stay until there are others */
  g_clear_pointer(&view->plan, tn_budget_answer_unref);
  view->plan = plan;
  if (plan->answer && view->budget <= 0) {
    view->budget = plan->answer->budget;
    show_entry(view);
  }
  show_answer(view);
}

static void
on_swept(const TnSpillPoint *point, gpointer data)
{
  TnBudgetView *view = data;
  g_array_append_val(view->points, *point);
  gtk_widget_queue_draw(view->area);
}

static void
on_done(TnBudgetAnswer *answer, gpointer data)
{
  TnBudgetView *view = data;
  drop_job(view);
  if (answer->request.is_sweep) {
    g_clear_pointer(&view->sweep, tn_budget_answer_unref);
    view->sweep = answer;
    gtk_widget_queue_draw(view->area);
  } else {
    take_plan(view, answer);
  }
  ask(view);
  if (!view->job)
    g_signal_emit(view, answered_signal, 0);
}

/* The plan first, then the curve. */
static void
ask(TnBudgetView *view)
{
  static const TnBudgetJobCalls calls = {on_swept, on_done};
  TnBudgetRequest request = {view->budget, gtk_drop_down_get_selected(GTK_DROP_DOWN(view->link)),
                             false};
  bool has_plan = view->plan && (view->plan->error || view->plan->answer->budget == view->budget);
  if (!gtk_widget_get_mapped(GTK_WIDGET(view)) || view->job)
    return;
  request.is_sweep = has_plan;
  if (!has_plan || (!view->sweep && !view->plan->error)) {
    if (has_plan)
      g_array_set_size(view->points, 0);
    view->job = tn_budget_job_start(view->session, &request, &calls, view);
  }
  show_controls(view);
}

static gboolean
on_waited(gpointer data)
{
  TnBudgetView *view = data;
  view->wait = 0;
  drop_job(view);
  ask(view);
  return G_SOURCE_REMOVE;
}

static void
set_budget(TnBudgetView *view, tn_bytes budget)
{
  view->budget = MAX(budget, (tn_bytes)1);
  view->is_chosen = true;
  g_clear_handle_id(&view->wait, g_source_remove);
  view->wait = g_timeout_add(WAIT_MS, on_waited, view);
  show_entry(view);
  show_controls(view);
  gtk_widget_queue_draw(view->area);
}

static void
start_anew(TnBudgetView *view)
{
  g_clear_handle_id(&view->wait, g_source_remove);
  drop_job(view);
  drop_answers(view);
  show_answer(view);
  ask(view);
}

/* ---- what a person does -------------------------------------------------------------------- */

static void
on_scale(GtkRange *range, TnBudgetView *view)
{
  if (!view->is_filling)
    set_budget(view, (tn_bytes)gtk_range_get_value(range));
}

/* Exact bytes are written with commas. */
static void
on_entry(GtkEntry *entry, TnBudgetView *view)
{
  g_auto(GStrv) parts = g_strsplit(gtk_editable_get_text(GTK_EDITABLE(entry)), ",", -1);
  g_autofree char *text = g_strjoinv("", parts);
  tn_bytes budget;
  if (tn_parse_bytes(text, &budget) && budget > 0)
    set_budget(view, budget);
  else
    gtk_widget_add_css_class(view->entry, "error");
}

static void
on_link(GtkDropDown *drop, GParamSpec *pspec, TnBudgetView *view)
{
  start_anew(view);
}

static GBytes *
build_file(gpointer data, const char *path, GError **error)
{
  char *text = tn_spill_build_file(&((TnBudgetAnswer *)data)->report);
  if (text)
    return g_bytes_new_take(text, strlen(text));
  g_set_error(error, TN_DATA_ERROR, TN_DATA_ERROR_WRITE, "%s: %s", path, TN_JSON_TOO_LARGE);
  return NULL;
}

static void
on_save(GtkButton *button, TnBudgetView *view)
{
  static const TnSaveDialog dialog = {N_("Save Plan"), "spill-plan.json", {{"JSON", "*.json"}}};
  if (view->plan && view->plan->answer)
    tn_save_dialog_show_at(GTK_WIDGET(view), &dialog, build_file,
                           g_atomic_rc_box_acquire(view->plan),
                           (GDestroyNotify)tn_budget_answer_unref);
}

/* ---- the drawing --------------------------------------------------------------------------- */

static TnBudgetPicture
picture_of(TnBudgetView *view)
{
  TnBudgetPicture picture;
  const TnBudgetAnswer *plan = view->plan;
  tn_budget_picture_init(&picture, plan->view->graph, plan->view->strings, plan->answer,
                         &plan->report.run);
  picture.sweep = view->sweep && view->sweep->answer ? view->sweep->answer->sweep : view->points;
  picture.is_swept = view->sweep != NULL;
  picture.budget = view->budget;
  picture.units = units_of(view);
  return picture;
}

static TnRect
sweep_rect(GtkWidget *area)
{
  TnRect room = tn_view_room(area);
  return (TnRect){0, 0, floor(room.width * SWEEP_SHARE) - GAP / 2, room.height};
}

static TnRect
lanes_rect(GtkWidget *area)
{
  TnRect room = tn_view_room(area), left = sweep_rect(area);
  return (TnRect){left.width + GAP, 0, room.width - left.width - 2 * GAP, room.height};
}

typedef struct {
  TnBudgetView *view;   /* owned reference */
  TnBudgetAnswer *plan; /* owned reference */
  Lanes lanes;
  cairo_surface_t *surface; /* what was drawn */
} LanesJob;

static void
draw_lanes(const TnPaint *paint, TnRect rect, const void *payload)
{
  const LanesJob *job = payload;
  TnBudgetPicture picture;
  tn_budget_picture_init(&picture, job->plan->view->graph, job->plan->view->strings, job->plan->answer,
                         &job->plan->report.run);
  picture.units = job->lanes.units;
  tn_paint_rect(paint, rect, paint->theme->background);
  tn_draw_lanes(paint, &picture, rect);
}

static void
lanes_work(gpointer data)
{
  LanesJob *job = data;
  job->surface = tn_texture_draw(job->lanes.width, job->lanes.height, job->lanes.scale, job->lanes.theme,
                                 draw_lanes, job);
}

static void
lanes_done(gpointer data)
{
  LanesJob *job = data;
  TnBudgetView *view = job->view;
  view->is_drawing = false;
  if (!view->session)
    return;
  g_clear_pointer(&view->lanes, cairo_surface_destroy);
  view->lanes = g_steal_pointer(&job->surface);
  view->drawn = job->lanes;
  if (job->plan != view->plan)
    view->drawn.plan = NULL; /* it is about to go */
  gtk_widget_queue_draw(view->area);
}

static void
free_lanes(gpointer data)
{
  LanesJob *job = data;
  g_clear_pointer(&job->surface, cairo_surface_destroy);
  tn_budget_answer_unref(job->plan);
  g_object_unref(job->view);
  g_free(job);
}

static void
request_lanes(TnBudgetView *view, const Lanes *lanes)
{
  const Lanes *drawn = &view->drawn;
  bool is_drawn = view->lanes && drawn->plan == lanes->plan && drawn->theme == lanes->theme &&
                  drawn->width == lanes->width && drawn->height == lanes->height &&
                  drawn->scale == lanes->scale && drawn->units == lanes->units;
  if (is_drawn || view->is_drawing || lanes->width < 8 || lanes->height < 8)
    return;
  LanesJob *job = g_new0(LanesJob, 1);
  job->view = g_object_ref(view);
  job->plan = g_atomic_rc_box_acquire(view->plan);
  job->lanes = *lanes;
  view->is_drawing = true;
  tn_background_run(job, lanes_work, lanes_done, free_lanes);
}

/* A call for each op takes longer than a frame: the lanes are drawn on another thread, once for each plan and size. */
static void
show_lanes(TnBudgetView *view, const TnPaint *paint, TnRect rect)
{
  Lanes lanes = {view->plan, paint->theme, (int)ceil(rect.width), (int)ceil(rect.height), paint->scale,
                 units_of(view)};
  request_lanes(view, &lanes);
  if (!view->lanes)
    return;
  cairo_set_source_surface(paint->cr, view->lanes, rect.x, rect.y);
  cairo_paint(paint->cr);
}

static void
draw(GtkDrawingArea *area, cairo_t *cr, int width, int height, gpointer data)
{
  TnBudgetView *view = data;
  TnPaint paint = tn_view_paint(area, cr, width, height);
  TnRect left = sweep_rect(GTK_WIDGET(area));
  if (!view->plan || !view->plan->answer)
    return;
  TnBudgetPicture picture = picture_of(view);
  tn_draw_sweep(&paint, &picture, left);
  show_lanes(view, &paint, lanes_rect(GTK_WIDGET(area)));
}

static void
on_click(GtkGestureClick *click, int n, double x, double y, TnBudgetView *view)
{
  if (!view->plan || !view->plan->answer)
    return;
  TnBudgetPicture picture = picture_of(view);
  tn_bytes budget =
      tn_sweep_budget_at(&picture, sweep_rect(view->area), x / tn_view_zoom(view->area));
  if (budget > 0)
    set_budget(view, budget);
}

static gboolean
on_tooltip(
    GtkWidget *area, int x, int y, gboolean is_keyboard, GtkTooltip *tooltip, TnBudgetView *view)
{
  if (!view->plan || !view->plan->answer || is_keyboard)
    return FALSE;
  TnBudgetPicture picture = picture_of(view);
  TnRect right = lanes_rect(area);
  g_autofree char *text =
      tn_lanes_build_text_at(&picture, right, x / tn_view_zoom(area), y / tn_view_zoom(area));
  gtk_tooltip_set_text(tooltip, text);
  gtk_tooltip_set_tip_area(tooltip, &(GdkRectangle){x, y, 1, 1});
  return text != NULL;
}

/* ---- the session --------------------------------------------------------------------------- */

static void
on_map(TnBudgetView *view)
{
  ask(view);
}

static void
on_study_changed(TnSession *session, TnBudgetView *view)
{
  const TnStudy *study = tn_session_get_study(session);
  const TnStudy *asked = view->plan ? view->plan->study : NULL;
  if (asked && asked->document->graph == study->document->graph && asked->preset == study->preset)
    return; /* other offsets of the same lives */
  view->budget = view->is_chosen ? view->budget : 0;
  start_anew(view);
}

static void
on_units_changed(TnSession *session, TnBudgetView *view)
{
  if (view->budget > 0)
    show_entry(view);
  show_answer(view);
}

/* ---- making -------------------------------------------------------------------------------- */

static void
dispose(GObject *object)
{
  TnBudgetView *view = TN_BUDGET_VIEW(object);
  g_clear_handle_id(&view->wait, g_source_remove);
  drop_job(view);
  if (view->session)
    drop_answers(view);
  g_clear_object(&view->session);
  G_OBJECT_CLASS(tn_budget_view_parent_class)->dispose(object);
}

static void
finalize(GObject *object)
{
  g_array_unref(TN_BUDGET_VIEW(object)->points);
  g_clear_pointer(&TN_BUDGET_VIEW(object)->lanes, cairo_surface_destroy);
  G_OBJECT_CLASS(tn_budget_view_parent_class)->finalize(object);
}

static void
tn_budget_view_class_init(TnBudgetViewClass *class)
{
  G_OBJECT_CLASS(class)->dispose = dispose;
  G_OBJECT_CLASS(class)->finalize = finalize;
  answered_signal = g_signal_new("answered", G_TYPE_FROM_CLASS(class), G_SIGNAL_RUN_LAST, 0, NULL,
                                 NULL, NULL, G_TYPE_NONE, 0);
}

static void
tn_budget_view_init(TnBudgetView *view)
{
  view->points = g_array_new(FALSE, FALSE, sizeof(TnSpillPoint));
  gtk_orientable_set_orientation(GTK_ORIENTABLE(view), GTK_ORIENTATION_VERTICAL);
}

static GtkWidget *
make_head(TnBudgetView *view)
{
  view->verdict = tn_view_label_new("heading");
  view->note = tn_view_label_new("caption");
  view->spinner = gtk_spinner_new();
  view->save = tn_view_spoken(gtk_button_new_with_mnemonic(_("Sa_ve Plan…")));
  tn_tip_set(view->save, _("Lives, offsets and actions, for a runtime"));
  g_signal_connect(view->save, "clicked", G_CALLBACK(on_save), view);
  GtkWidget *const widgets[] = {view->spinner, view->save};
  return tn_view_head_new(view->verdict, view->note, widgets, G_N_ELEMENTS(widgets));
}

static GtkWidget *
make_controls(TnBudgetView *view)
{
  GtkWidget *bar = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 8);
  GtkWidget *label = gtk_label_new_with_mnemonic(_("_Budget"));
  g_auto(GStrv) links = tn_budget_link_names(tn_session_get_document(view->session)->graph);
  view->scale = gtk_scale_new_with_range(GTK_ORIENTATION_HORIZONTAL, 0, 1, 1);
  view->entry = gtk_entry_new();
  view->link = gtk_drop_down_new_from_strings((const char *const *)links);
  gtk_scale_set_draw_value(GTK_SCALE(view->scale), FALSE);
  gtk_widget_set_hexpand(view->scale, TRUE);
  gtk_editable_set_width_chars(GTK_EDITABLE(view->entry), 12);
  gtk_label_set_mnemonic_widget(GTK_LABEL(label), view->entry);
  tn_tip_set(view->entry, _("A size: 1.2 GiB, 1200 MB, 1200000000"));
  tn_tip_set(view->link, _("How fast copies between device and host are"));
  gtk_accessible_update_property(GTK_ACCESSIBLE(view->scale), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                 _("Budget, from the least possible to the peak"), -1);
  tn_view_name_drop_down(view->link, _("Link"));
  GtkWidget *const parts[] = {label, view->scale, view->entry, view->link};
  for (gsize i = 0; i < G_N_ELEMENTS(parts); i++)
    gtk_box_append(GTK_BOX(bar), parts[i]);
  gtk_widget_add_css_class(bar, "view-bar");
  g_signal_connect(view->scale, "value-changed", G_CALLBACK(on_scale), view);
  g_signal_connect(view->entry, "activate", G_CALLBACK(on_entry), view);
  g_signal_connect(view->link, "notify::selected", G_CALLBACK(on_link), view);
  return bar;
}

GtkWidget *
tn_budget_view_new(TnSession *session)
{
  TnBudgetView *view = g_object_new(TN_TYPE_BUDGET_VIEW, NULL);
  view->session = g_object_ref(session);
  view->area = tn_view_area_new(_("Time lost against the budget; memory, compute and copies"), 180,
                                draw, G_CALLBACK(on_click), view);
  gtk_widget_set_has_tooltip(view->area, TRUE);
  g_signal_connect(view->area, "query-tooltip", G_CALLBACK(on_tooltip), view);
  view->tables = tn_budget_tables_new(session);
  gtk_box_append(GTK_BOX(view), make_head(view));
  gtk_box_append(GTK_BOX(view), make_controls(view));
  gtk_box_append(GTK_BOX(view),
                 tn_view_paned_new(GTK_ORIENTATION_VERTICAL, view->area, view->tables, false));
  show_controls(view);
  g_signal_connect(view, "map", G_CALLBACK(on_map), NULL);
  g_signal_connect_object(session, "study-changed", G_CALLBACK(on_study_changed), view, 0);
  g_signal_connect_object(session, "units-changed", G_CALLBACK(on_units_changed), view, 0);
  return GTK_WIDGET(view);
}
