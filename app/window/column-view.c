/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/column-view.h"

#include "app/window/column-cells.h"
#include "app/window/column-menu.h"
#include "app/window/settings.h"

#include <glib/gi18n.h>

enum {
  TITLE_PADDING = 12, /* pixels at both sides */
  LEAST_WIDTH = 100,  /* of a column that takes what is left */
};

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

/* The next widget after `from`, or before it, that takes the focus; from the other end where none
 * does. */
static void
focus_beyond(GtkWidget *from, GtkDirectionType direction)
{
  bool is_back = direction == GTK_DIR_TAB_BACKWARD;
  GtkRoot *root = gtk_widget_get_root(from);
  for (GtkWidget *at = from; at && at != GTK_WIDGET(root); at = gtk_widget_get_parent(at))
    for (GtkWidget *next = at;
         (next = is_back ? gtk_widget_get_prev_sibling(next) : gtk_widget_get_next_sibling(next));)
      if (!GTK_IS_NATIVE(next) && gtk_widget_get_mapped(next) &&
          gtk_widget_child_focus(next, direction))
        return;
  gtk_root_set_focus(root, NULL);
  gtk_widget_child_focus(GTK_WIDGET(root), direction);
}

/* GTK 4.8 goes through all rows by Tab: a million of them before the next widget.  Rows are for
 * arrows. */
static gboolean
on_key(GtkEventControllerKey *keys, guint key, guint code, GdkModifierType state, GtkWidget *view)
{
  if ((state & (GDK_CONTROL_MASK | GDK_ALT_MASK)) ||
      (key != GDK_KEY_Tab && key != GDK_KEY_ISO_Left_Tab && key != GDK_KEY_KP_Tab))
    return FALSE;
  bool is_back = key == GDK_KEY_ISO_Left_Tab || (state & GDK_SHIFT_MASK);
  focus_beyond(view, is_back ? GTK_DIR_TAB_BACKWARD : GTK_DIR_TAB_FORWARD);
  return TRUE;
}

static gboolean
focus_again(gpointer view)
{
  GtkRoot *root = gtk_widget_get_root(view);
  GtkWidget *focus = root ? gtk_root_get_focus(root) : NULL;
  GtkSelectionModel *model = gtk_column_view_get_model(view);
  GtkWidget *row =
      model ? tn_column_cells_find_row(view, gtk_single_selection_get_selected(GTK_SINGLE_SELECTION(model))) : NULL;
  if (!root || (focus && !gtk_widget_is_ancestor(focus, view)))
    return G_SOURCE_REMOVE;
  if (row)
    gtk_widget_grab_focus(row);
  else if (!focus)
    gtk_widget_child_focus(view, GTK_DIR_TAB_FORWARD);
  return G_SOURCE_REMOVE;
}

/* Sorted, filtered or scrolled, the row that had the focus is another's: the table keeps it. */
static void
keep_focus(GtkWidget *view)
{
  GtkRoot *root = gtk_widget_get_root(view);
  GtkWidget *focus = root ? gtk_root_get_focus(root) : NULL;
  if (focus && gtk_widget_is_ancestor(focus, view))
    g_timeout_add_full(G_PRIORITY_DEFAULT, 50, focus_again, g_object_ref(view), g_object_unref);
}

static void
on_items_changed(GListModel *model, guint at, guint removed, guint added, GtkWidget *view)
{
  if (removed && added)
    keep_focus(view);
}

GtkColumnView *
tn_column_view_new(GtkSingleSelection *selection, const char *label)
{
  GtkWidget *view = gtk_column_view_new(NULL);
  GtkGesture *secondary = gtk_gesture_click_new();
  gtk_gesture_single_set_button(GTK_GESTURE_SINGLE(secondary), GDK_BUTTON_SECONDARY);
  g_signal_connect(secondary, "pressed", G_CALLBACK(on_secondary), view);
  gtk_widget_add_controller(view, GTK_EVENT_CONTROLLER(secondary));
  GtkEventController *keys = gtk_event_controller_key_new();
  gtk_event_controller_set_propagation_phase(keys, GTK_PHASE_CAPTURE);
  g_signal_connect(keys, "key-pressed", G_CALLBACK(on_key), view);
  gtk_widget_add_controller(view, keys);
  g_signal_connect_data(view, "map", G_CALLBACK(on_map), selection, unref_selection, 0);
  g_signal_connect_object(selection, "items-changed", G_CALLBACK(on_items_changed), view, 0);
  gtk_widget_add_css_class(view, "data-table");
  tn_column_cells_init(GTK_COLUMN_VIEW(view));
  gtk_accessible_update_property(GTK_ACCESSIBLE(view), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
  return GTK_COLUMN_VIEW(view);
}

/* A right click selects its row first; the page opens the menu of it. */
static void
on_secondary(GtkGestureClick *gesture, int n_press, double x, double y, GtkColumnView *view)
{
  GtkListItem *item = tn_column_cells_pick(GTK_WIDGET(view), x, y);
  if (item)
    gtk_selection_model_select_item(gtk_column_view_get_model(view),
                                    gtk_list_item_get_position(item), TRUE);
}

/* A column that is not shown is not in the view: GTK 4.8 leaves room for one that is only
 * invisible. */
GPtrArray *
tn_column_view_all(GtkColumnView *view)
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
  const TnCellText text = {spec->is_number, spec->width ? 3 : 10, column, dup_cell, data};
  GtkListItemFactory *factory = tn_column_cells_factory_new(view, &text);
  GtkColumnViewColumn *c =
      gtk_column_view_column_new(spec->title[0] ? _(spec->title) : "", factory);
  gtk_column_view_column_set_resizable(c, TRUE);
  tn_column_cells_set(view, c, &text);
  g_ptr_array_add(tn_column_view_all(view), g_object_ref(c));
  int width = spec->width ? spec->width : LEAST_WIDTH;
  gtk_column_view_column_set_fixed_width(c, (int)(width * MAX(tn_settings_get_text_scale(), 1.0)));
  gtk_column_view_column_set_expand(c, !spec->width);
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

/* ---- rows as text
 * ----------------------------------------------------------------------------------- */

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
    const TnCellText *cell = tn_column_cells_get(g_ptr_array_index(columns, i));
    g_autofree char *text = cell->dup_cell(item, cell->column, cell->data);
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

void
tn_column_view_rewrite(GtkColumnView *view)
{
  tn_column_cells_rewrite(view);
}

void
tn_column_view_finish(GtkColumnView *view)
{
  tn_column_menu_attach(view);
}

/* ---- titles, scrolling ------------------------------------------------------------------------- */

/* A title is in the language of the user: no column is narrower.  What the user makes of it later
 * stays. */
static void
make_room(GtkColumnViewColumn *column, GtkWidget *box)
{
  bool is_measured = g_object_get_data(G_OBJECT(column), "is-measured");
  int natural, fixed = gtk_column_view_column_get_fixed_width(column);
  gtk_widget_measure(box, GTK_ORIENTATION_HORIZONTAL, -1, NULL, &natural, NULL, NULL);
  natural += TITLE_PADDING;
  if (!is_measured && fixed >= 0 && fixed < natural)
    gtk_column_view_column_set_fixed_width(column, natural);
  g_object_set_data(G_OBJECT(column), "is-measured", GINT_TO_POINTER(true));
}

/* At the right of its column where it stands above numbers. */
static void
align_title(GtkWidget *box, GtkWidget *label)
{
  gtk_label_set_xalign(GTK_LABEL(label), 1.0f);
  gtk_widget_set_direction(label, GTK_TEXT_DIR_LTR);
  gtk_widget_set_hexpand(label, TRUE);
  gtk_widget_set_halign(label, GTK_ALIGN_FILL);
  gtk_widget_set_halign(box, GTK_ALIGN_FILL);
}

void
tn_column_view_align_titles(GtkColumnView *view)
{
  g_autoptr(GPtrArray) shown = shown_columns(view);
  gtk_widget_set_focusable(gtk_widget_get_first_child(GTK_WIDGET(view)), FALSE); /* it does nothing by keys */
  for (guint i = 0; i < shown->len; i++) {
    GtkColumnViewColumn *column = g_ptr_array_index(shown, i);
    GtkWidget *title = tn_column_cells_find_title(view, column);
    GtkWidget *box = title ? gtk_widget_get_first_child(title) : NULL;
    if (!box)
      continue;
    if (tn_column_cells_get(column)->is_number)
      align_title(box, gtk_widget_get_first_child(box));
    make_room(column, box);
    gtk_accessible_update_property(GTK_ACCESSIBLE(title), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                   gtk_column_view_column_get_title(column), -1);
  }
}

GObject *
tn_column_view_pick(GtkWidget *widget, double x, double y)
{
  GtkListItem *item = tn_column_cells_pick(widget, x, y);
  return item ? gtk_list_item_get_item(item) : NULL;
}

/* The list inside has an action for it. */
void
tn_column_view_scroll_to(GtkColumnView *view, guint position)
{
  GtkWidget *inner = gtk_widget_get_last_child(GTK_WIDGET(view));
  keep_focus(GTK_WIDGET(view));
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
