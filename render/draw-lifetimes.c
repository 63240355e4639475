/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "render/draw.h"

#include <math.h>

char *
tn_draw_title_lifetimes(const TnView *view, double plot_height)
{
  const TnLanes *lanes = view->study->lanes;
  uint32_t first = (uint32_t)view->lane_top;
  uint32_t shown = MIN((uint32_t)(plot_height / view->lane_height), lanes->n - MIN(first, lanes->n));
  char buffers[32], of[32];
  uint32_t in_view = 0;
  if (lanes->n)
    in_view = lanes->first[MIN(first + shown, lanes->n)] - lanes->first[MIN(first, lanes->n)];
  tn_print_count(of, sizeof of, view->study->buffers->n);
  if (in_view == view->study->buffers->n)
    return g_strdup_printf("Lifetimes · %s buffers", of);
  return g_strdup_printf("Lifetimes · %s of %s buffers, largest first",
                         tn_print_count(buffers, sizeof buffers, in_view), of);
}

static void
paint_label(const TnPaint *paint, const TnView *view, TnRect plot, tn_index buffer)
{
  TnRect r;
  tn_view_rect_lanes(view, plot, buffer, &r);
  double left = MAX(r.x, plot.x), right = MIN(r.x + r.width, plot.x + plot.width);
  if (right - left < 40.0 || r.y < plot.y - 2.0 || r.y + r.height > plot.y + plot.height + 2.0)
    return;
  char size[48];
  uint32_t fill = tn_raster_color(view, paint->theme, buffer) & 0xFFFFFF;
  TnTextStyle style = {.size = 10.0, .color = tn_color_text_on(fill)};
  tn_print_bytes(size, sizeof size, view->study->buffers->bytes[buffer], view->units);
  double size_width = tn_paint_text_width(paint, size, &style);
  double room = right - left - 10.0;
  if (size_width > room)
    return;
  /* The name gives way first, the size never. */
  double x = left + 5.0;
  if (room - size_width > 40.0) {
    g_autofree char *label = tn_study_dup_label(view->study, buffer);
    style.max_width = room - size_width - 6.0;
    x += tn_paint_text(paint, label, x, r.y + r.height / 2, &style) + 6.0;
    style.max_width = 0.0;
  }
  tn_paint_text(paint, size, x, r.y + r.height / 2, &style);
}

void
tn_draw_lane_labels(const TnPaint *paint, const TnView *view, TnRect plot)
{
  const TnStudy *study = view->study;
  if (view->lane_height < 12.0)
    return;
  double wide = 40.0 * (view->t1 - view->t0) / plot.width;
  uint32_t first = (uint32_t)view->lane_top;
  uint32_t stop = MIN(first + (uint32_t)ceil(plot.height / view->lane_height) + 1, study->lanes->n);
  for (uint32_t lane = first; lane < stop; lane++) {
    int budget = 5000; /* a lane of very many slivers has no room for names anyway */
    for (uint32_t i = study->lanes->first[lane]; i < study->lanes->first[lane + 1]; i++) {
      tn_index buffer = study->lanes->rows[i];
      tn_tick start = study->buffers->start[buffer], end = study->buffers->end[buffer];
      if ((double)start > view->t1 || --budget < 0)
        break;
      if ((double)end > view->t0 && (double)(end - start) >= wide)
        paint_label(paint, view, plot, buffer);
    }
  }
}

void
tn_draw_lifetimes(const TnPaint *paint, const TnView *view, TnRect rect, cairo_surface_t *image)
{
  TnRect plot = tn_frame_plot(rect);
  g_autofree char *title = tn_draw_title_lifetimes(view, plot.height);
  tn_frame_panel(paint, rect, title);
  cairo_surface_t *made = image ? NULL : tn_raster_build(view, paint, plot, tn_raster_lanes);
  if (image || made)
    tn_paint_image(paint, plot, image ? image : made);
  if (made)
    cairo_surface_destroy(made);
  tn_draw_lane_labels(paint, view, plot);
  tn_frame_peak(paint, plot, view, false);
  tn_draw_selection_lanes(paint, view, plot);
}
