/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/maps-controls.h"

#include "app/window/axis-words.h"
#include "app/window/tip.h"

#include <glib/gi18n.h>
#include <math.h>

typedef struct {
  const char *label, *action;
} Item;

static const Item time_items[] = {
    {N_("In _Ticks"), "win.time::ticks"}, {N_("By the _Clock"), "win.time::clock"}, {NULL, NULL}};
static const Item maps_items[] = {
    {N_("_Offsets"), "win.map::offsets"}, {N_("_Skyline"), "win.map::skyline"}, {NULL, NULL}};
static const Item group_items[] = {
    {N_("_Nothing"), "win.group-bars::none"},    {N_("_Call Site"), "win.group-bars::call-site"},
    {N_("_Module"), "win.group-bars::module"},   {N_("_Kind"), "win.group-bars::kind"},
    {N_("_Op Type"), "win.group-bars::op-type"}, {N_("_Pool"), "win.group-bars::space"},
    {N_("Size C_lass"), "win.group-bars::size"}, {N_("_Batch"), "win.group-bars::batch"},
    {N_("St_ream"), "win.group-bars::stream"},   {NULL, NULL}};
static const Item sort_items[] = {{N_("_Size"), "win.sort-bars::size"},
                                  {N_("S_tart"), "win.sort-bars::start"},
                                  {N_("L_ife"), "win.sort-bars::life"},
                                  {N_("I_dle Bytes × Time"), "win.sort-bars::idle"},
                                  {NULL, NULL}};

static GMenu *
menu_of(const Item *items)
{
  GMenu *menu = g_menu_new();
  for (; items->label; items++)
    g_menu_append(menu, _(items->label), items->action);
  return menu;
}

/* Made once: GTK 4.8 never lets go of a section's menu that a popover has shown, and each file that
 * is opened makes such a popover. */
static GMenuModel *
bars_menu(void)
{
  static GMenu *bars;
  if (bars)
    return G_MENU_MODEL(bars);
  g_autoptr(GMenu) groups = menu_of(group_items), sorts = menu_of(sort_items);
  bars = g_menu_new();
  g_menu_append_section(bars, _("Group bars and colours by"), G_MENU_MODEL(groups));
  g_menu_append_section(bars, _("Sort bars by"), G_MENU_MODEL(sorts));
  return G_MENU_MODEL(bars);
}

GMenuModel *
tn_maps_controls_build_groups(void)
{
  return G_MENU_MODEL(menu_of(group_items));
}

static GtkWidget *
make_button(GtkWidget *maps, const char *label, const char *tooltip, GMenuModel *menu)
{
  GtkWidget *button = gtk_menu_button_new();
  gtk_menu_button_set_label(GTK_MENU_BUTTON(button), label);
  gtk_menu_button_set_menu_model(GTK_MENU_BUTTON(button), menu);
  gtk_menu_button_set_has_frame(GTK_MENU_BUTTON(button), FALSE);
  tn_tip_set(button, tooltip);
  gtk_widget_add_css_class(button, "on-map");
  gtk_widget_set_cursor_from_name(button, "default");
  gtk_widget_set_parent(button, maps);
  return button;
}

void
tn_maps_controls_init(TnMapsControls *controls, GtkWidget *maps)
{
  g_autoptr(GMenu) which = menu_of(maps_items), times = menu_of(time_items);
  controls->time =
      make_button(maps, _("Ticks"), _("What the time axis counts"), G_MENU_MODEL(times));
  controls->map = make_button(maps, _("Offsets"), _("Offsets, or what is alive stacked by birth"),
                              G_MENU_MODEL(which));
  controls->bars =
      make_button(maps, _("Group, Sort"), _("How bars are grouped and sorted"), bars_menu());
}

void
tn_maps_controls_clear(TnMapsControls *controls)
{
  g_clear_pointer(&controls->time, gtk_widget_unparent);
  g_clear_pointer(&controls->map, gtk_widget_unparent);
  g_clear_pointer(&controls->bars, gtk_widget_unparent);
}

static void
allocate(GtkWidget *button, TnRect title)
{
  int width, height;
  gtk_widget_measure(button, GTK_ORIENTATION_HORIZONTAL, -1, NULL, &width, NULL, NULL);
  gtk_widget_measure(button, GTK_ORIENTATION_VERTICAL, width, NULL, &height, NULL, NULL);
  GtkAllocation at = {(int)(title.x + title.width) - width,
                      (int)floor(title.y + (title.height - height) / 2), width, height};
  gtk_widget_size_allocate(button, &at, -1);
}

void
tn_maps_controls_allocate(TnMapsControls *controls, const TnMapsLayout *l)
{
  allocate(controls->time,
           (TnRect){l->live.x, l->live.y, l->live.width - TN_FRAME_RIGHT, TN_FRAME_TITLE});
  allocate(controls->map,
           (TnRect){l->offsets.x, l->offsets.y, l->offsets.width - TN_FRAME_RIGHT, TN_FRAME_TITLE});
  allocate(controls->bars,
           (TnRect){l->lanes.x, l->lanes.y, l->lanes.width - TN_FRAME_RIGHT, TN_FRAME_TITLE});
}

void
tn_maps_controls_snapshot(TnMapsControls *controls, GtkWidget *maps, GtkSnapshot *snapshot)
{
  gtk_widget_snapshot_child(maps, controls->time, snapshot);
  gtk_widget_snapshot_child(maps, controls->map, snapshot);
  gtk_widget_snapshot_child(maps, controls->bars, snapshot);
}

/* A label that is set anew, even to the same, has the whole window laid out again. */
static void
set_label(GtkWidget *button, const char *label)
{
  if (g_strcmp0(gtk_menu_button_get_label(GTK_MENU_BUTTON(button)), label) != 0)
    gtk_menu_button_set_label(GTK_MENU_BUTTON(button), label);
}

void
tn_maps_controls_set_time(TnMapsControls *controls, const TnView *view)
{
  const char *words = tn_axis_words(view->study->device->axis);
  bool is_symbol = view->study->device->axis == TN_AXIS_US;
  g_autofree char *first = g_utf8_strup(words, g_utf8_next_char(words) - words);
  g_autofree char *unit = is_symbol ? g_strdup(words) : g_strconcat(first, g_utf8_next_char(words), NULL);
  g_autofree char *reason = tn_study_dup_no_clock(view->study);
  set_label(controls->time, tn_view_is_clock(view) ? _("Clock") : unit);
  tn_tip_set(controls->time, reason ? reason : _("What the time axis counts (T)"));
}

void
tn_maps_controls_set_skyline(TnMapsControls *controls, bool is_skyline)
{
  set_label(controls->map, is_skyline ? _("Skyline") : _("Offsets"));
}

void
tn_maps_controls_set_shown(TnMapsControls *controls, bool is_shown)
{
  gtk_widget_set_visible(controls->time, is_shown);
  gtk_widget_set_visible(controls->map, is_shown);
  gtk_widget_set_visible(controls->bars, is_shown);
}
