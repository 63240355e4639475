/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/maps-private.h"

#include "analysis/tenants.h"
#include "render/draw-places.h"

#include <math.h>

GdkRGBA
tn_maps_rgba(uint32_t color, float alpha)
{
  return (GdkRGBA){((color >> 16) & 0xff) / 255.0f, ((color >> 8) & 0xff) / 255.0f,
                   (color & 0xff) / 255.0f, alpha};
}

void
tn_maps_append_rect(GtkSnapshot *snapshot, double x, double y, double width, double height,
            const GdkRGBA *color)
{
  if (width <= 0 || height <= 0)
    return;
  gtk_snapshot_append_color(snapshot, color,
                            &GRAPHENE_RECT_INIT((float)x, (float)y, (float)width, (float)height));
}

void
tn_maps_append_outline(GtkSnapshot *snapshot, TnRect r, TnRect clip, double line, const GdkRGBA *color)
{
  double left = MAX(r.x - line, clip.x - line), right = MIN(r.x + r.width, clip.x + clip.width);
  double top = MAX(r.y - line, clip.y - line), bottom = MIN(r.y + r.height, clip.y + clip.height);
  if (right < clip.x || left > clip.x + clip.width || bottom < clip.y ||
      top > clip.y + clip.height)
    return;
  left = round(left);
  right = MAX(round(right), left + line + 1);
  top = round(top);
  bottom = MAX(round(bottom), top + line + 1);
  tn_maps_append_rect(snapshot, left, top, right - left + line, line, color);
  tn_maps_append_rect(snapshot, left, bottom, right - left + line, line, color);
  tn_maps_append_rect(snapshot, left, top, line, bottom - top + line, color);
  tn_maps_append_rect(snapshot, right, top, line, bottom - top + line, color);
}

static void
append_marked(TnMaps *maps, GtkSnapshot *snapshot, tn_index buffer, double line,
              const GdkRGBA *color)
{
  const TnView *view = tn_session_get_view(maps->session);
  const TnMapsLayout *l = &maps->layout;
  TnRect r;
  if (buffer == TN_NONE)
    return;
  if (tn_view_rect_offsets(view, l->offsets_plot, buffer, &r))
    tn_maps_append_outline(snapshot, r, l->offsets_plot, line, color);
  if (!tn_maps_awaits_lanes(maps) && tn_view_rect_lanes(view, l->lanes_plot, buffer, &r))
    tn_maps_append_outline(snapshot, r, l->lanes_plot, line, color);
}

static bool
is_same_place(const TnView *a, const TnView *b)
{
  return a->study == b->study && a->t0 == b->t0 && a->t1 == b->t1 && a->p0 == b->p0 && a->p1 == b->p1 &&
         a->is_clock == b->is_clock && a->is_skyline == b->is_skyline;
}

static void
draw_chain(TnMaps *maps, const TnView *view, TnRect plot, const GArray *chain, const TnTheme *theme)
{
  TnRect box = {plot.x, plot.y, 0, 0};
  tn_chain_bounds(view, plot, chain, &box); /* no more than it touches is drawn again when it goes */
  g_clear_pointer(&maps->chain_node, gsk_render_node_unref);
  maps->chain_node = gsk_cairo_node_new(&GRAPHENE_RECT_INIT(
      (float)box.x, (float)box.y, (float)box.width, (float)box.height));
  cairo_t *cr = gsk_cairo_node_get_draw_context(maps->chain_node);
  TnPaint paint = {.cr = cr, .theme = theme, .scale = 1.0, .text_scale = 1.0};
  tn_draw_chain(&paint, view, plot, chain);
  cairo_destroy(cr);
  maps->node_chain = chain;
  maps->node_view = *view;
  maps->node_plot = plot;
  maps->node_theme = theme;
}

/* Who had and who gets the place of the selection.  A node of its own for each frame would have all of the
 * map drawn again wherever the pointer goes. */
static void
append_chain(TnMaps *maps, GtkSnapshot *snapshot, const TnTheme *theme)
{
  const TnView *view = tn_session_get_view(maps->session);
  TnRect plot = maps->layout.offsets_plot, had = maps->node_plot;
  const GArray *chain = tn_maps_chain(maps);
  if (!chain || chain->len == 0)
    return;
  bool is_drawn = maps->chain_node && maps->node_chain == chain && maps->node_theme == theme &&
                  is_same_place(&maps->node_view, view) && had.x == plot.x && had.y == plot.y &&
                  had.width == plot.width && had.height == plot.height;
  if (!is_drawn)
    draw_chain(maps, view, plot, chain, theme);
  gtk_snapshot_append_node(snapshot, maps->chain_node);
}

/* The life of the selection on the time axis. */
static void
append_life(TnMaps *maps, GtkSnapshot *snapshot, const TnTheme *theme)
{
  const TnView *view = tn_session_get_view(maps->session);
  if (view->selected == TN_NONE)
    return;
  const TnBuffers *b = view->study->buffers;
  TnRect axis = maps->layout.axis;
  double left = CLAMP(tn_view_x(view, axis, (double)b->start[view->selected]), axis.x,
                      axis.x + axis.width);
  double right = CLAMP(tn_view_x(view, axis, (double)b->end[view->selected]), axis.x,
                       axis.x + axis.width);
  GdkRGBA color = tn_maps_rgba(theme->text, 1.0f);
  tn_maps_append_rect(snapshot, left, axis.y - 1, MAX(right - left, 2.0), 3, &color);
}

/* What the maps show, on the minimap; the rest of it is dimmed. */
static void
append_window(TnMaps *maps, GtkSnapshot *snapshot, const TnTheme *theme)
{
  const TnView *view = tn_session_get_view(maps->session);
  TnRect plot = maps->layout.live_plot;
  TnView whole = tn_view_whole_time(view);
  if (view->t1 - view->t0 >= (double)view->study->axis_end)
    return;
  double left = tn_view_x(&whole, plot, view->t0), right = tn_view_x(&whole, plot, view->t1);
  GdkRGBA veil = tn_maps_rgba(theme->background, 0.62f), edge = tn_maps_rgba(theme->text, 0.8f);
  tn_maps_append_rect(snapshot, plot.x, plot.y, left - plot.x, plot.height, &veil);
  tn_maps_append_rect(snapshot, right, plot.y, plot.x + plot.width - right, plot.height, &veil);
  tn_maps_append_rect(snapshot, round(left) - 1, plot.y, 1, plot.height, &edge);
  tn_maps_append_rect(snapshot, round(right), plot.y, 1, plot.height, &edge);
}

static void
append_cursor(TnMaps *maps, GtkSnapshot *snapshot, const TnTheme *theme)
{
  const TnView *view = tn_session_get_view(maps->session);
  const TnMapsLayout *l = &maps->layout;
  if (view->cursor < 0)
    return;
  GdkRGBA color = tn_maps_rgba(theme->text, 0.55f);
  double x = tn_view_x(view, l->offsets_plot, view->cursor);
  if (x >= l->offsets_plot.x && x <= l->offsets_plot.x + l->offsets_plot.width)
    tn_maps_append_rect(snapshot, round(x), l->offsets_plot.y, 1,
                l->lanes_plot.y + l->lanes_plot.height - l->offsets_plot.y, &color);
  TnView whole = tn_view_whole_time(view);
  tn_maps_append_rect(snapshot, round(tn_view_x(&whole, l->live_plot, view->cursor)),
                      l->live_plot.y, 1, l->live_plot.height, &color);
}

/* The chosen range: a veil with two edges that can be dragged. */
static void
append_range(TnMaps *maps, GtkSnapshot *snapshot, const TnTheme *theme)
{
  const TnView *view = tn_session_get_view(maps->session);
  const TnMapsLayout *l = &maps->layout;
  TnRect plot = l->offsets_plot;
  if (!tn_session_has_range(maps->session))
    return;
  GdkRGBA veil = tn_maps_rgba(theme->category[0], 0.18f), edge = tn_maps_rgba(theme->category[0], 1.0f);
  double height = l->lanes_plot.y + l->lanes_plot.height - plot.y;
  double from = round(tn_view_x(view, plot, view->r0)), to = round(tn_view_x(view, plot, view->r1));
  double left = MAX(from, plot.x), right = MIN(to, plot.x + plot.width);
  tn_maps_append_rect(snapshot, left, plot.y, right - left, height, &veil);
  if (from >= plot.x && from <= plot.x + plot.width)
    tn_maps_append_rect(snapshot, from, plot.y, 1, height, &edge);
  if (to >= plot.x && to <= plot.x + plot.width)
    tn_maps_append_rect(snapshot, to - 1, plot.y, 1, height, &edge);
}

bool
tn_maps_hit_range_edge(TnMaps *maps, double x, double y, double *out_anchor)
{
  const TnView *view = tn_session_get_view(maps->session);
  const TnMapsLayout *l = &maps->layout;
  bool is_over = tn_rect_contains(l->offsets_plot, x, y) || tn_rect_contains(l->lanes_plot, x, y);
  if (!tn_session_has_range(maps->session) || !is_over)
    return false;
  double from = fabs(tn_view_x(view, l->offsets_plot, view->r0) - x);
  double to = fabs(tn_view_x(view, l->offsets_plot, view->r1) - x);
  *out_anchor = from < to ? view->r1 : view->r0;
  return MIN(from, to) <= 4.0;
}

/* ---- bookmarks --------------------------------------------------------------------------------- */

#define FLAG 7.0 /* logical pixels */

/* A flag on the time axis, and a thin line on the minimap. */
static void
append_bookmarks(TnMaps *maps, GtkSnapshot *snapshot, const TnTheme *theme)
{
  const TnView *view = tn_session_get_view(maps->session);
  const TnMapsLayout *l = &maps->layout;
  TnNotes *notes = tn_session_get_notes(maps->session);
  TnView whole = tn_view_whole_time(view);
  GdkRGBA color = tn_maps_rgba(theme->text, 1.0f), faint = tn_maps_rgba(theme->text, 0.3f);
  for (guint i = 0; i < tn_notes_count(notes); i++) {
    const TnBookmark *bookmark = tn_notes_get(notes, i);
    if (bookmark->device != view->study->device->ordinal)
      continue;
    double tick = (double)bookmark->tick + 0.5;
    double x = round(tn_view_x(view, l->axis, tick));
    tn_maps_append_rect(snapshot, round(tn_view_x(&whole, l->live_plot, tick)), l->live_plot.y, 1,
                        l->live_plot.height, &faint);
    if (x < l->axis.x || x > l->axis.x + l->axis.width)
      continue;
    tn_maps_append_rect(snapshot, x, l->offsets_plot.y, 1, l->axis.y - l->offsets_plot.y, &faint);
    tn_maps_append_rect(snapshot, x, l->axis.y - FLAG - 2, 1, FLAG + 6, &color);
    tn_maps_append_rect(snapshot, x, l->axis.y - FLAG - 2, FLAG, FLAG - 2, &color);
  }
}

int
tn_maps_hit_bookmark(TnMaps *maps, double x, double y)
{
  const TnView *view = tn_session_get_view(maps->session);
  TnRect axis = maps->layout.axis;
  TnNotes *notes = tn_session_get_notes(maps->session);
  if (y < axis.y - FLAG - 4 || y > axis.y + FLAG)
    return -1;
  for (guint i = tn_notes_count(notes); i-- > 0;) {
    const TnBookmark *bookmark = tn_notes_get(notes, i);
    double at = tn_view_x(view, axis, (double)bookmark->tick + 0.5);
    if (bookmark->device == view->study->device->ordinal && x >= at - 3 && x <= at + FLAG + 2)
      return (int)i;
  }
  return -1;
}

void
tn_maps_append_marks(TnMaps *maps, GtkSnapshot *snapshot, const TnTheme *theme)
{
  const TnView *view = tn_session_get_view(maps->session);
  GdkRGBA text = tn_maps_rgba(theme->text, 1.0f), faint = tn_maps_rgba(theme->secondary, 1.0f);
  append_window(maps, snapshot, theme);
  append_range(maps, snapshot, theme);
  append_bookmarks(maps, snapshot, theme);
  if (view->hovered != view->selected)
    append_marked(maps, snapshot, view->hovered, 1.0, &faint);
  append_marked(maps, snapshot, view->selected, 2.0, &text);
  append_chain(maps, snapshot, theme);
  append_life(maps, snapshot, theme);
  append_cursor(maps, snapshot, theme);
}
