/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "render/skyline.h"

#include "analysis/batch-sum.h"
#include "analysis/plan/occupancy.h"

#include <math.h>
#include <string.h>

/* Columns are filled one under the other and turned into rows, as in raster-offsets.c. */
#define STRIP 16

double
tn_skyline_height(const TnView *view)
{
  return MAX((double)view->study->live->peak, 1.0) * 1.04;
}

typedef struct {
  const TnView *view;
  const TnTheme *theme;
  int height;
  double per_byte; /* device pixels */
  uint32_t *pixels; /* from the top */
  tn_tick tick;     /* of `pixels`; -1: none yet */
} Column;

/* Rows [*out_first, *out_stop) of the bytes [low, high) above the ground. */
static bool
rows_of(const Column *c, double low, double high, int *out_first, int *out_stop)
{
  double top = c->height - high * c->per_byte, bottom = c->height - low * c->per_byte;
  *out_first = MAX((int)lround(top), 0);
  *out_stop = MIN((int)lround(bottom), c->height);
  return *out_first < *out_stop;
}

/* The selected one keeps a rim in the colour of text, and at least a row. */
static void
paint_selected(Column *c, double low, double high)
{
  int first, stop;
  uint32_t rim = 0xFF000000u | c->theme->text;
  if (!rows_of(c, low, high, &first, &stop)) {
    first = CLAMP((int)(c->height - high * c->per_byte), 0, c->height - 1);
    stop = first + 1;
  }
  c->pixels[first] = c->pixels[stop - 1] = rim;
  if (stop - first > 6)
    c->pixels[first + 1] = c->pixels[stop - 2] = rim;
}

/* What a row adds to the stack: nothing where another batch counts, which never runs beside its own;
 * in a gap what it keeps. */
static tn_bytes
height_of(const TnBuffers *b, tn_index row, uint32_t label, tn_tick tick)
{
  tn_bytes low, high;
  bool is_there = tn_batch_sum_counts(b, row, label) && tn_occupancy_window(b, row, tick, &low, &high);
  return is_there ? high - low : 0;
}

/* What is too thin for a row of its own is drawn where rounding puts its edge: the heights add up. */
static void
paint_alive(Column *c, const TnLiveSweep *sweep, tn_tick tick)
{
  const TnBuffers *b = c->view->study->buffers;
  double low = 0.0, selected_low = -1.0, selected_high = 0.0;
  uint32_t label = tn_batch_sum_label_of_sweep(b, sweep, tick);
  memset(c->pixels, 0, (gsize)c->height * sizeof *c->pixels);
  for (uint32_t i = 0; i < sweep->n; i++) {
    uint32_t row = sweep->alive[i].row;
    tn_bytes height = height_of(b, row, label, tick);
    double high = low + (double)height;
    int first, stop;
    if (height == 0 && b->bytes[row] > 0)
      continue;
    if (rows_of(c, low, high, &first, &stop)) {
      uint32_t color = tn_raster_color(c->view, c->theme, row);
      for (int y = first; y < stop; y++)
        c->pixels[y] = color;
    }
    if (row == c->view->selected) {
      selected_low = low;
      selected_high = high;
    }
    low = high;
  }
  if (selected_low >= 0.0)
    paint_selected(c, selected_low, selected_high);
}

static const uint32_t *
fill_column(Column *c, TnLiveSweep *sweep, int x, int width)
{
  tn_tick start, end, tick;
  if (!tn_view_column(c->view, x, width, &start, &end))
    return NULL;
  tn_curve_max(c->view->study->live, start, end, &tick);
  if (tick == c->tick)
    return c->pixels;
  if (c->tick < 0)
    tn_live_sweep_init(sweep, c->view->study->index, tick);
  else
    tn_live_sweep_advance(sweep, tick);
  paint_alive(c, sweep, tick);
  c->tick = tick;
  return c->pixels;
}

static void
fill_columns(const TnView *view, const TnTheme *theme, double scale, int from, int stop,
             TnRaster *out)
{
  gsize height = (gsize)out->height;
  g_autofree uint32_t *strip = g_new(uint32_t, STRIP * height);
  g_autofree uint32_t *pixels = g_new(uint32_t, height);
  TnLiveSweep sweep = {0};
  Column c = {.view = view,
              .theme = theme,
              .height = out->height,
              .per_byte = out->height / tn_skyline_height(view),
              .pixels = pixels,
              .tick = -1};
  for (int x = from; x < stop && !tn_raster_is_stopped(out); x++) {
    const uint32_t *column = fill_column(&c, &sweep, x, out->width);
    int at = (x - from) % STRIP;
    uint32_t *to = strip + (gsize)at * height;
    if (column)
      memcpy(to, column, height * sizeof *to);
    else
      memset(to, 0, height * sizeof *to);
    if (at == STRIP - 1 || x == stop - 1)
      tn_raster_copy_strip(strip, at + 1, x - at, out);
  }
  tn_live_sweep_clear(&sweep);
}

void
tn_raster_skyline(const TnView *view, const TnTheme *theme, double scale, TnRaster *out)
{
  tn_raster_fill_parts(view, theme, scale, fill_columns, out);
}

tn_index
tn_skyline_hit(const TnView *view, TnRect rect, double x, double y)
{
  int n = MAX((int)lround(rect.width), 1);
  tn_tick start, end, tick;
  if (!tn_view_column(view, CLAMP((int)(x - rect.x), 0, n - 1), n, &start, &end))
    return TN_NONE;
  tn_curve_max(view->study->live, start, end, &tick);
  double at = (1.0 - (y - rect.y) / rect.height) * tn_skyline_height(view), low = 0.0;
  tn_index found = TN_NONE;
  TnLiveSweep sweep;
  tn_live_sweep_init(&sweep, view->study->index, tick);
  uint32_t label = tn_batch_sum_label_of_sweep(view->study->buffers, &sweep, tick);
  for (uint32_t i = 0; i < sweep.n && low <= at; i++) {
    low += (double)height_of(view->study->buffers, sweep.alive[i].row, label, tick);
    if (low > at)
      found = sweep.alive[i].row;
  }
  tn_live_sweep_clear(&sweep);
  return found;
}
