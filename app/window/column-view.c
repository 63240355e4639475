/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/column-view.h"

#define ROW "tenure-row" /* of a cell's label: the row that it shows */

typedef struct {
  bool is_number;
  int column;
  TnDupCell dup_cell;
  gpointer data;
} Cells;

GtkSingleSelection *
tn_column_view_selection_new(GListModel *model)
{
  GtkSingleSelection *selection = gtk_single_selection_new(g_object_ref(model));
  gtk_single_selection_set_autoselect(selection, FALSE);
  gtk_single_selection_set_can_unselect(selection, TRUE);
  gtk_single_selection_set_selected(selection, GTK_INVALID_LIST_POSITION);
  return selection;
}

GtkColumnView *
tn_column_view_new(GtkSingleSelection *selection, const char *label)
{
  GtkWidget *view = gtk_column_view_new(GTK_SELECTION_MODEL(selection));
  gtk_widget_add_css_class(view, "data-table");
  gtk_accessible_update_property(GTK_ACCESSIBLE(view), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
  return GTK_COLUMN_VIEW(view);
}

static void
set_up(GtkSignalListItemFactory *factory, GtkListItem *item, Cells *cells)
{
  GtkWidget *label = gtk_label_new(NULL);
  gtk_label_set_xalign(GTK_LABEL(label), cells->is_number ? 1.0f : 0.0f);
  gtk_label_set_ellipsize(GTK_LABEL(label), PANGO_ELLIPSIZE_MIDDLE);
  if (cells->is_number)
    gtk_widget_add_css_class(label, "numeric");
  gtk_list_item_set_child(item, label);
}

static void
bind(GtkSignalListItemFactory *factory, GtkListItem *item, Cells *cells)
{
  g_autofree char *text = cells->dup_cell(gtk_list_item_get_item(item), cells->column, cells->data);
  gtk_label_set_text(GTK_LABEL(gtk_list_item_get_child(item)), text);
  g_object_set_data_full(G_OBJECT(gtk_list_item_get_child(item)), ROW,
                         g_object_ref(gtk_list_item_get_item(item)), g_object_unref);
}

static void
free_cells(gpointer data, GClosure *closure)
{
  g_free(data);
}

GtkColumnViewColumn *
tn_column_view_add(
    GtkColumnView *view, const TnColumnSpec *spec, int column, TnDupCell dup_cell, gpointer data)
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new();
  Cells *cells = g_new0(Cells, 1);
  *cells = (Cells){spec->is_number, column, dup_cell, data};
  g_signal_connect_data(factory, "setup", G_CALLBACK(set_up), cells, free_cells, 0);
  g_signal_connect(factory, "bind", G_CALLBACK(bind), cells);
  GtkColumnViewColumn *c = gtk_column_view_column_new(spec->title, factory);
  gtk_column_view_column_set_resizable(c, TRUE);
  if (spec->width)
    gtk_column_view_column_set_fixed_width(c, spec->width);
  else
    gtk_column_view_column_set_expand(c, TRUE);
  gtk_column_view_append_column(view, c);
  g_object_unref(c);
  return c;
}

/* GTK 4.8 does not say by which column its view sorts.  Its sorter does when it compares two rows:
 * the first column that it asks is the one, and the sign that comes back is the direction. */
static int asked_column = -1;

static int
probe(gconstpointer a, gconstpointer b, gpointer data)
{
  if (asked_column < 0)
    asked_column = GPOINTER_TO_INT(data);
  return -1;
}

void
tn_column_view_make_sortable(GtkColumnViewColumn *view_column, int column)
{
  GtkSorter *sorter = GTK_SORTER(gtk_custom_sorter_new(probe, GINT_TO_POINTER(column), NULL));
  gtk_column_view_column_set_sorter(view_column, sorter);
  g_object_unref(sorter);
}

int
tn_column_view_ask_sorter(GtkSorter *sorter, gpointer a, gpointer b, bool *out_is_descending)
{
  asked_column = -1;
  *out_is_descending = gtk_sorter_compare(sorter, a, b) > 0;
  return asked_column;
}

/* A title is a button around a box around a label. */
void
tn_column_view_align_titles(GtkColumnView *view, const TnColumnSpec *specs, int n)
{
  GtkWidget *title = gtk_widget_get_first_child(gtk_widget_get_first_child(GTK_WIDGET(view)));
  for (int column = 0; title && column < n; column++) {
    GtkWidget *box = gtk_widget_get_first_child(title);
    GtkWidget *label = box ? gtk_widget_get_first_child(box) : NULL;
    if (specs[column].is_number && GTK_IS_LABEL(label)) {
      gtk_label_set_xalign(GTK_LABEL(label), 1.0f);
      gtk_widget_set_hexpand(label, TRUE);
      gtk_widget_set_halign(label, GTK_ALIGN_FILL);
      gtk_widget_set_halign(box, GTK_ALIGN_FILL);
    }
    title = gtk_widget_get_next_sibling(title);
  }
}

/* A cell holds its label; its margins belong to it. */
GObject *
tn_column_view_pick(GtkWidget *widget, double x, double y)
{
  GtkWidget *at = gtk_widget_pick(widget, x, y, GTK_PICK_DEFAULT);
  for (; at && at != widget; at = gtk_widget_get_parent(at)) {
    GtkWidget *label = GTK_IS_LABEL(at) ? at : gtk_widget_get_first_child(at);
    GObject *row = label ? g_object_get_data(G_OBJECT(label), ROW) : NULL;
    if (row)
      return row;
  }
  return NULL;
}

/* The list inside has an action for it. */
void
tn_column_view_scroll_to(GtkColumnView *view, guint position)
{
  GtkWidget *inner = gtk_widget_get_last_child(GTK_WIDGET(view));
  if (inner)
    gtk_widget_activate_action(inner, "list.scroll-to-item", "u", position);
}

GtkWidget *
tn_column_view_wrap(GtkColumnView *view)
{
  GtkWidget *scroller = gtk_scrolled_window_new();
  gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scroller), GTK_WIDGET(view));
  gtk_widget_set_hexpand(scroller, TRUE);
  gtk_widget_set_vexpand(scroller, TRUE);
  return scroller;
}
