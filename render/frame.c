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

/* The word of files is "us". */
static const char *
unit_of(TnAxisUnit unit)
{
  return unit == TN_AXIS_US ? "µs" : tn_axis_unit_name(unit);
}

void
tn_frame_time_axis(const TnPaint *paint, TnRect rect, const TnView *view)
{
  TnAxis axis = {.kind = TN_AXIS_COUNT,
                 .low = view->t0,
                 .high = view->t1,
                 .unit = unit_of(view->study->device->axis)};
  if (tn_view_is_clock(view))
    axis = (TnAxis){.kind = TN_AXIS_NANOSECONDS,
                    .low = tn_view_at(view, view->t0) * 1e3,
                    .high = tn_view_at(view, view->t1) * 1e3,
                    .unit = "by the clock"};
  tn_axis_draw_below(paint, rect, &axis);
}

static TnTextStyle
flag_style(const TnPaint *paint, bool is_peak)
{
  const TnTheme *theme = paint->theme;
  return (TnTextStyle){.size = fitting_size(paint),
                       .is_bold = true,
                       .color = is_peak ? theme->on_peak : tn_color_text_on(theme->warning)};
}

static TnRect
flag_rect(const TnPaint *paint, TnRect plot, double x, double y, const char *text, bool is_peak)
{
  TnTextStyle style = flag_style(paint, is_peak);
  double width = tn_paint_text_width(paint, text, &style) + 12.0;
  double left = x + 2.0 + width <= plot.x + plot.width ? x + 2.0 : x - 1.0 - width;
  return (TnRect){MAX(left, plot.x), y, width, 17.0};
}

static void
paint_flag(const TnPaint *paint, TnRect r, const char *text, bool is_peak)
{
  TnTextStyle style = flag_style(paint, is_peak);
  tn_paint_rect(paint, r, is_peak ? paint->theme->peak : paint->theme->warning);
  tn_paint_text(paint, text, r.x + 6.0, r.y + 8.5, &style);
}

void
tn_frame_flag(const TnPaint *paint, TnRect plot, double x, double y, const char *text, bool is_peak)
{
  paint_flag(paint, flag_rect(paint, plot, x, y, text, is_peak), text, is_peak);
}

static void
paint_oom_flag(const TnPaint *paint, TnRect plot, const TnView *view, const TnMark *mark, double x, double *free_from)
{
  char size[48];
  g_autofree char *text = g_strdup_printf(
      "out of memory: %s", tn_print_bytes(size, sizeof size, mark->requested, view->units));
  TnRect flag = flag_rect(paint, plot, x, plot.y + 22.0, text, false);
  if (flag.x < *free_from)
    return; /* its line stands alone */
  paint_flag(paint, flag, text, false);
  *free_from = flag.x + flag.width + 2.0;
}

/* The lines, or the flags: no line may go through the flag of another. */
static void
paint_ooms(const TnPaint *paint, TnRect plot, const TnView *view, bool are_flags)
{
  const GArray *marks = view->study->device->marks;
  double free_from = -1e9, flag_from = -1e9;
  for (guint i = 0; i < marks->len; i++) {
    const TnMark *mark = &g_array_index(marks, TnMark, i);
    double x = tn_view_x(view, plot, (double)mark->tick + 0.5);
    if (mark->kind != TN_MARK_OOM || !tn_view_has_tick(view, mark->tick) || x < free_from)
      continue;
    free_from = x + 3.0;
    if (are_flags)
      paint_oom_flag(paint, plot, view, mark, x, &flag_from);
    else
      tn_paint_dashed_vline(paint, x, plot.y, plot.height, paint->theme->warning);
  }
}

void
tn_frame_peak(const TnPaint *paint, TnRect plot, const TnView *view, bool with_labels)
{
  const TnCurve *live = view->study->live;
  double x = tn_view_x(view, plot, (double)live->peak_at + 0.5);
  bool has_peak = tn_view_has_tick(view, live->peak_at) && live->peak > 0;
  paint_ooms(paint, plot, view, false);
  if (has_peak)
    tn_paint_dashed_vline(paint, x, plot.y, plot.height, paint->theme->peak);
  if (with_labels)
    paint_ooms(paint, plot, view, true);
  if (!with_labels || !has_peak)
    return;
  char size[48];
  g_autofree char *text =
      g_strdup_printf("peak %s", tn_print_bytes(size, sizeof size, live->peak, view->units));
  tn_frame_flag(paint, plot, x, plot.y + 3.0, text, true);
}

/* A line between two ticks, so that one at either end belongs to the range. */
void
tn_frame_marks(const TnPaint *paint, TnRect plot, const TnView *view)
{
  const GArray *marks = view->study->device->marks;
  double free_from = -1e9;
  for (guint i = 0; i < marks->len; i++) {
    const TnMark *mark = &g_array_index(marks, TnMark, i);
    double x = tn_view_x(view, plot, (double)mark->tick);
    if (mark->kind != TN_MARK_ITERATION || !tn_view_shows_tick(view, (double)mark->tick) || x < free_from)
      continue;
    tn_paint_vline(paint, x, plot.y, plot.height, paint->theme->hairline);
    free_from = x + 4.0;
  }
}
