/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "render/draw.h"

#include "render/draw-label.h"
#include "render/draw-totals.h"
#include "render/lane-groups.h"
#include "render/outlines.h"
#include "render/pixels.h"

#include <math.h>

/* "by call site, longest first" */
static char *
dup_order(const TnView *view)
{
  const TnStudy *study = view->study;
  const char *idle = study->document->graph ? "most idle bytes × time first"
                                            : "most bytes × time first";
  const char *const orders[] = {"largest first", "in the order of starts", "longest first", idle};
  const char *order = orders[study->lanes->sort];
  if (!study->lanes->group_lane)
    return g_strdup(order);
  return g_strdup_printf("by %s, %s", tn_grouping_title(study->categories->grouping), order);
}

/* The first bar of rows[low, high) for which `column` passes `at`; within a lane starts and ends grow. */
static uint32_t
first_past(const TnLanes *lanes, const tn_tick *column, uint32_t low, uint32_t high, double at)
{
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if ((double)column[lanes->rows[middle]] <= at)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static uint32_t
count_in_lane(const TnView *view, uint32_t lane)
{
  const TnLanes *lanes = view->study->lanes;
  const TnBuffers *b = view->study->buffers;
  uint32_t low = lanes->first[lane], high = lanes->first[lane + 1];
  low = first_past(lanes, b->end, low, high, view->t0);
  return first_past(lanes, b->start, low, high, nextafter(view->t1, -INFINITY)) - low;
}

/* Of the lanes and of the time that are shown. */
static uint32_t
count_in_view(const TnView *view, double plot_height)
{
  const TnLanes *lanes = view->study->lanes;
  uint32_t first = MIN((uint32_t)view->lane_top, lanes->n), n = 0;
  uint32_t shown = MIN((uint32_t)(plot_height / view->lane_height), lanes->n - first);
  if (view->t0 <= 0.0 && view->t1 >= (double)view->study->axis_end)
    return shown ? lanes->first[first + shown] - lanes->first[first] : 0;
  for (uint32_t lane = first; lane < first + shown; lane++)
    n += count_in_lane(view, lane);
  return n;
}

char *
tn_draw_title_lifetimes(const TnView *view, double plot_height)
{
  char buffers[32], of[32];
  uint32_t in_view = count_in_view(view, plot_height);
  tn_print_count(of, sizeof of, view->study->buffers->n);
  if (in_view == view->study->buffers->n)
    return g_strdup_printf("Lifetimes · %s %s", of, in_view == 1 ? "buffer" : "buffers");
  g_autofree char *order = dup_order(view);
  return g_strdup_printf("Lifetimes · %s of %s buffers, %s",
                         tn_print_count(buffers, sizeof buffers, in_view), of, order);
}

static void
paint_label(const TnPaint *paint, const TnView *view, TnRect plot, tn_index buffer)
{
  TnRect r;
  tn_view_rect_lanes(view, plot, buffer, &r);
  double left = MAX(r.x, plot.x), right = MIN(r.x + r.width, plot.x + plot.width);
  if (right - left < 40.0 || r.y < plot.y - 2.0 || r.y + r.height > plot.y + plot.height + 2.0)
    return;
  tn_draw_label(paint, view, buffer, (TnRect){left + 5.0, r.y, right - left - 10.0, r.height});
}

void
tn_draw_lane_labels(const TnPaint *paint, const TnView *view, TnRect plot)
{
  const TnLanes *lanes = view->study->lanes;
  if (view->lane_height < MAX(12.0, 11.0 * paint->text_scale))
    return;
  uint32_t first = (uint32_t)view->lane_top;
  uint32_t stop = MIN(first + (uint32_t)ceil(plot.height / view->lane_height) + 1, lanes->n);
  for (uint32_t lane = first; lane < stop; lane++) {
    TnLaneWalk walk;
    tn_index buffer;
    int x0, x1;
    tn_lane_walk_init(&walk, view, lane, MAX((int)lround(plot.width), 1));
    while (tn_lane_walk_next(&walk, &buffer, &x0, &x1))
      if (x1 - x0 >= 40)
        paint_label(paint, view, plot, buffer);
  }
}

void
tn_draw_lifetimes(const TnPaint *paint, const TnView *view, TnRect rect, cairo_surface_t *image)
{
  if (view->study->buffers->n == 0) {
    tn_draw_no_map(paint, view, rect);
    return;
  }
  TnRect plot = tn_frame_plot(rect);
  g_autofree char *title = tn_draw_title_lifetimes(view, plot.height);
  tn_frame_panel(paint, rect, title);
  cairo_surface_t *made = image ? NULL : tn_raster_build(view, paint, plot, tn_raster_lanes);
  if (image || made)
    tn_paint_image(paint, plot, image ? image : made);
  if (made)
    cairo_surface_destroy(made);
  tn_frame_peak(paint, plot, view, false);
  tn_draw_outlines_lanes(paint, view, plot);
  tn_draw_lane_labels(paint, view, plot);
  tn_draw_lane_groups(paint, view, plot);
  tn_draw_selection_lanes(paint, view, plot);
}
