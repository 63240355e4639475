/* SPDX-License-Identifier: MIT */
/* A row of a table as one widget that draws the texts of all columns.  GTK 4.8's column view makes a widget in a
 * widget for each cell, of two hundred rows: four thousand nodes, the style of which is looked at whenever a button is
 * pressed anywhere in the window, which takes longer than a frame that shows the selection. */
#pragma once

#include "app/window/column-view.h"

#define TN_TYPE_ROW_CELLS (tn_row_cells_get_type())
G_DECLARE_FINAL_TYPE(TnRowCells, tn_row_cells, TN, ROW_CELLS, GtkWidget)

/* A row's cells: those of `item`, which is borrowed and holds them.  It draws what the item stands for at that time:
 * gtk_widget_queue_draw() when that is another, and tn_row_cells_set_name(). */
GtkWidget *tn_row_cells_new(GtkColumnView *view, GtkListItem *item);
/* The text of the first column, copied; borrowed. */
void tn_row_cells_set_name(TnRowCells *cells, const char *name);
const char *tn_row_cells_get_name(TnRowCells *cells);
/* What it says in the columns that are shown, each after its title: for assistive technology and for tests.  Owned
 * by the caller. */
char *tn_row_cells_dup_text(TnRowCells *cells);
