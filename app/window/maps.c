/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/maps.h"

#include "analysis/tenants.h"
#include "app/window/settings.h"
#include "app/window/maps-input.h"
#include "app/window/maps-private.h"
#include "render/draw-places.h"
#include "render/draw.h"

#include <adwaita.h>
#include <math.h>

G_DEFINE_TYPE(TnMaps, tn_maps, GTK_TYPE_WIDGET)

/* ---- the picture, drawn elsewhere ------------------------------------------------------------- */

static void start_job(TnMaps *maps);

static char *
system_font(GtkWidget *widget, double *out_scale)
{
  g_autofree char *name = NULL;
  int dpi = 0;
  g_object_get(gtk_widget_get_settings(widget), "gtk-font-name", &name, "gtk-xft-dpi", &dpi, NULL);
  PangoFontDescription *font = pango_font_description_from_string(name ? name : "Sans 11");
  double points = (double)pango_font_description_get_size(font) / PANGO_SCALE;
  *out_scale = (dpi > 0 ? dpi / 1024.0 / 96.0 : 1.0) * (points > 0 ? points / 11.0 : 1.0);
  *out_scale = CLAMP(*out_scale, 0.7, 3.0);
  const char *family = pango_font_description_get_family(font);
  char *list = g_strdup_printf("%s,Cantarell,Noto Sans,DejaVu Sans,sans-serif",
                               family ? family : "Sans");
  pango_font_description_free(font);
  return list;
}

static void
work(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  g_task_return_pointer(task, tn_maps_job_render(data), g_object_unref);
}

static void
free_job(gpointer data)
{
  tn_maps_job_clear(data);
  g_free(data);
}

static void
ready(GObject *source, GAsyncResult *result, gpointer data)
{
  TnMaps *maps = TN_MAPS(source);
  TnMapsJob *job = g_task_get_task_data(G_TASK(result));
  GdkTexture *texture = g_task_propagate_pointer(G_TASK(result), NULL);
  maps->is_drawing = false;
  g_clear_object(&maps->texture);
  maps->texture = texture;
  maps->drawn_view = job->view;
  maps->drawn_layout = job->layout;
  gtk_widget_queue_draw(GTK_WIDGET(maps));
  if (maps->is_dirty)
    start_job(maps);
}

static void
start_job(TnMaps *maps)
{
  GtkWidget *widget = GTK_WIDGET(maps);
  if (maps->is_drawing || !maps->session || maps->layout.width < 8 || maps->layout.height < 8)
    return;
  TnMapsJob *job = g_new0(TnMapsJob, 1);
  GBytes *match = tn_session_get_match(maps->session);
  job->view = *tn_session_get_view(maps->session);
  job->layout = maps->layout;
  job->scale = gtk_widget_get_scale_factor(widget);
  job->is_dark = adw_style_manager_get_dark(adw_style_manager_get_default());
  job->font = system_font(widget, &job->text_scale);
  job->match = match ? g_bytes_ref(match) : NULL;
  job->session = g_object_ref(maps->session);
  job->study = tn_study_ref(tn_session_get_study(maps->session));
  maps->is_drawing = true;
  maps->is_dirty = false;
  g_autoptr(GTask) task = g_task_new(maps, NULL, ready, NULL);
  g_task_set_task_data(task, job, free_job);
  g_task_run_in_thread(task, work);
}

void
tn_maps_invalidate(TnMaps *maps)
{
  maps->is_dirty = true;
  start_job(maps);
  gtk_widget_queue_draw(GTK_WIDGET(maps));
}

/* ---- the marks above it ------------------------------------------------------------------------ */

static GdkRGBA
rgba(uint32_t color, float alpha)
{
  return (GdkRGBA){((color >> 16) & 0xff) / 255.0f, ((color >> 8) & 0xff) / 255.0f,
                   (color & 0xff) / 255.0f, alpha};
}

static void
append_rect(GtkSnapshot *snapshot, double x, double y, double width, double height,
            const GdkRGBA *color)
{
  if (width <= 0 || height <= 0)
    return;
  gtk_snapshot_append_color(snapshot, color,
                            &GRAPHENE_RECT_INIT((float)x, (float)y, (float)width, (float)height));
}

static void
append_outline(GtkSnapshot *snapshot, TnRect r, TnRect clip, double line, const GdkRGBA *color)
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
  append_rect(snapshot, left, top, right - left + line, line, color);
  append_rect(snapshot, left, bottom, right - left + line, line, color);
  append_rect(snapshot, left, top, line, bottom - top + line, color);
  append_rect(snapshot, right, top, line, bottom - top + line, color);
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
    append_outline(snapshot, r, l->offsets_plot, line, color);
  if (tn_view_rect_lanes(view, l->lanes_plot, buffer, &r))
    append_outline(snapshot, r, l->lanes_plot, line, color);
}

#define MOST_TENANTS 8 /* before and after the selection */

/* Who had and who gets the place of the selection; looked for once for each. */
static void
append_chain(TnMaps *maps, GtkSnapshot *snapshot, const TnTheme *theme)
{
  const TnView *view = tn_session_get_view(maps->session);
  TnRect plot = maps->layout.offsets_plot;
  if (view->selected == TN_NONE || view->study->offset[view->selected] == TN_NOT_PLACED)
    return;
  if (!maps->chain || maps->chain_of != view->selected || maps->chain_study != view->study) {
    g_clear_pointer(&maps->chain, g_array_unref);
    maps->chain = tn_tenants_chain_new(view->study, view->selected, MOST_TENANTS);
    maps->chain_of = view->selected;
    maps->chain_study = view->study;
  }
  if (maps->chain->len == 0)
    return;
  cairo_t *cr = gtk_snapshot_append_cairo(
      snapshot, &GRAPHENE_RECT_INIT((float)plot.x, (float)plot.y, (float)plot.width,
                                    (float)plot.height));
  TnPaint paint = {.cr = cr, .theme = theme, .scale = 1.0, .text_scale = 1.0};
  tn_draw_chain(&paint, view, plot, maps->chain);
  cairo_destroy(cr);
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
  GdkRGBA color = rgba(theme->text, 1.0f);
  append_rect(snapshot, left, axis.y - 1, MAX(right - left, 2.0), 3, &color);
}

/* What the maps show, on the minimap; the rest of it is dimmed. */
static void
append_window(TnMaps *maps, GtkSnapshot *snapshot, const TnTheme *theme)
{
  const TnView *view = tn_session_get_view(maps->session);
  TnRect plot = maps->layout.live_plot;
  double end = (double)view->study->axis_end;
  if (view->t1 - view->t0 >= end)
    return;
  double left = plot.x + view->t0 / end * plot.width, right = plot.x + view->t1 / end * plot.width;
  GdkRGBA veil = rgba(theme->background, 0.62f), edge = rgba(theme->text, 0.8f);
  append_rect(snapshot, plot.x, plot.y, left - plot.x, plot.height, &veil);
  append_rect(snapshot, right, plot.y, plot.x + plot.width - right, plot.height, &veil);
  append_rect(snapshot, round(left) - 1, plot.y, 1, plot.height, &edge);
  append_rect(snapshot, round(right), plot.y, 1, plot.height, &edge);
}

static void
append_cursor(TnMaps *maps, GtkSnapshot *snapshot, const TnTheme *theme)
{
  const TnView *view = tn_session_get_view(maps->session);
  const TnMapsLayout *l = &maps->layout;
  if (view->cursor < 0)
    return;
  GdkRGBA color = rgba(theme->text, 0.55f);
  double x = tn_view_x(view, l->offsets_plot, view->cursor);
  if (x >= l->offsets_plot.x && x <= l->offsets_plot.x + l->offsets_plot.width)
    append_rect(snapshot, round(x), l->offsets_plot.y, 1,
                l->lanes_plot.y + l->lanes_plot.height - l->offsets_plot.y, &color);
  double whole = view->cursor / (double)view->study->axis_end;
  append_rect(snapshot, round(l->live_plot.x + whole * l->live_plot.width), l->live_plot.y, 1,
              l->live_plot.height, &color);
}

static void
append_range(TnMaps *maps, GtkSnapshot *snapshot, const TnTheme *theme)
{
  if (!maps->is_selecting)
    return;
  const TnMapsLayout *l = &maps->layout;
  GdkRGBA color = rgba(theme->category[0], 0.25f);
  double left = MIN(maps->drag_x, maps->pointer_x), right = MAX(maps->drag_x, maps->pointer_x);
  left = MAX(left, l->offsets_plot.x);
  right = MIN(right, l->offsets_plot.x + l->offsets_plot.width);
  append_rect(snapshot, left, l->offsets_plot.y, right - left,
              l->lanes_plot.y + l->lanes_plot.height - l->offsets_plot.y, &color);
}

/* ---- showing ----------------------------------------------------------------------------------- */

/* While a new picture is drawn, the old one is moved and stretched to where its data belongs. */
static void
append_stale_plot(TnMaps *maps, GtkSnapshot *snapshot, TnRect plot, TnRect drawn, bool has_places)
{
  const TnView *now = tn_session_get_view(maps->session), *old = &maps->drawn_view;
  double sx = (old->t1 - old->t0) / (now->t1 - now->t0) * plot.width / drawn.width;
  double sy = plot.height / drawn.height;
  double x = tn_view_x(now, plot, old->t0), y = plot.y;
  if (has_places) {
    sy *= (old->p1 - old->p0) / (now->p1 - now->p0);
    y = tn_view_y(now, plot, old->p1);
  } else {
    y += (old->lane_top - now->lane_top) * now->lane_height;
    sy = now->lane_height / old->lane_height;
  }
  gtk_snapshot_push_clip(snapshot, &GRAPHENE_RECT_INIT((float)plot.x, (float)plot.y,
                                                       (float)plot.width, (float)plot.height));
  gtk_snapshot_save(snapshot);
  gtk_snapshot_translate(snapshot, &GRAPHENE_POINT_INIT((float)x, (float)y));
  gtk_snapshot_scale(snapshot, (float)sx, (float)sy);
  gtk_snapshot_append_texture(
      snapshot, maps->texture,
      &GRAPHENE_RECT_INIT((float)-drawn.x, (float)-drawn.y, (float)maps->drawn_layout.width,
                          (float)maps->drawn_layout.height));
  gtk_snapshot_restore(snapshot);
  gtk_snapshot_pop(snapshot);
}

static bool
is_stale(TnMaps *maps)
{
  const TnView *now = tn_session_get_view(maps->session), *old = &maps->drawn_view;
  return now->study == old->study &&
         (now->t0 != old->t0 || now->t1 != old->t1 || now->p0 != old->p0 || now->p1 != old->p1 ||
          now->lane_top != old->lane_top || now->lane_height != old->lane_height);
}

static void
append_picture(TnMaps *maps, GtkSnapshot *snapshot, const TnTheme *theme)
{
  const TnMapsLayout *l = &maps->layout, *d = &maps->drawn_layout;
  GdkRGBA back = rgba(theme->background, 1.0f), panel = rgba(theme->panel, 1.0f);
  append_rect(snapshot, 0, 0, l->width, l->height, &back);
  if (!maps->texture)
    return;
  gtk_snapshot_append_texture(snapshot, maps->texture,
                              &GRAPHENE_RECT_INIT(0, 0, (float)d->width, (float)d->height));
  if (!is_stale(maps))
    return;
  append_rect(snapshot, l->offsets_plot.x, l->offsets_plot.y, l->offsets_plot.width,
              l->offsets_plot.height, &panel);
  append_rect(snapshot, l->lanes_plot.x, l->lanes_plot.y, l->lanes_plot.width,
              l->lanes_plot.height, &panel);
  append_stale_plot(maps, snapshot, l->offsets_plot, d->offsets_plot, true);
  append_stale_plot(maps, snapshot, l->lanes_plot, d->lanes_plot, false);
}

static void
snapshot_maps(GtkWidget *widget, GtkSnapshot *snapshot)
{
  TnMaps *maps = TN_MAPS(widget);
  if (!maps->session)
    return;
  bool is_dark = adw_style_manager_get_dark(adw_style_manager_get_default());
  const TnTheme *theme = is_dark ? tn_theme_dark() : tn_theme_light();
  const TnView *view = tn_session_get_view(maps->session);
  GdkRGBA text = rgba(theme->text, 1.0f), faint = rgba(theme->secondary, 1.0f);
  append_picture(maps, snapshot, theme);
  append_window(maps, snapshot, theme);
  append_range(maps, snapshot, theme);
  if (view->hovered != view->selected)
    append_marked(maps, snapshot, view->hovered, 1.0, &faint);
  append_marked(maps, snapshot, view->selected, 2.0, &text);
  append_chain(maps, snapshot, theme);
  append_life(maps, snapshot, theme);
  append_cursor(maps, snapshot, theme);
  if (gtk_widget_has_visible_focus(widget)) {
    GdkRGBA focus = rgba(theme->category[0], 1.0f);
    append_outline(snapshot, (TnRect){1, 1, maps->layout.width - 3, maps->layout.height - 3},
                   (TnRect){0, 0, maps->layout.width, maps->layout.height}, 1.0, &focus);
  }
}

static void
allocate(GtkWidget *widget, int width, int height, int baseline)
{
  TnMaps *maps = TN_MAPS(widget);
  tn_maps_layout_init(&maps->layout, width, height, maps->share);
  tn_maps_invalidate(maps);
}

static void
measure(GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural,
        int *minimum_baseline, int *natural_baseline)
{
  *minimum = orientation == GTK_ORIENTATION_HORIZONTAL ? 320 : 240;
  *natural = orientation == GTK_ORIENTATION_HORIZONTAL ? 1000 : 600;
  *minimum_baseline = *natural_baseline = -1;
}

/* ---- the session ------------------------------------------------------------------------------- */

char *
tn_maps_describe(TnSession *session, tn_index buffer)
{
  const TnStudy *study = tn_session_get_study(session);
  const TnBuffers *b = study->buffers;
  char size[48], from[32], to[32];
  if (buffer == TN_NONE || buffer >= b->n)
    return g_strdup("");
  g_autofree char *label = tn_study_dup_label(study, buffer);
  g_autoptr(GString) text = g_string_new(NULL);
  g_string_printf(text, "%s, %s, %ss %s to %s", label,
                  tn_print_bytes(size, sizeof size, b->bytes[buffer], tn_settings_get_units()),
                  tn_axis_unit_name(study->device->axis),
                  tn_print_count(from, sizeof from, b->start[buffer]),
                  tn_print_count(to, sizeof to, b->end[buffer]));
  if (study->offset[buffer] != TN_NOT_PLACED)
    g_string_append_printf(text, ", at 0x%" G_GINT64_MODIFIER "x",
                           (guint64)study->offset[buffer]);
  return g_string_free(g_steal_pointer(&text), FALSE);
}

static void
on_view_changed(TnSession *session, TnMaps *maps)
{
  tn_maps_invalidate(maps);
}

static void
on_selection_changed(TnSession *session, TnMaps *maps)
{
  const TnView *view = tn_session_get_view(session);
  gtk_widget_queue_draw(GTK_WIDGET(maps));
  if (view->selected == maps->described)
    return;
  maps->described = view->selected;
  g_autofree char *text = tn_maps_describe(session, view->selected);
  gtk_accessible_update_property(GTK_ACCESSIBLE(maps), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                 text[0] ? text : "Nothing is selected", -1);
}

static void
on_style_changed(AdwStyleManager *manager, GParamSpec *pspec, TnMaps *maps)
{
  tn_maps_invalidate(maps);
}

static gboolean
query_tooltip(GtkWidget *widget, int x, int y, gboolean is_keyboard, GtkTooltip *tooltip)
{
  TnMaps *maps = TN_MAPS(widget);
  const TnView *view = tn_session_get_view(maps->session);
  tn_index buffer = is_keyboard ? view->selected : view->hovered;
  if (buffer == TN_NONE)
    return FALSE;
  g_autofree char *text = tn_maps_describe(maps->session, buffer);
  gtk_tooltip_set_text(tooltip, text);
  return TRUE;
}

static void
dispose(GObject *object)
{
  TnMaps *maps = TN_MAPS(object);
  g_clear_object(&maps->texture);
  g_clear_object(&maps->session);
  g_clear_pointer(&maps->chain, g_array_unref);
  G_OBJECT_CLASS(tn_maps_parent_class)->dispose(object);
}

static void
tn_maps_class_init(TnMapsClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);
  G_OBJECT_CLASS(class)->dispose = dispose;
  widget_class->snapshot = snapshot_maps;
  widget_class->size_allocate = allocate;
  widget_class->measure = measure;
  widget_class->query_tooltip = query_tooltip;
  gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_IMG);
  gtk_widget_class_set_css_name(widget_class, "maps");
}

static void
tn_maps_init(TnMaps *maps)
{
  maps->share = 0.64;
  maps->described = TN_NONE;
  gtk_widget_set_focusable(GTK_WIDGET(maps), TRUE);
  gtk_widget_set_hexpand(GTK_WIDGET(maps), TRUE);
  gtk_widget_set_vexpand(GTK_WIDGET(maps), TRUE);
  gtk_widget_set_has_tooltip(GTK_WIDGET(maps), TRUE);
  gtk_accessible_update_property(GTK_ACCESSIBLE(maps), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                 "Memory over time: live curve, offset map and lifetime bars",
                                 GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, "Nothing is selected", -1);
  tn_maps_add_controllers(maps);
}

GtkWidget *
tn_maps_new(TnSession *session)
{
  TnMaps *maps = g_object_new(TN_TYPE_MAPS, NULL);
  maps->session = g_object_ref(session);
  g_signal_connect_object(session, "view-changed", G_CALLBACK(on_view_changed), maps, 0);
  g_signal_connect_object(session, "study-changed", G_CALLBACK(on_view_changed), maps, 0);
  g_signal_connect_object(session, "match-changed", G_CALLBACK(on_view_changed), maps, 0);
  g_signal_connect_object(session, "units-changed", G_CALLBACK(on_view_changed), maps, 0);
  g_signal_connect_object(session, "selection-changed", G_CALLBACK(on_selection_changed), maps, 0);
  g_signal_connect_object(adw_style_manager_get_default(), "notify::dark",
                          G_CALLBACK(on_style_changed), maps, 0);
  return GTK_WIDGET(maps);
}

void
tn_maps_get_plots(TnMaps *maps, TnRect *out_live, TnRect *out_offsets, TnRect *out_lanes)
{
  *out_live = maps->layout.live_plot;
  *out_offsets = maps->layout.offsets_plot;
  *out_lanes = maps->layout.lanes_plot;
}
