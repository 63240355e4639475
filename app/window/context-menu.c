/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/context-menu.h"

#include "app/window/column-menu.h"
#include "app/window/edit-actions.h"
#include "app/window/maps-controls.h"
#include "app/window/menu.h"

#include <glib/gi18n.h>

typedef struct {
  const char *label, *action;
} Item;

static const Item copying[] = {
    {N_("Copy _Name"), "win.copy-name"},
    {N_("Copy _Address"), "win.copy-address"},
    {N_("Copy _Row"), "win.copy-row"},
    {NULL, NULL},
};
static const Item going[] = {
    {N_("Go to _Start of Life"), "win.life-start"},
    {N_("Go to _End of Life"), "win.life-end"},
    {N_("Ne_xt User of the Place"), "win.next-user"},
    {N_("Pre_vious User of the Place"), "win.previous-user"},
    {N_("_Zoom to It"), "win.zoom-buffer"},
    {NULL, NULL},
};
static const Item filtering[] = {
    {N_("Only This Call S_ite"), "win.filter-site"},
    {N_("Only This _Kind"), "win.filter-kind"},
    {N_("_Hide This Kind"), "win.hide-kind"},
    {N_("Only What Uses Its _Place"), "win.filter-place"},
    {N_("C_lear Filters"), "win.clear-filters"},
    {NULL, NULL},
};
static const Item others[] = {
    {N_("_Bookmark Here"), "win.bookmark"},
    {N_("_Compare With…"), "win.compare"},
    {NULL, NULL},
};

static void
append_section(GMenu *menu, const Item *items)
{
  g_autoptr(GMenu) section = g_menu_new();
  for (; items->label; items++)
    g_menu_append(section, _(items->label), items->action);
  g_menu_append_section(menu, NULL, G_MENU_MODEL(section));
}

/* What-if edits of the selection, where there is a graph. */
static void
append_edits(GMenu *menu, GtkWidget *widget)
{
  GtkRoot *root = gtk_widget_get_root(widget);
  g_autoptr(GMenuModel) edits = tn_edit_menu_new();
  if (G_IS_ACTION_GROUP(root) &&
      g_action_group_get_action_enabled(G_ACTION_GROUP(root), "edit-pin"))
    g_menu_append_submenu(menu, _("_Edit the Graph"), edits);
}

/* Another model, or none; the one before is emptied. */
static void
set_model(GtkWidget *popover, GMenuModel *model)
{
  GMenuModel *before = gtk_popover_menu_get_menu_model(GTK_POPOVER_MENU(popover));
  g_autoptr(GMenuModel) old = before ? g_object_ref(before) : NULL;
  gtk_popover_menu_set_menu_model(GTK_POPOVER_MENU(popover), model);
  if (old)
    tn_menu_empty(old);
}

/* `at`: what it is opened on. */
static GMenuModel *
build(GtkWidget *widget, GtkWidget *at)
{
  GMenu *menu = g_menu_new();
  g_autoptr(GMenuModel) groups = tn_maps_controls_build_groups();
  append_section(menu, copying);
  append_section(menu, going);
  append_section(menu, filtering);
  append_edits(menu, widget);
  g_menu_append_submenu(menu, _("_Group Bars and Colours By"), groups);
  append_section(menu, others);
  tn_column_menu_append(menu, widget, at);
  return G_MENU_MODEL(menu);
}

static GtkWidget *
popover_of(GtkWidget *widget)
{
  return g_object_get_data(G_OBJECT(widget), "context-menu");
}

/* GTK 4.8 gives the focus to the window's first widget when the menu goes. */
static void
on_closed(GtkWidget *popover, GtkWidget *widget)
{
  g_autoptr(GtkWidget) had = g_weak_ref_get(g_object_get_data(G_OBJECT(popover), "focus"));
  if (had && gtk_widget_get_mapped(had))
    gtk_widget_grab_focus(had);
}

static void
free_weak(gpointer data)
{
  g_weak_ref_clear(data);
  g_free(data);
}

static void
keep_focus(GtkWidget *popover, GtkWidget *widget)
{
  GtkRoot *root = gtk_widget_get_root(widget);
  g_weak_ref_set(g_object_get_data(G_OBJECT(popover), "focus"),
                 root ? gtk_root_get_focus(root) : NULL);
}

void
tn_context_menu_open(GtkWidget *widget, GtkWidget *over, const GdkRectangle *at)
{
  GtkWidget *popover = popover_of(widget);
  GtkWidget *under =
      over == widget ? gtk_widget_pick(widget, at->x, at->y, GTK_PICK_DEFAULT) : over;
  g_autoptr(GMenuModel) model = build(widget, under);
  double x, y;
  gtk_widget_translate_coordinates(over, widget, at->x, at->y, &x, &y);
  GdkRectangle point = {(int)x, (int)y, at->width, at->height};
  set_model(popover, model);
  gtk_popover_set_pointing_to(GTK_POPOVER(popover), &point);
  keep_focus(popover, widget);
  gtk_popover_popup(GTK_POPOVER(popover));
}

bool
tn_context_menu_is_open(GtkWidget *widget)
{
  return popover_of(widget) && gtk_widget_get_mapped(popover_of(widget));
}

/* Titles of tables and texts have menus of their own. */
static bool
has_own_menu(GtkWidget *widget, GtkWidget *at)
{
  for (; at && at != widget; at = gtk_widget_get_parent(at))
    if (GTK_IS_EDITABLE(at) || GTK_IS_TEXT_VIEW(at) ||
        g_strcmp0(G_OBJECT_TYPE_NAME(at), "GtkColumnViewTitle") == 0)
      return true;
  return false;
}

static void
on_pressed(GtkGestureClick *gesture, int n_press, double x, double y, GtkWidget *widget)
{
  if (has_own_menu(widget, gtk_widget_pick(widget, x, y, GTK_PICK_DEFAULT))) {
    gtk_gesture_set_state(GTK_GESTURE(gesture), GTK_EVENT_SEQUENCE_DENIED);
    return;
  }
  tn_context_menu_open(widget, widget, &(GdkRectangle){(int)x, (int)y, 1, 1});
  gtk_gesture_set_state(GTK_GESTURE(gesture), GTK_EVENT_SEQUENCE_CLAIMED);
}

/* A box has let go of all its children by then, others have not. */
static void
on_destroy(GtkWidget *widget, GtkWidget *popover)
{
  set_model(popover, NULL);
  if (gtk_widget_get_parent(popover))
    gtk_widget_unparent(popover);
  g_object_set_data(G_OBJECT(widget), "context-menu", NULL);
}

void
tn_context_menu_attach(GtkWidget *widget)
{
  GtkWidget *popover = gtk_popover_menu_new_from_model(NULL);
  GtkGesture *click = gtk_gesture_click_new();
  gtk_gesture_single_set_button(GTK_GESTURE_SINGLE(click), GDK_BUTTON_SECONDARY);
  g_signal_connect(click, "pressed", G_CALLBACK(on_pressed), widget);
  gtk_widget_add_controller(widget, GTK_EVENT_CONTROLLER(click));
  gtk_popover_set_has_arrow(GTK_POPOVER(popover), FALSE);
  gtk_widget_set_halign(popover, GTK_ALIGN_START);
  gtk_widget_set_parent(popover, widget);
  GWeakRef *focus = g_new0(GWeakRef, 1);
  g_weak_ref_init(focus, NULL);
  g_object_set_data_full(G_OBJECT(popover), "focus", focus, free_weak);
  g_signal_connect(popover, "closed", G_CALLBACK(on_closed), widget);
  g_object_set_data_full(G_OBJECT(widget), "context-menu", g_object_ref(popover), g_object_unref);
  g_signal_connect(widget, "destroy", G_CALLBACK(on_destroy), popover);
}
