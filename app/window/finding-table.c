/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/finding-table.h"

#include "app/window/column-view.h"
#include "app/window/settings.h"

#include <glib/gi18n.h>

enum { COLUMN_SEVERITY, COLUMN_CODE, COLUMN_MESSAGE, COLUMN_BYTES, COLUMN_SAVING, COLUMN_AT, N_COLUMNS };

static const TnColumnSpec columns[N_COLUMNS] = {
    [COLUMN_SEVERITY] = {N_("Weight"), false, 84},   [COLUMN_CODE] = {N_("Rule"), false, 130},
    [COLUMN_MESSAGE] = {N_("Finding"), false, 0},    [COLUMN_BYTES] = {N_("At Stake"), true, 96},
    [COLUMN_SAVING] = {N_("Would Save"), true, 104}, [COLUMN_AT] = {N_("At"), true, 92},
};

struct _TnFindingTable {
  GtkBox parent_instance;
  TnSession *session;
  GtkStringList *rows; /* one a finding: its row of the session's findings */
  GtkSingleSelection *selection;
  GtkColumnView *view;
};

G_DEFINE_TYPE(TnFindingTable, tn_finding_table, GTK_TYPE_BOX)

/* NULL where the row is of findings that are gone. */
static const TnFinding *
finding_of(TnFindingTable *table, GObject *item)
{
  const TnFindings *findings = tn_session_get_findings(table->session);
  guint64 row = g_ascii_strtoull(gtk_string_object_get_string(GTK_STRING_OBJECT(item)), NULL, 10);
  return row < findings->rows->len ? tn_findings_get(findings, (uint32_t)row) : NULL;
}

static char *
dup_bytes(tn_bytes bytes)
{
  return bytes >= 0 ? tn_format_bytes(bytes, tn_settings_get_units()) : g_strdup("–");
}

static char *
dup_cell(GObject *item, int column, gpointer data)
{
  const TnFinding *finding = finding_of(data, item);
  char tick[32];
  if (!finding)
    return g_strdup("");
  switch (column) {
  case COLUMN_SEVERITY:
    return g_strdup(tn_severity_name(finding->severity));
  case COLUMN_CODE:
    return g_strdup(finding->code);
  case COLUMN_MESSAGE:
    return g_strdup(finding->message);
  case COLUMN_BYTES:
    return dup_bytes(finding->bytes);
  case COLUMN_SAVING:
    return dup_bytes(finding->saving_bytes);
  default:
    return finding->at >= 0 ? g_strdup(tn_print_count(tick, sizeof tick, finding->at))
                            : g_strdup("–");
  }
}

static void
on_selected(GtkSingleSelection *selection, GParamSpec *pspec, TnFindingTable *table)
{
  GObject *item = gtk_single_selection_get_selected_item(selection);
  const TnFinding *finding = item ? finding_of(table, item) : NULL;
  if (finding)
    tn_session_show_finding(table->session, finding);
}

static void
fill(TnFindingTable *table)
{
  guint n = tn_session_get_findings(table->session)->rows->len;
  gtk_string_list_splice(table->rows, 0, g_list_model_get_n_items(G_LIST_MODEL(table->rows)), NULL);
  for (guint i = 0; i < n; i++) {
    char row[16];
    g_snprintf(row, sizeof row, "%u", i);
    gtk_string_list_append(table->rows, row);
  }
}

static void
on_changed(TnSession *session, TnFindingTable *table)
{
  fill(table);
}

static void
dispose(GObject *object)
{
  TnFindingTable *table = TN_FINDING_TABLE(object);
  g_clear_object(&table->rows);
  g_clear_object(&table->session);
  G_OBJECT_CLASS(tn_finding_table_parent_class)->dispose(object);
}

static void
tn_finding_table_class_init(TnFindingTableClass *class)
{
  G_OBJECT_CLASS(class)->dispose = dispose;
}

static void
tn_finding_table_init(TnFindingTable *table)
{
  table->rows = gtk_string_list_new(NULL);
}

GtkWidget *
tn_finding_table_new(TnSession *session)
{
  TnFindingTable *table = g_object_new(TN_TYPE_FINDING_TABLE, NULL);
  table->session = g_object_ref(session);
  fill(table);
  table->selection = tn_column_view_selection_new(G_LIST_MODEL(table->rows));
  table->view = tn_column_view_new(table->selection, _("Findings"));
  for (int column = 0; column < N_COLUMNS; column++)
    tn_column_view_add(table->view, &columns[column], column, dup_cell, table);
  tn_column_view_finish(table->view);
  tn_column_view_align_titles(table->view);
  gtk_box_append(GTK_BOX(table), tn_column_view_wrap(table->view));
  g_signal_connect_object(table->selection, "notify::selected-item", G_CALLBACK(on_selected), table,
                          0);
  g_signal_connect_object(session, "study-changed", G_CALLBACK(on_changed), table, 0);
  g_signal_connect_object(session, "units-changed", G_CALLBACK(on_changed), table, 0);
  return GTK_WIDGET(table);
}
