/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/column-view.h"

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

/* A right click selects its row first; the page opens the menu of it. */
static void
on_secondary(GtkGestureClick *gesture, int n_press, double x, double y, GtkListItem *item)
{
  GtkWidget *cell = gtk_list_item_get_child(item);
  GtkWidget *view = gtk_widget_get_ancestor(cell, GTK_TYPE_COLUMN_VIEW);
  GtkSelectionModel *model = view ? gtk_column_view_get_model(GTK_COLUMN_VIEW(view)) : NULL;
  if (model)
    gtk_selection_model_select_item(model, gtk_list_item_get_position(item), TRUE);
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
  GtkGesture *secondary = gtk_gesture_click_new();
  gtk_gesture_single_set_button(GTK_GESTURE_SINGLE(secondary), GDK_BUTTON_SECONDARY);
  g_signal_connect(secondary, "pressed", G_CALLBACK(on_secondary), item);
  gtk_widget_add_controller(label, GTK_EVENT_CONTROLLER(secondary));
}

static void
bind(GtkSignalListItemFactory *factory, GtkListItem *item, Cells *cells)
{
  g_autofree char *text = cells->dup_cell(gtk_list_item_get_item(item), cells->column, cells->data);
  gtk_label_set_text(GTK_LABEL(gtk_list_item_get_child(item)), text);
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
