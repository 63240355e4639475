/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "render/draw-what-if.h"

#include "render/frame.h"

#include <math.h>

/* The upper edge: for each device column the largest value in it. */
static void
add_edge(const TnPaint *paint, const TnView *view, TnRect plot, const TnCurve *curve,
         double per_byte)
{
  int n = MAX((int)lround(plot.width * paint->scale), 1);
  double bottom = plot.y + plot.height, y = bottom, x = plot.x;
  for (int column = 0; column < n; column++) {
    tn_tick start, end;
    if (!tn_view_column(view, column, n, &start, &end))
      break;
    x = plot.x + column / paint->scale;
    if (column > 0)
      cairo_line_to(paint->cr, x, y);
    y = tn_snap(paint, bottom - (double)tn_curve_max(curve, start, end, NULL) * per_byte);
    cairo_line_to(paint->cr, x, y);
  }
  cairo_line_to(paint->cr, MIN(x + 1.0 / paint->scale, plot.x + plot.width), y);
}

static void
paint_recorded(const TnPaint *paint, const TnView *view, TnRect plot, double per_byte)
{
  const TnCurve *reserved = view->study->reserved;
  if (!reserved)
    return;
  cairo_new_path(paint->cr);
  add_edge(paint, view, plot, reserved, per_byte);
  double right;
  cairo_get_current_point(paint->cr, &right, NULL);
  cairo_line_to(paint->cr, right, plot.y + plot.height);
  cairo_line_to(paint->cr, plot.x, plot.y + plot.height);
  cairo_close_path(paint->cr);
  cairo_save(paint->cr);
  cairo_clip(paint->cr);
  tn_paint_hatch(paint, plot, paint->theme->other, 6.0);
  cairo_restore(paint->cr);
  cairo_new_path(paint->cr);
}

static void
paint_line(const TnPaint *paint, const TnView *view, TnRect plot, const TnCurve *curve,
           double per_byte, uint32_t color)
{
  cairo_new_path(paint->cr);
  add_edge(paint, view, plot, curve, per_byte);
  tn_paint_set_color(paint, color, 1.0);
  cairo_set_line_width(paint->cr, 2.0);
  cairo_stroke(paint->cr);
}

static void
paint_limit(const TnPaint *paint, TnRect plot, tn_bytes limit, double per_byte, TnUnits units)
{
  static const double dashes[] = {6.0, 4.0};
  char size[48];
  double y = plot.y + plot.height - (double)limit * per_byte;
  tn_paint_set_color(paint, paint->theme->peak, 1.0);
  cairo_set_line_width(paint->cr, 1.0);
  cairo_set_dash(paint->cr, dashes, 2, 0.0);
  cairo_move_to(paint->cr, plot.x, tn_snap(paint, y) + 0.5 / paint->scale);
  cairo_rel_line_to(paint->cr, plot.width, 0.0);
  cairo_stroke(paint->cr);
  cairo_set_dash(paint->cr, NULL, 0, 0.0);
  g_autofree char *text =
      g_strdup_printf("device %s", tn_print_bytes(size, sizeof size, limit, units));
  TnTextStyle style = {.size = 10.0, .color = paint->theme->peak};
  tn_paint_text(paint, text, plot.x + 4.0, MAX(y - 7.0, plot.y + 6.0), &style);
}

static void
paint_ooms(const TnPaint *paint, const TnView *view, TnRect plot, const TnReplayResult *result)
{
  for (guint i = 0; i < result->ooms->len; i++) {
    double tick = (double)g_array_index(result->ooms, TnReplayOom, i).event + 0.5;
    double x = tn_view_x(view, plot, tick);
    if (x >= plot.x && x <= plot.x + plot.width)
      tn_paint_dashed_vline(paint, x, plot.y, plot.height, paint->theme->warning);
  }
}

static char *
dup_title(const TnView *view, const TnReplayResult *result, tn_bytes limit, const char *label)
{
  char recorded[48], replayed[48];
  g_autoptr(GString) text = g_string_new("Reserved");
  if (result->recorded_peak >= 0)
    g_string_append_printf(text, " · hatched: recorded, peak %s",
                           tn_print_bytes(recorded, sizeof recorded, result->recorded_peak,
                                          view->units));
  g_string_append_printf(text, " · line: %s, peak %s", label,
                         tn_print_bytes(replayed, sizeof replayed, result->reserved_peak,
                                        view->units));
  if (result->ooms->len && result->proved_bound >= 0)
    g_string_append(text,
                    result->proved_bound > limit ? ", does not fit" : ", no plan found that fits");
  else if (result->ooms->len)
    g_string_append_printf(text, ", out of memory at event %u",
                           g_array_index(result->ooms, TnReplayOom, 0).event);
  return g_string_free(g_steal_pointer(&text), FALSE);
}

void
tn_draw_what_if(const TnPaint *paint, const TnView *view, TnRect rect,
                const TnReplayResult *result, tn_bytes limit, const char *label)
{
  TnRect plot = tn_frame_plot(rect);
  g_autofree char *title = dup_title(view, result, limit, label);
  double highest = (double)MAX(MAX(result->reserved_peak, result->recorded_peak),
                               limit < (tn_bytes)1 << 45 ? limit : 0);
  highest = MAX(highest, 1.0) * 1.08;
  tn_frame_panel(paint, rect, title);
  tn_frame_marks(paint, plot, view);
  tn_frame_bytes_axis(paint, plot, 0.0, highest, view->units);
  cairo_save(paint->cr);
  cairo_rectangle(paint->cr, plot.x, plot.y, plot.width, plot.height);
  cairo_clip(paint->cr);
  paint_recorded(paint, view, plot, plot.height / highest);
  if (result->curve)
    paint_line(paint, view, plot, result->curve, plot.height / highest,
               paint->theme->category[0]);
  paint_ooms(paint, view, plot, result);
  if (limit > 0 && limit < (tn_bytes)1 << 45)
    paint_limit(paint, plot, limit, plot.height / highest, view->units);
  cairo_restore(paint->cr);
}
