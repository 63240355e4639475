/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "render/draw-budget.h"

#include "data/graph-order.h"
#include "render/axis.h"
#include "render/frame.h"

#include <math.h>

void
tn_budget_picture_init(TnBudgetPicture *picture,
                       const TnGraph *graph,
                       const TnStrings *strings,
                       const TnSpillAnswer *answer,
                       const TnSpillRun *run)
{
  *picture = (TnBudgetPicture){.graph = graph,
                               .strings = strings,
                               .answer = answer,
                               .run = answer->found.is_found ? run : NULL,
                               .sweep = answer->sweep,
                               .is_swept = true,
                               .seconds = answer->model->seconds,
                               .budget = answer->budget,
                               .smallest = answer->smallest_budget,
                               .largest = answer->curve_budget,
                               .smallest_op = answer->smallest_op,
                               .order_peak = answer->order_peak,
                               .adds_batches = answer->adds_batches};
}

/* The last may be for a budget far beyond the axis. */
static guint
n_points(const TnBudgetPicture *picture)
{
  const GArray *sweep = picture->sweep;
  guint n = sweep->len;
  while (n > 0 && g_array_index(sweep, TnSpillPoint, n - 1).budget > picture->largest)
    n--;
  return n;
}

static TnRect
plot_of(TnRect rect)
{
  TnRect plot = tn_frame_plot(rect);
  plot.height = MAX(plot.height - TN_FRAME_AXIS, 1.0);
  return plot;
}

static TnAxis
budget_axis(const TnBudgetPicture *picture)
{
  double low = (double)picture->smallest, high = (double)picture->largest;
  double margin = MAX((high - low) * 0.08, high * 0.02);
  return (TnAxis){.kind = TN_AXIS_BYTES,
                  .low = MAX(low - 2.0 * margin, 0.0),
                  .high = MAX(high + margin, 1.0),
                  .units = picture->units};
}

/* Thousandths of a per cent of compute. */
static double
ratio_of(const TnBudgetPicture *picture, double seconds)
{
  return 1e5 * seconds / MAX(picture->seconds, 1e-12);
}

static double
overhead_of(const TnBudgetPicture *picture, const TnSpillPoint *point)
{
  return ratio_of(picture, point->overhead_seconds);
}

/* The plan at hand may be none of the curve. */
static double
plan_overhead(const TnBudgetPicture *picture)
{
  const TnSpillAnswer *answer = picture->answer;
  bool is_found = answer && answer->found.is_found;
  return is_found
             ? ratio_of(picture, tn_spill_overhead(answer->model, answer->found.outcome.seconds))
             : 0;
}

/* 0; less where faster algorithms gain time. */
static double
least_overhead(const TnBudgetPicture *picture)
{
  double least = MIN(plan_overhead(picture), 0);
  for (guint i = 0; i < n_points(picture); i++) {
    const TnSpillPoint *point = &g_array_index(picture->sweep, TnSpillPoint, i);
    if (point->is_feasible)
      least = MIN(least, overhead_of(picture, point));
  }
  return least;
}

static TnAxis
overhead_axis(const TnBudgetPicture *picture)
{
  double most = 1000.0;
  for (guint i = 0; i < n_points(picture); i++)
    most = MAX(most, overhead_of(picture, &g_array_index(picture->sweep, TnSpillPoint, i)));
  double least = least_overhead(picture);
  /* Room below the lowest for its points. */
  return (TnAxis){
      .kind = TN_AXIS_MILLIPERCENT, .low = least - 0.05 * (most - least), .high = most * 1.18};
}

/* ---- the curve ----------------------------------------------------------------------------- */

/* What keeps within one budget keeps within all above it: a staircase down to the right. */
static void
paint_stairs(const TnPaint *paint,
             const TnBudgetPicture *picture,
             TnRect plot,
             const TnAxis *x_axis,
             const TnAxis *y_axis)
{
  bool has_start = false;
  cairo_new_path(paint->cr);
  for (guint i = 0; i < n_points(picture); i++) {
    const TnSpillPoint *point = &g_array_index(picture->sweep, TnSpillPoint, i);
    double x = tn_axis_x(x_axis, plot, (double)point->budget), last;
    double y = tn_snap(paint, tn_axis_y(y_axis, plot, overhead_of(picture, point)));
    if (!point->is_feasible)
      continue;
    if (has_start) {
      cairo_get_current_point(paint->cr, NULL, &last);
      cairo_line_to(paint->cr, x, last);
    }
    cairo_line_to(paint->cr, x, y);
    has_start = true;
  }
  if (has_start && picture->is_swept) {
    double last;
    cairo_get_current_point(paint->cr, NULL, &last);
    cairo_line_to(paint->cr, plot.x + plot.width, last);
  }
  tn_paint_set_color(paint, paint->theme->category[0], 1.0);
  cairo_set_line_width(paint->cr, 2.0);
  cairo_stroke(paint->cr);
}

/* Below this line there is no plan: what is proved for a budget holds for all smaller ones. */
static void
paint_proved(const TnPaint *paint,
             const TnBudgetPicture *picture,
             TnRect plot,
             const TnAxis *x_axis,
             const TnAxis *y_axis)
{
  double x = tn_axis_x(x_axis, plot, (double)picture->smallest),
         bottom = tn_axis_y(y_axis, plot, least_overhead(picture));
  for (guint i = 0; picture->is_swept && !picture->adds_batches && i < n_points(picture); i++) {
    const TnSpillPoint *point = &g_array_index(picture->sweep, TnSpillPoint, i);
    double right = tn_axis_x(x_axis, plot, (double)point->budget);
    double y = MIN(tn_axis_y(y_axis, plot, ratio_of(picture, point->bound_seconds)), bottom);
    tn_paint_hatch(paint, (TnRect){x, y, right - x, bottom - y}, paint->theme->hatch, 6.0);
    x = right;
  }
}

/* Proved ones are filled. */
static void
paint_point(const TnPaint *paint, double x, double y, bool is_optimal, uint32_t color)
{
  cairo_new_path(paint->cr);
  cairo_arc(paint->cr, x, y, 3.5, 0, 2 * G_PI);
  tn_paint_set_color(paint, is_optimal ? color : paint->theme->panel, 1.0);
  cairo_fill_preserve(paint->cr);
  tn_paint_set_color(paint, color, 1.0);
  cairo_set_line_width(paint->cr, 1.5);
  cairo_stroke(paint->cr);
}

static void
paint_points(const TnPaint *paint,
             const TnBudgetPicture *picture,
             TnRect plot,
             const TnAxis *x_axis,
             const TnAxis *y_axis)
{
  for (guint i = 0; i < n_points(picture); i++) {
    const TnSpillPoint *point = &g_array_index(picture->sweep, TnSpillPoint, i);
    if (!point->is_feasible)
      continue;
    paint_point(paint, tn_axis_x(x_axis, plot, (double)point->budget),
                tn_axis_y(y_axis, plot, overhead_of(picture, point)), point->is_optimal,
                paint->theme->category[0]);
  }
}

/* ---- marks --------------------------------------------------------------------------------- */

static void
paint_impossible(const TnPaint *paint,
                 const TnBudgetPicture *picture,
                 TnRect plot,
                 const TnAxis *x_axis)
{
  double x = tn_axis_x(x_axis, plot, (double)picture->smallest);
  if (!picture->adds_batches)
    tn_paint_hatch(paint, (TnRect){plot.x, plot.y, x - plot.x, plot.height}, paint->theme->hatch,
                   6.0);
  tn_paint_vline(paint, x, plot.y, plot.height, paint->theme->secondary);
}

/* Why no budget is smaller; above the line of the budget at hand, which may cross it. */
static void
paint_least(const TnPaint *paint, const TnBudgetPicture *picture, TnRect plot, const TnAxis *x_axis)
{
  char size[48];
  double x = tn_axis_x(x_axis, plot, (double)picture->smallest);
  g_autofree char *op =
      picture->smallest_op == TN_NONE
          ? g_strdup("the start")
          : tn_graph_build_op_text(picture->graph, picture->strings, picture->smallest_op);
  g_autofree char *text = g_strdup_printf(
      "%s needs %s%s", op, tn_print_bytes(size, sizeof size, picture->smallest, picture->units),
      picture->adds_batches ? ", batches added up" : "");
  TnTextStyle style = {
      .size = 10.0, .color = paint->theme->secondary, .max_width = plot.x + plot.width - x - 12.0};
  double width = MIN(tn_paint_text_width(paint, text, &style), MAX(style.max_width, 0.0));
  tn_paint_rect(paint, (TnRect){x + 3.0, plot.y + 2.0, width + 6.0, 14.0}, paint->theme->panel);
  tn_paint_text(paint, text, x + 6.0, plot.y + 9.0, &style);
}

/* Another order costs no time: a diamond on the axis. */
static void
paint_order(const TnPaint *paint,
            const TnBudgetPicture *picture,
            TnRect plot,
            const TnAxis *x_axis,
            const TnAxis *y_axis)
{
  char size[48];
  if (picture->order_peak <= 0 || (double)picture->order_peak > x_axis->high)
    return;
  double x = tn_axis_x(x_axis, plot, (double)picture->order_peak),
         y = tn_axis_y(y_axis, plot, 0) + 6.0;
  cairo_new_path(paint->cr);
  cairo_move_to(paint->cr, x, y - 12.0);
  cairo_line_to(paint->cr, x + 6.0, y - 6.0);
  cairo_line_to(paint->cr, x, y);
  cairo_line_to(paint->cr, x - 6.0, y - 6.0);
  cairo_close_path(paint->cr);
  tn_paint_set_color(paint, paint->theme->category[2], 1.0);
  cairo_fill(paint->cr);
  g_autofree char *text =
      g_strdup_printf("order only: %s, 0 %%",
                      tn_print_bytes(size, sizeof size, picture->order_peak, picture->units));
  TnTextStyle style = {.size = 10.0, .color = paint->theme->text};
  bool is_right = x + 10.0 + tn_paint_text_width(paint, text, &style) <= plot.x + plot.width;
  style.align = is_right ? TN_ALIGN_START : TN_ALIGN_END;
  /* High above, where the curve has come down already. */
  tn_paint_vline(paint, x, plot.y + 46.0, MAX(y - 12.0 - plot.y - 46.0, 0.0),
                 paint->theme->category[2]);
  tn_paint_text(paint, text, is_right ? x + 5.0 : x - 5.0, plot.y + 50.0, &style);
}

/* The plan at hand is on its line: the curve's points stand beside it. */
static void
paint_plan(const TnPaint *paint,
           const TnBudgetPicture *picture,
           TnRect plot,
           double x,
           const TnAxis *y_axis)
{
  const TnSpillAnswer *answer = picture->answer;
  if (!answer || !answer->found.is_found || answer->budget != picture->budget)
    return;
  paint_point(paint, x, tn_axis_y(y_axis, plot, plan_overhead(picture)), answer->found.is_optimal,
              paint->theme->peak);
}

static void
paint_budget(const TnPaint *paint,
             const TnBudgetPicture *picture,
             TnRect plot,
             const TnAxis *x_axis,
             const TnAxis *y_axis)
{
  char size[48];
  double x = tn_axis_x(x_axis, plot, (double)picture->budget);
  if (picture->budget <= 0 || x < plot.x || x > plot.x + plot.width)
    return;
  tn_paint_dashed_vline(paint, x, plot.y, plot.height, paint->theme->peak);
  g_autofree char *text = g_strdup_printf(
      "budget %s", tn_print_bytes(size, sizeof size, picture->budget, picture->units));
  tn_frame_flag(paint, plot, x, plot.y + 18.0, text, true);
  paint_plan(paint, picture, plot, x, y_axis);
}

/* The axis begins below `least` to leave room for the points there, but no plan takes less. */
static void
paint_overhead_axis(const TnPaint *paint, TnRect plot, TnAxis axis, double least)
{
  plot.height = tn_axis_y(&axis, plot, least) - plot.y;
  axis.low = least;
  tn_axis_draw_left(paint, plot, &axis);
}

static const char *
caption_of(const TnBudgetPicture *picture)
{
  if (!picture->is_swept)
    return "Time lost against the budget · still planning";
  return picture->adds_batches
             ? "Time lost against the budget · batches added up, nothing proved"
             : "Time lost against the budget · hatched: proved, no plan there in this order";
}

void
tn_draw_sweep(const TnPaint *paint, const TnBudgetPicture *picture, TnRect rect)
{
  TnRect plot = plot_of(rect), panel = rect;
  TnAxis x_axis = budget_axis(picture), y_axis = overhead_axis(picture);
  TnRect below = {plot.x, plot.y + plot.height, plot.width, TN_FRAME_AXIS};
  panel.height -= TN_FRAME_AXIS;
  tn_frame_panel(paint, panel, caption_of(picture));
  paint_overhead_axis(paint, plot, y_axis, least_overhead(picture));
  cairo_save(paint->cr);
  cairo_rectangle(paint->cr, plot.x, plot.y, plot.width, plot.height);
  cairo_clip(paint->cr);
  paint_impossible(paint, picture, plot, &x_axis);
  paint_proved(paint, picture, plot, &x_axis, &y_axis);
  paint_stairs(paint, picture, plot, &x_axis, &y_axis);
  paint_points(paint, picture, plot, &x_axis, &y_axis);
  paint_order(paint, picture, plot, &x_axis, &y_axis);
  paint_budget(paint, picture, plot, &x_axis, &y_axis);
  paint_least(paint, picture, plot, &x_axis);
  cairo_restore(paint->cr);
  tn_axis_draw_below(paint, below, &x_axis);
}

tn_bytes
tn_sweep_budget_at(const TnBudgetPicture *picture, TnRect rect, double x)
{
  TnRect plot = plot_of(rect);
  TnAxis axis = budget_axis(picture);
  if (x < plot.x || x > plot.x + plot.width)
    return -1;
  double budget = axis.low + (x - plot.x) / plot.width * (axis.high - axis.low);
  return CLAMP((tn_bytes)budget, picture->smallest, picture->largest);
}
