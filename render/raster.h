/* SPDX-License-Identifier: MIT */
/* The dense layers, filled pixel by pixel into memory of our own: their cost follows pixels and the
 * live set, not the number of buffers.  Any thread; nothing is kept between calls. */
#pragma once

#include "render/view.h"

typedef struct {
  uint32_t *pixels; /* 0xFFRRGGBB, or 0 where nothing is drawn and the grid shows through;
                       `stride` pixels a row: cairo's ARGB32 */
  int width, height, stride;
  guint n_parts;          /* columns are filled in so many parts; 0: as suits the processors */
  const gint *is_stopped; /* atomic: not 0 when nobody wants the picture any more, which then stays
                             unfinished; NULL: it is wanted */
} TnRaster;

static inline bool
tn_raster_is_stopped(const TnRaster *raster)
{
  return raster->is_stopped && g_atomic_int_get(raster->is_stopped);
}

/* The offset map of the view: x = time, y = place, each column the live set at its peak tick; held
 * but free is hatched, the cap of rounding dark.  `scale`: device pixels for a logical one.
 * O(columns x alive + starts in view). */
void tn_raster_offsets(const TnView *view, const TnTheme *theme, double scale, TnRaster *out);

/* The lifetime bars of the view, one lane under the other.  O(lanes in view x columns), at worst. */
void tn_raster_lanes(const TnView *view, const TnTheme *theme, double scale, TnRaster *out);

/* Fills the columns [from, stop) of the picture, and looks at tn_raster_is_stopped() in between. */
typedef void (*TnRasterColumns)(const TnView *view, const TnTheme *theme, double scale, int from,
                                int stop, TnRaster *out);

/* Fills all columns, on all processors: the same pixels in however many parts. */
void tn_raster_fill_parts(const TnView *view, const TnTheme *theme, double scale,
                          TnRasterColumns fill, TnRaster *out);

/* Turns columns that were filled one under the other (`n` of them, each as high as the picture) into
 * the picture's columns from `x` on. */
void tn_raster_copy_strip(const uint32_t *strip, int n, int x, TnRaster *out);

/* The colour of a buffer: its category's hue, a shade of its own, dimmed outside of a search. */
uint32_t tn_raster_color(const TnView *view, const TnTheme *theme, tn_index buffer);

/* A picture of `rect` at the paint's scale made by one of the above; NULL where it would be empty.
 * Owned by the caller. */
cairo_surface_t *tn_raster_build(const TnView *view, const TnPaint *paint, TnRect rect,
                                 void (*fill)(const TnView *, const TnTheme *, double,
                                              TnRaster *));
