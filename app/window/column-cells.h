/* SPDX-License-Identifier: MIT */
/* The rows and cells of a column view: what makes them, which there are, and which is where. */
#pragma once

#include "app/window/column-view.h"

typedef struct {
  bool is_number;
  guint min_chars;
  int column;
  TnDupCell dup_cell;
  gpointer data;
} TnCellText;

/* Once for each view, before it has columns. */
void tn_column_cells_init(GtkColumnView *view);
/* The factory of a column's cells; owned by the caller. */
GtkListItemFactory *tn_column_cells_factory_new(GtkColumnView *view, const TnCellText *text);
/* The title of a column that is in the view, a child of the view's first child: they stand there in the order in which
 * they came.  NULL: it has none yet.  Borrowed. */
GtkWidget *tn_column_cells_find_title(GtkColumnView *view, GtkColumnViewColumn *column);

/* Shows a column that is not in the view, at a place among those that are. */
void tn_column_cells_insert(GtkColumnView *view, guint place, GtkColumnViewColumn *column);

/* What a column's cells say: copied to it, borrowed from it. */
void tn_column_cells_set(GtkColumnView *view, GtkColumnViewColumn *column, const TnCellText *text);
const TnCellText *tn_column_cells_get(GtkColumnViewColumn *column);

/* The row of a position, of those that there are; NULL: it is far out of sight.  Borrowed. */
GtkWidget *tn_column_cells_find_row(GtkColumnView *view, guint position);
/* The row under a point of a widget around the view; NULL: none.  Borrowed. */
GtkListItem *tn_column_cells_pick(GtkWidget *widget, double x, double y);
/* All that there are, again. */
void tn_column_cells_rewrite(GtkColumnView *view);
