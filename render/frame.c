/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "render/frame.h"

#include "render/axis.h"

#define BUTTON 88.0 /* logical pixels at a title's right, where the window has a menu */

TnRect
tn_frame_plot(TnRect rect)
{
  return (TnRect){rect.x + TN_FRAME_LEFT, rect.y + TN_FRAME_TITLE,
                  MAX(rect.width - TN_FRAME_LEFT - TN_FRAME_RIGHT, 1.0),
                  MAX(rect.height - TN_FRAME_TITLE, 1.0)};
}

#define MOST_GROWTH 1.4 /* of a text in a frame, whose room is fixed */

static double
fitting_size(const TnPaint *paint)
{
  return 11.0 * MIN(1.0, MOST_GROWTH / paint->text_scale);
}

void
tn_frame_panel(const TnPaint *paint, TnRect rect, const char *title)
{
  TnRect plot = tn_frame_plot(rect);
  TnTextStyle style = {.size = fitting_size(paint),
                       .is_bold = true,
                       .color = paint->theme->secondary,
                       .max_width = MAX(plot.width - BUTTON, plot.width / 2)};
  tn_paint_rect(paint, plot, paint->theme->panel);
  tn_paint_text(paint, title, plot.x, rect.y + TN_FRAME_TITLE / 2, &style);
}

void
tn_frame_bytes_axis(const TnPaint *paint, TnRect plot, double low, double high, TnUnits units)
{
  TnAxis axis = {.kind = TN_AXIS_BYTES, .low = low, .high = high, .units = units};
  tn_axis_draw_left(paint, plot, &axis);
}

void
tn_frame_time_axis(const TnPaint *paint, TnRect rect, const TnView *view)
{
  TnAxis axis = {.kind = TN_AXIS_COUNT,
                 .low = view->t0,
                 .high = view->t1,
                 .unit = tn_axis_unit_name(view->study->device->axis)};
  if (tn_view_is_clock(view))
    axis = (TnAxis){.kind = TN_AXIS_NANOSECONDS,
                    .low = tn_view_at(view, view->t0) * 1e3,
                    .high = tn_view_at(view, view->t1) * 1e3,
                    .unit = "by the clock"};
  tn_axis_draw_below(paint, rect, &axis);
}

void
tn_frame_flag(const TnPaint *paint, TnRect plot, double x, double y, const char *text, bool is_peak)
{
  const TnTheme *theme = paint->theme;
  uint32_t fill = is_peak ? theme->peak : theme->warning;
  TnTextStyle style = {.size = fitting_size(paint),
                       .is_bold = true,
                       .color = is_peak ? theme->on_peak : tn_color_text_on(fill)};
  double width = tn_paint_text_width(paint, text, &style) + 12.0;
  double left = x + 2.0 + width <= plot.x + plot.width ? x + 2.0 : x - 1.0 - width;
  left = MAX(left, plot.x);
  tn_paint_rect(paint, (TnRect){left, y, width, 17.0}, fill);
  tn_paint_text(paint, text, left + 6.0, y + 8.5, &style);
}

static bool
is_inside(const TnView *view, double tick)
{
  return tick >= view->t0 && tick <= view->t1;
}

static void
paint_ooms(const TnPaint *paint, TnRect plot, const TnView *view, bool with_labels)
{
  const GArray *marks = view->study->device->marks;
  double free_from = -1e9;
  for (guint i = 0; i < marks->len; i++) {
    const TnMark *mark = &g_array_index(marks, TnMark, i);
    double x = tn_view_x(view, plot, (double)mark->tick + 0.5);
    if (mark->kind != TN_MARK_OOM || !is_inside(view, (double)mark->tick) || x < free_from)
      continue;
    free_from = x + 3.0;
    tn_paint_dashed_vline(paint, x, plot.y, plot.height, paint->theme->warning);
    if (!with_labels)
      continue;
    char size[48];
    g_autofree char *text = g_strdup_printf(
        "out of memory: %s", tn_print_bytes(size, sizeof size, mark->requested, view->units));
    tn_frame_flag(paint, plot, x, plot.y + 22.0, text, false);
  }
}

void
tn_frame_peak(const TnPaint *paint, TnRect plot, const TnView *view, bool with_labels)
{
  const TnCurve *live = view->study->live;
  double tick = (double)live->peak_at + 0.5;
  paint_ooms(paint, plot, view, with_labels);
  if (!is_inside(view, tick) || live->peak <= 0)
    return;
  double x = tn_view_x(view, plot, tick);
  tn_paint_dashed_vline(paint, x, plot.y, plot.height, paint->theme->peak);
  if (!with_labels)
    return;
  char size[48];
  g_autofree char *text =
      g_strdup_printf("peak %s", tn_print_bytes(size, sizeof size, live->peak, view->units));
  tn_frame_flag(paint, plot, x, plot.y + 3.0, text, true);
}

void
tn_frame_marks(const TnPaint *paint, TnRect plot, const TnView *view)
{
  const GArray *marks = view->study->device->marks;
  double free_from = -1e9;
  for (guint i = 0; i < marks->len; i++) {
    const TnMark *mark = &g_array_index(marks, TnMark, i);
    double x = tn_view_x(view, plot, (double)mark->tick);
    if (mark->kind != TN_MARK_ITERATION || !is_inside(view, (double)mark->tick) || x < free_from)
      continue;
    tn_paint_vline(paint, x, plot.y, plot.height, paint->theme->hairline);
    free_from = x + 4.0;
  }
}
