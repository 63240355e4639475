/* SPDX-License-Identifier: MIT */
/* The parts of draw-diff.h that have the common axis: maps and curves. */
#include "config.h"

#include "render/draw-diff.h"

#include "render/draw-label.h"

#include <math.h>

#define MAX_HATCHED 3000
#define MAX_LABELS 120

static const char *const signs[TN_N_DELTAS] = {[TN_DELTA_SAME] = "",
                                               [TN_DELTA_MOVED] = "",
                                               [TN_DELTA_LARGER] = "▲ ",
                                               [TN_DELTA_NEW] = "▲ new ",
                                               [TN_DELTA_SMALLER] = "▼ ",
                                               [TN_DELTA_GONE] = "▼ gone ",
                                               [TN_DELTA_LONGER] = "▲ longer ",
                                               [TN_DELTA_SHORTER] = "▼ shorter "};

/* Hatched where this side stands still because the other one has more. */
static void
paint_still(const TnPaint *paint,
            const TnDiffPicture *picture,
            const TnView *view,
            TnDiffSide side,
            TnRect plot)
{
  const TnDiffAxis *axis = picture->diff->axis;
  tn_tick common = 0, own = 0;
  for (guint i = 0; i <= axis->stretches->len; i++) {
    const TnDiffStretch *s =
        i < axis->stretches->len ? &g_array_index(axis->stretches, TnDiffStretch, i) : NULL;
    tn_tick end = side == TN_DIFF_A ? axis->a_end : axis->b_end;
    tn_tick stop = s ? s->common : axis->end;
    tn_tick still = common + (s ? side == TN_DIFF_A ? s->a : s->b : end) - own;
    double x0 = tn_view_x(view, plot, (double)still), x1 = tn_view_x(view, plot, (double)stop);
    x0 = MAX(x0, plot.x);
    x1 = MIN(x1, plot.x + plot.width);
    if (x1 - x0 >= 2.0)
      tn_paint_hatch(paint, (TnRect){x0, plot.y, x1 - x0, plot.height}, paint->theme->hairline,
                     5.0);
    if (s) {
      common = s->common + s->length;
      own = (side == TN_DIFF_A ? s->a : s->b) + s->length;
    }
  }
}

/* The part of a box inside the plot; false where that is too small to hatch or name. */
static bool
clip_box(TnRect *r, TnRect plot, double least_width, double least_height)
{
  double right = MIN(r->x + r->width, plot.x + plot.width);
  double bottom = MIN(r->y + r->height, plot.y + plot.height);
  r->x = MAX(r->x, plot.x);
  r->y = MAX(r->y, plot.y);
  r->width = right - r->x;
  r->height = bottom - r->y;
  return r->width >= least_width && r->height >= least_height;
}

static bool
rect_of(const TnDiffPicture *picture, const TnView *view, TnRect plot, tn_index row, TnRect *out)
{
  return picture->has_places ? tn_view_rect_offsets(view, plot, row, out)
                             : tn_view_rect_lanes(view, plot, row, out);
}

/* What a search or a filter left out gets neither hatching nor a name. */
static bool
is_dimmed(const TnView *view, tn_index row)
{
  return view->match && !view->match[row];
}

/* A second sign beside the hue: what is on one side only is hatched. */
static void
paint_hatches(const TnPaint *paint, const TnDiffPicture *picture, const TnView *view, TnRect plot)
{
  const TnStudy *study = view->study;
  int n = 0;
  for (uint32_t i = 0; i < study->buffers->n && n < MAX_HATCHED; i++) {
    TnRect r;
    uint8_t delta = study->categories->category[i];
    if ((delta != TN_DELTA_NEW && delta != TN_DELTA_GONE) || is_dimmed(view, i) ||
        !rect_of(picture, view, plot, i, &r) || !clip_box(&r, plot, 4.0, 4.0))
      continue;
    tn_paint_hatch(paint, r, tn_color_mix(paint->theme->category[delta], paint->theme->panel, 0.45),
                   6.0);
    n++;
  }
}

static void
paint_label(const TnPaint *paint, const TnView *view, tn_index row, TnRect r)
{
  uint8_t delta = view->study->categories->category[row];
  g_autofree char *name = tn_study_dup_label(view->study, row);
  g_autofree char *size = tn_format_bytes(view->study->buffers->bytes[row], view->units);
  bool is_hatched = delta == TN_DELTA_NEW || delta == TN_DELTA_GONE;
  tn_draw_name_and_size(paint, signs[delta], name, size, paint->theme->category[delta], is_hatched,
                        (TnRect){r.x + 4.0, r.y, r.width - 8.0, r.height});
}

static void
paint_labels(const TnPaint *paint, const TnDiffPicture *picture, const TnView *view, TnRect plot)
{
  const TnStudy *study = view->study;
  int n = 0;
  for (uint32_t i = 0; i < study->buffers->n && n < MAX_LABELS; i++) {
    TnRect r;
    if (is_dimmed(view, i) || !rect_of(picture, view, plot, i, &r) ||
        !clip_box(&r, plot, 84.0, 14.0))
      continue;
    paint_label(paint, view, i, r);
    n++;
  }
}

static void
paint_peak(const TnPaint *paint, const TnView *view, TnRect plot, const char *side)
{
  const TnCurve *live = view->study->live;
  double x = tn_view_x(view, plot, (double)live->peak_at + 0.5);
  if (live->peak <= 0 || x < plot.x || x > plot.x + plot.width)
    return;
  tn_paint_dashed_vline(paint, x, plot.y, plot.height, paint->theme->peak);
  if (plot.height < 23.0)
    return; /* its flag would stand in the next map */
  char size[48];
  g_autofree char *text = g_strdup_printf(
      "%s peak %s", side, tn_print_bytes(size, sizeof size, live->peak, view->units));
  TnTextStyle style = {.size = 11.0, .is_bold = true, .color = paint->theme->on_peak};
  double width = tn_paint_text_width(paint, text, &style) + 12.0;
  double left = x + 2.0 + width <= plot.x + plot.width ? x + 2.0 : x - 1.0 - width;
  tn_paint_rect(paint, (TnRect){MAX(left, plot.x), plot.y + 3.0, width, 17.0}, paint->theme->peak);
  tn_paint_text(paint, text, MAX(left, plot.x) + 6.0, plot.y + 11.5, &style);
}

static char *
build_title(const TnDiffPicture *picture, TnDiffSide side, TnUnits units)
{
  const TnStudy *study = side == TN_DIFF_A ? picture->diff->a : picture->diff->b;
  g_autofree char *name = tn_diff_picture_dup_name(picture, side);
  g_autofree char *size = tn_format_bytes(study->arena_bytes >= 0 ? study->arena_bytes
                                          : study->reserved       ? study->reserved->peak
                                                                  : study->live->peak,
                                          units);
  return g_strdup_printf("%s · %s · %s %s", side == TN_DIFF_A ? "A" : "B", name,
                         study->arena_bytes >= 0 ? "arena"
                         : study->reserved       ? "reserved"
                                                 : "live",
                         size);
}

double
tn_diff_lane_height(const TnView *view, TnRect plot)
{
  return CLAMP(floor(plot.height / MAX(view->study->lanes->n, 1u)), 3.0, 15.0);
}

/* Without places the bars of lives are shown, as high as they can be. */
static TnView
fit_lanes(const TnDiffPicture *picture, const TnView *view, TnRect plot)
{
  TnView own = *view;
  if (!picture->has_places)
    own.lane_height = tn_diff_lane_height(view, plot);
  return own;
}

static void
paint_fill(const TnPaint *paint,
           const TnDiffPicture *picture,
           const TnView *view,
           TnDiffSide side,
           TnRect rect,
           const char *title)
{
  TnRect plot = tn_frame_plot(rect);
  TnView own = fit_lanes(picture, view, plot);
  tn_frame_panel(paint, rect, title);
  paint_still(paint, picture, view, side, plot);
  if (picture->has_places)
    tn_frame_bytes_axis(paint, plot, view->p0, view->p1, view->units);
  cairo_surface_t *image =
      tn_raster_build(&own, paint, plot, picture->has_places ? tn_raster_offsets : tn_raster_lanes);
  if (image) {
    tn_paint_image(paint, plot, image);
    cairo_surface_destroy(image);
  }
  paint_hatches(paint, picture, &own, plot);
}

/* Above the names of the boxes. */
static void
paint_marks(const TnPaint *paint,
            const TnDiffPicture *picture,
            const TnView *view,
            TnDiffSide side,
            TnRect plot)
{
  paint_peak(paint, view, plot, side == TN_DIFF_A ? "A" : "B");
  tn_diff_paint_selection(paint, picture, view, plot);
}

void
tn_draw_diff_fill(const TnPaint *paint,
                  const TnDiffPicture *picture,
                  const TnView *view,
                  TnDiffSide side,
                  TnRect rect,
                  const char *title)
{
  TnRect plot = tn_frame_plot(rect);
  TnView own = fit_lanes(picture, view, plot);
  paint_fill(paint, picture, view, side, rect, title);
  paint_marks(paint, picture, &own, side, plot);
}

void
tn_draw_diff_side(const TnPaint *paint,
                  const TnDiffPicture *picture,
                  const TnView *view,
                  TnDiffSide side,
                  TnRect rect)
{
  g_autofree char *title = build_title(picture, side, view->units);
  TnRect plot = tn_frame_plot(rect);
  TnView own = fit_lanes(picture, view, plot);
  paint_fill(paint, picture, view, side, rect, title);
  paint_labels(paint, picture, &own, plot);
  paint_marks(paint, picture, &own, side, plot);
}
