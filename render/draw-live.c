/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "render/draw.h"

#include <math.h>

char *
tn_draw_title_live(const TnView *view)
{
  char size[48];
  const char *what = !view->study->device->samples ? "Live"
                     : view->study->live->peak > 0 ? "Recorded totals: allocated"
                                                   : "Recorded totals";
  if (!view->study->reserved)
    return g_strdup(what);
  uint32_t n = tn_device_count_marks(view->study->device, TN_MARK_RECYCLE);
  g_autofree char *recycled =
      n ? g_strdup_printf(" · marked: recycled %u time%s", n, n == 1 ? "" : "s") : g_strdup("");
  return g_strdup_printf("%s · hatched: reserved, up to %s%s", what,
                         tn_print_bytes(size, sizeof size, view->study->reserved->peak,
                                        view->units), recycled);
}

/* Adds the upper edge of a curve over the plot: for each device column the largest value in it. */
static void
add_edge(const TnPaint *paint, const TnView *view, TnRect plot, const TnCurve *curve,
         double per_byte)
{
  int n = MAX((int)lround(plot.width * paint->scale), 1);
  double bottom = plot.y + plot.height, last_y = NAN;
  for (int column = 0; column < n; column++) {
    tn_tick start, end;
    if (!tn_view_column(view, column, n, &start, &end))
      break;
    double y = tn_snap(paint, bottom - (double)tn_curve_max(curve, start, end, NULL) * per_byte);
    double x = plot.x + column / paint->scale;
    if (y == last_y)
      continue;
    if (!isnan(last_y))
      cairo_line_to(paint->cr, x, last_y);
    cairo_line_to(paint->cr, x, y);
    last_y = y;
  }
  if (!isnan(last_y)) {
    double right = MIN(tn_view_x(view, plot, (double)view->study->axis_end), plot.x + plot.width);
    cairo_line_to(paint->cr, right, last_y);
  }
}

static void
close_edge(const TnPaint *paint, const TnView *view, TnRect plot)
{
  double right = MIN(tn_view_x(view, plot, (double)view->study->axis_end), plot.x + plot.width);
  cairo_line_to(paint->cr, right, plot.y + plot.height);
  cairo_line_to(paint->cr, plot.x, plot.y + plot.height);
  cairo_close_path(paint->cr);
}

static void
paint_reserved(const TnPaint *paint, const TnView *view, TnRect plot, double per_byte)
{
  if (!view->study->reserved)
    return;
  cairo_new_path(paint->cr);
  add_edge(paint, view, plot, view->study->reserved, per_byte);
  close_edge(paint, view, plot);
  cairo_save(paint->cr);
  cairo_clip(paint->cr);
  tn_paint_hatch(paint, plot, paint->theme->hatch, 6.0);
  cairo_restore(paint->cr);
  cairo_new_path(paint->cr);
  add_edge(paint, view, plot, view->study->reserved, per_byte);
  tn_paint_set_color(paint, paint->theme->other, 1.0);
  cairo_set_line_width(paint->cr, 1.0);
  cairo_stroke(paint->cr);
}

static void
paint_live(const TnPaint *paint, const TnView *view, TnRect plot, double per_byte)
{
  uint32_t hue = paint->theme->category[0];
  cairo_new_path(paint->cr);
  add_edge(paint, view, plot, view->study->live, per_byte);
  close_edge(paint, view, plot);
  tn_paint_set_color(paint, tn_color_mix(paint->theme->panel, hue, 0.45), 1.0);
  cairo_fill(paint->cr);
  cairo_new_path(paint->cr);
  add_edge(paint, view, plot, view->study->live, per_byte);
  tn_paint_set_color(paint, hue, 1.0);
  cairo_set_line_width(paint->cr, 1.2);
  cairo_stroke(paint->cr);
}

#define MARK 4.0 /* logical pixels: half the width of a mark */

/* A small wedge where the pool falls to what it holds from then on. */
static void
paint_recycled(const TnPaint *paint, const TnView *view, TnRect plot, double per_byte)
{
  const GArray *marks = view->study->device->marks;
  double free_from = -1e9, bottom = plot.y + plot.height;
  for (guint i = 0; i < marks->len && view->study->reserved; i++) {
    const TnMark *mark = &g_array_index(marks, TnMark, i);
    double x = tn_view_x(view, plot, (double)mark->tick);
    if (mark->kind != TN_MARK_RECYCLE || x < free_from || x < plot.x || x > plot.x + plot.width)
      continue;
    tn_bytes held = tn_curve_at(view->study->reserved, mark->tick);
    double y = MAX(bottom - (double)held * per_byte - 1.0, plot.y + 2 * MARK);
    cairo_move_to(paint->cr, x - MARK, y - 2 * MARK);
    cairo_line_to(paint->cr, x + MARK, y - 2 * MARK);
    cairo_line_to(paint->cr, x, y);
    cairo_close_path(paint->cr);
    tn_paint_set_color(paint, paint->theme->text, 1.0);
    cairo_fill(paint->cr);
    free_from = x + 2 * MARK;
  }
}

/* Of the flags at the peak and, below it, at failed requests. */
static double
flags_height(const TnView *view)
{
  return tn_device_count_marks(view->study->device, TN_MARK_OOM) ? 40.0 : 21.0;
}

void
tn_draw_live(const TnPaint *paint, const TnView *view, TnRect rect)
{
  g_autofree char *title = tn_draw_title_live(view);
  TnRect plot = tn_frame_plot(rect);
  double highest = (double)view->study->live->peak;
  if (view->study->reserved)
    highest = MAX(highest, (double)view->study->reserved->peak);
  highest = MAX(highest, 1.0) * 1.08;
  tn_frame_panel(paint, rect, title);
  tn_frame_marks(paint, plot, view);
  tn_frame_bytes_axis(paint, plot, 0.0, highest, view->units);
  cairo_save(paint->cr);
  cairo_rectangle(paint->cr, plot.x, plot.y, plot.width, plot.height);
  cairo_clip(paint->cr);
  paint_reserved(paint, view, plot, plot.height / highest);
  if (tn_view_has_live(view->study))
    paint_live(paint, view, plot, plot.height / highest);
  paint_recycled(paint, view, plot, plot.height / highest);
  cairo_restore(paint->cr);
  tn_frame_peak(paint, plot, view, plot.height >= flags_height(view));
}
