/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/op-table.h"

#include "app/window/column-view.h"
#include "app/window/settings.h"

#include <glib/gi18n.h>

enum { COLUMN_PLACE, COLUMN_NAME, COLUMN_TYPE, COLUMN_LIVE, COLUMN_OUTPUT, COLUMN_WORKSPACE, N_COLUMNS };

static const TnColumnSpec columns[N_COLUMNS] = {
    [COLUMN_PLACE] = {N_("Op"), true, 60},      [COLUMN_NAME] = {N_("Name"), false, 0},
    [COLUMN_TYPE] = {N_("Type"), false, 150},   [COLUMN_LIVE] = {N_("Alive"), true, 96},
    [COLUMN_OUTPUT] = {N_("Output"), true, 96}, [COLUMN_WORKSPACE] = {N_("Workspace"), true, 96},
};

struct _TnOpTable {
  GtkBox parent_instance;
  TnSession *session;
  GListStore *places; /* GtkStringObject: one an op, its place in the order */
  GtkSingleSelection *selection;
  GtkColumnView *view;
  bool is_following;
  bool is_setting; /* the match that is set is our own */
  const TnGraph *shown; /* whose ops are listed */
  uint32_t chosen;      /* op */
  bool has_match;       /* the buffers that are marked are an op's */
};

G_DEFINE_TYPE(TnOpTable, tn_op_table, GTK_TYPE_BOX)

static const TnGraph *
graph_of(TnOpTable *table)
{
  /* The study's: its ops may stand in another order than the file's. */
  return tn_session_get_study(table->session)->document->graph;
}

static uint32_t
place_of(GObject *item)
{
  return (uint32_t)g_ascii_strtoull(gtk_string_object_get_string(GTK_STRING_OBJECT(item)), NULL,
                                    10);
}

static tn_bytes
output_bytes(const TnGraph *graph, const TnOp *op)
{
  tn_bytes sum = 0;
  for (uint32_t i = 0; i < op->n_outputs; i++) {
    uint32_t tensor = g_array_index(graph->outputs, uint32_t, op->first_output + i);
    tn_bytes bytes = tensor == TN_NONE ? 0 : tn_graph_tensor(graph, tensor)->bytes;
    if (bytes > 0 && !tn_add(sum, bytes, &sum))
      return INT64_MAX;
  }
  return sum;
}

/* By the rules that are shown: runtimes compute the same op in different ways. */
static tn_bytes
workspace_bytes(const TnStudy *study, const TnOp *op)
{
  TnGraphLifetimeParams rules = TN_GRAPH_LIFETIME_PARAMS_INIT;
  rules.preset = study->preset;
  const TnAlgorithm *algorithm =
      tn_graph_lifetime_algorithm(study->document->graph, study->document->strings, &rules, op);
  return algorithm ? algorithm->workspace_bytes : op->workspace_bytes;
}

static char *
dup_cell(GObject *item, int column, gpointer data)
{
  TnOpTable *table = data;
  const TnGraph *graph = graph_of(table);
  const TnStrings *strings = tn_session_get_document(table->session)->strings;
  const TnStudy *study = tn_session_get_study(table->session);
  uint32_t place = place_of(item);
  if (place >= graph->order->len)
    return g_strdup("");
  const TnOp *op = tn_graph_op(graph, g_array_index(graph->order, uint32_t, place));
  TnUnits units = tn_settings_get_units();
  switch (column) {
  case COLUMN_PLACE:
    return g_strdup_printf("%u", place);
  case COLUMN_NAME:
    return g_strdup(tn_strings_get(strings, op->name));
  case COLUMN_TYPE:
    return g_strdup(tn_strings_get(strings, op->type));
  case COLUMN_LIVE:
    return tn_format_bytes(
        tn_curve_max(study->live, (tn_tick)place * 3, (tn_tick)place * 3 + 3, NULL), units);
  case COLUMN_OUTPUT:
    return tn_format_bytes(output_bytes(graph, op), units);
  default: {
    tn_bytes bytes = workspace_bytes(study, op);
    return bytes > 0 ? tn_format_bytes(bytes, units) : g_strdup("–");
  }
  }
}

/* One byte a buffer: 1 for what the op reads, writes or works in. */
static GBytes *
match_of_op(TnOpTable *table, uint32_t op_row)
{
  const TnGraph *graph = graph_of(table);
  const TnBuffers *b = tn_session_get_study(table->session)->buffers;
  const TnOp *op = tn_graph_op(graph, op_row);
  g_autoptr(GHashTable) tensors = g_hash_table_new(g_direct_hash, g_direct_equal);
  for (uint32_t i = 0; i < op->n_inputs; i++)
    g_hash_table_add(tensors, GUINT_TO_POINTER(
                                  g_array_index(graph->inputs, uint32_t, op->first_input + i)));
  for (uint32_t i = 0; i < op->n_outputs; i++)
    g_hash_table_add(tensors, GUINT_TO_POINTER(
                                  g_array_index(graph->outputs, uint32_t, op->first_output + i)));
  uint8_t *match = g_malloc0(MAX(b->n, 1u));
  for (uint32_t i = 0; i < b->n; i++)
    match[i] = (b->tensor && b->tensor[i] != TN_NONE &&
                g_hash_table_contains(tensors, GUINT_TO_POINTER(b->tensor[i]))) ||
               (b->op && b->op[i] == op_row);
  return g_bytes_new_take(match, MAX(b->n, 1u));
}

static void
set_match(TnOpTable *table, GBytes *match)
{
  table->is_setting = true;
  tn_session_set_match(table->session, match);
  table->is_setting = false;
  table->has_match = match != NULL;
}

static void
on_match_changed(TnSession *session, TnOpTable *table)
{
  table->has_match = table->has_match && table->is_setting;
}

static void
on_selected(GtkSingleSelection *selection, GParamSpec *pspec, TnOpTable *table)
{
  GObject *item = gtk_single_selection_get_selected_item(selection);
  if (table->is_following)
    return;
  if (!item) {
    tn_op_table_unmark(table);
    return;
  }
  uint32_t place = place_of(item);
  uint32_t op = g_array_index(graph_of(table)->order, uint32_t, place);
  tn_session_select(table->session, TN_NONE);
  table->chosen = op;
  set_match(table, match_of_op(table, op));
  tn_session_show_tick(table->session, (tn_tick)place * 3 + 1);
}

/* A jump elsewhere brings the op of that moment into view, without marking it. */
static void
on_moment_changed(TnSession *session, TnOpTable *table)
{
  guint place = (guint)(tn_session_get_moment(session) / 3);
  if (place >= g_list_model_get_n_items(G_LIST_MODEL(table->places)))
    return;
  table->is_following = true;
  gtk_single_selection_set_selected(table->selection, place);
  table->is_following = false;
  tn_column_view_scroll_to(table->view, place);
}

static void
on_selection_changed(TnSession *session, TnOpTable *table)
{
  if (tn_session_get_view(session)->selected != TN_NONE)
    table->chosen = TN_NONE;
}

static void fill(TnOpTable *table);

static void
refill(TnSession *session, TnOpTable *table)
{
  table->is_following = true;
  fill(table);
  table->is_following = false;
}

/* Edits of the graph make another list; another runtime has other figures of the same ops. */
static void
on_study_changed(TnSession *session, TnOpTable *table)
{
  if (table->shown == graph_of(table)) {
    tn_column_view_rewrite(table->view);
    return;
  }
  table->chosen = TN_NONE;
  refill(session, table);
}

uint32_t
tn_op_table_get_chosen(TnOpTable *table)
{
  return table->chosen;
}

void
tn_op_table_unmark(TnOpTable *table)
{
  if (table->chosen == TN_NONE && !table->has_match)
    return;
  table->chosen = TN_NONE;
  table->is_following = true;
  gtk_single_selection_set_selected(table->selection, GTK_INVALID_LIST_POSITION);
  table->is_following = false;
  if (table->has_match)
    set_match(table, NULL);
}

static void
dispose(GObject *object)
{
  TnOpTable *table = TN_OP_TABLE(object);
  g_clear_object(&table->places);
  g_clear_object(&table->session);
  G_OBJECT_CLASS(tn_op_table_parent_class)->dispose(object);
}

static void
tn_op_table_class_init(TnOpTableClass *class)
{
  G_OBJECT_CLASS(class)->dispose = dispose;
}

static void
tn_op_table_init(TnOpTable *table)
{
  table->places = g_list_store_new(GTK_TYPE_STRING_OBJECT);
  table->chosen = TN_NONE;
}

static void
fill(TnOpTable *table)
{
  uint32_t n = graph_of(table)->order->len;
  g_autoptr(GPtrArray) items = g_ptr_array_new_with_free_func(g_object_unref);
  for (uint32_t i = 0; i < n; i++) {
    char text[16];
    g_snprintf(text, sizeof text, "%u", i);
    g_ptr_array_add(items, gtk_string_object_new(text));
  }
  table->shown = graph_of(table);
  g_list_store_splice(table->places, 0, g_list_model_get_n_items(G_LIST_MODEL(table->places)),
                      items->pdata, n);
}

GtkWidget *
tn_op_table_new(TnSession *session)
{
  TnOpTable *table = g_object_new(TN_TYPE_OP_TABLE, NULL);
  table->session = g_object_ref(session);
  fill(table);
  table->selection = tn_column_view_selection_new(G_LIST_MODEL(table->places));
  table->view = tn_column_view_new(table->selection, _("Ops"));
  for (int column = 0; column < N_COLUMNS; column++)
    tn_column_view_add(table->view, &columns[column], column, dup_cell, table);
  tn_column_view_finish(table->view);
  tn_column_view_align_titles(table->view);
  gtk_box_append(GTK_BOX(table), tn_column_view_wrap(table->view));
  g_signal_connect_object(table->selection, "notify::selected-item", G_CALLBACK(on_selected),
                          table, 0);
  g_signal_connect_object(session, "moment-changed", G_CALLBACK(on_moment_changed), table, 0);
  g_signal_connect_object(session, "selection-changed", G_CALLBACK(on_selection_changed), table, 0);
  g_signal_connect_object(session, "match-changed", G_CALLBACK(on_match_changed), table, 0);
  g_signal_connect_object(session, "study-changed", G_CALLBACK(on_study_changed), table, 0);
  g_signal_connect_object(session, "units-changed", G_CALLBACK(refill), table, 0);
  return GTK_WIDGET(table);
}
