/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/texture.h"

#include <math.h>

/* The surface's own pixels; it lives as long as the texture does. */
static GdkTexture *
wrap(cairo_surface_t *surface)
{
  int width = cairo_image_surface_get_width(surface),
      height = cairo_image_surface_get_height(surface);
  cairo_surface_flush(surface);
  gsize stride = (gsize)cairo_image_surface_get_stride(surface);
  g_autoptr(GBytes) bytes = g_bytes_new_with_free_func(
      cairo_image_surface_get_data(surface), stride * (gsize)height,
      (GDestroyNotify)cairo_surface_destroy, cairo_surface_reference(surface));
  return gdk_memory_texture_new(width, height, GDK_MEMORY_DEFAULT, bytes, stride);
}

cairo_surface_t *
tn_texture_draw(int width,
                int height,
                double scale,
                const TnTheme *theme,
                TnExportDraw draw,
                const void *payload)
{
  int columns = (int)ceil(width * scale), rows = (int)ceil(height * scale);
  cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, columns, rows);
  cairo_surface_set_device_scale(surface, scale, scale);
  cairo_t *cr = cairo_create(surface);
  TnPaint paint = {.cr = cr, .theme = theme, .scale = scale, .text_scale = 1.0};
  draw(&paint, (TnRect){0, 0, width, height}, payload);
  cairo_destroy(cr);
  return surface;
}

bool
tn_texture_is_drawn_with_cairo(GtkWidget *widget)
{
  GtkNative *native = gtk_widget_get_native(widget);
  return native && GSK_IS_CAIRO_RENDERER(gtk_native_get_renderer(native));
}

/* What a surface records is copied when the source ends before it: the record holds its source. */
static GskRenderNode *
record(cairo_surface_t *surface, const graphene_rect_t *bounds)
{
  static const cairo_user_data_key_t key;
  GskRenderNode *node = gsk_cairo_node_new(bounds);
  cairo_t *cr = gsk_cairo_node_get_draw_context(node);
  cairo_set_source_surface(cr, surface, 0, 0);
  cairo_paint(cr);
  cairo_destroy(cr);
  cairo_surface_set_user_data(gsk_cairo_node_get_surface(node), &key,
                              cairo_surface_reference(surface),
                              (cairo_destroy_func_t)cairo_surface_destroy);
  return node;
}

GskRenderNode *
tn_texture_node_new(GtkWidget *widget, cairo_surface_t *surface)
{
  double x, y;
  cairo_surface_get_device_scale(surface, &x, &y);
  graphene_rect_t bounds =
      GRAPHENE_RECT_INIT(0, 0, (float)(cairo_image_surface_get_width(surface) / x),
                         (float)(cairo_image_surface_get_height(surface) / y));
  if (tn_texture_is_drawn_with_cairo(widget))
    return record(surface, &bounds);
  g_autoptr(GdkTexture) texture = wrap(surface);
  return gsk_texture_node_new(texture, &bounds);
}
