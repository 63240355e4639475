/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "render/raster.h"

#include "render/parts.h"

#include <math.h>

/* A part begins with a live set of its own: fewer columns are not worth that. */
#define LEAST_COLUMNS 64

uint32_t
tn_raster_color(const TnView *view, const TnTheme *theme, tn_index buffer)
{
  uint32_t color =
      theme->shade[view->study->categories->category[buffer]][tn_shade_of(buffer)];
  if (view->match && !view->match[buffer])
    color = tn_color_mix(color, theme->panel, 0.8);
  return 0xFF000000u | color;
}

void
tn_raster_copy_strip(const uint32_t *strip, int n, int x, TnRaster *out)
{
  for (int y = 0; y < out->height; y++) {
    uint32_t *to = out->pixels + (gsize)y * (gsize)out->stride + x;
    for (int i = 0; i < n; i++)
      to[i] = strip[(gsize)i * (gsize)out->height + (gsize)y];
  }
}

typedef struct {
  const TnView *view;
  const TnTheme *theme;
  double scale;
  TnRasterColumns fill;
  TnRaster *out;
  guint n_parts;
} Picture;

static void
fill_part(gpointer data, guint part)
{
  const Picture *p = data;
  guint64 width = (guint64)p->out->width;
  p->fill(p->view, p->theme, p->scale, (int)(width * part / p->n_parts),
          (int)(width * (part + 1) / p->n_parts), p->out);
}

void
tn_raster_fill_parts(const TnView *view, const TnTheme *theme, double scale, TnRasterColumns fill,
                     TnRaster *out)
{
  guint n = out->n_parts ? out->n_parts : tn_parts_count((guint)out->width, LEAST_COLUMNS);
  Picture picture = {view, theme, scale, fill, out, n};
  tn_parts_run(n, fill_part, &picture);
}

cairo_surface_t *
tn_raster_build(const TnView *view,
                const TnPaint *paint,
                TnRect rect,
                void (*fill)(const TnView *, const TnTheme *, double, TnRaster *))
{
  int width = (int)lround(rect.width * paint->scale), height = (int)lround(rect.height * paint->scale);
  if (width <= 0 || height <= 0 || width > 32767 || height > 32767)
    return NULL;
  cairo_surface_t *image = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, width, height);
  if (cairo_surface_status(image) != CAIRO_STATUS_SUCCESS) {
    cairo_surface_destroy(image);
    return NULL;
  }
  cairo_surface_flush(image);
  TnRaster raster = {.pixels = (uint32_t *)(void *)cairo_image_surface_get_data(image),
                     .width = width,
                     .height = height,
                     .stride = cairo_image_surface_get_stride(image) / 4,
                     .is_stopped = paint->is_stopped};
  fill(view, paint->theme, paint->scale, &raster);
  cairo_surface_mark_dirty(image);
  return image;
}
