/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "render/draw.h"

#include "render/skyline.h"

void
tn_draw_skyline(const TnPaint *paint, const TnView *view, TnRect rect)
{
  TnRect plot = tn_frame_plot(rect);
  tn_frame_panel(paint, rect, "Skyline · what is alive, the oldest at the ground; heights are not addresses");
  tn_frame_bytes_axis(paint, plot, 0.0, tn_skyline_height(view), view->units);
  cairo_surface_t *image = tn_raster_build(view, paint, plot, tn_raster_skyline);
  if (image) {
    tn_paint_image(paint, plot, image);
    cairo_surface_destroy(image);
  }
  tn_frame_peak(paint, plot, view, false);
}
