/* SPDX-License-Identifier: MIT */
/* The table of a graph's ops in execution order; choosing one goes to its tick and marks what it
 * reads and writes in all views. */
#pragma once

#include "app/window/session.h"

#include <gtk/gtk.h>

#define TN_TYPE_OP_TABLE (tn_op_table_get_type())
G_DECLARE_FINAL_TYPE(TnOpTable, tn_op_table, TN, OP_TABLE, GtkBox)

/* The session's document must have a graph. */
GtkWidget *tn_op_table_new(TnSession *session);
/* The op (row of the graph) that was chosen in the table and nothing since; TN_NONE. */
uint32_t tn_op_table_get_chosen(TnOpTable *table);
/* No op is chosen any more, and what it marked is marked no more. */
void tn_op_table_unmark(TnOpTable *table);
