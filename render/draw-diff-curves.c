/* SPDX-License-Identifier: MIT */
/* The parts of draw-diff.h that show bytes over time. */
#include "config.h"

#include "render/draw-diff.h"

#include <math.h>
#include <string.h>

/* By device column, the largest value of each side in it. */
typedef struct {
  int n;
  tn_bytes *a, *b;
} Columns;

/* Where a side stands still because the other has more, it holds what it held. */
static tn_bytes
largest_in(const TnDiffPicture *picture, TnDiffSide side, tn_tick start, tn_tick end)
{
  const TnDiff *diff = picture->diff;
  const TnCurve *common = side == TN_DIFF_A ? picture->a->live : picture->b->live;
  const TnCurve *own = side == TN_DIFF_A ? diff->a->live : diff->b->live;
  tn_tick tick = tn_diff_axis_from_common(diff->axis, side, start);
  return MAX(tn_curve_max(common, start, end, NULL), tn_curve_at(own, tick));
}

static Columns
build_columns(const TnPaint *paint, const TnDiffPicture *picture, const TnView *view, TnRect plot)
{
  Columns c = {MAX((int)lround(plot.width * paint->scale), 1), NULL, NULL};
  c.a = g_new0(tn_bytes, (gsize)c.n);
  c.b = g_new0(tn_bytes, (gsize)c.n);
  for (int i = 0; i < c.n; i++) {
    tn_tick start, end;
    if (!tn_view_column(view, i, c.n, &start, &end)) {
      c.n = i;
      break;
    }
    c.a[i] = largest_in(picture, TN_DIFF_A, start, end);
    c.b[i] = largest_in(picture, TN_DIFF_B, start, end);
  }
  return c;
}

static void
clear_columns(Columns *c)
{
  g_free(c->a);
  g_free(c->b);
}

static void
stroke_curve(const TnPaint *paint,
             TnRect plot,
             const tn_bytes *values,
             int n,
             double per_byte,
             uint32_t color,
             bool is_dashed)
{
  static const double dashes[] = {5.0, 3.0};
  double bottom = plot.y + plot.height;
  cairo_new_path(paint->cr);
  for (int i = 0; i < n; i++) {
    double x = plot.x + i / paint->scale, y = bottom - (double)values[i] * per_byte;
    cairo_line_to(paint->cr, x, y);
    cairo_line_to(paint->cr, x + 1.0 / paint->scale, y);
  }
  tn_paint_set_color(paint, color, 1.0);
  cairo_set_line_width(paint->cr, 1.5);
  cairo_set_dash(paint->cr, dashes, is_dashed ? 2 : 0, 0.0);
  cairo_stroke(paint->cr);
  cairo_set_dash(paint->cr, NULL, 0, 0.0);
}

/* The area between two values a column, over all columns of one sign. */
static void
fill_between(const TnPaint *paint,
             TnRect plot,
             const Columns *c,
             double per_byte,
             double zero,
             bool is_delta,
             bool is_larger)
{
  uint32_t color = is_larger ? paint->theme->larger : paint->theme->smaller;
  cairo_new_path(paint->cr);
  for (int i = 0; i < c->n; i++) {
    tn_bytes delta = c->b[i] - c->a[i];
    if (delta == 0 || (delta > 0) != is_larger)
      continue;
    double from = is_delta ? zero : zero - (double)c->a[i] * per_byte;
    double to = is_delta ? zero - (double)delta * per_byte : zero - (double)c->b[i] * per_byte;
    cairo_rectangle(paint->cr, plot.x + i / paint->scale, MIN(from, to), 1.0 / paint->scale,
                    fabs(to - from));
  }
  cairo_save(paint->cr);
  cairo_clip_preserve(paint->cr);
  tn_paint_set_color(paint, tn_color_mix(color, paint->theme->panel, 0.35), 1.0);
  cairo_paint(paint->cr);
  if (is_larger) /* larger is hatched, smaller is plain: not by hue alone */
    tn_paint_hatch(paint, plot, color, 5.0);
  cairo_restore(paint->cr);
  cairo_new_path(paint->cr);
}

static double
key(const TnPaint *paint, double x, double y, const char *text, uint32_t color, bool is_dashed)
{
  TnTextStyle style = {.size = 10.0, .color = paint->theme->text};
  for (int i = 0; i < (is_dashed ? 2 : 1); i++)
    tn_paint_rect(paint, (TnRect){x + 10.0 * i, y - 1.0, is_dashed ? 6.0 : 16.0, 2.0}, color);
  return x + 22.0 + tn_paint_text(paint, text, x + 20.0, y, &style) + 12.0;
}

void
tn_draw_diff_curves(const TnPaint *paint,
                    const TnDiffPicture *picture,
                    const TnView *view,
                    TnRect rect)
{
  TnRect plot = tn_frame_plot(rect);
  double highest = 1.12 * (double)MAX(MAX(picture->a->live->peak, picture->b->live->peak), 1);
  double per_byte = plot.height / highest;
  Columns c = build_columns(paint, picture, view, plot);
  tn_frame_panel(paint, rect, "Live");
  tn_frame_bytes_axis(paint, plot, 0.0, highest, view->units);
  fill_between(paint, plot, &c, per_byte, plot.y + plot.height, false, true);
  fill_between(paint, plot, &c, per_byte, plot.y + plot.height, false, false);
  stroke_curve(paint, plot, c.a, c.n, per_byte, paint->theme->secondary, true);
  stroke_curve(paint, plot, c.b, c.n, per_byte, paint->theme->text, false);
  double x =
      key(paint, plot.x + 44.0, rect.y + TN_FRAME_TITLE / 2, "A", paint->theme->secondary, true);
  key(paint, x, rect.y + TN_FRAME_TITLE / 2, "B", paint->theme->text, false);
  clear_columns(&c);
}

/* Exactly, whatever is shown: a column has the largest value of either side, not every moment. */
static bool
are_same(const TnDiff *diff)
{
  const TnCurve *a = diff->a->live, *b = diff->b->live;
  return diff->axis->a_end == diff->axis->end && diff->axis->b_end == diff->axis->end && a->n == b->n &&
         memcmp(a->tick, b->tick, a->n * sizeof *a->tick) == 0 &&
         memcmp(a->value, b->value, a->n * sizeof *a->value) == 0;
}

static void
paint_none(const TnPaint *paint, const TnDiff *diff, TnRect rect)
{
  TnRect plot = tn_frame_plot(rect);
  TnTextStyle style = {.size = 11.0, .color = paint->theme->secondary, .align = TN_ALIGN_MIDDLE};
  tn_frame_panel(paint, rect, "Difference");
  tn_paint_text(paint, are_same(diff) ? "None: both hold the same at every moment" : "None that is seen at this scale",
                plot.x + plot.width / 2, plot.y + plot.height / 2, &style);
}

void
tn_draw_diff_delta(const TnPaint *paint,
                   const TnDiffPicture *picture,
                   const TnView *view,
                   TnRect rect)
{
  TnRect plot = tn_frame_plot(rect);
  Columns c = build_columns(paint, picture, view, plot);
  tn_bytes high = 0, low = 0;
  for (int i = 0; i < c.n; i++) {
    high = MAX(high, c.b[i] - c.a[i]);
    low = MIN(low, c.b[i] - c.a[i]);
  }
  if (high == low) {
    paint_none(paint, picture->diff, rect);
    clear_columns(&c);
    return;
  }
  double span = MAX((double)high - (double)low, 1.0) * 1.1;
  double top = (double)high + span * 0.04, per_byte = plot.height / span;
  double zero = plot.y + top * per_byte;
  tn_frame_panel(paint, rect, "Difference · ▲ B holds more, ▼ B holds less");
  tn_frame_bytes_axis(paint, plot, top - span, top, view->units);
  fill_between(paint, plot, &c, per_byte, zero, true, true);
  fill_between(paint, plot, &c, per_byte, zero, true, false);
  tn_paint_hline(paint, plot.x, zero, plot.width, paint->theme->secondary);
  clear_columns(&c);
}
