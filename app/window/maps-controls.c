/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/maps-controls.h"

#include <math.h>

typedef struct {
  const char *label, *action;
} Item;

static const Item time_items[] = {
    {"In _Ticks", "win.time::ticks"}, {"By the _Clock", "win.time::clock"}, {NULL, NULL}};
static const Item maps_items[] = {
    {"_Offsets", "win.map::offsets"}, {"_Skyline", "win.map::skyline"}, {NULL, NULL}};
static const Item group_items[] = {
    {"_Nothing", "win.group-bars::none"},      {"_Call Site", "win.group-bars::call-site"},
    {"_Module", "win.group-bars::module"},     {"_Kind", "win.group-bars::kind"},
    {"_Op Type", "win.group-bars::op-type"},   {"_Pool", "win.group-bars::space"},
    {"Size C_lass", "win.group-bars::size"},   {NULL, NULL}};
static const Item sort_items[] = {{"_Size", "win.sort-bars::size"},
                                  {"S_tart", "win.sort-bars::start"},
                                  {"L_ife", "win.sort-bars::life"},
                                  {"I_dle Bytes × Time", "win.sort-bars::idle"},
                                  {NULL, NULL}};

static GMenu *
menu_of(const Item *items)
{
  GMenu *menu = g_menu_new();
  for (; items->label; items++)
    g_menu_append(menu, items->label, items->action);
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
  g_menu_append_section(bars, "Group bars and colours by", G_MENU_MODEL(groups));
  g_menu_append_section(bars, "Sort bars by", G_MENU_MODEL(sorts));
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
  gtk_widget_set_tooltip_text(button, tooltip);
  gtk_widget_add_css_class(button, "on-map");
  gtk_widget_set_cursor_from_name(button, "default");
  gtk_widget_set_parent(button, maps);
  return button;
}

void
tn_maps_controls_init(TnMapsControls *controls, GtkWidget *maps)
{
  g_autoptr(GMenu) which = menu_of(maps_items), times = menu_of(time_items);
  controls->time = make_button(maps, "Ticks", "What the time axis counts", G_MENU_MODEL(times));
  controls->map = make_button(maps, "Offsets", "Offsets, or what is alive stacked by birth",
                              G_MENU_MODEL(which));
  controls->bars =
      make_button(maps, "Group, Sort", "How bars are grouped and sorted", bars_menu());
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
  allocate(controls->map, (TnRect){l->offsets.x, l->offsets.y, l->offsets.width - TN_FRAME_RIGHT,
                                   TN_FRAME_TITLE});
  allocate(controls->bars, (TnRect){l->lanes.x, l->lanes.y, l->lanes.width - TN_FRAME_RIGHT,
                                    TN_FRAME_TITLE});
}

void
tn_maps_controls_snapshot(TnMapsControls *controls, GtkWidget *maps, GtkSnapshot *snapshot)
{
  gtk_widget_snapshot_child(maps, controls->time, snapshot);
  gtk_widget_snapshot_child(maps, controls->map, snapshot);
  gtk_widget_snapshot_child(maps, controls->bars, snapshot);
}

void
tn_maps_controls_set_time(TnMapsControls *controls, const TnView *view)
{
  g_autofree char *unit = g_strdup_printf("%ss", tn_axis_unit_name(view->study->device->axis));
  g_autofree char *reason = tn_study_dup_no_clock(view->study);
  unit[0] = g_ascii_toupper(unit[0]);
  gtk_menu_button_set_label(GTK_MENU_BUTTON(controls->time),
                            tn_view_is_clock(view) ? "Clock" : unit);
  gtk_widget_set_tooltip_text(controls->time, reason ? reason : "What the time axis counts (T)");
}

void
tn_maps_controls_set_skyline(TnMapsControls *controls, bool is_skyline)
{
  gtk_menu_button_set_label(GTK_MENU_BUTTON(controls->map), is_skyline ? "Skyline" : "Offsets");
}

void
tn_maps_controls_set_shown(TnMapsControls *controls, bool is_shown)
{
  gtk_widget_set_visible(controls->time, is_shown);
  gtk_widget_set_visible(controls->map, is_shown);
  gtk_widget_set_visible(controls->bars, is_shown);
}
