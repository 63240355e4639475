/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "render/draw-budget.h"

#include "analysis/budget/spill-waits.h"
#include "data/graph-order.h"
#include "render/axis.h"
#include "render/frame.h"

#define LANE_HEIGHT 22.0
#define LANE_GAP 6.0

typedef struct {
  const TnPaint *paint;
  const TnBudgetPicture *picture;
  GArray *waits; /* TnSpillWait; owned */
  TnRect memory, lane[3], below;
  TnAxis time, bytes;
} Lanes;

/* ---- where things go ----------------------------------------------------------------------- */

static double
end_of(const TnSpillRun *run)
{
  return run->model->n ? run->end[run->model->n - 1] : 0;
}

static tn_bytes
highest_of(const TnBudgetPicture *picture)
{
  tn_bytes most = MAX(picture->answer->budget, 1);
  for (uint32_t p = 0; p < picture->run->model->n; p++)
    most = MAX(most, picture->run->memory[p]);
  return most;
}

static void
lay_out(Lanes *lanes, TnRect rect)
{
  TnRect plot = tn_frame_plot(rect);
  double all = 3 * (LANE_HEIGHT + LANE_GAP) + LANE_GAP + TN_FRAME_AXIS;
  lanes->memory = plot;
  lanes->memory.height = MAX(plot.height - all, 1.0);
  for (int k = 0; k < 3; k++)
    lanes->lane[k] =
        (TnRect){plot.x, plot.y + lanes->memory.height + LANE_GAP + k * (LANE_HEIGHT + LANE_GAP),
                 plot.width, LANE_HEIGHT};
  lanes->below = (TnRect){plot.x, plot.y + plot.height - TN_FRAME_AXIS, plot.width, TN_FRAME_AXIS};
  lanes->time =
      (TnAxis){.kind = TN_AXIS_NANOSECONDS, .high = MAX(end_of(lanes->picture->run) * 1e9, 1.0)};
  lanes->bytes = (TnAxis){.kind = TN_AXIS_BYTES,
                          .high = (double)highest_of(lanes->picture) * 1.15,
                          .units = lanes->picture->units};
}

static TnRect
span(const Lanes *lanes, TnRect lane, double start, double end)
{
  double x0 = tn_axis_x(&lanes->time, lane, start * 1e9);
  double x1 = tn_axis_x(&lanes->time, lane, end * 1e9);
  /* A pixel between neighbours, where there is room for one. */
  double gap = x1 - x0 > 3.0 ? 1.0 / lanes->paint->scale : 0.0;
  return (TnRect){x0, lane.y, MAX(x1 - x0 - gap, 1.0 / lanes->paint->scale), lane.height};
}

static void
paint_label(const Lanes *lanes, TnRect bar, const char *text, uint32_t on)
{
  TnTextStyle style = {.size = 10.0, .color = tn_color_text_on(on), .max_width = bar.width - 8.0};
  if (bar.width >= 30.0)
    tn_paint_text(lanes->paint, text, bar.x + 4.0, bar.y + bar.height / 2, &style);
}

static void
paint_hatched(const Lanes *lanes, TnRect bar, uint32_t color)
{
  tn_paint_rect(lanes->paint, bar, tn_color_mix(lanes->paint->theme->panel, color, 0.18));
  tn_paint_hatch(lanes->paint, bar, color, 5.0);
  if (bar.width > 3.0)
    tn_paint_frame(lanes->paint,
                   (TnRect){bar.x + 1.0, bar.y + 1.0, bar.width - 2.0, bar.height - 2.0}, color,
                   1.0);
}

/* ---- compute ------------------------------------------------------------------------------- */

static void
paint_op(const Lanes *lanes, uint32_t p)
{
  const TnBudgetPicture *picture = lanes->picture;
  const TnSpillModel *model = picture->run->model;
  uint32_t op = model->order[p];
  uint32_t way = picture->answer->found.plan.way[op];
  TnRect bar = span(lanes, lanes->lane[0], picture->run->start[p], picture->run->end[p]);
  uint32_t color = lanes->paint->theme->shade[0][tn_shade_of(op)];
  g_autofree char *name = tn_graph_build_op_text(picture->graph, picture->strings, op);
  g_autofree char *slow = g_strdup_printf(
      "%s · %s", name, tn_strings_get(picture->strings, tn_spill_way(model, op, way)->name));
  tn_paint_rect(lanes->paint, bar, color);
  paint_label(lanes, bar, way ? slow : name, color);
}

static void
paint_compute(const Lanes *lanes)
{
  const TnSpillRun *run = lanes->picture->run;
  const TnTheme *theme = lanes->paint->theme;
  for (uint32_t p = 0; p < run->model->n; p++) {
    if (run->redo[p] > 0)
      paint_hatched(lanes, span(lanes, lanes->lane[0], run->start[p] - run->redo[p], run->start[p]),
                    theme->category[4]);
    paint_op(lanes, p);
  }
  for (guint i = 0; i < lanes->waits->len; i++) {
    const TnSpillWait *wait = &g_array_index(lanes->waits, TnSpillWait, i);
    TnRect bar = span(lanes, lanes->lane[0], wait->start, wait->end);
    TnTextStyle style = {.size = 10.0, .color = theme->text, .align = TN_ALIGN_MIDDLE};
    tn_paint_rect(lanes->paint, bar, theme->panel);
    tn_paint_hatch(lanes->paint, bar, theme->other, 4.0);
    if (bar.width >= 32.0) {
      tn_paint_rect(lanes->paint,
                    (TnRect){bar.x + bar.width / 2 - 15.0, bar.y + 4.0, 30.0, bar.height - 8.0},
                    theme->panel);
      tn_paint_text(lanes->paint, "waits", bar.x + bar.width / 2, bar.y + bar.height / 2, &style);
    }
  }
}

/* ---- copies -------------------------------------------------------------------------------- */

/* Solid while compute runs beside it, hatched while compute waits. */
static void
paint_copy(const Lanes *lanes, int lane, double start, double end, uint32_t idle)
{
  const TnBudgetPicture *picture = lanes->picture;
  const TnSpillModel *model = picture->run->model;
  uint32_t color = lanes->paint->theme->category[lane];
  TnRect bar = span(lanes, lanes->lane[lane], start, end);
  uint32_t tensor = model->tensor[tn_spill_idle(model, idle)->buffer];
  double shown = end;
  tn_paint_rect(lanes->paint, bar, color);
  for (guint i = 0; i < lanes->waits->len; i++) {
    const TnSpillWait *wait = &g_array_index(lanes->waits, TnSpillWait, i);
    double from = MAX(start, wait->start), to = MIN(end, wait->end);
    if (from >= to)
      continue;
    TnRect part = span(lanes, lanes->lane[lane], from, to);
    part.width = MIN(part.width, bar.x + bar.width - part.x);
    tn_paint_rect(lanes->paint, part, lanes->paint->theme->panel);
    paint_hatched(lanes, part, color);
    shown = MIN(shown, from);
  }
  TnRect solid = span(lanes, lanes->lane[lane], start, shown);
  paint_label(lanes, solid,
              tn_strings_get(picture->strings, tn_graph_tensor(picture->graph, tensor)->name),
              color);
}

static void
paint_copies(const Lanes *lanes)
{
  const TnSpillRun *run = lanes->picture->run;
  const TnSpillPlan *plan = &lanes->picture->answer->found.plan;
  for (uint32_t i = 0; i < run->model->idles->len; i++) {
    if (plan->choice[i].kind != TN_SPILL_MOVE)
      continue;
    if (run->out_end[i] >= 0)
      paint_copy(lanes, 1, run->out_start[i], run->out_end[i], i);
    paint_copy(lanes, 2, run->in_start[i], run->in_end[i], i);
  }
}

/* ---- memory -------------------------------------------------------------------------------- */

static void
paint_memory(const Lanes *lanes)
{
  const TnSpillRun *run = lanes->picture->run;
  const TnPaint *paint = lanes->paint;
  TnRect plot = lanes->memory;
  double bottom = plot.y + plot.height;
  cairo_new_path(paint->cr);
  cairo_move_to(paint->cr, plot.x, bottom);
  for (uint32_t p = 0; p < run->model->n; p++) {
    double from = p ? run->end[p - 1] : 0;
    double y = tn_snap(paint, tn_axis_y(&lanes->bytes, plot, (double)run->memory[p]));
    cairo_line_to(paint->cr, tn_axis_x(&lanes->time, plot, from * 1e9), y);
    cairo_line_to(paint->cr, tn_axis_x(&lanes->time, plot, run->end[p] * 1e9), y);
  }
  cairo_line_to(paint->cr, plot.x + plot.width, bottom);
  cairo_close_path(paint->cr);
  tn_paint_set_color(paint, paint->theme->category[0], 0.25);
  cairo_fill_preserve(paint->cr);
  tn_paint_set_color(paint, paint->theme->category[0], 1.0);
  cairo_set_line_width(paint->cr, 1.5);
  cairo_stroke(paint->cr);
}

static void
paint_budget(const Lanes *lanes)
{
  const TnPaint *paint = lanes->paint;
  char size[48];
  TnRect plot = lanes->memory;
  double y = tn_axis_y(&lanes->bytes, plot, (double)lanes->picture->answer->budget);
  tn_paint_dashed_hline(paint, plot.x, y, plot.width, paint->theme->peak);
  g_autofree char *text =
      g_strdup_printf("budget %s", tn_print_bytes(size, sizeof size, lanes->picture->answer->budget,
                                                  lanes->picture->units));
  TnTextStyle style = {.size = 10.0, .color = paint->theme->peak, .align = TN_ALIGN_END};
  tn_paint_text(paint, text, plot.x + plot.width - 4.0, y - 7.0, &style);
}

static void
paint_names(const Lanes *lanes)
{
  static const char *const names[] = {"compute", "copy out", "copy in"};
  TnTextStyle style = {
      .size = 10.0, .color = lanes->paint->theme->secondary, .align = TN_ALIGN_END};
  for (int k = 0; k < 3; k++) {
    TnRect lane = lanes->lane[k];
    tn_paint_rect(lanes->paint, lane, lanes->paint->theme->panel);
    tn_paint_text(lanes->paint, names[k], lane.x - 7.0, lane.y + lane.height / 2, &style);
  }
}

void
tn_draw_lanes(const TnPaint *paint, const TnBudgetPicture *picture, TnRect rect)
{
  Lanes lanes = {.paint = paint, .picture = picture};
  TnRect panel = rect;
  if (!picture->run || !picture->answer || !picture->answer->found.is_found) {
    tn_frame_panel(paint, rect, "Memory and copies");
    return;
  }
  lay_out(&lanes, rect);
  panel.height = lanes.memory.y + lanes.memory.height - rect.y;
  lanes.waits = tn_spill_waits_new(picture->run);
  tn_frame_panel(paint, panel,
                 "Memory and copies · solid: hidden behind compute, hatched: compute waits");
  tn_axis_draw_left(paint, lanes.memory, &lanes.bytes);
  paint_memory(&lanes);
  paint_budget(&lanes);
  paint_names(&lanes);
  paint_compute(&lanes);
  paint_copies(&lanes);
  tn_axis_draw_below(paint, lanes.below, &lanes.time);
  g_array_unref(lanes.waits);
}

/* ---- what is at a point -------------------------------------------------------------------- */

static char *
build_op_text(const TnBudgetPicture *picture, double at)
{
  const TnSpillRun *run = picture->run;
  uint32_t p = 0;
  while (p + 1 < run->model->n && run->end[p] <= at)
    p++;
  g_autofree char *name =
      tn_graph_build_op_text(picture->graph, picture->strings, run->model->order[p]);
  char size[48];
  const char *state = at < run->start[p] - run->redo[p] ? ", which waits for copies"
                      : at < run->start[p]              ? ", for which ops run again"
                                                        : "";
  return g_strdup_printf("%s%s: %.4g ms to %.4g ms, %s", name, state, 1e3 * run->start[p],
                         1e3 * run->end[p],
                         tn_print_bytes(size, sizeof size, run->memory[p], picture->units));
}

static char *
build_copy_text(const Lanes *lanes, uint32_t i, bool is_out)
{
  const TnSpillRun *run = lanes->picture->run;
  double start = is_out ? run->out_start[i] : run->in_start[i];
  double end = is_out ? run->out_end[i] : run->in_end[i];
  uint32_t buffer = tn_spill_idle(run->model, i)->buffer;
  const char *name =
      tn_strings_get(lanes->picture->strings,
                     tn_graph_tensor(lanes->picture->graph, run->model->tensor[buffer])->name);
  char size[48];
  return g_strdup_printf("%s (%s) %s: %.4g ms to %.4g ms, %.4g ms of it waited for", name,
                         tn_print_bytes(size, sizeof size, run->model->order_model->bytes[buffer],
                                        lanes->picture->units),
                         is_out ? "out" : "in", 1e3 * start, 1e3 * end,
                         1e3 * tn_spill_exposed(lanes->waits, start, end));
}

static char *
build_lane_text(const Lanes *lanes, double at, bool is_out)
{
  const TnSpillRun *run = lanes->picture->run;
  for (uint32_t i = 0; i < run->model->idles->len; i++) {
    if (lanes->picture->answer->found.plan.choice[i].kind != TN_SPILL_MOVE)
      continue;
    double start = is_out ? run->out_start[i] : run->in_start[i];
    double end = is_out ? run->out_end[i] : run->in_end[i];
    if (end >= 0 && start <= at && at < end)
      return build_copy_text(lanes, i, is_out);
  }
  return NULL;
}

char *
tn_lanes_build_text_at(const TnBudgetPicture *picture, TnRect rect, double x, double y)
{
  Lanes lanes = {.picture = picture};
  if (!picture->run || !picture->answer || !picture->answer->found.is_found ||
      picture->run->model->n == 0)
    return NULL;
  lay_out(&lanes, rect);
  TnRect plot = lanes.memory;
  double at = (x - plot.x) / plot.width * end_of(picture->run);
  if (x < plot.x || x >= plot.x + plot.width || y < plot.y ||
      y >= lanes.lane[2].y + lanes.lane[2].height)
    return NULL;
  if (y < lanes.lane[1].y)
    return build_op_text(picture, at);
  lanes.waits = tn_spill_waits_new(picture->run);
  char *text = build_lane_text(&lanes, at, y < lanes.lane[2].y);
  g_array_unref(lanes.waits);
  return text;
}

void
tn_draw_budget_page(const TnPaint *paint,
                    const TnBudgetPicture *picture,
                    TnRect rect,
                    const char *title,
                    const char *note)
{
  double x = rect.x + 16.0, width = rect.width - 32.0, top = rect.y + 40.0;
  double height = rect.height - 76.0, sweep = height * 0.42;
  TnTextStyle head = {
      .size = 15.0, .is_bold = true, .color = paint->theme->text, .max_width = width};
  TnTextStyle small = {.size = 12.0, .color = paint->theme->secondary, .max_width = width};
  tn_paint_rect(paint, rect, paint->theme->background);
  tn_paint_text(paint, title, x, rect.y + 22.0, &head);
  tn_draw_sweep(paint, picture, (TnRect){x, top, width, sweep});
  tn_draw_lanes(paint, picture, (TnRect){x, top + sweep + 12.0, width, height - sweep - 12.0});
  tn_paint_text(paint, note, x, rect.y + rect.height - 16.0, &small);
}
