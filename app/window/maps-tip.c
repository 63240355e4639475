/* SPDX-License-Identifier: MIT */
/* What lies under the pointer, in words beside it, once it rests.  Drawn with the marks: GTK's tooltip comes after
 * half a second as a window of its own, which costs as much as ten frames of a hover. */
#include "config.h"

#include "app/window/maps-private.h"
#include "app/window/settings.h"
#include "app/window/view-parts.h"

#include <math.h>
#include <string.h>

#define PAD 7.0     /* logical pixels */
#define AWAY_X 16.0 /* from the pointer */
#define AWAY_Y 18.0
#define WIDEST 420.0
#define RESTS_AFTER 80 /* ms */

/* The name in the first line, the rest in the second. */
static char *
build_text(TnMaps *maps, tn_index buffer)
{
  g_autofree char *name = tn_study_dup_label(tn_session_get_study(maps->session), buffer);
  g_autofree char *label = tn_elide_middle(name, TN_VIEW_NAME_CHARS);
  g_autofree char *facts = tn_maps_describe_facts(maps->session, buffer);
  return g_strdup_printf("%s\n%s", label, facts);
}

static PangoLayout *
lay_out(TnMaps *maps, const char *text)
{
  PangoLayout *layout = gtk_widget_create_pango_layout(GTK_WIDGET(maps), text);
  g_autoptr(PangoAttrList) attributes = pango_attr_list_new();
  PangoAttribute *bold = pango_attr_weight_new(PANGO_WEIGHT_BOLD);
  bold->end_index = (guint)(strchr(text, '\n') - text);
  pango_attr_list_insert(attributes, bold);
  pango_layout_set_attributes(layout, attributes);
  pango_layout_set_ellipsize(layout, PANGO_ELLIPSIZE_MIDDLE);
  int width;
  pango_layout_get_pixel_size(layout, &width, NULL);
  double room = MIN(WIDEST * MAX(tn_settings_get_text_scale(), 1.0), maps->layout.width - 4 * PAD);
  if (width > room)
    pango_layout_set_width(layout, (int)room * PANGO_SCALE);
  return layout;
}

/* Below and to the right of the pointer, on its other side where there is no room. */
static TnRect
place(TnMaps *maps, double width, double height)
{
  double x = maps->tip_x + AWAY_X, y = maps->tip_y + AWAY_Y;
  if (x + width > maps->layout.width)
    x = maps->tip_x - AWAY_X / 2 - width;
  if (y + height > maps->layout.height)
    y = maps->tip_y - AWAY_Y / 2 - height;
  return (TnRect){round(MAX(x, 0)), round(MAX(y, 0)), ceil(width), ceil(height)};
}

/* Laid out once for each text. */
static PangoLayout *
find_layout(TnMaps *maps, tn_index buffer)
{
  g_autofree char *text = build_text(maps, buffer);
  if (!maps->tip || strcmp(pango_layout_get_text(maps->tip), text) != 0) {
    g_clear_object(&maps->tip);
    maps->tip = lay_out(maps, text);
  }
  return maps->tip;
}

static bool
is_shown(TnMaps *maps)
{
  const TnView *view = tn_session_get_view(maps->session);
  bool is_busy = maps->is_selecting || maps->is_panning || maps->is_minimap || maps->is_splitting;
  return !is_busy && maps->tip_of != TN_NONE && maps->tip_of == view->hovered &&
         maps->tip_of < view->study->buffers->n;
}

static gboolean
on_rest(gpointer data)
{
  TnMaps *maps = data;
  maps->tip_source = 0;
  if (!maps->session)
    return G_SOURCE_REMOVE;
  maps->tip_of = tn_session_get_view(maps->session)->hovered;
  maps->tip_x = maps->pointer_x;
  maps->tip_y = maps->pointer_y;
  gtk_widget_queue_draw(GTK_WIDGET(maps));
  return G_SOURCE_REMOVE;
}

/* It stays where it is as long as the pointer is over the same buffer. */
void
tn_maps_follow_with_tip(TnMaps *maps)
{
  tn_index hovered = tn_session_get_view(maps->session)->hovered;
  if (hovered != TN_NONE && maps->tip_of == hovered)
    return;
  maps->tip_of = TN_NONE;
  g_clear_handle_id(&maps->tip_source, g_source_remove);
  if (hovered != TN_NONE)
    maps->tip_source = g_timeout_add(RESTS_AFTER, on_rest, maps);
}

void
tn_maps_append_tip(TnMaps *maps, GtkSnapshot *snapshot, const TnTheme *theme)
{
  if (!is_shown(maps))
    return;
  GdkRGBA panel = tn_maps_rgba(theme->background, 0.96f), rim = tn_maps_rgba(theme->secondary, 1.0f);
  GdkRGBA color = tn_maps_rgba(theme->text, 1.0f);
  PangoLayout *layout = find_layout(maps, maps->tip_of);
  int width, height;
  pango_layout_get_pixel_size(layout, &width, &height);
  TnRect box = place(maps, width + 2 * PAD, height + 2 * PAD);
  TnRect all = {0, 0, maps->layout.width, maps->layout.height};
  tn_maps_append_rect(snapshot, box.x, box.y, box.width, box.height, &panel);
  tn_maps_append_outline(snapshot, (TnRect){box.x + 1, box.y + 1, box.width - 2, box.height - 2}, all, 1.0, &rim);
  gtk_snapshot_save(snapshot);
  gtk_snapshot_translate(snapshot, &GRAPHENE_POINT_INIT((float)(box.x + PAD), (float)(box.y + PAD)));
  gtk_snapshot_append_layout(snapshot, layout, &color);
  gtk_snapshot_restore(snapshot);
}

const char *
tn_maps_get_tip(TnMaps *maps)
{
  return maps->tip && is_shown(maps) ? pango_layout_get_text(maps->tip) : "";
}
