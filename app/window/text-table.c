/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/text-table.h"

#include "app/window/number-list.h"

struct _TnTextTable {
  GtkBox parent_instance;
  TnNumberList *rows;
  GtkSingleSelection *selection;
  GtkColumnView *view;
  TnDupText dup_text;
  gpointer data;
  uint32_t n; /* rows that have texts: while they change the list may still hold more */
  bool is_filling;
};

G_DEFINE_TYPE(TnTextTable, tn_text_table, GTK_TYPE_BOX)

static guint selected_signal;

static char *
dup_cell(GObject *item, int column, gpointer data)
{
  TnTextTable *table = data;
  uint32_t row = tn_index_row_get(TN_INDEX_ROW(item));
  return row < table->n ? table->dup_text(row, column, table->data) : g_strdup("");
}

uint32_t
tn_text_table_get_selected(TnTextTable *table)
{
  GObject *item = gtk_single_selection_get_selected_item(table->selection);
  return item ? tn_index_row_get(TN_INDEX_ROW(item)) : UINT32_MAX;
}

static void
on_selected(GtkSingleSelection *selection, GParamSpec *pspec, TnTextTable *table)
{
  if (!table->is_filling)
    g_signal_emit(table, selected_signal, 0);
}

void
tn_text_table_select(TnTextTable *table, uint32_t row)
{
  bool has_row = row < g_list_model_get_n_items(G_LIST_MODEL(table->rows));
  table->is_filling = true;
  gtk_single_selection_set_selected(table->selection, has_row ? row : GTK_INVALID_LIST_POSITION);
  table->is_filling = false;
  if (has_row)
    tn_column_view_scroll_to(table->view, row);
}

void
tn_text_table_fill(TnTextTable *table, uint32_t n_rows)
{
  uint32_t selected = tn_text_table_get_selected(table);
  table->n = n_rows;
  table->is_filling = true;
  /* A selection looks for its row among all new ones, and makes each of them. */
  gtk_single_selection_set_selected(table->selection, GTK_INVALID_LIST_POSITION);
  tn_number_list_fill(table->rows, n_rows);
  table->is_filling = false;
  if (selected != UINT32_MAX)
    tn_text_table_select(table, selected);
}

static void
dispose(GObject *object)
{
  g_clear_object(&TN_TEXT_TABLE(object)->rows);
  G_OBJECT_CLASS(tn_text_table_parent_class)->dispose(object);
}

static void
tn_text_table_class_init(TnTextTableClass *class)
{
  G_OBJECT_CLASS(class)->dispose = dispose;
  selected_signal = g_signal_new("row-selected", G_TYPE_FROM_CLASS(class), G_SIGNAL_RUN_LAST, 0,
                                 NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
tn_text_table_init(TnTextTable *table)
{
}

GtkWidget *
tn_text_table_new(
    const char *label, const TnColumnSpec *columns, int n, TnDupText dup_text, gpointer data)
{
  TnTextTable *table = g_object_new(TN_TYPE_TEXT_TABLE, NULL);
  table->dup_text = dup_text;
  table->data = data;
  table->rows = tn_number_list_new();
  table->selection = tn_column_view_selection_new(G_LIST_MODEL(table->rows));
  table->view = tn_column_view_new(table->selection, label);
  for (int column = 0; column < n; column++)
    tn_column_view_add(table->view, &columns[column], column, dup_cell, table);
  tn_column_view_finish(table->view);
  tn_column_view_align_titles(table->view);
  gtk_box_append(GTK_BOX(table), tn_column_view_wrap(table->view));
  g_signal_connect_object(table->selection, "notify::selected-item", G_CALLBACK(on_selected), table,
                          0);
  return GTK_WIDGET(table);
}
