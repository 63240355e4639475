/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/column-view.h"

#include "app/window/settings.h"

#include <glib/gi18n.h>

typedef struct {
  bool is_number;
  guint min_chars;
  int column;
  TnDupCell dup_cell;
  gpointer data;
  GPtrArray *bound; /* GtkListItem: the cells that there are; borrowed */
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

/* A table that is never looked at makes no rows. */
static void
on_map(GtkColumnView *view, GtkSingleSelection *selection)
{
  if (!gtk_column_view_get_model(view))
    gtk_column_view_set_model(view, GTK_SELECTION_MODEL(selection));
}

static void
unref_selection(gpointer selection, GClosure *closure)
{
  g_object_unref(selection);
}

static void on_secondary(
    GtkGestureClick *gesture, int n_press, double x, double y, GtkColumnView *view);

GtkColumnView *
tn_column_view_new(GtkSingleSelection *selection, const char *label)
{
  GtkWidget *view = gtk_column_view_new(NULL);
  GtkGesture *secondary = gtk_gesture_click_new();
  gtk_gesture_single_set_button(GTK_GESTURE_SINGLE(secondary), GDK_BUTTON_SECONDARY);
  g_signal_connect(secondary, "pressed", G_CALLBACK(on_secondary), view);
  gtk_widget_add_controller(view, GTK_EVENT_CONTROLLER(secondary));
  g_signal_connect_data(view, "map", G_CALLBACK(on_map), selection, unref_selection, 0);
  gtk_widget_add_css_class(view, "data-table");
  gtk_accessible_update_property(GTK_ACCESSIBLE(view), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
  return GTK_COLUMN_VIEW(view);
}

/* An inscription takes the room that it is given and shapes its text when it is drawn: of the two
 * hundred rows that GTK makes, a dozen are. */
static void
set_up(GtkSignalListItemFactory *factory, GtkListItem *item, Cells *cells)
{
  GtkWidget *text = gtk_inscription_new(NULL);
  gtk_inscription_set_xalign(GTK_INSCRIPTION(text), cells->is_number ? 1.0f : 0.0f);
  gtk_inscription_set_text_overflow(GTK_INSCRIPTION(text), GTK_INSCRIPTION_OVERFLOW_ELLIPSIZE_MIDDLE);
  gtk_inscription_set_min_chars(GTK_INSCRIPTION(text), cells->min_chars);
  gtk_inscription_set_nat_chars(GTK_INSCRIPTION(text), cells->min_chars);
  if (cells->is_number)
    gtk_widget_add_css_class(text, "numeric");
  g_object_set_data(G_OBJECT(text), "list-item", item);
  gtk_list_item_set_child(item, text);
}

static void
write_cell(GtkListItem *item, const Cells *cells)
{
  g_autofree char *text = cells->dup_cell(gtk_list_item_get_item(item), cells->column, cells->data);
  GtkWidget *cell = gtk_list_item_get_child(item);
  gtk_inscription_set_text(GTK_INSCRIPTION(cell), text);
  gtk_accessible_update_property(GTK_ACCESSIBLE(cell), GTK_ACCESSIBLE_PROPERTY_LABEL, text, -1);
}

static void
bind(GtkSignalListItemFactory *factory, GtkListItem *item, Cells *cells)
{
  write_cell(item, cells);
  g_ptr_array_add(cells->bound, item);
}

static void
unbind(GtkSignalListItemFactory *factory, GtkListItem *item, Cells *cells)
{
  g_ptr_array_remove_fast(cells->bound, item);
}

/* A cell holds its text; its margins belong to it. */
static GtkListItem *
item_at(GtkWidget *widget, double x, double y)
{
  GtkWidget *at = gtk_widget_pick(widget, x, y, GTK_PICK_DEFAULT);
  GtkListItem *item = NULL;
  for (; at && at != widget && !item; at = gtk_widget_get_parent(at)) {
    GtkWidget *cell = GTK_IS_INSCRIPTION(at) ? at : gtk_widget_get_first_child(at);
    item = cell ? g_object_get_data(G_OBJECT(cell), "list-item") : NULL;
  }
  return item;
}

/* A right click selects its row first; the page opens the menu of it. */
static void
on_secondary(GtkGestureClick *gesture, int n_press, double x, double y, GtkColumnView *view)
{
  GtkListItem *item = item_at(GTK_WIDGET(view), x, y);
  if (item)
    gtk_selection_model_select_item(gtk_column_view_get_model(view),
                                    gtk_list_item_get_position(item), TRUE);
}

static void
free_cells(gpointer data, GClosure *closure)
{
  g_ptr_array_unref(((Cells *)data)->bound);
  g_free(data);
}

/* Shown or not, in their order.  A column that is not shown is not in the view: GTK 4.8 leaves room for
 * one that is only invisible. */
static GPtrArray *
all_columns(GtkColumnView *view)
{
  GPtrArray *all = g_object_get_data(G_OBJECT(view), "all-columns");
  if (!all) {
    all = g_ptr_array_new_with_free_func(g_object_unref);
    g_object_set_data_full(G_OBJECT(view), "all-columns", all, (GDestroyNotify)g_ptr_array_unref);
  }
  return all;
}

GtkColumnViewColumn *
tn_column_view_add(
    GtkColumnView *view, const TnColumnSpec *spec, int column, TnDupCell dup_cell, gpointer data)
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new();
  Cells *cells = g_new0(Cells, 1);
  *cells = (Cells){spec->is_number, spec->width ? 3 : 10, column, dup_cell, data, g_ptr_array_new()};
  g_signal_connect_data(factory, "setup", G_CALLBACK(set_up), cells, free_cells, 0);
  g_signal_connect(factory, "bind", G_CALLBACK(bind), cells);
  g_signal_connect(factory, "unbind", G_CALLBACK(unbind), cells);
  GtkColumnViewColumn *c = gtk_column_view_column_new(_(spec->title), factory);
  gtk_column_view_column_set_resizable(c, TRUE);
  g_object_set_data(G_OBJECT(c), "cells", cells);
  g_ptr_array_add(all_columns(view), g_object_ref(c));
  if (spec->width)
    gtk_column_view_column_set_fixed_width(
        c, (int)(spec->width * MAX(tn_settings_get_text_scale(), 1.0)));
  else
    gtk_column_view_column_set_expand(c, TRUE);
  if (!spec->is_hidden)
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

/* ---- copying ----------------------------------------------------------------------------------- */

/* The columns that are shown; the array is the caller's, the columns are borrowed. */
static GPtrArray *
shown_columns(GtkColumnView *view)
{
  GListModel *columns = gtk_column_view_get_columns(view);
  GPtrArray *shown = g_ptr_array_new();
  for (guint i = 0; i < g_list_model_get_n_items(columns); i++) {
    g_autoptr(GtkColumnViewColumn) column = g_list_model_get_item(columns, i);
    g_ptr_array_add(shown, column);
  }
  return shown;
}

static void
append_titles(GString *out, const GPtrArray *columns)
{
  for (guint i = 0; i < columns->len; i++)
    g_string_append_printf(out, "%s%s", i ? "\t" : "",
                           gtk_column_view_column_get_title(g_ptr_array_index(columns, i)));
  g_string_append_c(out, '\n');
}

/* What would end a cell or a line is a space. */
static void
append_row(GString *out, const GPtrArray *columns, GObject *item)
{
  for (guint i = 0; i < columns->len; i++) {
    const Cells *cells = g_object_get_data(g_ptr_array_index(columns, i), "cells");
    g_autofree char *text = cells->dup_cell(item, cells->column, cells->data);
    g_string_append_printf(out, "%s%s", i ? "\t" : "", g_strdelimit(text, "\t\n\r", ' '));
  }
  g_string_append_c(out, '\n');
}

char *
tn_column_view_build_tsv(GtkColumnView *view, guint from, guint n, bool with_titles)
{
  GListModel *model = G_LIST_MODEL(gtk_column_view_get_model(view));
  g_autoptr(GPtrArray) columns = shown_columns(view);
  GString *out = g_string_new(NULL);
  if (with_titles)
    append_titles(out, columns);
  for (guint i = from; i < from + n; i++) {
    g_autoptr(GObject) item = g_list_model_get_item(model, i);
    if (item)
      append_row(out, columns, item);
  }
  return g_string_free(out, FALSE);
}

#define SLICE 200      /* rows copied between two looks at the clock */
#define SLICE_US 8000  /* and how long that may go on at once */
#define MOST_ROWS 1000000

typedef struct {
  GtkColumnView *view; /* owned reference */
  guint next, n;
  GString *text;
} Copying;

static void
free_copying(gpointer data)
{
  Copying *copying = data;
  g_object_set_data(G_OBJECT(copying->view), "copying", NULL);
  g_object_unref(copying->view);
  g_string_free(copying->text, TRUE);
  g_free(copying);
}

/* Rows are made on the main thread only: a few at a time. */
static gboolean
copy_some(gpointer data)
{
  Copying *copying = data;
  gint64 stop = g_get_monotonic_time() + SLICE_US;
  while (copying->next < copying->n && g_get_monotonic_time() < stop) {
    guint n = MIN((guint)SLICE, copying->n - copying->next);
    g_autofree char *rows =
        tn_column_view_build_tsv(copying->view, copying->next, n, copying->next == 0);
    g_string_append(copying->text, rows);
    copying->next += n;
  }
  if (copying->next < copying->n)
    return G_SOURCE_CONTINUE;
  guint all = g_list_model_get_n_items(G_LIST_MODEL(gtk_column_view_get_model(copying->view)));
  if (all > copying->n)
    g_string_append_printf(copying->text,
                           ngettext("%u more row\n", "%u more rows\n", all - copying->n),
                           all - copying->n);
  gdk_clipboard_set_text(gtk_widget_get_clipboard(GTK_WIDGET(copying->view)), copying->text->str);
  return G_SOURCE_REMOVE;
}

static void
copy_all_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  GListModel *model = G_LIST_MODEL(gtk_column_view_get_model(data));
  if (g_object_get_data(data, "copying"))
    return;
  Copying *copying = g_new0(Copying, 1);
  copying->view = g_object_ref(data);
  copying->n = MIN(g_list_model_get_n_items(model), (guint)MOST_ROWS);
  copying->text = g_string_new(NULL);
  g_object_set_data(data, "copying", copying);
  g_idle_add_full(G_PRIORITY_DEFAULT_IDLE, copy_some, copying, free_copying);
}

static void
copy_row_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  GtkSingleSelection *model = GTK_SINGLE_SELECTION(gtk_column_view_get_model(data));
  guint row = gtk_single_selection_get_selected(model);
  if (row == GTK_INVALID_LIST_POSITION)
    return;
  g_autofree char *text = tn_column_view_build_tsv(data, row, 1, false);
  gdk_clipboard_set_text(gtk_widget_get_clipboard(data), text);
}

void
tn_column_view_rewrite(GtkColumnView *view)
{
  GPtrArray *columns = all_columns(view);
  for (guint c = 0; c < columns->len; c++) {
    const Cells *cells = g_object_get_data(g_ptr_array_index(columns, c), "cells");
    for (guint i = 0; i < cells->bound->len; i++)
      write_cell(g_ptr_array_index(cells->bound, i), cells);
  }
}

/* ---- choosing columns -------------------------------------------------------------------------- */

static bool
is_shown(GtkColumnView *view, GtkColumnViewColumn *column)
{
  g_autoptr(GPtrArray) shown = shown_columns(view);
  return g_ptr_array_find(shown, column, NULL);
}

/* How many of the columns before it are shown. */
static guint
place_of(GtkColumnView *view, guint row)
{
  guint place = 0;
  for (guint i = 0; i < row; i++)
    place += is_shown(view, g_ptr_array_index(all_columns(view), i));
  return place;
}

static void
on_toggle(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  GtkColumnView *view = data;
  guint row = GPOINTER_TO_UINT(g_object_get_data(G_OBJECT(action), "row"));
  GtkColumnViewColumn *column = g_ptr_array_index(all_columns(view), row);
  bool was_shown = is_shown(view, column);
  if (was_shown && g_list_model_get_n_items(gtk_column_view_get_columns(view)) == 1)
    return;
  if (was_shown)
    gtk_column_view_remove_column(view, column);
  else
    gtk_column_view_insert_column(view, place_of(view, row), column);
  g_simple_action_set_state(action, g_variant_new_boolean(!was_shown));
  tn_column_view_align_titles(view, NULL, 0);
}

static void
add_toggle(GtkColumnView *view, GActionMap *group, GMenu *menu, guint row)
{
  GtkColumnViewColumn *column = g_ptr_array_index(all_columns(view), row);
  g_autofree char *name = g_strdup_printf("show-%u", row);
  g_autofree char *action = g_strconcat("columns.", name, NULL);
  g_autoptr(GSimpleAction) toggle = g_simple_action_new_stateful(
      name, NULL, g_variant_new_boolean(is_shown(view, column)));
  g_object_set_data(G_OBJECT(toggle), "row", GUINT_TO_POINTER(row));
  g_signal_connect(toggle, "activate", G_CALLBACK(on_toggle), view);
  g_action_map_add_action(group, G_ACTION(toggle));
  g_menu_append(menu, gtk_column_view_column_get_title(column), action);
}

static void
add_key(GtkEventController *keys, guint key, GdkModifierType modifiers, const char *action)
{
  gtk_shortcut_controller_add_shortcut(
      GTK_SHORTCUT_CONTROLLER(keys),
      gtk_shortcut_new(gtk_keyval_trigger_new(key, modifiers), gtk_named_action_new(action)));
}

void
tn_column_view_finish(GtkColumnView *view)
{
  static const GActionEntry actions[] = {
      {.name = "copy-row", .activate = copy_row_action},
      {.name = "copy-all", .activate = copy_all_action},
  };
  g_autoptr(GSimpleActionGroup) group = g_simple_action_group_new();
  g_autoptr(GMenu) menu = g_menu_new(), shown = g_menu_new(), copying = g_menu_new();
  GPtrArray *columns = all_columns(view);
  g_action_map_add_action_entries(G_ACTION_MAP(group), actions, G_N_ELEMENTS(actions), view);
  g_menu_append(copying, _("_Copy Row"), "columns.copy-row");
  g_menu_append(copying, _("Copy _All Rows"), "columns.copy-all");
  for (guint i = 0; i < columns->len; i++) {
    add_toggle(view, G_ACTION_MAP(group), shown, i);
    gtk_column_view_column_set_header_menu(g_ptr_array_index(columns, i), G_MENU_MODEL(menu));
  }
  g_menu_append_section(menu, _("Columns"), G_MENU_MODEL(shown));
  g_menu_append_section(menu, NULL, G_MENU_MODEL(copying));
  gtk_widget_insert_action_group(GTK_WIDGET(view), "columns", G_ACTION_GROUP(group));
  GtkEventController *keys = gtk_shortcut_controller_new();
  add_key(keys, GDK_KEY_c, GDK_CONTROL_MASK, "columns.copy-row");
  add_key(keys, GDK_KEY_c, GDK_CONTROL_MASK | GDK_SHIFT_MASK, "columns.copy-all");
  gtk_widget_add_controller(GTK_WIDGET(view), keys);
}

void
tn_column_view_set_shown(GtkColumnView *view, guint column, bool is_column_shown)
{
  g_autofree char *action = g_strdup_printf("columns.show-%u", column);
  if (is_shown(view, g_ptr_array_index(all_columns(view), column)) != is_column_shown)
    gtk_widget_activate_action(GTK_WIDGET(view), action, NULL);
}

/* ---- titles, scrolling ------------------------------------------------------------------------- */

/* A title is a button around a box around a label. */
void
tn_column_view_align_titles(GtkColumnView *view, const TnColumnSpec *specs, int n)
{
  g_autoptr(GPtrArray) shown = shown_columns(view);
  GtkWidget *title = gtk_widget_get_first_child(gtk_widget_get_first_child(GTK_WIDGET(view)));
  for (guint i = 0; title && i < shown->len; i++) {
    const Cells *cells = g_object_get_data(g_ptr_array_index(shown, i), "cells");
    GtkWidget *box = gtk_widget_get_first_child(title);
    GtkWidget *label = box ? gtk_widget_get_first_child(box) : NULL;
    if (cells->is_number && GTK_IS_LABEL(label)) {
      gtk_label_set_xalign(GTK_LABEL(label), 1.0f);
      gtk_widget_set_hexpand(label, TRUE);
      gtk_widget_set_halign(label, GTK_ALIGN_FILL);
      gtk_widget_set_halign(box, GTK_ALIGN_FILL);
    }
    title = gtk_widget_get_next_sibling(title);
  }
}

GObject *
tn_column_view_pick(GtkWidget *widget, double x, double y)
{
  GtkListItem *item = item_at(widget, x, y);
  return item ? gtk_list_item_get_item(item) : NULL;
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
