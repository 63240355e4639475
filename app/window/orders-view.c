/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/orders-view.h"

#include "app/answer/json.h"
#include "app/answer/order-answer.h"
#include "app/answer/words.h"
#include "app/window/loader.h"
#include "app/window/orders-job.h"
#include "app/window/orders-log.h"
#include "app/window/save-dialog.h"
#include "app/window/text-table.h"
#include "app/window/tip.h"
#include "app/window/view-parts.h"
#include "data/document-view.h"
#include "data/error.h"
#include "data/graph-order.h"
#include "render/draw-orders.h"

#include <glib/gi18n.h>
#include <string.h>

#define METHOD_SECONDS 5

enum { COLUMN_NAME, COLUMN_PEAK, COLUMN_CHANGE, COLUMN_PROVED, COLUMN_SECONDS, N_COLUMNS };

static const TnColumnSpec columns[N_COLUMNS] = {
    [COLUMN_NAME] = {N_("Order"), false, 0},          [COLUMN_PEAK] = {N_("Peak"), true, 84},
    [COLUMN_CHANGE] = {N_("Against file"), true, 92}, [COLUMN_PROVED] = {N_("Proved"), false, 164},
    [COLUMN_SECONDS] = {N_("Seconds"), true, 72},
};

struct _TnOrdersView {
  GtkBox parent_instance;
  TnSession *session;
  GtkWidget *verdict, *reason, *spinner, *stop, *use, *export, *area, *table, *log;
  TnOrdersFound *found;          /* owned reference */
  TnOrderComparison *comparison; /* of it */
  TnOrdersJob *job;              /* owned; NULL: none runs */
  bool has_failed;               /* the head says why, until another search */
  const GArray *ops;             /* of the graph that was asked about, which edits replace */
  const char *preset;            /* the runtime's whose rules it was asked with; NULL: the file's */
  guint selected;                /* row of the comparison; TN_NONE */
  bool is_chosen;                /* by a person: the best is not selected any more */
};

G_DEFINE_TYPE(TnOrdersView, tn_orders_view, GTK_TYPE_BOX)

static guint answered_signal;

static void
clear_found(gpointer data)
{
  tn_order_comparison_free(((TnOrdersFound *)data)->comparison);
}

void
tn_orders_found_unref(TnOrdersFound *found)
{
  g_atomic_rc_box_release_full(found, clear_found);
}

TnOrdersFound *
tn_orders_view_dup_found(TnOrdersView *view)
{
  bool is_there = !view->job && view->comparison->rows->len > 0;
  return is_there ? g_atomic_rc_box_acquire(view->found) : NULL;
}

/* Others in place of those that there were. */
static void
renew_found(TnOrdersView *view)
{
  g_clear_pointer(&view->found, tn_orders_found_unref);
  view->found = g_atomic_rc_box_new0(TnOrdersFound);
  view->comparison = view->found->comparison = tn_order_comparison_new();
}

const TnOrderComparison *
tn_orders_view_get_comparison(TnOrdersView *view)
{
  return view->comparison;
}

guint
tn_orders_view_get_selected(TnOrdersView *view)
{
  return view->selected;
}

static const TnOrderRow *
selected_row(TnOrdersView *view)
{
  return view->selected < view->comparison->rows->len
             ? tn_order_comparison_get(view->comparison, view->selected)
             : NULL;
}

/* ---- what it says -------------------------------------------------------------------------- */

static bool
is_in_use(TnOrdersView *view, const TnOrderRow *row)
{
  const GArray *order = tn_session_get_study(view->session)->document->graph->order;
  return order->len == row->answer->n &&
         memcmp(order->data, row->answer->order, row->answer->n * sizeof(uint32_t)) == 0;
}

static char *
dup_text(uint32_t i, int column, gpointer data)
{
  TnOrdersView *view = data;
  TnUnits units = tn_session_get_view(view->session)->units;
  const TnOrderRow *row = tn_order_comparison_get(view->comparison, i);
  switch (column) {
  case COLUMN_NAME:
    return g_strdup_printf("%s%s", is_in_use(view, row) ? "✓ " : "", row->method->name);
  case COLUMN_PEAK:
    return tn_format_bytes(row->answer->peak, units);
  case COLUMN_CHANGE:
    return tn_orders_build_change(view->comparison, i);
  case COLUMN_PROVED: {
    if (row->answer->adds_batches)
      return g_strdup(_("nothing: batches added up"));
    g_autofree char *bound = tn_format_bytes(row->answer->bound, units);
    return row->answer->is_optimal ? g_strdup(_("optimal"))
                                   : g_strdup_printf(_("none below %s"), bound);
  }
  default:
    return g_strdup_printf("%.3f", row->answer->seconds);
  }
}

static void
show_words(TnOrdersView *view, const TnOrderMethod *next)
{
  TnUnits units = tn_session_get_view(view->session)->units;
  g_autofree char *verdict = tn_answer_build_orders_sentence(view->comparison, units);
  g_autofree char *reason = tn_answer_build_orders_reason(
      view->comparison, tn_session_get_document(view->session),
      tn_session_get_study(view->session)->n_unsized, units);
  g_autofree char *working =
      next ? g_strdup_printf(_("Now %s: %s"), next->name, next->title) : NULL;
  gtk_label_set_text(GTK_LABEL(view->verdict), verdict[0] ? verdict : _("Looking for orders"));
  gtk_label_set_text(GTK_LABEL(view->reason), working ? working : reason);
}

static void
show_selected(TnOrdersView *view)
{
  const TnOrderRow *row = selected_row(view);
  g_autofree char *title =
      row ? g_strdup_printf(_("Steps of the order “%s”"), row->method->name) : g_strdup("");
  tn_orders_log_set(TN_ORDERS_LOG(view->log), row ? row->log : NULL, title);
  gtk_widget_set_sensitive(view->use, row && !is_in_use(view, row));
  gtk_widget_set_sensitive(view->export, row != NULL);
  gtk_widget_queue_draw(view->area);
}

static void
show_rows(TnOrdersView *view)
{
  tn_text_table_fill(TN_TEXT_TABLE(view->table), view->comparison->rows->len);
  tn_text_table_select(TN_TEXT_TABLE(view->table), view->selected);
}

static void
show_running(TnOrdersView *view)
{
  gtk_spinner_set_spinning(GTK_SPINNER(view->spinner), view->job != NULL);
  gtk_widget_set_visible(view->spinner, view->job != NULL);
  gtk_widget_set_visible(view->stop, view->job != NULL);
}

/* ---- the search ---------------------------------------------------------------------------- */

static void
end_job(TnOrdersView *view)
{
  if (view->job)
    tn_orders_job_drop(g_steal_pointer(&view->job));
  show_running(view);
}

static void
on_found(TnOrderRow *row, const TnOrderMethod *next, gpointer data)
{
  TnOrdersView *view = data;
  /* The table's rows are borrowed from the array that grows. */
  tn_orders_log_set(TN_ORDERS_LOG(view->log), NULL, "");
  tn_order_comparison_add(view->comparison, row);
  if (!view->is_chosen)
    view->selected = tn_order_comparison_best(view->comparison);
  show_words(view, next);
  show_rows(view);
  show_selected(view);
  if (next)
    return;
  end_job(view);
  g_signal_emit(view, answered_signal, 0);
}

static void
on_failed(const GError *error, gpointer data)
{
  TnOrdersView *view = data;
  end_job(view);
  view->has_failed = true;
  gtk_label_set_text(GTK_LABEL(view->verdict), error->message);
  gtk_label_set_text(GTK_LABEL(view->reason), "");
}

static void
on_map(TnOrdersView *view)
{
  static const TnOrdersJobCalls calls = {on_found, on_failed};
  if (view->job || view->comparison->rows->len)
    return;
  view->ops = tn_session_get_document(view->session)->graph->ops;
  view->preset = tn_session_get_study(view->session)->preset;
  view->has_failed = false;
  view->job = tn_orders_job_start(view->session, METHOD_SECONDS, &calls, view);
  show_words(view, tn_order_methods()[0]);
  show_running(view);
}

static void
on_stop(GtkButton *button, TnOrdersView *view)
{
  if (view->job)
    tn_orders_job_stop(view->job);
}

/* ---- what a person does with them ---------------------------------------------------------- */

static void
on_row(TnTextTable *table, TnOrdersView *view)
{
  view->selected = tn_text_table_get_selected(table);
  view->is_chosen = true;
  show_selected(view);
}

static void
on_step(TnOrdersLog *log, TnOrdersView *view)
{
  gtk_widget_queue_draw(view->area);
}

static void
on_use(GtkButton *button, TnOrdersView *view)
{
  const TnOrderRow *row = selected_row(view);
  if (row)
    tn_load_order(view->session, row->answer->order);
}

typedef struct {
  TnSession *session; /* owned reference: keeps the document */
  TnDocument *view;   /* owned */
  TnOrderAnswer answer;
  TnOrderReport report;
} Export;

static GBytes *
build_export(gpointer data, const char *path, GError **error)
{
  Export *export = data;
  TnGraphLifetimeParams lifetime = export->report.lifetime;
  lifetime.order = export->answer.order;
  g_autoptr(TnOrderLog) log =
      tn_order_log_new(export->view->graph, export->view->strings, &lifetime, NULL);
  export->report.log = log;
  tn_order_report_plan_offsets(&export->report);
  cJSON *object = tn_order_report_build_json(&export->report);
  char *text = tn_json_dup_text(object, false);
  cJSON_Delete(object);
  if (text)
    return g_bytes_new_take(text, strlen(text));
  g_set_error(error, TN_DATA_ERROR, TN_DATA_ERROR_WRITE, "%s: %s", path, TN_JSON_TOO_LARGE);
  return NULL;
}

static void
free_export(gpointer data)
{
  Export *export = data;
  g_free(export->answer.order);
  g_array_unref(export->answer.tried);
  tn_document_view_free(export->view);
  g_object_unref(export->session);
  g_free(export);
}

static void
on_export(GtkButton *button, TnOrdersView *view)
{
  const TnOrderRow *row = selected_row(view);
  if (!row)
    return;
  Export *export = g_new0(Export, 1);
  export->session = g_object_ref(view->session);
  export->view = tn_document_view_new(tn_session_get_document(view->session), NULL, true);
  export->answer = *row->answer;
  export->answer.order = g_memdup2(row->answer->order, row->answer->n * sizeof(uint32_t));
  export->answer.tried = g_array_ref(row->answer->tried);
  export->report = (TnOrderReport){.document = export->view,
                                   .answer = &export->answer,
                                   .lifetime = TN_GRAPH_LIFETIME_PARAMS_INIT,
                                   .arena = -1};
  export->report.lifetime.preset = view->preset;
  static const TnSaveDialog dialog = {N_("Save Order"), "order.json", {{"JSON", "*.json"}}};
  tn_save_dialog_show_at(GTK_WIDGET(view), &dialog, build_export, export, free_export);
}

/* ---- the drawing --------------------------------------------------------------------------- */

static TnOrdersPicture
picture_of(TnOrdersView *view)
{
  return (TnOrdersPicture){.comparison = view->comparison,
                           .selected = view->selected,
                           .step = tn_orders_log_get_step(TN_ORDERS_LOG(view->log)),
                           .units = tn_session_get_view(view->session)->units};
}

static TnRect
room_of(GtkWidget *area)
{
  TnRect room = tn_view_room(area);
  room.width -= 12;
  return room;
}

static void
draw(GtkDrawingArea *area, cairo_t *cr, int width, int height, gpointer data)
{
  TnOrdersPicture picture = picture_of(data);
  TnPaint paint = tn_view_paint(area, cr, width, height);
  tn_draw_orders(&paint, &picture, room_of(GTK_WIDGET(area)));
}

static void
on_click(GtkGestureClick *click, int n, double x, double y, TnOrdersView *view)
{
  TnOrdersPicture picture = picture_of(view);
  TnRect rect = room_of(view->area);
  uint32_t step = tn_orders_step_at(&picture, rect, x / tn_view_zoom(view->area));
  if (step != TN_NONE)
    tn_orders_log_select(TN_ORDERS_LOG(view->log), step);
  gtk_widget_queue_draw(view->area);
}

static void
append_step(GString *text, TnOrdersView *view, const TnOrderRow *row, uint32_t step)
{
  char size[48];
  const TnDocument *document = tn_session_get_document(view->session);
  const TnOrderStep *at = &row->log->step[step];
  g_autofree char *op = tn_graph_build_op_text(document->graph, document->strings, at->op);
  g_string_append_printf(
      text, "\n%s: %s, %s", row->method->name, op,
      tn_print_bytes(size, sizeof size, at->during, tn_session_get_view(view->session)->units));
}

/* The op of the file's order and that of the chosen one. */
static gboolean
on_tooltip(
    GtkWidget *area, int x, int y, gboolean is_keyboard, GtkTooltip *tooltip, TnOrdersView *view)
{
  TnOrdersPicture picture = picture_of(view);
  TnRect rect = room_of(area);
  uint32_t step = is_keyboard ? TN_NONE : tn_orders_step_at(&picture, rect, x / tn_view_zoom(area));
  const TnOrderRow *row = selected_row(view);
  if (step == TN_NONE)
    return FALSE;
  g_autoptr(GString) text = g_string_new(NULL);
  g_string_printf(text, _("Step %u"), step);
  append_step(text, view, tn_order_comparison_get(view->comparison, 0), step);
  if (row && view->selected != 0)
    append_step(text, view, row, step);
  gtk_tooltip_set_text(tooltip, text->str);
  gtk_tooltip_set_tip_area(tooltip, &(GdkRectangle){x, y, 1, 1});
  return TRUE;
}

/* ---- the session --------------------------------------------------------------------------- */

/* Orders of another graph, or by other rules, are of no use. */
static void
start_anew(TnOrdersView *view)
{
  end_job(view);
  tn_orders_log_set(TN_ORDERS_LOG(view->log), NULL, "");
  renew_found(view);
  view->selected = TN_NONE;
  view->is_chosen = false;
  show_rows(view);
  show_selected(view);
  if (gtk_widget_get_mapped(GTK_WIDGET(view)))
    on_map(view);
}

static void
on_study_changed(TnSession *session, TnOrdersView *view)
{
  const TnStudy *study = tn_session_get_study(session);
  if (view->ops && (view->ops != study->document->graph->ops || view->preset != study->preset)) {
    start_anew(view);
    return;
  }
  const TnOrderRow *row = selected_row(view);
  show_rows(view);
  gtk_widget_set_sensitive(view->use, row && !is_in_use(view, row));
}

static void
on_units_changed(TnSession *session, TnOrdersView *view)
{
  if (!view->job && !view->has_failed)
    show_words(view, NULL);
  show_rows(view);
  gtk_widget_queue_draw(view->area);
}

/* ---- making -------------------------------------------------------------------------------- */

static void
dispose(GObject *object)
{
  TnOrdersView *view = TN_ORDERS_VIEW(object);
  if (view->job)
    tn_orders_job_drop(g_steal_pointer(&view->job));
  if (view->session)
    tn_orders_log_set(TN_ORDERS_LOG(view->log), NULL, "");
  view->selected = TN_NONE;
  g_clear_object(&view->session);
  G_OBJECT_CLASS(tn_orders_view_parent_class)->dispose(object);
}

static void
finalize(GObject *object)
{
  g_clear_pointer(&TN_ORDERS_VIEW(object)->found, tn_orders_found_unref);
  G_OBJECT_CLASS(tn_orders_view_parent_class)->finalize(object);
}

static void
tn_orders_view_class_init(TnOrdersViewClass *class)
{
  G_OBJECT_CLASS(class)->dispose = dispose;
  G_OBJECT_CLASS(class)->finalize = finalize;
  answered_signal = g_signal_new("answered", G_TYPE_FROM_CLASS(class), G_SIGNAL_RUN_LAST, 0, NULL,
                                 NULL, NULL, G_TYPE_NONE, 0);
}

static void
tn_orders_view_init(TnOrdersView *view)
{
  renew_found(view);
  view->selected = TN_NONE;
  gtk_orientable_set_orientation(GTK_ORIENTABLE(view), GTK_ORIENTATION_VERTICAL);
}

static GtkWidget *
make_head(TnOrdersView *view)
{
  view->verdict = tn_view_label_new("heading");
  view->reason = tn_view_label_new("caption");
  view->spinner = gtk_spinner_new();
  view->stop = tn_view_spoken(gtk_button_new_with_mnemonic(_("_Stop")));
  view->use = tn_view_spoken(gtk_button_new_with_mnemonic(_("_Use This Order")));
  view->export = tn_view_spoken(gtk_button_new_with_mnemonic(_("Sa_ve Order…")));
  gtk_widget_add_css_class(view->use, "suggested-action");
  tn_tip_set(view->use, _("Maps, plan and budget follow; Undo takes it back"));
  g_signal_connect(view->stop, "clicked", G_CALLBACK(on_stop), view);
  g_signal_connect(view->use, "clicked", G_CALLBACK(on_use), view);
  g_signal_connect(view->export, "clicked", G_CALLBACK(on_export), view);
  GtkWidget *const widgets[] = {view->spinner, view->stop, view->export, view->use};
  return tn_view_head_new(view->verdict, view->reason, widgets, G_N_ELEMENTS(widgets));
}

static GtkWidget *
make_tables(TnOrdersView *view)
{
  view->table = tn_text_table_new(_("Orders"), columns, N_COLUMNS, dup_text, view);
  view->log = tn_orders_log_new(view->session);
  g_signal_connect(view->table, "row-selected", G_CALLBACK(on_row), view);
  g_signal_connect(view->log, "step-selected", G_CALLBACK(on_step), view);
  gtk_widget_set_size_request(view->table, 544, 214);
  gtk_widget_set_size_request(view->log, 300, 214);
  return tn_view_paned_new(GTK_ORIENTATION_HORIZONTAL, view->table, view->log, true);
}

GtkWidget *
tn_orders_view_new(TnSession *session)
{
  TnOrdersView *view = g_object_new(TN_TYPE_ORDERS_VIEW, NULL);
  view->session = g_object_ref(session);
  view->area = tn_view_area_new(_("What is alive at each step, by order"), 150, draw,
                                G_CALLBACK(on_click), view);
  gtk_widget_set_has_tooltip(view->area, TRUE);
  g_signal_connect(view->area, "query-tooltip", G_CALLBACK(on_tooltip), view);
  gtk_box_append(GTK_BOX(view), make_head(view));
  gtk_box_append(GTK_BOX(view), tn_view_paned_new(GTK_ORIENTATION_VERTICAL, view->area,
                                                  make_tables(view), false));
  show_selected(view);
  show_running(view);
  g_signal_connect(view, "map", G_CALLBACK(on_map), NULL);
  g_signal_connect_object(session, "study-changed", G_CALLBACK(on_study_changed), view, 0);
  g_signal_connect_object(session, "units-changed", G_CALLBACK(on_units_changed), view, 0);
  return GTK_WIDGET(view);
}
