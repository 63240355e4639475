/* SPDX-License-Identifier: MIT */
/* Both sides in one map: A's outlines over B, or what each part of memory holds more and less. */
#include "config.h"

#include "render/draw-diff.h"

#include "analysis/batch-sum.h"

#include <math.h>
#include <string.h>

#define MAX_OUTLINES 4000
#define CELL 5.0 /* logical pixels */

void
tn_diff_paint_selection(const TnPaint *paint,
                        const TnDiffPicture *picture,
                        const TnView *view,
                        TnRect plot)
{
  if (picture->has_places)
    tn_draw_selection_offsets(paint, view, plot);
  else
    tn_draw_selection_lanes(paint, view, plot);
}

/* ---- overlay ------------------------------------------------------------------------------------
 */

/* The edges of A's boxes that are large enough to be seen as boxes. */
static void
paint_outlines(const TnPaint *paint, const TnDiffPicture *picture, const TnView *view, TnRect plot)
{
  TnView own = *view;
  int n = 0;
  uint32_t color = tn_color_mix(paint->theme->text, paint->theme->panel, 0.25);
  own.study = picture->a;
  own.match = picture->match[TN_DIFF_A];
  own.selected = picture->selected[TN_DIFF_A];
  if (!picture->has_places)
    own.lane_height = tn_diff_lane_height(&own, plot);
  cairo_save(paint->cr);
  cairo_rectangle(paint->cr, plot.x, plot.y, plot.width, plot.height);
  cairo_clip(paint->cr);
  for (uint32_t i = 0; i < picture->a->buffers->n && n < MAX_OUTLINES; i++) {
    TnRect r;
    if ((own.match && !own.match[i]) ||
        !(picture->has_places ? tn_view_rect_offsets(&own, plot, i, &r)
                              : tn_view_rect_lanes(&own, plot, i, &r)) ||
        r.width < 3.0 || r.height < 3.0)
      continue;
    tn_paint_frame(paint, r, color, 1.0);
    n++;
  }
  cairo_restore(paint->cr);
  tn_diff_paint_selection(paint, picture, &own, plot);
}

void
tn_draw_diff_overlay(const TnPaint *paint,
                     const TnDiffPicture *picture,
                     const TnView *view,
                     TnRect rect)
{
  tn_draw_diff_fill(paint, picture, view, TN_DIFF_B, rect, "B filled, A's edges over it");
  paint_outlines(paint, picture, view, tn_frame_plot(rect));
}

/* ---- delta map ----------------------------------------------------------------------------------
 */

typedef struct {
  int n_columns, n_rows;
  double bucket; /* bytes of a cell's height */
  double low;    /* the place at the bottom */
  double *delta; /* by column, by row from the bottom: bytes of B less bytes of A */
} Cells;

/* Adds `sign` times what the side's buffers (those of `match`) hold at a tick to a column: of batches, which
 * never run together, the one that has most. */
static void
add_alive(Cells *cells,
          int column,
          const TnStudy *study,
          const uint8_t *match,
          const TnLiveSweep *sweep,
          tn_tick tick,
          double sign)
{
  uint32_t label = tn_batch_sum_label_of_sweep(study->buffers, sweep, tick);
  double *row = cells->delta + (gsize)column * (gsize)cells->n_rows;
  for (uint32_t i = 0; i < sweep->n; i++) {
    uint32_t buffer = sweep->alive[i].row;
    tn_bytes place = study->map->place[buffer];
    if (place == TN_NOT_PLACED || (match && !match[buffer]) ||
        !tn_batch_sum_counts(study->buffers, buffer, label))
      continue;
    double low = ((double)place - cells->low) / cells->bucket;
    double high = low + (double)study->buffers->bytes[buffer] / cells->bucket;
    int first = (int)CLAMP(floor(low), 0.0, cells->n_rows);
    int stop = (int)CLAMP(ceil(high), 0.0, cells->n_rows);
    for (int k = first; k < stop; k++)
      row[k] += sign * (MIN(high, k + 1.0) - MAX(low, (double)k)) * cells->bucket;
  }
}

/* The tick of [start, end) at which a side holds most.  Where it stands still because the other has more, it
 * holds what it held, as the curves say: its last tick before. */
static tn_tick
fullest_tick(const TnDiffPicture *picture, TnDiffSide side, tn_tick start, tn_tick end)
{
  const TnDiff *diff = picture->diff;
  const TnCurve *common = side == TN_DIFF_A ? picture->a->live : picture->b->live;
  const TnCurve *own = side == TN_DIFF_A ? diff->a->live : diff->b->live;
  tn_tick last = tn_diff_axis_from_common(diff->axis, side, start), peak;
  bool is_less = tn_curve_max(common, start, end, &peak) <= tn_curve_at(own, last);
  return is_less ? tn_diff_axis_to_common(diff->axis, side, last) : peak;
}

static void
fill_side(Cells *cells, const TnView *view, const TnDiffPicture *picture, TnDiffSide side)
{
  const TnStudy *study = side == TN_DIFF_A ? picture->a : picture->b;
  TnLiveSweep sweep;
  tn_tick start, end, peak;
  bool is_first = true;
  TnView own = *view;
  own.study = study;
  for (int i = 0; i < cells->n_columns && tn_view_column(&own, i, cells->n_columns, &start, &end);
       i++) {
    peak = fullest_tick(picture, side, start, end);
    if (is_first)
      tn_live_sweep_init(&sweep, study->index, peak);
    else
      tn_live_sweep_advance(&sweep, peak);
    is_first = false;
    add_alive(cells, i, study, picture->match[side], &sweep, peak, side == TN_DIFF_A ? -1.0 : 1.0);
  }
  if (!is_first)
    tn_live_sweep_clear(&sweep);
}

static Cells
build_cells(const TnDiffPicture *picture, const TnView *view, TnRect plot)
{
  Cells cells = {.n_columns = MAX((int)(plot.width / CELL), 1),
                 .n_rows = MAX((int)(plot.height / CELL), 1),
                 .low = view->p0};
  cells.bucket = (view->p1 - view->p0) / cells.n_rows;
  cells.delta = g_new0(double, (gsize)cells.n_columns *(gsize)cells.n_rows);
  fill_side(&cells, view, picture, TN_DIFF_A);
  fill_side(&cells, view, picture, TN_DIFF_B);
  return cells;
}

/* A cell's rectangle on whole device pixels, so that neighbours join. */
static TnRect
cell_rect(const TnPaint *paint, const Cells *cells, TnRect plot, int column, int row)
{
  double width = plot.width / cells->n_columns, height = plot.height / cells->n_rows;
  double x0 = tn_snap(paint, plot.x + column * width);
  double x1 = tn_snap(paint, plot.x + (column + 1) * width);
  double y0 = tn_snap(paint, plot.y + plot.height - (row + 1) * height);
  double y1 = tn_snap(paint, plot.y + plot.height - row * height);
  return (TnRect){x0, y0, x1 - x0, y1 - y0};
}

/* The share of a cell that one side holds alone, of this sign; 0 where it is too small to show. */
static double
share_of(const Cells *cells, int column, int row, bool is_larger)
{
  double delta = cells->delta[(gsize)column * (gsize)cells->n_rows + (gsize)row];
  double share = MIN(fabs(delta) / cells->bucket, 1.0);
  return (delta > 0) == is_larger && share >= 0.02 ? share : 0.0;
}

/* Larger is hatched: not by hue alone. */
static void
hatch_cells(const TnPaint *paint, const Cells *cells, TnRect plot)
{
  cairo_save(paint->cr);
  cairo_new_path(paint->cr);
  for (int i = 0; i < cells->n_columns; i++)
    for (int k = 0; k < cells->n_rows; k++)
      if (share_of(cells, i, k, true) > 0.0) {
        TnRect r = cell_rect(paint, cells, plot, i, k);
        cairo_rectangle(paint->cr, r.x, r.y, r.width, r.height);
      }
  cairo_clip(paint->cr);
  tn_paint_hatch(paint, plot, tn_color_mix(paint->theme->larger, paint->theme->text, 0.25), 6.0);
  cairo_restore(paint->cr);
  cairo_new_path(paint->cr);
}

/* Full colour where one side holds all of a cell and the other nothing. */
static void
paint_cells(const TnPaint *paint, const Cells *cells, TnRect plot, bool is_larger)
{
  uint32_t color = is_larger ? paint->theme->larger : paint->theme->smaller;
  for (int i = 0; i < cells->n_columns; i++)
    for (int k = 0; k < cells->n_rows; k++) {
      double share = share_of(cells, i, k, is_larger);
      if (share > 0.0)
        tn_paint_rect(paint, cell_rect(paint, cells, plot, i, k),
                      tn_color_mix(paint->theme->panel, color, 0.15 + 0.65 * share));
    }
}

/* As one image, like the other dense layers: an SVG had an element for each cell. */
static void
paint_cells_image(const TnPaint *paint, const Cells *cells, TnRect plot)
{
  TnPaint own = *paint;
  cairo_surface_t *image =
      cairo_image_surface_create(CAIRO_FORMAT_ARGB32, (int)ceil(plot.width * paint->scale) + 1,
                                 (int)ceil(plot.height * paint->scale) + 1);
  own.cr = cairo_create(image);
  cairo_scale(own.cr, paint->scale, paint->scale);
  cairo_translate(own.cr, -tn_snap(paint, plot.x), -tn_snap(paint, plot.y));
  paint_cells(&own, cells, plot, false);
  paint_cells(&own, cells, plot, true);
  hatch_cells(&own, cells, plot);
  cairo_destroy(own.cr);
  tn_paint_image(paint, plot, image);
  cairo_surface_destroy(image);
}

void
tn_draw_diff_map(const TnPaint *paint,
                 const TnDiffPicture *picture,
                 const TnView *view,
                 TnRect rect)
{
  TnRect plot = tn_frame_plot(rect);
  tn_frame_panel(paint, rect, "B − A by place · ▲ hatched: B holds more, ▼ plain: B holds less");
  tn_frame_bytes_axis(paint, plot, view->p0, view->p1, view->units);
  Cells cells = build_cells(picture, view, plot);
  paint_cells_image(paint, &cells, plot);
  g_free(cells.delta);
}
