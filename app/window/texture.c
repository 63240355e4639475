/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/texture.h"

#include <math.h>

GdkTexture *
tn_texture_new(int width,
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
  cairo_surface_flush(surface);
  gsize stride = (gsize)cairo_image_surface_get_stride(surface);
  g_autoptr(GBytes) bytes =
      g_bytes_new_with_free_func(cairo_image_surface_get_data(surface), stride * (gsize)rows,
                                 (GDestroyNotify)cairo_surface_destroy, surface);
  return gdk_memory_texture_new(columns, rows, GDK_MEMORY_DEFAULT, bytes, stride);
}
