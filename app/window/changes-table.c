/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/changes-table.h"
#include "app/window/index-row.h"

#include "app/window/changes-list.h"
#include "app/window/column-menu.h"
#include "app/window/column-view.h"
#include "app/window/menu.h"

#include <glib/gi18n.h>

struct _TnChangesTable {
  GtkBox parent_instance;
  TnDiffModel *model;
  TnChangesList *list;
  GtkSingleSelection *selection;
  GtkColumnView *view;
  bool has_offsets;
  GtkWidget *menu;
  bool is_following; /* a change of the selection that is not the user's */
};

G_DEFINE_TYPE(TnChangesTable, tn_changes_table, GTK_TYPE_BOX)

static const TnColumnSpec columns[TN_N_CHANGES_COLUMNS] = {
    [TN_CHANGES_STATUS] = {"", false, 32},
    [TN_CHANGES_LABEL] = {N_("Buffer"), false, 0},
    [TN_CHANGES_SIZE] = {N_("Size"), true, 80},
    [TN_CHANGES_SIZE_DELTA] = {N_("Δ Size"), true, 92},
    [TN_CHANGES_LIFE_DELTA] = {N_("Δ Life"), true, 66},
    [TN_CHANGES_OFFSET_DELTA] = {N_("Δ Offset"), true, 92},
    [TN_CHANGES_AT_PEAK] = {N_("At the Peak"), true, 90},
    [TN_CHANGES_MATCH] = {N_("Match"), false, 72},
    [TN_CHANGES_KINDS] = {N_("Change"), false, 100},
};

static char *
dup_cell(GObject *item, int column, gpointer data)
{
  const TnDiff *diff = tn_diff_model_get_diff(TN_CHANGES_TABLE(data)->model);
  uint32_t pair = tn_index_row_get(TN_INDEX_ROW(item));
  return diff && pair < diff->n ? tn_changes_list_dup_cell(diff, pair, (TnChangesColumn)column)
                                : g_strdup("");
}

static void
on_sort_changed(GtkSorter *sorter, GtkSorterChange change, TnChangesTable *table)
{
  g_autoptr(TnIndexRow) a = tn_index_row_new(0);
  g_autoptr(TnIndexRow) b = tn_index_row_new(1);
  bool is_descending;
  int column = tn_column_view_ask_sorter(sorter, a, b, &is_descending);
  tn_changes_list_sort(table->list, column < 0 ? TN_N_CHANGES_COLUMNS : (TnChangesColumn)column,
                       column >= 0 && is_descending);
}

/* ---- the selection -----------------------------------------------------------------------------
 */

static void
on_selected(GtkSingleSelection *selection, GParamSpec *pspec, TnChangesTable *table)
{
  TnIndexRow *row = gtk_single_selection_get_selected_item(selection);
  if (!table->is_following && row)
    tn_diff_model_select(table->model, tn_index_row_get(row));
}

static void
follow_selection(TnDiffModel *model, TnChangesTable *table)
{
  uint32_t pair = tn_diff_model_get_selected(model);
  TnIndexRow *row = gtk_single_selection_get_selected_item(table->selection);
  if (row ? tn_index_row_get(row) == pair : pair == TN_NONE)
    return;
  guint position = pair == TN_NONE ? G_MAXUINT : tn_row_list_find(TN_ROW_LIST(table->list), pair);
  table->is_following = true;
  gtk_single_selection_set_selected(table->selection, position);
  table->is_following = false;
  if (position != G_MAXUINT)
    tn_column_view_scroll_to(table->view, position);
}

static void
on_reordered(TnChangesList *list, TnChangesTable *table)
{
  tn_column_view_rewrite(table->view);
  follow_selection(table->model, table);
}

/* After the rows are others the selection finds its row again. */
static void
on_rows_changed(GListModel *list, guint position, guint removed, guint added, TnChangesTable *table)
{
  follow_selection(table->model, table);
}

/* ---- copying -----------------------------------------------------------------------------------
 */

/* The selected row, or all where none is. */
void
tn_changes_table_copy(TnChangesTable *table)
{
  bool has_row = tn_diff_model_get_selected(table->model) != TN_NONE;
  gtk_widget_activate_action(GTK_WIDGET(table->view),
                             has_row ? "columns.copy-row" : "columns.copy-all", NULL);
}

static gboolean
copy_key(GtkWidget *widget, GVariant *arguments, gpointer data)
{
  tn_changes_table_copy(TN_CHANGES_TABLE(widget));
  return TRUE;
}

/* ---- the menu ----------------------------------------------------------------------------------
 */

static GtkWidget *
make_menu(TnChangesTable *table)
{
  g_autoptr(GMenu) menu = g_menu_new();
  g_menu_append(menu, _("_Match With…"), "diff.match");
  g_menu_append(menu, _("_Unmatch"), "diff.unmatch");
  g_menu_append(menu, _("_Copy"), "diff.copy");
  GtkWidget *popover = gtk_popover_menu_new_from_model(G_MENU_MODEL(menu));
  gtk_popover_set_has_arrow(GTK_POPOVER(popover), FALSE);
  gtk_widget_set_halign(popover, GTK_ALIGN_START);
  gtk_widget_set_parent(popover, GTK_WIDGET(table));
  return popover;
}

static void
show_menu(TnChangesTable *table, double x, double y)
{
  gtk_popover_set_pointing_to(GTK_POPOVER(table->menu), &(GdkRectangle){(int)x, (int)y, 1, 1});
  gtk_popover_popup(GTK_POPOVER(table->menu));
}

/* The row under the pointer is selected first. */
static void
on_menu_pressed(GtkGestureClick *gesture, int n, double x, double y, TnChangesTable *table)
{
  GObject *row = tn_column_view_pick(GTK_WIDGET(table), x, y);
  if (row)
    tn_diff_model_select(table->model, tn_index_row_get(TN_INDEX_ROW(row)));
  show_menu(table, x, y);
}

static gboolean
menu_key(GtkWidget *widget, GVariant *arguments, gpointer data)
{
  show_menu(TN_CHANGES_TABLE(widget), 60, 40);
  return TRUE;
}

/* ---- making ------------------------------------------------------------------------------------
 */

guint
tn_changes_table_get_n_rows(TnChangesTable *table)
{
  return g_list_model_get_n_items(G_LIST_MODEL(table->list));
}

static void
dispose(GObject *object)
{
  TnChangesTable *table = TN_CHANGES_TABLE(object);
  if (table->menu)
    tn_menu_empty(gtk_popover_menu_get_menu_model(GTK_POPOVER_MENU(table->menu)));
  g_clear_pointer(&table->menu, gtk_widget_unparent);
  g_clear_object(&table->list);
  g_clear_object(&table->model);
  G_OBJECT_CLASS(tn_changes_table_parent_class)->dispose(object);
}

static void
allocate(GtkWidget *widget, int width, int height, int baseline)
{
  GTK_WIDGET_CLASS(tn_changes_table_parent_class)->size_allocate(widget, width, height, baseline);
  gtk_popover_present(GTK_POPOVER(TN_CHANGES_TABLE(widget)->menu));
}

static void
tn_changes_table_class_init(TnChangesTableClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);
  G_OBJECT_CLASS(class)->dispose = dispose;
  widget_class->size_allocate = allocate;
  gtk_widget_class_add_binding(widget_class, GDK_KEY_c, GDK_CONTROL_MASK, copy_key, NULL);
  gtk_widget_class_add_binding(widget_class, GDK_KEY_F10, GDK_SHIFT_MASK, menu_key, NULL);
  gtk_widget_class_add_binding(widget_class, GDK_KEY_Menu, 0, menu_key, NULL);
}

static void
tn_changes_table_init(TnChangesTable *table)
{
  table->menu = make_menu(table);
  table->has_offsets = true;
}

static void
add_column(TnChangesTable *table, int column)
{
  GtkColumnViewColumn *added =
      tn_column_view_add(table->view, &columns[column], column, dup_cell, table);
  tn_column_view_make_sortable(added, column);
}

/* Two logs have no offsets that could be compared.  Taken out, not hidden: GTK 4.8 keeps room for a
 * column that is hidden. */
static void
show_offsets(TnDiffModel *model, TnChangesTable *table)
{
  const TnDiff *diff = tn_diff_model_get_diff(model);
  tn_bytes delta;
  bool has_any = false;
  for (uint32_t i = 0; diff && i < diff->n && !has_any; i++)
    has_any = tn_diff_offset_delta(diff, i, &delta);
  if (has_any == table->has_offsets)
    return;
  table->has_offsets = has_any;
  tn_column_menu_set_shown(table->view, TN_CHANGES_OFFSET_DELTA, has_any);
}

GtkWidget *
tn_changes_table_new(TnDiffModel *model)
{
  TnChangesTable *table = g_object_new(TN_TYPE_CHANGES_TABLE, NULL);
  table->model = g_object_ref(model);
  table->list = tn_changes_list_new(model);
  table->selection = tn_column_view_selection_new(G_LIST_MODEL(table->list));
  table->view = tn_column_view_new(table->selection, _("Changes"));
  for (int column = 0; column < TN_N_CHANGES_COLUMNS; column++)
    add_column(table, column);
  tn_column_view_finish(table->view);
  GMenuModel *menu = gtk_popover_menu_get_menu_model(GTK_POPOVER_MENU(table->menu));
  tn_column_menu_append(G_MENU(menu), GTK_WIDGET(table), GTK_WIDGET(table->view));
  tn_column_view_align_titles(table->view);
  gtk_box_append(GTK_BOX(table), tn_column_view_wrap(table->view));
  g_signal_connect_object(gtk_column_view_get_sorter(table->view), "changed",
                          G_CALLBACK(on_sort_changed), table, 0);
  g_signal_connect_object(table->selection, "notify::selected-item", G_CALLBACK(on_selected), table,
                          0);
  g_signal_connect_object(table->list, "reordered", G_CALLBACK(on_reordered), table, 0);
  g_signal_connect_object(table->list, "items-changed", G_CALLBACK(on_rows_changed), table,
                          G_CONNECT_AFTER);
  g_signal_connect_object(model, "selection-changed", G_CALLBACK(follow_selection), table, 0);
  g_signal_connect_object(model, "compared", G_CALLBACK(show_offsets), table, 0);
  GtkGesture *press = gtk_gesture_click_new();
  gtk_gesture_single_set_button(GTK_GESTURE_SINGLE(press), GDK_BUTTON_SECONDARY);
  g_signal_connect(press, "pressed", G_CALLBACK(on_menu_pressed), table);
  gtk_widget_add_controller(GTK_WIDGET(table), GTK_EVENT_CONTROLLER(press));
  return GTK_WIDGET(table);
}
