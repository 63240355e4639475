/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/page-layout.h"

#include "app/window/settings.h"

/* What stands at the end of a pane is kept as its own size, which the window's does not change. */
typedef struct {
  const char *key;
  bool is_placed;
} Pane;

static void
on_room(GtkPaned *paned, GParamSpec *pspec, Pane *pane)
{
  int room;
  g_object_get(paned, "max-position", &room, NULL);
  int size = g_settings_get_int(tn_settings_get(), pane->key);
  if (pane->is_placed || room <= 1)
    return;
  pane->is_placed = true;
  gtk_widget_measure(gtk_paned_get_end_child(paned),
                     gtk_orientable_get_orientation(GTK_ORIENTABLE(paned)), -1, &room, NULL, NULL,
                     NULL);
  int least = room;
  g_object_get(paned, "max-position", &room, NULL);
  gtk_paned_set_position(paned, MAX(room + least - MAX(size, least), 0));
}

static void
on_position(GtkPaned *paned, GParamSpec *pspec, Pane *pane)
{
  GtkWidget *end = gtk_paned_get_end_child(paned);
  bool is_across = gtk_orientable_get_orientation(GTK_ORIENTABLE(paned)) == GTK_ORIENTATION_HORIZONTAL;
  int whole = is_across ? gtk_widget_get_width(GTK_WIDGET(paned)) : gtk_widget_get_height(GTK_WIDGET(paned));
  int size = whole - gtk_paned_get_position(paned);
  if (pane->is_placed && gtk_widget_get_visible(end) && size > 0 && whole > 0)
    g_settings_set_int(tn_settings_get(), pane->key, MIN(size, 32767));
}

static void
free_pane(gpointer pane, GClosure *closure)
{
  g_free(pane);
}

static void
keep_pane(GtkPaned *paned, const char *key)
{
  Pane *pane = g_new0(Pane, 1);
  pane->key = key;
  g_signal_connect_data(paned, "notify::max-position", G_CALLBACK(on_room), pane, free_pane, 0);
  g_signal_connect(paned, "notify::position", G_CALLBACK(on_position), pane);
}

static void
on_view(GtkStack *views, GParamSpec *pspec, gpointer data)
{
  const char *name = gtk_stack_get_visible_child_name(views);
  if (name)
    g_settings_set_string(tn_settings_get(), "last-view", name);
}

/* The chosen view, or the one that was left last; maps where it is none of this file. */
static void
restore_view(GtkStack *views)
{
  static const char *const names[] = {NULL, "maps", "live-set", "flame", "oom"};
  g_autofree char *last = g_settings_get_string(tn_settings_get(), "last-view");
  int choice = CLAMP(tn_settings_get_choice("default-view"), 0, (int)G_N_ELEMENTS(names) - 1);
  const char *name = choice ? names[choice] : last;
  if (gtk_stack_get_child_by_name(views, name))
    gtk_stack_set_visible_child_name(views, name);
}

static void
on_maps_hidden(TnMaps *maps, gpointer data)
{
  g_settings_set_double(tn_settings_get(), "map-share", tn_maps_get_share(maps));
}

bool
tn_page_layout_hides_details(void)
{
  return tn_settings_get() && !g_settings_get_boolean(tn_settings_get(), "is-side-pane-shown");
}

void
tn_page_layout_set_hides_details(bool hides_details)
{
  if (tn_settings_get())
    g_settings_set_boolean(tn_settings_get(), "is-side-pane-shown", !hides_details);
}

void
tn_page_layout_keep(const TnPageLayout *layout)
{
  GSettings *settings = tn_settings_get();
  if (!settings)
    return;
  restore_view(layout->views);
  tn_maps_set_share(layout->maps, g_settings_get_double(settings, "map-share"));
  keep_pane(layout->across, "side-pane-width");
  keep_pane(layout->down, "table-height");
  g_signal_connect(layout->views, "notify::visible-child-name", G_CALLBACK(on_view), NULL);
  g_signal_connect(layout->maps, "unmap", G_CALLBACK(on_maps_hidden), NULL);
}
