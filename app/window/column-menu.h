/* SPDX-License-Identifier: MIT */
/* Which columns a table shows, by which it is sorted, and copying: a menu on each title for the mouse,
 * and two submenus for the menu of what the table is in, which the keyboard opens. */
#pragma once

#include <gtk/gtk.h>

/* After all columns were added; the view's actions are "columns.copy-row", "columns.copy-all",
 * "columns.show-N" and "columns.sort" (a uint32: a column, descending where it ascends already). */
void tn_column_menu_attach(GtkColumnView *view);

/* Shows or hides a column, by its number, as the menu does; after tn_column_menu_attach(). */
void tn_column_menu_set_shown(GtkColumnView *view, guint column, bool is_column_shown);

/* Appends "Columns" and "Sort By" of the table that `at` is in; nothing where it is in none.  `owner`:
 * a widget above the menu's popover, which gets the table's actions. */
void tn_column_menu_append(GMenu *menu, GtkWidget *owner, GtkWidget *at);
