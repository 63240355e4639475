/* SPDX-License-Identifier: MIT */
/* In GTK 4.8 a row is one widget of ours (row-cells.h): its view shows whatever its list's factory makes.  Later GTKs
 * ask the columns for their cells, which makes a widget for each. */
#include "config.h"

#include "app/window/column-cells.h"

#include "app/window/row-cells.h"
#include "app/window/view-parts.h"

#define BOUND "bound-items"
#define TAKEN "rows-are-ours"

/* GtkListItem: the rows or cells that there are; borrowed. */
static GPtrArray *
bound_of(GtkColumnView *view)
{
  return g_object_get_data(G_OBJECT(view), BOUND);
}

static void
bind(GtkColumnView *view, GtkListItem *item)
{
  g_ptr_array_add(bound_of(view), item);
}

/* Once the view ends, its items go after what it held. */
static void
unbind(GtkSignalListItemFactory *factory, GtkListItem *item, GtkColumnView *view)
{
  GPtrArray *bound = bound_of(view);
  if (bound)
    g_ptr_array_remove_fast(bound, item);
}

static void
set_child(GtkListItem *item, GtkWidget *child)
{
  g_object_set_data(G_OBJECT(child), "list-item", item);
  gtk_list_item_set_child(item, child);
}

/* A row is called as its first cell; GTK 4.8 calls it by its type. */
static void
name_row(GtkWidget *cell, const char *name)
{
  GtkWidget *row = cell ? gtk_widget_get_parent(cell) : NULL;
  if (row && !gtk_widget_get_prev_sibling(cell))
    gtk_accessible_update_property(GTK_ACCESSIBLE(row), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
}

/* ---- a widget for each row --------------------------------------------------------------------- */

static void
set_up_row(GtkSignalListItemFactory *factory, GtkListItem *item, GtkColumnView *view)
{
  set_child(item, tn_row_cells_new(view, item));
}

static void
write_row(GtkColumnView *view, GtkListItem *item)
{
  g_autoptr(GtkColumnViewColumn) first = g_list_model_get_item(gtk_column_view_get_columns(view), 0);
  const TnCellText *text = tn_column_cells_get(first);
  g_autofree char *name = text->dup_cell(gtk_list_item_get_item(item), text->column, text->data);
  GtkWidget *cells = gtk_list_item_get_child(item);
  tn_row_cells_set_name(TN_ROW_CELLS(cells), name);
  gtk_widget_queue_draw(cells);
  name_row(cells, name);
}

static void
bind_row(GtkSignalListItemFactory *factory, GtkListItem *item, GtkColumnView *view)
{
  write_row(view, item);
  bind(view, item);
}

static void
redraw_rows(GtkColumnView *view)
{
  GPtrArray *bound = bound_of(view);
  for (guint i = 0; i < bound->len; i++)
    gtk_widget_queue_draw(gtk_list_item_get_child(g_ptr_array_index(bound, i)));
}

/* A column that is dragged, by its title or by its edge. */
static void
on_motion(GtkEventController *motion, double x, double y, GtkColumnView *view)
{
  if (gtk_event_controller_get_current_event_state(motion) & GDK_BUTTON1_MASK)
    redraw_rows(view);
}

/* A column that comes while there are rows puts a cell of its own into each, whatever made the row. */
static void
drop_others(GtkWidget *row)
{
  GtkWidget *child = gtk_widget_get_first_child(row);
  while (child) {
    GtkWidget *next = gtk_widget_get_next_sibling(child);
    if (!TN_IS_ROW_CELLS(child))
      gtk_widget_unparent(child);
    child = next;
  }
}

void
tn_column_cells_insert(GtkColumnView *view, guint place, GtkColumnViewColumn *column)
{
  GtkWidget *list = gtk_widget_get_last_child(GTK_WIDGET(view));
  gtk_column_view_insert_column(view, place, column);
  if (!g_object_get_data(G_OBJECT(view), TAKEN))
    return;
  for (GtkWidget *row = gtk_widget_get_first_child(list); row; row = gtk_widget_get_next_sibling(row))
    drop_others(row);
}

static void
take_over(GtkColumnView *view, GtkListView *list)
{
  g_autoptr(GtkListItemFactory) factory = gtk_signal_list_item_factory_new();
  g_signal_connect(factory, "setup", G_CALLBACK(set_up_row), view);
  g_signal_connect(factory, "bind", G_CALLBACK(bind_row), view);
  g_signal_connect(factory, "unbind", G_CALLBACK(unbind), view);
  gtk_list_view_set_factory(list, factory);
  g_object_set_data(G_OBJECT(view), TAKEN, list);
  g_signal_connect_object(gtk_column_view_get_columns(view), "items-changed", G_CALLBACK(redraw_rows), view,
                          G_CONNECT_SWAPPED);
  GtkEventController *motion = gtk_event_controller_motion_new();
  gtk_event_controller_set_propagation_phase(motion, GTK_PHASE_CAPTURE);
  g_signal_connect(motion, "motion", G_CALLBACK(on_motion), view);
  gtk_widget_add_controller(GTK_WIDGET(view), motion);
}

/* TENURE_PLAIN_CELLS is for tests: what a later GTK would show. */
void
tn_column_cells_init(GtkColumnView *view)
{
  GtkWidget *list = gtk_widget_get_last_child(GTK_WIDGET(view));
  g_object_set_data_full(G_OBJECT(view), BOUND, g_ptr_array_new(), (GDestroyNotify)g_ptr_array_unref);
  if (gtk_get_minor_version() < 10 && GTK_IS_LIST_VIEW(list) && !g_getenv("TENURE_PLAIN_CELLS"))
    take_over(view, GTK_LIST_VIEW(list));
}

/* ---- a widget for each cell -------------------------------------------------------------------- */

/* An inscription takes the room that it is given and shapes its text when it is drawn: of the two
 * hundred rows that GTK makes, a dozen are. */
static void
set_up_cell(GtkSignalListItemFactory *factory, GtkListItem *item, gpointer unused)
{
  const TnCellText *cell = g_object_get_data(G_OBJECT(factory), "cell");
  GtkWidget *text = gtk_inscription_new(NULL);
  bool is_mirrored = gtk_widget_get_direction(text) == GTK_TEXT_DIR_RTL;
  gtk_inscription_set_xalign(GTK_INSCRIPTION(text), cell->is_number || is_mirrored ? 1.0f : 0.0f);
  gtk_inscription_set_text_overflow(GTK_INSCRIPTION(text), GTK_INSCRIPTION_OVERFLOW_ELLIPSIZE_MIDDLE);
  gtk_inscription_set_min_chars(GTK_INSCRIPTION(text), cell->min_chars);
  gtk_inscription_set_nat_chars(GTK_INSCRIPTION(text), cell->min_chars);
  if (cell->is_number)
    tn_view_set_figures(text);
  g_object_set_data(G_OBJECT(text), "cell", (gpointer)cell);
  set_child(item, text);
}

static void
write_cell(GtkListItem *item)
{
  GtkWidget *widget = gtk_list_item_get_child(item);
  const TnCellText *cell = g_object_get_data(G_OBJECT(widget), "cell");
  g_autofree char *text = cell->dup_cell(gtk_list_item_get_item(item), cell->column, cell->data);
  g_autofree char *shown = tn_elide_middle(text, TN_VIEW_NAME_CHARS);
  gtk_inscription_set_text(GTK_INSCRIPTION(widget), shown);
  gtk_accessible_update_property(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_PROPERTY_LABEL, text, -1);
  name_row(gtk_widget_get_parent(widget), text);
}

static void
bind_cell(GtkSignalListItemFactory *factory, GtkListItem *item, GtkColumnView *view)
{
  write_cell(item);
  bind(view, item);
}

GtkListItemFactory *
tn_column_cells_factory_new(GtkColumnView *view, const TnCellText *text)
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new();
  g_object_set_data_full(G_OBJECT(factory), "cell", g_memdup2(text, sizeof *text), g_free);
  g_signal_connect(factory, "setup", G_CALLBACK(set_up_cell), NULL);
  g_signal_connect(factory, "bind", G_CALLBACK(bind_cell), view);
  g_signal_connect(factory, "unbind", G_CALLBACK(unbind), view);
  return factory;
}

/* ---- which there are --------------------------------------------------------------------------- */

void
tn_column_cells_set(GtkColumnView *view, GtkColumnViewColumn *column, const TnCellText *text)
{
  g_signal_connect_object(column, "notify::fixed-width", G_CALLBACK(redraw_rows), view, G_CONNECT_SWAPPED);
  g_object_set_data_full(G_OBJECT(column), "cell", g_memdup2(text, sizeof *text), g_free);
}

const TnCellText *
tn_column_cells_get(GtkColumnViewColumn *column)
{
  return g_object_get_data(G_OBJECT(column), "cell");
}

/* A title is a button around a box around a label, which tells whose it is: GTK 4.8 has no other way to know. */
GtkWidget *
tn_column_cells_find_title(GtkColumnView *view, GtkColumnViewColumn *column)
{
  const char *wanted = gtk_column_view_column_get_title(column);
  GtkWidget *head = gtk_widget_get_first_child(GTK_WIDGET(view));
  for (GtkWidget *at = gtk_widget_get_first_child(head); at; at = gtk_widget_get_next_sibling(at)) {
    GtkWidget *box = gtk_widget_get_first_child(at);
    GtkWidget *label = box ? gtk_widget_get_first_child(box) : NULL;
    if (GTK_IS_LABEL(label) && g_strcmp0(gtk_label_get_text(GTK_LABEL(label)), wanted) == 0)
      return at;
  }
  return NULL;
}

/* A row is a child of the view's list. */
GtkWidget *
tn_column_cells_find_row(GtkColumnView *view, guint position)
{
  GPtrArray *bound = bound_of(view);
  for (guint i = 0; i < bound->len; i++) {
    GtkListItem *item = g_ptr_array_index(bound, i);
    GtkWidget *at = gtk_list_item_get_child(item);
    if (gtk_list_item_get_position(item) != position)
      continue;
    while (at && !GTK_IS_LIST_VIEW(gtk_widget_get_parent(at)))
      at = gtk_widget_get_parent(at);
    return at;
  }
  return NULL;
}

/* A cell holds its text, a row its cells; the margins belong to both. */
GtkListItem *
tn_column_cells_pick(GtkWidget *widget, double x, double y)
{
  GtkWidget *at = gtk_widget_pick(widget, x, y, GTK_PICK_DEFAULT);
  GtkListItem *item = NULL;
  for (; at && at != widget && !item; at = gtk_widget_get_parent(at)) {
    GtkWidget *child = gtk_widget_get_first_child(at);
    item = g_object_get_data(G_OBJECT(at), "list-item");
    if (!item && child)
      item = g_object_get_data(G_OBJECT(child), "list-item");
  }
  return item;
}

void
tn_column_cells_rewrite(GtkColumnView *view)
{
  GPtrArray *bound = bound_of(view);
  for (guint i = 0; i < bound->len; i++) {
    GtkListItem *item = g_ptr_array_index(bound, i);
    if (TN_IS_ROW_CELLS(gtk_list_item_get_child(item)))
      write_row(view, item);
    else
      write_cell(item);
  }
}
