/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/maps-render.h"

#include "render/draw-totals.h"
#include "render/draw.h"

#include <math.h>

void
tn_maps_layout_init(TnMapsLayout *l, double width, double height, double share)
{
  double gap = 4.0, axis = TN_FRAME_AXIS;
  double live = CLAMP(height * 0.17, 64.0, 130.0);
  double rest = MAX(height - live - axis - 3 * gap, 60.0);
  l->width = width;
  l->height = height;
  l->live = (TnRect){0, 0, width, live};
  l->offsets = (TnRect){0, live + gap, width, floor(rest * share)};
  l->lanes = (TnRect){0, l->offsets.y + l->offsets.height + gap, width,
                      rest - l->offsets.height};
  l->live_plot = tn_frame_plot(l->live);
  l->offsets_plot = tn_frame_plot(l->offsets);
  l->lanes_plot = tn_frame_plot(l->lanes);
  l->axis = (TnRect){l->lanes_plot.x, l->lanes.y + l->lanes.height + 2.0, l->lanes_plot.width,
                     axis};
}

void
tn_maps_job_clear(TnMapsJob *job)
{
  g_clear_pointer(&job->study, tn_study_unref);
  g_clear_object(&job->session);
  g_clear_pointer(&job->match, g_bytes_unref);
  g_clear_pointer(&job->font, g_free);
}

/* The axis stands below the curve: what is below it has no time.  Reports of one moment have no curve. */
static void
draw_without_map(const TnPaint *paint, const TnView *whole, const TnMapsLayout *l)
{
  if (!whole->study->device->samples) {
    tn_draw_no_map(paint, whole, (TnRect){0, l->live.y, l->width, l->height - l->live.y - 6.0});
    return;
  }
  tn_draw_live(paint, whole, l->live);
  double top = l->live_plot.y + l->live_plot.height + 2.0, below = top + l->axis.height + 6.0;
  tn_frame_time_axis(paint, (TnRect){l->live_plot.x, top, l->live_plot.width, l->axis.height},
                     whole);
  tn_draw_no_map(paint, whole, (TnRect){0, below, l->width, l->height - below - 6.0});
}

static void
draw(const TnMapsJob *job, cairo_t *cr)
{
  const TnMapsLayout *l = &job->layout;
  TnPaint paint = {.cr = cr,
                   .theme = job->is_dark ? tn_theme_dark() : tn_theme_light(),
                   .scale = job->scale,
                   .text_scale = job->text_scale,
                   .font = job->font,
                   .is_stopped = &job->is_stopped};
  TnView view = job->view, whole = tn_view_whole_time(&job->view);
  view.match = job->match ? g_bytes_get_data(job->match, NULL) : NULL;
  if (!view.is_skyline)
    view.selected = TN_NONE;
  view.hovered = TN_NONE;
  tn_paint_rect(&paint, (TnRect){0, 0, l->width, l->height}, paint.theme->background);
  if (view.study->buffers->n == 0) {
    draw_without_map(&paint, &whole, l);
    return;
  }
  tn_draw_live(&paint, &whole, l->live);
  if (view.is_skyline)
    tn_draw_skyline(&paint, &view, l->offsets);
  else
    tn_draw_offsets(&paint, &view, l->offsets, NULL);
  if (g_atomic_int_get(&job->is_stopped))
    return;
  view.selected = TN_NONE;
  tn_draw_lifetimes(&paint, &view, l->lanes, NULL);
  tn_frame_time_axis(&paint, l->axis, &view);
}

cairo_surface_t *
tn_maps_job_render(const TnMapsJob *job)
{
  int width = MAX((int)ceil(job->layout.width * job->scale), 1);
  int height = MAX((int)ceil(job->layout.height * job->scale), 1);
  cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, width, height);
  cairo_surface_set_device_scale(surface, job->scale, job->scale);
  cairo_t *cr = cairo_create(surface);
  draw(job, cr);
  cairo_destroy(cr);
  cairo_surface_flush(surface);
  return surface;
}
