/* SPDX-License-Identifier: MIT */
/* The list of what changed between two files, as a table: sorts, follows filter and selection,
 * copies rows as TSV. */
#pragma once

#include "app/window/diff-model.h"

#include <gtk/gtk.h>

#define TN_TYPE_CHANGES_TABLE (tn_changes_table_get_type())
G_DECLARE_FINAL_TYPE(TnChangesTable, tn_changes_table, TN, CHANGES_TABLE, GtkBox)

/* Its menu and buttons activate "diff.match", "diff.unmatch" and "diff.copy". */
GtkWidget *tn_changes_table_new(TnDiffModel *model);
/* The selected row, or all that are shown where none is, with the titles. */
void tn_changes_table_copy(TnChangesTable *table);
/* How many rows are shown, for tests. */
guint tn_changes_table_get_n_rows(TnChangesTable *table);
