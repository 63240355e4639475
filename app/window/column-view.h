/* SPDX-License-Identifier: MIT */
/* What our tables share: a column view of text cells over a list model, titles at the right of
 * numbers, scrolling to a row (GTK 4.8 has functions for neither). */
#pragma once

#include <gtk/gtk.h>
#include <stdbool.h>

typedef struct {
  const char *title;
  bool is_number;
  int width; /* 0: takes what is left */
  bool is_hidden; /* until the user chooses it */
} TnColumnSpec;

/* The text of a cell, owned by the caller. */
typedef char *(*TnDupCell)(GObject *item, int column, gpointer data);

/* Single, nothing selected at first, may be unselected.  Owned by the view it is given to, which takes
 * it up when it is first shown. */
GtkSingleSelection *tn_column_view_selection_new(GListModel *model);
GtkColumnView *tn_column_view_new(GtkSingleSelection *selection, const char *label);
/* Appends a column and returns it (borrowed); `data` must outlive the view. */
GtkColumnViewColumn *tn_column_view_add(GtkColumnView *view, const TnColumnSpec *spec, int column,
                                        TnDupCell dup_cell, gpointer data);
/* All columns (GtkColumnViewColumn), shown or not, in their order; borrowed. */
GPtrArray *tn_column_view_all(GtkColumnView *view);
/* A click on the title sorts, by a model that asks by what when the view's sorter changes. */
void tn_column_view_make_sortable(GtkColumnViewColumn *view_column, int column);
/* The column that a view is sorted by, -1: by none.  `a`, `b`: any two different rows. */
int
tn_column_view_ask_sorter(GtkSorter *sorter, gpointer a, gpointer b, bool *out_is_descending);
/* After all columns were added: a menu on each title to choose the columns shown, Ctrl + C for the
 * selected row and Ctrl + Shift + C for all of them, as text with tabs. */
void tn_column_view_finish(GtkColumnView *view);
/* Rows [from, from + n) of the visible columns; owned by the caller. */
char *tn_column_view_build_tsv(GtkColumnView *view, guint from, guint n, bool with_titles);
/* After all columns were added. */
void tn_column_view_align_titles(GtkColumnView *view);
/* The row under a point of a widget around the view; NULL where there is none.  Borrowed. */
GObject *tn_column_view_pick(GtkWidget *widget, double x, double y);
/* All cells that there are, again: what their items stand for is another. */
void tn_column_view_rewrite(GtkColumnView *view);
void tn_column_view_scroll_to(GtkColumnView *view, guint position);
/* The view in a scrolled window that takes all room. */
GtkWidget *tn_column_view_wrap(GtkColumnView *view);
