/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/orders-log.h"

#include "app/window/text-table.h"
#include "app/window/tip.h"
#include "render/paint.h"
#include "data/graph-order.h"

#include <glib/gi18n.h>

enum { COLUMN_STEP, COLUMN_OP, COLUMN_DURING, COLUMN_AFTER, COLUMN_FREED, N_COLUMNS };

static const TnColumnSpec columns[N_COLUMNS] = {
    [COLUMN_STEP] = {N_("Step"), true, 56},     [COLUMN_OP] = {N_("Op"), false, 150},
    [COLUMN_DURING] = {N_("During"), true, 84}, [COLUMN_AFTER] = {N_("After"), true, 84},
    [COLUMN_FREED] = {N_("Freed"), false, 0},
};

struct _TnOrdersLog {
  GtkBox parent_instance;
  TnSession *session;
  GtkWidget *title, *table, *alive;
  const TnOrderLog *log; /* borrowed */
};

G_DEFINE_TYPE(TnOrdersLog, tn_orders_log, GTK_TYPE_BOX)

static guint step_signal;

/* ---- texts --------------------------------------------------------------------------------- */

static TnUnits
units_of(TnOrdersLog *widget)
{
  return tn_session_get_view(widget->session)->units;
}

static const char *
tensor_name(TnOrdersLog *widget, uint32_t tensor)
{
  const TnDocument *document = tn_session_get_document(widget->session);
  return tn_strings_get(document->strings, tn_graph_tensor(document->graph, tensor)->name);
}

/* More are counted, not named: a step of a large graph may have a hundred thousand alive. */
#define MOST_NAMED 200u

static void
append_rest(GString *text, uint32_t n)
{
  if (n > MOST_NAMED)
    g_string_append_printf(text, _(" and %u more"), n - MOST_NAMED);
}

static char *
dup_freed(TnOrdersLog *widget, const TnOrderStep *step)
{
  g_autoptr(GString) text = g_string_new(NULL);
  for (uint32_t k = 0; k < MIN(step->n_freed, MOST_NAMED); k++)
    g_string_append_printf(text, "%s%s", k ? ", " : "",
                           tensor_name(widget, widget->log->freed[step->first_freed + k]));
  append_rest(text, step->n_freed);
  return g_string_free(g_steal_pointer(&text), FALSE);
}

static char *
dup_text(uint32_t row, int column, gpointer data)
{
  TnOrdersLog *widget = data;
  const TnDocument *document = tn_session_get_document(widget->session);
  if (!widget->log || row >= widget->log->n)
    return g_strdup("");
  const TnOrderStep *step = &widget->log->step[row];
  switch (column) {
  case COLUMN_STEP:
    return g_strdup_printf("%s%u", row == widget->log->peak_at ? "▲ " : "", row);
  case COLUMN_OP:
    return tn_graph_build_op_text(document->graph, document->strings, step->op);
  case COLUMN_DURING:
    return tn_format_bytes(step->during, units_of(widget));
  case COLUMN_AFTER:
    return tn_format_bytes(step->after, units_of(widget));
  default:
    return dup_freed(widget, step);
  }
}

/* In one line, whatever the names are. */
#define MOST_CHARS 10000

static gint
compare_bytes(gconstpointer a, gconstpointer b, gpointer data)
{
  const TnGraph *graph = data;
  tn_bytes x = tn_graph_tensor(graph, *(const uint32_t *)a)->bytes;
  tn_bytes y = tn_graph_tensor(graph, *(const uint32_t *)b)->bytes;
  return x > y ? -1 : x < y;
}

static void
show_alive(TnOrdersLog *widget)
{
  const TnDocument *document = tn_session_get_document(widget->session);
  uint32_t step = tn_orders_log_get_step(widget);
  g_autoptr(GArray) tensors = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  g_autoptr(GString) text = g_string_new(NULL);
  char size[48];
  if (widget->log && step < widget->log->n) {
    tn_order_log_live(widget->log, step, tensors);
    g_array_sort_with_data(tensors, compare_bytes, document->graph);
    g_string_printf(text, _("Alive in step %u: "), step);
  }
  for (guint i = 0; i < MIN(tensors->len, MOST_NAMED); i++) {
    uint32_t tensor = g_array_index(tensors, uint32_t, i);
    tn_bytes bytes = tn_graph_tensor(document->graph, tensor)->bytes;
    g_string_append_printf(
        text, "%s%s %s", i ? ", " : "", tensor_name(widget, tensor),
        bytes < 0 ? "?" : tn_print_bytes(size, sizeof size, bytes, units_of(widget)));
  }
  append_rest(text, tensors->len);
  g_autofree char *shown = tn_elide_middle(text->str, MOST_CHARS);
  gtk_label_set_text(GTK_LABEL(widget->alive), shown);
  tn_tip_set(widget->alive, text->len ? text->str : NULL);
}

/* ---- state --------------------------------------------------------------------------------- */

void
tn_orders_log_set(TnOrdersLog *widget, const TnOrderLog *log, const char *title)
{
  widget->log = log;
  gtk_label_set_text(GTK_LABEL(widget->title), title);
  tn_text_table_fill(TN_TEXT_TABLE(widget->table), log ? log->n : 0);
  tn_orders_log_select(widget, log && log->n ? log->peak_at : UINT32_MAX);
}

uint32_t
tn_orders_log_get_step(TnOrdersLog *widget)
{
  return tn_text_table_get_selected(TN_TEXT_TABLE(widget->table));
}

void
tn_orders_log_select(TnOrdersLog *widget, uint32_t step)
{
  tn_text_table_select(TN_TEXT_TABLE(widget->table), step);
  show_alive(widget);
}

static void
on_selected(TnTextTable *table, TnOrdersLog *widget)
{
  show_alive(widget);
  g_signal_emit(widget, step_signal, 0);
}

static void
on_units(TnSession *session, TnOrdersLog *widget)
{
  tn_text_table_fill(TN_TEXT_TABLE(widget->table), widget->log ? widget->log->n : 0);
  show_alive(widget);
}

static void
dispose(GObject *object)
{
  g_clear_object(&TN_ORDERS_LOG(object)->session);
  G_OBJECT_CLASS(tn_orders_log_parent_class)->dispose(object);
}

static void
tn_orders_log_class_init(TnOrdersLogClass *class)
{
  G_OBJECT_CLASS(class)->dispose = dispose;
  step_signal = g_signal_new("step-selected", G_TYPE_FROM_CLASS(class), G_SIGNAL_RUN_LAST, 0, NULL,
                             NULL, NULL, G_TYPE_NONE, 0);
}

static void
tn_orders_log_init(TnOrdersLog *widget)
{
  gtk_orientable_set_orientation(GTK_ORIENTABLE(widget), GTK_ORIENTATION_VERTICAL);
}

GtkWidget *
tn_orders_log_new(TnSession *session)
{
  TnOrdersLog *widget = g_object_new(TN_TYPE_ORDERS_LOG, NULL);
  widget->session = g_object_ref(session);
  widget->title = gtk_label_new("");
  widget->alive = gtk_label_new("");
  widget->table = tn_text_table_new(_("Steps of the order"), columns, N_COLUMNS, dup_text, widget);
  gtk_label_set_xalign(GTK_LABEL(widget->title), 0.0f);
  gtk_label_set_xalign(GTK_LABEL(widget->alive), 0.0f);
  gtk_label_set_ellipsize(GTK_LABEL(widget->alive), PANGO_ELLIPSIZE_END);
  gtk_widget_add_css_class(widget->title, "caption-heading");
  gtk_widget_add_css_class(widget->alive, "caption");
  gtk_widget_add_css_class(widget->title, "pane-title");
  gtk_widget_add_css_class(widget->alive, "pane-title");
  gtk_box_append(GTK_BOX(widget), widget->title);
  gtk_box_append(GTK_BOX(widget), widget->table);
  gtk_box_append(GTK_BOX(widget), widget->alive);
  g_signal_connect(widget->table, "row-selected", G_CALLBACK(on_selected), widget);
  g_signal_connect_object(session, "units-changed", G_CALLBACK(on_units), widget, 0);
  return GTK_WIDGET(widget);
}
