/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "render/axis.h"

#include "render/scale.h"

#include <math.h>

static int64_t
round_step(const TnAxis *axis, double least)
{
  return axis->kind == TN_AXIS_BYTES ? tn_scale_byte_step(least, axis->units)
                                     : tn_scale_step(least);
}

/* As many decimals as tell one step from the next. */
static const char *
print_decimal(char *buffer, gsize size, double value, double step, double unit, const char *name)
{
  int digits = step < unit ? (int)ceil(log10(unit / step) - 1e-9) : 0;
  g_snprintf(buffer, size, "%.*f %s", digits, value / unit, name);
  return buffer;
}

static const char *
print_seconds(char *buffer, gsize size, double value, double step, double high)
{
  static const struct {
    double unit;
    const char *name;
  } scales[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}, {1, "ns"}};
  gsize i = 0;
  while (i + 1 < G_N_ELEMENTS(scales) && high < scales[i].unit * 0.5)
    i++;
  return print_decimal(buffer, size, value, step, scales[i].unit, scales[i].name);
}

static const char *
print_value(char *buffer, gsize size, const TnAxis *axis, int64_t value, int64_t step)
{
  switch (axis->kind) {
  case TN_AXIS_BYTES:
    return tn_scale_print_bytes(buffer, size, value, step, axis->units);
  case TN_AXIS_NANOSECONDS:
    return print_seconds(buffer, size, (double)value, (double)step, axis->high);
  case TN_AXIS_MILLIPERCENT:
    return print_decimal(buffer, size, (double)value, (double)step, 1000, "%");
  case TN_AXIS_COUNT:
  default:
    return tn_print_count(buffer, size, value);
  }
}

/* By number, not by adding: sizes reach to the end of 64 bits. */
static int64_t
last_step(const TnAxis *axis, int64_t step)
{
  return (int64_t)floor(MIN(axis->high, 9.2e18) / (double)step);
}

/* A step at which the widest label leaves room to its neighbours. */
static int64_t
step_below(const TnPaint *paint, const TnAxis *axis, double per_value, const TnTextStyle *style)
{
  char text[48];
  int64_t least = round_step(axis, MAX(72.0 / per_value, 1e-3));
  print_value(text, sizeof text, axis, (int64_t)MIN(axis->high, 9.2e18), least);
  double room = MAX(tn_paint_text_width(paint, text, style) + 24.0, 72.0);
  return round_step(axis, room / per_value);
}

void
tn_axis_draw_below(const TnPaint *paint, TnRect rect, const TnAxis *axis)
{
  double per_value = rect.width / (axis->high - axis->low);
  TnTextStyle style = {.size = 10.0, .color = paint->theme->secondary, .align = TN_ALIGN_MIDDLE};
  int64_t step = step_below(paint, axis, per_value, &style), stop = last_step(axis, step);
  const char *unit = axis->unit ? axis->unit : "";
  char text[48];
  double unit_from = rect.x + rect.width - tn_paint_text_width(paint, unit, &style);
  double free_from = rect.x;
  tn_paint_hline(paint, rect.x, rect.y, rect.width, paint->theme->hairline);
  for (int64_t i = (int64_t)ceil(axis->low / (double)step); i <= stop; i++) {
    double x = tn_axis_x(axis, rect, (double)i * (double)step);
    print_value(text, sizeof text, axis, i * step, step);
    double half = tn_paint_text_width(paint, text, &style) / 2;
    if (x > rect.x + rect.width)
      break;
    tn_paint_vline(paint, MIN(x, rect.x + rect.width - 1.0 / paint->scale), rect.y, 4.0,
                   paint->theme->secondary);
    /* The first one may begin at its tick, and so reach further than a step has room for. */
    style.align = x - half < rect.x ? TN_ALIGN_START : TN_ALIGN_MIDDLE;
    double from = style.align == TN_ALIGN_START ? x : x - half, to = from + 2 * half;
    if (from < free_from || to >= unit_from - 8.0)
      continue;
    tn_paint_text(paint, text, x, rect.y + 12.0, &style);
    free_from = to + 8.0;
  }
  style.align = TN_ALIGN_END;
  tn_paint_text(paint, unit, rect.x + rect.width, rect.y + 12.0, &style);
}

void
tn_axis_draw_left(const TnPaint *paint, TnRect plot, const TnAxis *axis)
{
  double per_value = plot.height / (axis->high - axis->low);
  int64_t step = round_step(axis, 34.0 / per_value), stop = last_step(axis, step);
  TnTextStyle style = {.size = 10.0, .color = paint->theme->secondary, .align = TN_ALIGN_END};
  char text[48];
  for (int64_t i = (int64_t)ceil(axis->low / (double)step); i <= stop; i++) {
    double y = tn_axis_y(axis, plot, (double)i * (double)step);
    tn_paint_hline(paint, plot.x, MIN(y, plot.y + plot.height - 1.0 / paint->scale), plot.width,
                   paint->theme->hairline);
    /* A label at the very top would meet the title. */
    if (y >= plot.y + 3.0)
      tn_paint_text(paint, print_value(text, sizeof text, axis, i * step, step), plot.x - 7.0,
                    MIN(y, plot.y + plot.height - 4.0), &style);
  }
}
