/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/event-table.h"

#include "app/window/column-view.h"
#include "app/window/event-list.h"
#include "app/window/index-row.h"

#include <glib/gi18n.h>

struct _TnEventTable {
  GtkBox parent_instance;
  TnSession *session;
  TnEventList *list;
  GtkSingleSelection *selection;
  GtkColumnView *view;
  bool is_following;
};

G_DEFINE_TYPE(TnEventTable, tn_event_table, GTK_TYPE_BOX)

static const TnColumnSpec columns[TN_N_EVENT_COLUMNS] = {
    [TN_EVENT_COLUMN_INDEX] = {N_("Event"), true, 84},
    [TN_EVENT_COLUMN_TIME] = {N_("Time"), true, 110},
    [TN_EVENT_COLUMN_ACTION] = {N_("Action"), false, 118},
    [TN_EVENT_COLUMN_SIZE] = {N_("Size"), true, 92},
    [TN_EVENT_COLUMN_ADDRESS] = {N_("Address"), true, 136},
    [TN_EVENT_COLUMN_SITE] = {N_("Call site"), false, 0},
};

static char *
dup_cell(GObject *item, int column, gpointer data)
{
  TnEventTable *table = data;
  const TnStudy *study = tn_session_get_study(table->session);
  uint32_t event = tn_index_row_get(TN_INDEX_ROW(item));
  return event < study->device->events.n
             ? tn_event_list_dup_cell(study, event, (TnEventColumn)column)
             : g_strdup("");
}

/* The buffer that lives from or up to this event at its address. */
static tn_index
buffer_of_event(const TnStudy *study, uint32_t event)
{
  const TnBuffers *b = study->buffers;
  const TnEvents *events = &study->device->events;
  bool is_alloc = events->action[event] == TN_EVENT_ALLOC;
  bool is_free = events->action[event] == TN_EVENT_FREE ||
                 events->action[event] == TN_EVENT_FREE_REQUESTED;
  if (!is_alloc && !is_free)
    return TN_NONE;
  g_autoptr(GArray) alive = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  tn_live_index_at(study->index, is_alloc ? event : MAX((tn_tick)event - 1, 0), alive);
  for (guint i = 0; i < alive->len; i++) {
    uint32_t row = g_array_index(alive, uint32_t, i);
    if (b->offset[row] == (tn_bytes)events->address[event])
      return row;
  }
  return TN_NONE;
}

static void
on_selected(GtkSingleSelection *selection, GParamSpec *pspec, TnEventTable *table)
{
  TnIndexRow *row = gtk_single_selection_get_selected_item(selection);
  if (table->is_following || !row)
    return;
  uint32_t event = tn_index_row_get(row);
  tn_index buffer = buffer_of_event(tn_session_get_study(table->session), event);
  tn_session_show_tick(table->session, event);
  if (buffer == TN_NONE)
    return;
  tn_session_select(table->session, buffer);
  tn_session_show_buffer(table->session, buffer, false);
}

/* Jumps and clicks elsewhere bring the event of that moment into view. */
static void
on_moment_changed(TnSession *session, TnEventTable *table)
{
  tn_tick moment = tn_session_get_moment(session);
  if (moment < 0 || moment >= (tn_tick)tn_session_get_study(session)->device->events.n)
    return;
  table->is_following = true;
  gtk_single_selection_set_selected(table->selection, (guint)moment);
  table->is_following = false;
  tn_column_view_scroll_to(table->view, (guint)moment);
}

static void
on_study_changed(TnSession *session, TnEventTable *table)
{
  TnStudy *study = tn_session_get_study(session);
  bool is_same = tn_event_list_has_device(table->list, study->device);
  table->is_following = true;
  /* A selection looks for its row among all new ones, and makes each of them. */
  if (!is_same)
    gtk_single_selection_set_selected(table->selection, GTK_INVALID_LIST_POSITION);
  tn_event_list_set_study(table->list, study);
  table->is_following = false;
  if (is_same)
    tn_column_view_rewrite(table->view);
}

static void
dispose(GObject *object)
{
  TnEventTable *table = TN_EVENT_TABLE(object);
  g_clear_object(&table->list);
  g_clear_object(&table->session);
  G_OBJECT_CLASS(tn_event_table_parent_class)->dispose(object);
}

static void
tn_event_table_class_init(TnEventTableClass *class)
{
  G_OBJECT_CLASS(class)->dispose = dispose;
}

static void
tn_event_table_init(TnEventTable *table)
{
}

GtkWidget *
tn_event_table_new(TnSession *session)
{
  TnEventTable *table = g_object_new(TN_TYPE_EVENT_TABLE, NULL);
  table->session = g_object_ref(session);
  table->list = tn_event_list_new(tn_session_get_study(session));
  table->selection = tn_column_view_selection_new(G_LIST_MODEL(table->list));
  table->view = tn_column_view_new(table->selection, _("Events"));
  for (int column = 0; column < TN_N_EVENT_COLUMNS; column++)
    tn_column_view_add(table->view, &columns[column], column, dup_cell, table);
  tn_column_view_finish(table->view);
  tn_column_view_align_titles(table->view);
  gtk_box_append(GTK_BOX(table), tn_column_view_wrap(table->view));
  g_signal_connect_object(table->selection, "notify::selected-item", G_CALLBACK(on_selected),
                          table, 0);
  g_signal_connect_object(session, "moment-changed", G_CALLBACK(on_moment_changed), table, 0);
  g_signal_connect_object(session, "study-changed", G_CALLBACK(on_study_changed), table, 0);
  g_signal_connect_object(session, "units-changed", G_CALLBACK(on_study_changed), table, 0);
  return GTK_WIDGET(table);
}
