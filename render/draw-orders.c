/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "render/draw-orders.h"

#include "render/axis.h"
#include "render/frame.h"

#include <math.h>
#include <string.h>

#define LEGEND_WIDTH 176.0
#define LEGEND_ROW 17.0
#define PLENTY 520.0 /* of width: room for a legend */

/* No meaning by hue alone: neighbours differ in their dashes too. */
static const double dashes[][4] = {{1, 0, 0, 0}, {6, 3, 0, 0}, {2, 2, 0, 0}, {8, 3, 2, 3}};
static const int n_dashes[] = {0, 2, 2, 4};

static uint32_t
n_steps(const TnOrdersPicture *picture)
{
  const GArray *rows = picture->comparison->rows;
  return rows->len ? tn_order_comparison_get(picture->comparison, 0)->log->n : 0;
}

static TnRect
plot_of(TnRect rect)
{
  double legend = rect.width >= PLENTY ? LEGEND_WIDTH : 0;
  TnRect plot = tn_frame_plot(rect);
  plot.width = MAX(plot.width - legend, 1.0);
  plot.height = MAX(plot.height - TN_FRAME_AXIS, 1.0);
  return plot;
}

static bool
is_file(const TnOrderRow *row)
{
  return strcmp(row->method->name, "file") == 0;
}

static uint32_t
color_of(const TnPaint *paint, const TnOrdersPicture *picture, guint i)
{
  if (is_file(tn_order_comparison_get(picture->comparison, i)))
    return paint->theme->secondary;
  return paint->theme->category[(i + 6) % 7];
}

static void
set_line(const TnPaint *paint, const TnOrdersPicture *picture, guint i)
{
  bool is_selected = i == picture->selected;
  int d =
      is_selected || is_file(tn_order_comparison_get(picture->comparison, i)) ? 0 : (int)(i % 4);
  tn_paint_set_color(paint, color_of(paint, picture, i), 1.0);
  cairo_set_line_width(paint->cr, is_selected ? 2.5 : 1.5);
  cairo_set_dash(paint->cr, dashes[d], n_dashes[d], 0.0);
}

/* ---- the lines ----------------------------------------------------------------------------- */

/* Of the steps of a device column the largest; steps wider than that keep their own edges. */
static tn_bytes
highest_in(const TnOrderLog *log, double from, double to)
{
  uint32_t first = (uint32_t)MAX(floor(from + 1e-9), 0), stop = (uint32_t)MAX(ceil(to - 1e-9), 0);
  tn_bytes most = 0;
  for (uint32_t p = first; p < MIN(MAX(stop, first + 1), log->n); p++)
    most = MAX(most, log->step[p].during);
  return most;
}

static void
add_edge(const TnPaint *paint, TnRect plot, const TnAxis *y_axis, const TnOrderLog *log)
{
  int n = MAX((int)lround(plot.width * paint->scale), 1);
  double per_column = (double)log->n / n, y = plot.y + plot.height;
  cairo_new_path(paint->cr);
  for (int column = 0; column < n; column++) {
    double x = plot.x + column / paint->scale;
    tn_bytes most = highest_in(log, column * per_column, (column + 1) * per_column);
    double at = tn_snap(paint, tn_axis_y(y_axis, plot, (double)most));
    if (column > 0 && at != y)
      cairo_line_to(paint->cr, x, y);
    if (column == 0 || at != y)
      cairo_line_to(paint->cr, x, at);
    y = at;
  }
  cairo_line_to(paint->cr, plot.x + plot.width, y);
}

static void
paint_fill(const TnPaint *paint, TnRect plot, uint32_t color)
{
  cairo_path_t *path = cairo_copy_path(paint->cr);
  cairo_line_to(paint->cr, plot.x + plot.width, plot.y + plot.height);
  cairo_line_to(paint->cr, plot.x, plot.y + plot.height);
  cairo_close_path(paint->cr);
  tn_paint_set_color(paint, color, 0.12);
  cairo_fill(paint->cr);
  cairo_append_path(paint->cr, path);
  cairo_path_destroy(path);
}

static void
paint_row(const TnPaint *paint,
          const TnOrdersPicture *picture,
          TnRect plot,
          const TnAxis *y_axis,
          guint i)
{
  add_edge(paint, plot, y_axis, tn_order_comparison_get(picture->comparison, i)->log);
  if (i == picture->selected)
    paint_fill(paint, plot, color_of(paint, picture, i));
  set_line(paint, picture, i);
  cairo_stroke(paint->cr);
  cairo_set_dash(paint->cr, NULL, 0, 0.0);
}

/* Then the bound is none of what runs one batch at a time. */
static bool
adds_batches(const TnOrdersPicture *picture)
{
  const TnOrderComparison *comparison = picture->comparison;
  return comparison->rows->len > 0 && tn_order_comparison_get(comparison, 0)->answer->adds_batches;
}

static void
paint_bound(const TnPaint *paint, const TnOrdersPicture *picture, TnRect plot, const TnAxis *y_axis)
{
  tn_bytes bound = picture->comparison->bound;
  char size[48];
  if (bound <= 0 || adds_batches(picture))
    return;
  double y = tn_axis_y(y_axis, plot, (double)bound);
  tn_paint_dashed_hline(paint, plot.x, y, plot.width, paint->theme->peak);
  g_autofree char *text = g_strdup_printf("no order is below %s",
                                          tn_print_bytes(size, sizeof size, bound, picture->units));
  TnTextStyle style = {.size = 10.0, .color = paint->theme->peak, .align = TN_ALIGN_END};
  tn_paint_text(paint, text, plot.x + plot.width - 4.0, MIN(y + 8.0, plot.y + plot.height - 6.0),
                &style);
}

static void
paint_peak(const TnPaint *paint, const TnOrdersPicture *picture, TnRect plot, const TnAxis *y_axis)
{
  if (picture->selected == TN_NONE)
    return;
  const TnOrderLog *log = tn_order_comparison_get(picture->comparison, picture->selected)->log;
  double x = plot.x + ((double)log->peak_at + 0.5) / MAX(log->n, 1u) * plot.width;
  tn_paint_dashed_vline(paint, x, plot.y, plot.height, paint->theme->peak);
  char size[48];
  g_autofree char *text =
      g_strdup_printf("peak %s", tn_print_bytes(size, sizeof size, log->peak, picture->units));
  double y = tn_axis_y(y_axis, plot, (double)log->peak);
  tn_frame_flag(paint, plot, x, CLAMP(y - 21.0, plot.y + 3.0, plot.y + plot.height - 20.0), text,
                true);
}

static void
paint_step(const TnPaint *paint, const TnOrdersPicture *picture, TnRect plot)
{
  double width = plot.width / MAX(n_steps(picture), 1u);
  if (picture->step == TN_NONE || picture->step >= n_steps(picture))
    return;
  double x = plot.x + picture->step * width;
  tn_paint_set_color(paint, paint->theme->text, 0.10);
  cairo_rectangle(paint->cr, x, plot.y, MAX(width, 1.0 / paint->scale), plot.height);
  cairo_fill(paint->cr);
}

/* ---- around them --------------------------------------------------------------------------- */

static void
paint_legend_row(const TnPaint *paint, const TnOrdersPicture *picture, double x, double y, guint i)
{
  const TnOrderRow *row = tn_order_comparison_get(picture->comparison, i);
  bool is_selected = i == picture->selected;
  TnTextStyle style = {.size = 11.0,
                       .color = is_selected ? paint->theme->text : paint->theme->secondary,
                       .is_bold = is_selected};
  char size[48];
  set_line(paint, picture, i);
  cairo_move_to(paint->cr, x, tn_snap(paint, y) + 0.5 / paint->scale);
  cairo_rel_line_to(paint->cr, 24.0, 0.0);
  cairo_stroke(paint->cr);
  cairo_set_dash(paint->cr, NULL, 0, 0.0);
  tn_paint_text(paint, row->method->name, x + 30.0, y, &style);
  style.align = TN_ALIGN_END;
  style.is_tabular = true;
  tn_paint_text(paint, tn_print_bytes(size, sizeof size, row->answer->peak, picture->units),
                x + LEGEND_WIDTH - 14.0, y, &style);
}

static void
paint_legend(const TnPaint *paint, const TnOrdersPicture *picture, TnRect rect, TnRect plot)
{
  if (rect.width < PLENTY)
    return;
  for (guint i = 0; i < picture->comparison->rows->len; i++) {
    double y = plot.y + 10.0 + i * LEGEND_ROW;
    if (y + LEGEND_ROW / 2 <= plot.y + plot.height)
      paint_legend_row(paint, picture, plot.x + plot.width + 14.0, y, i);
  }
}

static tn_bytes
highest(const TnOrderComparison *comparison)
{
  tn_bytes most = 1;
  for (guint i = 0; i < comparison->rows->len; i++)
    most = MAX(most, tn_order_comparison_get(comparison, i)->log->peak);
  return most;
}

static void
paint_rows(const TnPaint *paint, const TnOrdersPicture *picture, TnRect plot, const TnAxis *y_axis)
{
  guint n = picture->comparison->rows->len;
  cairo_save(paint->cr);
  cairo_rectangle(paint->cr, plot.x, plot.y, plot.width, plot.height);
  cairo_clip(paint->cr);
  paint_step(paint, picture, plot);
  /* The file's order, which is row 0, comes above those like it; the selected one above all. */
  for (guint i = n; i-- > 0;)
    if (i != picture->selected)
      paint_row(paint, picture, plot, y_axis, i);
  if (picture->selected < n)
    paint_row(paint, picture, plot, y_axis, picture->selected);
  paint_bound(paint, picture, plot, y_axis);
  paint_peak(paint, picture, plot, y_axis);
  cairo_restore(paint->cr);
}

void
tn_draw_orders(const TnPaint *paint, const TnOrdersPicture *picture, TnRect rect)
{
  TnRect plot = plot_of(rect), panel = rect;
  TnAxis y_axis = {.kind = TN_AXIS_BYTES,
                   .high = (double)highest(picture->comparison) * 1.12,
                   .units = picture->units};
  TnAxis x_axis = {.kind = TN_AXIS_COUNT, .high = MAX(n_steps(picture), 1u), .unit = "step"};
  TnRect below = {plot.x, plot.y + plot.height, plot.width, TN_FRAME_AXIS};
  panel.width = plot.x + plot.width + TN_FRAME_RIGHT - rect.x;
  panel.height -= TN_FRAME_AXIS;
  tn_frame_panel(paint, panel, "Alive while each op runs, by order");
  if (picture->comparison->rows->len == 0)
    return;
  tn_axis_draw_left(paint, plot, &y_axis);
  paint_rows(paint, picture, plot, &y_axis);
  tn_axis_draw_below(paint, below, &x_axis);
  paint_legend(paint, picture, rect, plot);
}

uint32_t
tn_orders_step_at(const TnOrdersPicture *picture, TnRect rect, double x)
{
  TnRect plot = plot_of(rect);
  uint32_t n = n_steps(picture);
  if (n == 0 || x < plot.x || x >= plot.x + plot.width)
    return TN_NONE;
  return MIN((uint32_t)((x - plot.x) / plot.width * n), n - 1);
}

/* ---- a page of its own --------------------------------------------------------------------- */

char *
tn_orders_build_change(const TnOrderComparison *comparison, guint i)
{
  tn_bytes peak = tn_order_comparison_get(comparison, i)->answer->peak, file = comparison->baseline;
  double percent = file > 0 ? 100.0 * ((double)peak / (double)file - 1.0) : 0.0;
  if (peak == file)
    return g_strdup("0 %");
  return g_strdup_printf("%s%.1f %%", peak < file ? "−" : "+", fabs(percent));
}

typedef struct {
  double width; /* 0: what is left */
  bool is_number;
} Column;

static const Column columns[] = {{150, false}, {110, true}, {130, true}, {230, false}, {0, false}};

static void
paint_cells(const TnPaint *paint,
            TnRect rect,
            double y,
            const char *const *texts,
            bool is_bold,
            uint32_t color)
{
  double x = rect.x;
  for (gsize c = 0; c < G_N_ELEMENTS(columns); c++) {
    double width = columns[c].width > 0 ? columns[c].width : rect.x + rect.width - x;
    TnTextStyle style = {.size = 12.0,
                         .color = color,
                         .is_bold = is_bold,
                         .is_tabular = columns[c].is_number,
                         .align = columns[c].is_number ? TN_ALIGN_END : TN_ALIGN_START,
                         .max_width = MAX(width - 12.0, 10.0)};
    tn_paint_text(paint, texts[c], columns[c].is_number ? x + width - 24.0 : x, y, &style);
    x += width;
  }
}

/* Owned by the caller. */
static char *
build_proof(const TnOrdersPicture *picture, const TnOrderRow *row)
{
  char bound[48];
  if (row->answer->adds_batches)
    return g_strdup("nothing: batches added up");
  if (row->answer->is_optimal)
    return g_strdup("optimal");
  return g_strdup_printf(
      "no order below %s",
      tn_print_bytes(bound, sizeof bound, picture->comparison->bound, picture->units));
}

static void
paint_table_row(
    const TnPaint *paint, const TnOrdersPicture *picture, TnRect rect, double y, guint i)
{
  const TnOrderRow *row = tn_order_comparison_get(picture->comparison, i);
  char size[48];
  g_autofree char *change = tn_orders_build_change(picture->comparison, i);
  g_autofree char *proof = build_proof(picture, row);
  const char *texts[] = {row->method->name,
                         tn_print_bytes(size, sizeof size, row->answer->peak, picture->units),
                         change, proof, row->method->title};
  paint_cells(paint, rect, y, texts, i == picture->selected, paint->theme->text);
}

void
tn_draw_orders_page(const TnPaint *paint,
                    const TnOrdersPicture *picture,
                    TnRect rect,
                    const char *title,
                    const char *note)
{
  static const char *const heads[] = {"Order", "Peak", "Against the file", "Proved",
                                      "What it does"};
  guint n = picture->comparison->rows->len;
  double table = 20.0 * (n + 1) + 44.0, x = rect.x + 16.0, y = rect.y + rect.height - table;
  TnTextStyle head = {
      .size = 15.0, .is_bold = true, .color = paint->theme->text, .max_width = rect.width - 32.0};
  TnTextStyle small = {
      .size = 12.0, .color = paint->theme->secondary, .max_width = rect.width - 32.0};
  TnRect cells = {x, y, rect.width - 32.0, table};
  tn_paint_rect(paint, rect, paint->theme->background);
  tn_paint_text(paint, title, x, rect.y + 22.0, &head);
  tn_draw_orders(paint, picture, (TnRect){x, rect.y + 40.0, rect.width - 32.0, y - rect.y - 52.0});
  paint_cells(paint, cells, y + 10.0, heads, true, paint->theme->secondary);
  tn_paint_hline(paint, x, y + 20.0, rect.width - 32.0, paint->theme->hairline);
  for (guint i = 0; i < n; i++)
    paint_table_row(paint, picture, cells, y + 31.0 + 20.0 * i, i);
  tn_paint_text(paint, note, x, rect.y + rect.height - 14.0, &small);
}
