/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/column-menu.h"

#include "app/window/column-cells.h"
#include "app/window/column-view.h"

#include <glib/gi18n.h>

/* ---- copying ----------------------------------------------------------------------------------- */

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

/* Rows are made on the main thread only: a few at a time.  What their cells are written from lives as long as the
 * table's tab or dialog, which the reference to the view does not keep. */
static gboolean
copy_some(gpointer data)
{
  Copying *copying = data;
  gint64 stop = g_get_monotonic_time() + SLICE_US;
  if (!gtk_widget_get_root(GTK_WIDGET(copying->view)))
    return G_SOURCE_REMOVE;
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

/* ---- choosing columns -------------------------------------------------------------------------- */

static bool
is_shown(GtkColumnView *view, GtkColumnViewColumn *column)
{
  GListModel *columns = gtk_column_view_get_columns(view);
  for (guint i = 0; i < g_list_model_get_n_items(columns); i++) {
    g_autoptr(GtkColumnViewColumn) shown = g_list_model_get_item(columns, i);
    if (shown == column)
      return true;
  }
  return false;
}

static GtkColumnViewColumn *
column_at(GtkColumnView *view, guint row)
{
  return g_ptr_array_index(tn_column_view_all(view), row);
}

/* How many of the columns before it are shown. */
static guint
place_of(GtkColumnView *view, guint row)
{
  guint place = 0;
  for (guint i = 0; i < row; i++)
    place += is_shown(view, column_at(view, i));
  return place;
}

static void
on_toggle(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  GtkColumnView *view = data;
  guint row = GPOINTER_TO_UINT(g_object_get_data(G_OBJECT(action), "row"));
  GtkColumnViewColumn *column = column_at(view, row);
  bool was_shown = is_shown(view, column);
  if (was_shown && g_list_model_get_n_items(gtk_column_view_get_columns(view)) == 1)
    return;
  if (was_shown)
    gtk_column_view_remove_column(view, column);
  else
    tn_column_cells_insert(view, place_of(view, row), column);
  g_simple_action_set_state(action, g_variant_new_boolean(!was_shown));
  tn_column_view_align_titles(view);
}

void
tn_column_menu_set_shown(GtkColumnView *view, guint column, bool is_column_shown)
{
  g_autofree char *action = g_strdup_printf("columns.show-%u", column);
  if (is_shown(view, column_at(view, column)) != is_column_shown)
    gtk_widget_activate_action(GTK_WIDGET(view), action, NULL);
}

static void
add_toggle(GtkColumnView *view, GActionMap *group, guint row)
{
  g_autofree char *name = g_strdup_printf("show-%u", row);
  g_autoptr(GSimpleAction) toggle = g_simple_action_new_stateful(
      name, NULL, g_variant_new_boolean(is_shown(view, column_at(view, row))));
  g_object_set_data(G_OBJECT(toggle), "row", GUINT_TO_POINTER(row));
  g_signal_connect(toggle, "activate", G_CALLBACK(on_toggle), view);
  g_action_map_add_action(group, G_ACTION(toggle));
}

/* A column without a title has a mark that is no column to choose. */
static GMenu *
make_choices(GtkColumnView *view)
{
  GMenu *menu = g_menu_new();
  for (guint i = 0; i < tn_column_view_all(view)->len; i++) {
    g_autofree char *action = g_strdup_printf("columns.show-%u", i);
    const char *title = gtk_column_view_column_get_title(column_at(view, i));
    if (title[0])
      g_menu_append(menu, title, action);
  }
  return menu;
}

/* ---- sorting ----------------------------------------------------------------------------------- */

/* GTK 4.8 does not say how its view is sorted: the second time in a row descends. */
static void
sort_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  guint row = g_variant_get_uint32(parameter);
  gpointer last = g_object_get_data(data, "sorted-by"), this = GUINT_TO_POINTER(row + 1);
  bool is_second = last == this;
  gtk_column_view_sort_by_column(data, NULL, GTK_SORT_ASCENDING);
  gtk_column_view_sort_by_column(data, column_at(data, row),
                                 is_second ? GTK_SORT_DESCENDING : GTK_SORT_ASCENDING);
  g_object_set_data(data, "sorted-by", is_second ? NULL : this);
}

static GMenu *
make_sorts(GtkColumnView *view)
{
  GMenu *menu = g_menu_new();
  for (guint i = 0; i < tn_column_view_all(view)->len; i++) {
    g_autofree char *action = g_strdup_printf("columns.sort(uint32 %u)", i);
    const char *title = gtk_column_view_column_get_title(column_at(view, i));
    if (title[0] && gtk_column_view_column_get_sorter(column_at(view, i)))
      g_menu_append(menu, title, action);
  }
  return menu;
}

/* ---- making ------------------------------------------------------------------------------------ */

static void
add_key(GtkEventController *keys, guint key, GdkModifierType modifiers, const char *action)
{
  gtk_shortcut_controller_add_shortcut(
      GTK_SHORTCUT_CONTROLLER(keys),
      gtk_shortcut_new(gtk_keyval_trigger_new(key, modifiers), gtk_named_action_new(action)));
}

static void
add_actions(GtkColumnView *view)
{
  static const GActionEntry actions[] = {
      {.name = "copy-row", .activate = copy_row_action},
      {.name = "copy-all", .activate = copy_all_action},
      {.name = "sort", .activate = sort_action, .parameter_type = "u"},
  };
  g_autoptr(GSimpleActionGroup) group = g_simple_action_group_new();
  g_action_map_add_action_entries(G_ACTION_MAP(group), actions, G_N_ELEMENTS(actions), view);
  for (guint i = 0; i < tn_column_view_all(view)->len; i++)
    add_toggle(view, G_ACTION_MAP(group), i);
  g_object_set_data_full(G_OBJECT(view), "column-actions", g_object_ref(group), g_object_unref);
  gtk_widget_insert_action_group(GTK_WIDGET(view), "columns", G_ACTION_GROUP(group));
}

void
tn_column_menu_attach(GtkColumnView *view)
{
  add_actions(view);
  g_autoptr(GMenu) menu = g_menu_new(), copying = g_menu_new(), shown = make_choices(view);
  g_menu_append(copying, _("_Copy Row"), "columns.copy-row");
  g_menu_append(copying, _("Copy _All Rows"), "columns.copy-all");
  g_menu_append_section(menu, _("Columns"), G_MENU_MODEL(shown));
  g_menu_append_section(menu, NULL, G_MENU_MODEL(copying));
  for (guint i = 0; i < tn_column_view_all(view)->len; i++)
    gtk_column_view_column_set_header_menu(column_at(view, i), G_MENU_MODEL(menu));
  GtkEventController *keys = gtk_shortcut_controller_new();
  add_key(keys, GDK_KEY_c, GDK_CONTROL_MASK, "columns.copy-row");
  add_key(keys, GDK_KEY_c, GDK_CONTROL_MASK | GDK_SHIFT_MASK, "columns.copy-all");
  gtk_widget_add_controller(GTK_WIDGET(view), keys);
}

void
tn_column_menu_append(GMenu *menu, GtkWidget *owner, GtkWidget *at)
{
  GtkWidget *view = at && GTK_IS_COLUMN_VIEW(at)
                        ? at
                        : at ? gtk_widget_get_ancestor(at, GTK_TYPE_COLUMN_VIEW) : NULL;
  GActionGroup *group = view ? g_object_get_data(G_OBJECT(view), "column-actions") : NULL;
  if (!group)
    return;
  gtk_widget_insert_action_group(owner, "columns", group);
  g_autoptr(GMenu) section = g_menu_new(), shown = make_choices(GTK_COLUMN_VIEW(view));
  g_autoptr(GMenu) sorts = make_sorts(GTK_COLUMN_VIEW(view));
  g_menu_append_submenu(section, _("C_olumns"), G_MENU_MODEL(shown));
  if (g_menu_model_get_n_items(G_MENU_MODEL(sorts)))
    g_menu_append_submenu(section, _("Sor_t By"), G_MENU_MODEL(sorts));
  g_menu_append(section, _("Copy All Ro_ws"), "columns.copy-all");
  g_menu_append_section(menu, NULL, G_MENU_MODEL(section));
}
