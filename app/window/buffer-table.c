/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/buffer-table.h"

#include "analysis/batch-sum.h"
#include "app/window/buffer-list.h"
#include "app/window/column-menu.h"
#include "app/window/column-view.h"
#include "app/window/settings.h"

#include <glib/gi18n.h>

struct _TnBufferTable {
  GtkBox parent_instance;
  TnSession *session;
  TnBufferList *list;
  GtkSingleSelection *selection;
  GtkColumnView *view;
  TnBufferTableMode mode;
  bool is_narrow;    /* no room for the columns of the clock; they can be chosen all the same */
  bool is_stale;     /* what is shown is another, but nobody sees it */
  bool is_following; /* a change of the selection that is not the user's */
  guint following;   /* the source that will follow the selection; 0: none */
};

G_DEFINE_TYPE(TnBufferTable, tn_buffer_table, GTK_TYPE_BOX)

static const TnColumnSpec columns[TN_N_TABLE_COLUMNS] = {
    [TN_COLUMN_LABEL] = {N_("Buffer"), false, 0},
    [TN_COLUMN_SIZE] = {N_("Size"), true, 96},
    [TN_COLUMN_START] = {N_("Start"), true, 92},
    [TN_COLUMN_END] = {N_("End"), true, 92},
    [TN_COLUMN_LIFE] = {N_("Life"), true, 92},
    [TN_COLUMN_CLOCK] = {N_("By Clock"), true, 84},
    [TN_COLUMN_LONG] = {N_("Long in"), false, 76},
    [TN_COLUMN_OFFSET] = {N_("Offset"), true, 136},
    [TN_COLUMN_KIND] = {N_("Kind"), false, 96},
    [TN_COLUMN_ASKED] = {N_("Requested"), true, 96, true},
    [TN_COLUMN_PRODUCT] = {N_("Bytes × Time"), true, 110, true},
    [TN_COLUMN_CATEGORY] = {N_("Group"), false, 150, true},
};

/* ---- cells -------------------------------------------------------------------------------------
 */

static char *
dup_cell(GObject *item, int column, gpointer data)
{
  TnBufferTable *table = data;
  const TnStudy *study = tn_session_get_study(table->session);
  tn_index buffer = tn_index_row_get(TN_INDEX_ROW(item));
  return buffer < study->buffers->n ? tn_buffer_list_dup_cell(study, buffer, (TnTableColumn)column)
                                    : g_strdup("");
}

/* ---- sorting -----------------------------------------------------------------------------------
 */

static void
on_sort_changed(GtkSorter *sorter, GtkSorterChange change, TnBufferTable *table)
{
  g_autoptr(TnIndexRow) a = tn_index_row_new(TN_NONE);
  g_autoptr(TnIndexRow) b = tn_index_row_new(TN_NONE);
  bool is_descending;
  if (!table->list)
    return;
  int column = tn_column_view_ask_sorter(sorter, a, b, &is_descending);
  if (column < 0)
    tn_buffer_list_sort(table->list, TN_COLUMN_SIZE, true);
  else
    tn_buffer_list_sort(table->list, (TnTableColumn)column, is_descending);
}

/* ---- the view ----------------------------------------------------------------------------------
 */

static void
add_column(TnBufferTable *table, TnTableColumn column)
{
  TnColumnSpec spec = columns[column];
  if (column == TN_COLUMN_CLOCK || column == TN_COLUMN_LONG)
    spec.is_hidden = !tn_session_get_study(table->session)->clock;
  GtkColumnViewColumn *c = tn_column_view_add(table->view, &spec, (int)column, dup_cell, table);
  tn_column_view_make_sortable(c, (int)column);
}

static void
on_selected(GtkSingleSelection *selection, GParamSpec *pspec, TnBufferTable *table)
{
  TnIndexRow *row = gtk_single_selection_get_selected_item(selection);
  tn_index buffer = row ? tn_index_row_get(row) : TN_NONE;
  if (table->is_following || buffer == TN_NONE)
    return;
  tn_session_select(table->session, buffer);
  tn_session_show_buffer(table->session, buffer, false);
}

static void
on_activated(GtkColumnView *view, guint position, TnBufferTable *table)
{
  g_autoptr(TnIndexRow) row = g_list_model_get_item(G_LIST_MODEL(table->list), position);
  if (row)
    tn_session_show_buffer(table->session, tn_index_row_get(row), true);
}

static void
follow_selection(TnBufferTable *table)
{
  tn_index selected = tn_session_get_view(table->session)->selected;
  TnIndexRow *row = gtk_single_selection_get_selected_item(table->selection);
  if (row ? tn_index_row_get(row) == selected : selected == TN_NONE)
    return;
  guint position =
      selected == TN_NONE ? GTK_INVALID_LIST_POSITION : tn_row_list_find(TN_ROW_LIST(table->list), selected);
  table->is_following = true;
  gtk_single_selection_set_selected(table->selection, position);
  table->is_following = false;
  if (position != GTK_INVALID_LIST_POSITION)
    tn_column_view_scroll_to(table->view, position);
}

#define FOLLOWS_AFTER 50 /* ms: after the details */

static gboolean
on_follow(gpointer data)
{
  TnBufferTable *table = data;
  table->following = 0;
  follow_selection(table);
  return G_SOURCE_REMOVE;
}

/* Rows that are scrolled to are written anew, which takes longer than a frame that outlines the selection: the
 * frames of the maps and of the details come first. */
static void
on_selection_changed(TnSession *session, TnBufferTable *table)
{
  if (!table->following)
    table->following = g_timeout_add(FOLLOWS_AFTER, on_follow, table);
}

static void
on_reordered(TnBufferList *list, TnBufferTable *table)
{
  tn_column_view_rewrite(table->view);
  follow_selection(table);
}

/* What is selected may stand among the rows that have come. */
static void
on_items_changed(
    GListModel *model, guint position, guint removed, guint added, TnBufferTable *table)
{
  if (added)
    follow_selection(table);
}

/* While it is out of sight it only knows that something has changed. */
static void
update(TnBufferTable *table)
{
  TnStudy *study = tn_session_get_study(table->session);
  g_autoptr(GArray) alive = NULL;
  table->is_stale = !gtk_widget_get_mapped(GTK_WIDGET(table));
  if (table->is_stale)
    return;
  if (table->mode == TN_BUFFER_TABLE_ALIVE) {
    alive = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    tn_live_index_at(study->index, tn_session_get_moment(table->session), alive);
    tn_batch_sum_keep(study->buffers, alive, tn_session_get_moment(table->session));
  }
  tn_buffer_list_update(table->list, study, tn_session_get_match(table->session), alive);
}

static void
on_changed(TnSession *session, TnBufferTable *table)
{
  update(table);
}

static void
on_map(TnBufferTable *table)
{
  if (table->is_stale)
    update(table);
  follow_selection(table);
}

static void
on_moment_changed(TnSession *session, TnBufferTable *table)
{
  if (table->mode == TN_BUFFER_TABLE_ALIVE)
    update(table);
}

#define LEAST_WITH_CLOCK 860 /* logical pixels, at the usual text size */

static gboolean
follow_width(gpointer data)
{
  TnBufferTable *table = data;
  if (!table->session)
    return G_SOURCE_REMOVE; /* closed meanwhile, and with it the view */
  bool has_clock = tn_session_get_study(table->session)->clock;
  tn_column_menu_set_shown(table->view, TN_COLUMN_CLOCK, has_clock && !table->is_narrow);
  tn_column_menu_set_shown(table->view, TN_COLUMN_LONG, has_clock && !table->is_narrow);
  return G_SOURCE_REMOVE;
}

/* Columns can't come or go while their table is given its place. */
static void
on_width(GtkAdjustment *across, GParamSpec *pspec, TnBufferTable *table)
{
  double width = gtk_adjustment_get_page_size(across);
  bool is_narrow = width < LEAST_WITH_CLOCK * MAX(tn_settings_get_text_scale(), 1.0);
  if (width <= 1.0 || is_narrow == table->is_narrow)
    return;
  table->is_narrow = is_narrow;
  g_idle_add_full(G_PRIORITY_DEFAULT, follow_width, g_object_ref(table), g_object_unref);
}

static void
on_units_changed(TnSession *session, TnBufferTable *table)
{
  tn_row_list_rewrite(TN_ROW_LIST(table->list));
}

static void
dispose(GObject *object)
{
  TnBufferTable *table = TN_BUFFER_TABLE(object);
  g_clear_handle_id(&table->following, g_source_remove);
  g_clear_object(&table->list);
  g_clear_object(&table->session);
  G_OBJECT_CLASS(tn_buffer_table_parent_class)->dispose(object);
}

static void
tn_buffer_table_class_init(TnBufferTableClass *class)
{
  G_OBJECT_CLASS(class)->dispose = dispose;
}

static void
tn_buffer_table_init(TnBufferTable *table)
{
}

tn_index
tn_buffer_table_get_selected(TnBufferTable *table)
{
  TnIndexRow *row = gtk_single_selection_get_selected_item(table->selection);
  return row ? tn_index_row_get(row) : TN_NONE;
}

GtkWidget *
tn_buffer_table_new(TnSession *session, TnBufferTableMode mode)
{
  TnBufferTable *table = g_object_new(TN_TYPE_BUFFER_TABLE, NULL);
  table->session = g_object_ref(session);
  table->mode = mode;
  table->list = tn_buffer_list_new(tn_session_get_study(session));
  table->selection = tn_column_view_selection_new(G_LIST_MODEL(table->list));
  table->view = tn_column_view_new(
      table->selection, mode == TN_BUFFER_TABLE_ALIVE ? _("Alive at the moment") : _("Buffers"));
  for (int column = 0; column < TN_N_TABLE_COLUMNS; column++)
    add_column(table, (TnTableColumn)column);
  tn_column_view_finish(table->view);
  tn_column_view_align_titles(table->view);
  GtkWidget *scroller = tn_column_view_wrap(table->view);
  g_signal_connect_object(gtk_scrolled_window_get_hadjustment(GTK_SCROLLED_WINDOW(scroller)),
                          "notify::page-size", G_CALLBACK(on_width), table, 0);
  gtk_box_append(GTK_BOX(table), scroller);
  g_signal_connect_object(gtk_column_view_get_sorter(table->view), "changed",
                          G_CALLBACK(on_sort_changed), table, 0);
  g_signal_connect_object(table->selection, "notify::selected-item", G_CALLBACK(on_selected), table,
                          0);
  g_signal_connect_object(table->view, "activate", G_CALLBACK(on_activated), table, 0);
  g_signal_connect_object(session, "selection-changed", G_CALLBACK(on_selection_changed), table, 0);
  g_signal_connect_object(session, "study-changed", G_CALLBACK(on_changed), table, 0);
  g_signal_connect_object(session, "units-changed", G_CALLBACK(on_units_changed), table, 0);
  g_signal_connect_object(session, "moment-changed", G_CALLBACK(on_moment_changed), table, 0);
  g_signal_connect_object(table->list, "reordered", G_CALLBACK(on_reordered), table, 0);
  g_signal_connect_object(table->list, "items-changed", G_CALLBACK(on_items_changed), table,
                          G_CONNECT_AFTER);
  g_signal_connect_after(table, "map", G_CALLBACK(on_map), NULL);
  table->is_stale = true;
  g_signal_connect_object(session, "match-changed", G_CALLBACK(on_changed), table, 0);
  return GTK_WIDGET(table);
}
