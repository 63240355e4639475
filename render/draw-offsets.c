/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "render/draw.h"

#include "analysis/tenants.h"
#include "render/draw-label.h"
#include "render/draw-places.h"
#include "render/draw-regions.h"
#include "render/draw-totals.h"
#include "render/outlines.h"

#include <math.h>

char *
tn_draw_title_offsets(const TnView *view)
{
  const TnStudy *study = view->study;
  char size[48];
  tn_print_bytes(size, sizeof size, study->map->height, view->units);
  guint n = study->map->ranges->len;
  if (study->buffers->n == 0)
    return g_strdup("Offsets · nothing to place");
  if (study->map->n_placed == 0)
    return g_strdup("Offsets · not placed yet: plan it to see them");
  if (study->map->height == 0 && study->n_unsized > 0)
    return g_strdup("Offsets · nothing to place: no size is known");
  g_autofree char *streams = study->is_log ? NULL : tn_draw_stream_words(study);
  g_autofree char *regions = tn_draw_region_words(study);
  if (!study->is_log)
    return g_strdup_printf("Offsets · arena %s%s%s%s%s", size, streams ? " · " : "",
                           streams ? streams : "", regions ? " · " : "", regions ? regions : "");
  if (n == 1)
    return g_strdup_printf("Offsets · %s in one stretch of addresses", size);
  return g_strdup_printf("Offsets · %s in %u stretches of addresses, gaps folded", size, n);
}

/* Hairlines where one stretch of addresses ends and the next begins. */
static void
paint_folds(const TnPaint *paint, const TnView *view, TnRect plot)
{
  const GArray *ranges = view->study->map->ranges;
  double last = -1e9;
  for (guint i = 1; i < ranges->len; i++) {
    double y =
        tn_view_y(view, plot, (double)g_array_index(ranges, TnAddressRange, i).place);
    if (y < plot.y || y > plot.y + plot.height || fabs(y - last) < 3.0)
      continue;
    tn_paint_hline(paint, plot.x - 4.0, y, 4.0, paint->theme->other);
    last = y;
  }
}

static void
outline(const TnPaint *paint, TnRect plot, TnRect r, uint32_t color, double width)
{
  cairo_save(paint->cr);
  cairo_rectangle(paint->cr, plot.x - 2, plot.y - 2, plot.width + 4, plot.height + 4);
  cairo_clip(paint->cr);
  double left = MAX(r.x, plot.x - 3), right = MIN(r.x + r.width, plot.x + plot.width + 3);
  if (right > left)
    tn_paint_frame(paint, (TnRect){left, r.y, right - left, r.height}, color, width);
  cairo_restore(paint->cr);
}

#define MOST_TENANTS 8 /* before and after the selection */

void
tn_draw_selection_offsets(const TnPaint *paint, const TnView *view, TnRect plot)
{
  TnRect r;
  if (view->hovered != TN_NONE && view->hovered != view->selected &&
      tn_view_rect_offsets(view, plot, view->hovered, &r))
    outline(paint, plot, r, paint->theme->secondary, 1.0);
  if (view->selected == TN_NONE || !tn_view_rect_offsets(view, plot, view->selected, &r))
    return;
  outline(paint, plot, r, paint->theme->text, 2.0);
  g_autoptr(GArray) chain = tn_tenants_chain_new(view->study, view->selected, MOST_TENANTS);
  tn_draw_chain(paint, view, plot, chain);
}

void
tn_draw_selection_lanes(const TnPaint *paint, const TnView *view, TnRect plot)
{
  TnRect r;
  if (view->hovered != TN_NONE && view->hovered != view->selected &&
      tn_view_rect_lanes(view, plot, view->hovered, &r))
    outline(paint, plot, r, paint->theme->secondary, 1.0);
  if (view->selected != TN_NONE && tn_view_rect_lanes(view, plot, view->selected, &r))
    outline(paint, plot, r, paint->theme->text, 2.0);
}

#define MAX_LABELS 400
#define LEAST_WIDTH 56.0 /* logical pixels of a block that is labelled */
#define LEAST_HEIGHT 13.0

/* The labels so far, in the places their text may take.  Buffers of a plan lie apart and so do their labels; where a
 * plan is wrong they may lie over one another, by the thousand, and nobody could read any. */
typedef struct {
  TnRect at[MAX_LABELS];
  int n;
} Labels;

/* Nothing where it is too small or too far up or down, or where another label stands. */
static void
label_block(const TnPaint *paint, const TnView *view, TnRect plot, tn_index i, Labels *labels)
{
  TnRect r;
  double bytes = (double)view->study->buffers->bytes[i];
  if (bytes * plot.height < (LEAST_HEIGHT - 1.0) * (view->p1 - view->p0))
    return; /* nearly all: seen from one figure */
  if (!tn_view_rect_offsets(view, plot, i, &r) || r.height < LEAST_HEIGHT || r.y < plot.y ||
      r.y + r.height > plot.y + plot.height)
    return;
  double left = MAX(r.x, plot.x), right = MIN(r.x + r.width, plot.x + plot.width);
  if (right - left < LEAST_WIDTH)
    return;
  TnRect room = {left + 4.0, r.y, right - left - 8.0, r.height};
  TnRect line = {room.x, r.y + r.height / 2 - LEAST_HEIGHT / 2, room.width, LEAST_HEIGHT};
  if (!tn_rect_is_free(line, labels->at, labels->n))
    return;
  labels->at[labels->n++] = line;
  tn_draw_label(paint, view, i, room);
}

/* The first of the rows alive that starts after `tick`: they stand by start, the new ones last. */
static uint32_t
first_after(const TnLiveSweep *sweep, const tn_tick *start, tn_tick tick)
{
  uint32_t i = sweep->n;
  while (i > 0 && start[sweep->alive[i - 1].row] > tick)
    i--;
  return i;
}

/* What is wide enough is alive at one of a few ticks: of millions of buffers no others are looked at. */
void
tn_draw_offset_labels(const TnPaint *paint, const TnView *view, TnRect plot)
{
  const TnStudy *study = view->study;
  int n = (int)ceil(plot.width / (LEAST_WIDTH / 2));
  tn_tick last = -1;
  Labels labels = {.n = 0};
  TnLiveSweep sweep = {0};
  for (int k = 0; k <= n && labels.n < MAX_LABELS; k++) {
    double at = tn_view_tick(view, plot, plot.x + plot.width * k / n);
    tn_tick tick = CLAMP((tn_tick)at, 0, study->axis_end - 1);
    if (tick <= last)
      continue;
    if (last < 0)
      tn_live_sweep_init(&sweep, study->index, tick);
    else
      tn_live_sweep_advance(&sweep, tick);
    uint32_t i = last < 0 ? 0 : first_after(&sweep, study->buffers->start, last);
    for (; i < sweep.n && labels.n < MAX_LABELS; i++)
      label_block(paint, view, plot, sweep.alive[i].row, &labels);
    last = tick;
  }
  tn_live_sweep_clear(&sweep);
}

void
tn_draw_offsets(const TnPaint *paint, const TnView *view, TnRect rect, cairo_surface_t *image)
{
  if (view->study->buffers->n == 0) {
    tn_draw_no_map(paint, view, rect);
    return;
  }
  g_autofree char *title = tn_draw_title_offsets(view);
  TnRect plot = tn_frame_plot(rect);
  tn_frame_panel(paint, rect, title);
  tn_frame_bytes_axis(paint, plot, view->p0, view->p1, view->units);
  paint_folds(paint, view, plot);
  cairo_surface_t *made = image ? NULL : tn_raster_build(view, paint, plot, tn_raster_offsets);
  if (image || made)
    tn_paint_image(paint, plot, image ? image : made);
  if (made)
    cairo_surface_destroy(made);
  tn_draw_streams(paint, view, plot);
  tn_frame_peak(paint, plot, view, false);
  tn_draw_outlines_offsets(paint, view, plot);
  tn_draw_offset_labels(paint, view, plot);
  tn_draw_regions(paint, view, plot);
  tn_draw_selection_offsets(paint, view, plot);
}
