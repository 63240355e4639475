/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "render/draw-multiples.h"

#include "analysis/diff/outlier.h"

#include <math.h>

#define GAP 12.0
#define HEADER 40.0
#define CAPTION 34.0
#define UNLIKE "◆ not like the others"

void
tn_multiples_init(TnMultiples *m, const TnStudy *const *studies, uint32_t n, TnUnits units)
{
  g_autofree tn_bytes *peaks = g_new(tn_bytes, MAX(n, 1u));
  for (uint32_t i = 0; i < n; i++)
    peaks[i] = studies[i]->live->peak;
  *m = (TnMultiples){studies, n, tn_outlier_find(peaks, n), {TN_NONE, TN_NONE}, units};
}

/* As many columns as make cells about twice as wide as high. */
static uint32_t
count_columns(const TnMultiples *m, TnRect rect)
{
  double height = MAX(rect.height - HEADER, 1.0);
  double best = sqrt((double)MAX(m->n, 1u) * rect.width / (height * 2.0));
  return CLAMP((uint32_t)lround(best), 1u, MAX(m->n, 1u));
}

TnRect
tn_multiples_cell(const TnMultiples *m, TnRect rect, uint32_t i)
{
  uint32_t columns = count_columns(m, rect), rows = (m->n + columns - 1) / columns;
  double width = (rect.width - GAP) / columns;
  double height = (rect.height - HEADER - GAP) / MAX(rows, 1u);
  return (TnRect){rect.x + GAP + (i % columns) * width,
                  rect.y + HEADER + (double)(i / columns) * height, width - GAP, height - GAP};
}

uint32_t
tn_multiples_hit(const TnMultiples *m, TnRect rect, double x, double y)
{
  for (uint32_t i = 0; i < m->n; i++) {
    TnRect r = tn_multiples_cell(m, rect, i);
    if (x >= r.x && x < r.x + r.width && y >= r.y && y < r.y + r.height)
      return i;
  }
  return TN_NONE;
}

static void
add_curve(const TnPaint *paint, const TnStudy *study, TnRect plot, double per_byte)
{
  int n = MAX((int)lround(plot.width * paint->scale), 1);
  double per_tick = (double)study->axis_end / n, bottom = plot.y + plot.height;
  for (int i = 0; i < n; i++) {
    tn_tick start = (tn_tick)(i * per_tick), end = MAX((tn_tick)((i + 1) * per_tick), start + 1);
    tn_bytes value = tn_curve_max(study->live, start, end, NULL);
    double y = bottom - (double)value * per_byte;
    cairo_line_to(paint->cr, plot.x + i / paint->scale, y);
    cairo_line_to(paint->cr, plot.x + (i + 1) / paint->scale, y);
  }
}

static void
paint_curve(const TnPaint *paint, const TnStudy *study, TnRect plot, double highest, uint32_t color)
{
  double per_byte = plot.height / highest;
  cairo_new_path(paint->cr);
  add_curve(paint, study, plot, per_byte);
  cairo_line_to(paint->cr, plot.x + plot.width, plot.y + plot.height);
  cairo_line_to(paint->cr, plot.x, plot.y + plot.height);
  cairo_close_path(paint->cr);
  tn_paint_set_color(paint, tn_color_mix(paint->theme->panel, color, 0.4), 1.0);
  cairo_fill(paint->cr);
  cairo_new_path(paint->cr);
  add_curve(paint, study, plot, per_byte);
  tn_paint_set_color(paint, color, 1.0);
  cairo_set_line_width(paint->cr, 1.2);
  cairo_stroke(paint->cr);
}

static void
paint_caption(const TnPaint *paint, const TnMultiples *m, uint32_t i, TnRect cell)
{
  const TnStudy *study = m->studies[i];
  char size[48];
  g_autofree char *name = g_path_get_basename(study->document->shown_path);
  bool is_outlier = i == m->outlier;
  TnTextStyle style = {.size = 11.0,
                       .is_bold = is_outlier,
                       .color = paint->theme->text,
                       .max_width = cell.width - 16.0};
  tn_paint_text(paint, name, cell.x + 8.0, cell.y + 11.0, &style);
  style = (TnTextStyle){.size = 11.0,
                        .is_bold = is_outlier,
                        .color = is_outlier ? paint->theme->peak : paint->theme->secondary,
                        .max_width = cell.width - 16.0};
  g_autofree char *peak =
      tn_view_has_live(study)
          ? g_strdup_printf("peak %s", tn_print_bytes(size, sizeof size, study->live->peak, m->units))
          : g_strdup("no buffers");
  double used = tn_paint_text(paint, peak, cell.x + 8.0, cell.y + 26.0, &style);
  style.max_width = 0.0;
  if (is_outlier && used + GAP + tn_paint_text_width(paint, UNLIKE, &style) <= cell.width - 16.0)
    tn_paint_text(paint, UNLIKE, cell.x + 8.0 + used + GAP, cell.y + 26.0, &style);
}

static void
paint_cell(const TnPaint *paint, const TnMultiples *m, uint32_t i, TnRect cell, double highest)
{
  bool is_outlier = i == m->outlier;
  TnRect plot = {cell.x, cell.y + CAPTION, cell.width, MAX(cell.height - CAPTION, 1.0)};
  tn_paint_rect(paint, cell, paint->theme->panel);
  paint_curve(paint, m->studies[i], plot, highest,
              is_outlier ? paint->theme->peak : paint->theme->category[0]);
  paint_caption(paint, m, i, cell);
  if (is_outlier)
    tn_paint_frame(paint, cell, paint->theme->peak, 2.0);
  for (int side = 0; side < 2; side++)
    if (m->selected[side] == i) {
      TnTextStyle style = {
          .size = 15.0, .is_bold = true, .color = paint->theme->text, .align = TN_ALIGN_END};
      tn_paint_frame(paint, cell, paint->theme->text, 2.0);
      tn_paint_text(paint, side ? "B" : "A", cell.x + cell.width - 8.0, cell.y + 14.0, &style);
    }
}

static void
paint_head(const TnPaint *paint, const TnMultiples *m, TnRect rect, tn_bytes low, tn_bytes high)
{
  char from[48], to[48];
  g_autofree char *text = g_strdup_printf(
      "%u files, live peaks from %s to %s, at one scale%s", m->n,
      tn_print_bytes(from, sizeof from, low, m->units),
      tn_print_bytes(to, sizeof to, high, m->units),
      m->outlier < m->n ? "; framed: not like the others" : "");
  TnTextStyle style = {.size = 15.0,
                       .is_bold = true,
                       .color = paint->theme->text,
                       .max_width = rect.width - 2 * GAP};
  tn_paint_text(paint, text, rect.x + GAP, rect.y + 20.0, &style);
}

void
tn_draw_multiples(const TnPaint *paint, const TnMultiples *m, TnRect rect)
{
  tn_bytes high = 0, low = INT64_MAX;
  for (uint32_t i = 0; i < m->n; i++) {
    high = MAX(high, m->studies[i]->live->peak);
    low = MIN(low, m->studies[i]->live->peak);
  }
  tn_paint_rect(paint, rect, paint->theme->background);
  paint_head(paint, m, rect, MIN(low, high), high);
  for (uint32_t i = 0; i < m->n; i++)
    paint_cell(paint, m, i, tn_multiples_cell(m, rect, i), 1.05 * (double)MAX(high, (tn_bytes)1));
}
