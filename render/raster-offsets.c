/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "render/raster.h"

#include "render/pixels.h"

#include <math.h>
#include <string.h>

/* Columns are filled one under the other in a small strip and turned into rows from there: a column
 * of a picture touches a cache line for each pixel. */
#define STRIP 16

typedef struct {
  const TnView *view;
  const TnTheme *theme;
  double scale;
  int height;
  double per_byte; /* device pixels */
  uint32_t *pixels; /* the buffers at `tick`, from the top */
  float *cover;     /* how much of each pixel its colour covers: the largest share wins */
  uint32_t *out;    /* the present column: what is held, and the buffers over it */
  tn_tick tick;     /* of `pixels`; -1: none yet */
} Column;

/* Paints [low, high) of the map in one colour. */
static void
paint_span(Column *c, double low, double high, uint32_t color)
{
  int first, stop;
  float share = tn_pixels_of_span(c->view, c->height, c->per_byte, low, high, &first, &stop);
  if (share >= 1.0f) {
    for (int y = first; y < stop; y++) {
      c->pixels[y] = color;
      c->cover[y] = 1.0f;
    }
  } else if (share > 0.0f && share > c->cover[first]) {
    c->pixels[first] = color;
    c->cover[first] = share;
  }
}

/* What rounding and alignment lost, where it is thick enough to be seen. */
static void
paint_padding(Column *c, uint32_t row, double low, double high)
{
  const TnBuffers *b = c->view->study->buffers;
  double lost = (double)(b->bytes[row] - tn_buffers_requested(b, row));
  if (lost * c->per_byte >= 1.0)
    paint_span(c, MAX(high - lost, low), high, 0xFF000000u | c->theme->padding);
}

static void
clear_column(Column *c)
{
  memset(c->pixels, 0, (gsize)c->height * sizeof *c->pixels);
  memset(c->cover, 0, (gsize)c->height * sizeof *c->cover);
}

/* Held from the device: hatched until a buffer covers it.  The pattern follows the device pixels,
 * so that neighbouring columns join to lines. */
static void
paint_held(Column *c, const TnLiveSweep *held, int x)
{
  const TnStudy *study = c->view->study;
  uint32_t line = 0xFF000000u | c->theme->hatch;
  int gap = MAX((int)lround(6.0 * c->scale), 3), thick = MAX((int)lround(c->scale), 1);
  for (uint32_t i = 0; i < held->n; i++) {
    uint32_t row = held->alive[i].row;
    tn_bytes place = study->segment_place[row];
    if (place == TN_NOT_PLACED)
      continue;
    double high = (double)place + (double)study->segments->bytes[row];
    int first, stop;
    if (tn_pixels_of_span(c->view, c->height, c->per_byte, (double)place, high, &first, &stop) < 1.0f)
      continue;
    for (int y = first; y < stop; y++)
      if ((x + y) % gap < thick)
        c->out[y] = line;
  }
}

/* Thin ones are many: their colour is looked up only where they win their pixel. */
static void
paint_alive(Column *c, const TnLiveSweep *sweep)
{
  const TnStudy *study = c->view->study;
  for (uint32_t i = 0; i < sweep->n; i++) {
    uint32_t row = sweep->alive[i].row;
    tn_bytes place = study->map->place[row];
    if (place == TN_NOT_PLACED)
      continue;
    double low = (double)place, high = low + (double)study->buffers->bytes[row];
    int first, stop;
    float share = tn_pixels_of_span(c->view, c->height, c->per_byte, low, high, &first, &stop);
    if (share <= 0.0f || (share < 1.0f && share <= c->cover[first]))
      continue;
    uint32_t color = tn_raster_color(c->view, c->theme, row);
    for (int y = first; y < stop; y++) {
      c->pixels[y] = color;
      c->cover[y] = share;
    }
    if (share >= 1.0f)
      paint_padding(c, row, low, high);
  }
}

/* Marked buffers are never lost under their neighbours. */
static void
paint_marked(Column *c, tn_tick tick, tn_index row)
{
  const TnStudy *study = c->view->study;
  if (row == TN_NONE || study->buffers->start[row] > tick || study->buffers->end[row] <= tick ||
      study->map->place[row] == TN_NOT_PLACED)
    return;
  double low = (double)study->map->place[row], high = low + (double)study->buffers->bytes[row];
  double least = 1.0 / c->per_byte;
  paint_span(c, low, MAX(high, low + least), tn_raster_color(c->view, c->theme, row));
}

typedef struct {
  TnLiveSweep alive, held;
  bool has_started;
} Sweeps;

static void
advance(Sweeps *sweeps, const TnStudy *study, tn_tick tick)
{
  if (!sweeps->has_started) {
    tn_live_sweep_init(&sweeps->alive, study->index, tick);
    if (study->segment_index)
      tn_live_sweep_init(&sweeps->held, study->segment_index, tick);
    sweeps->has_started = true;
    return;
  }
  tn_live_sweep_advance(&sweeps->alive, tick);
  if (study->segment_index)
    tn_live_sweep_advance(&sweeps->held, tick);
}

/* Columns that show the same tick (there are fewer ticks than pixels) share their buffers. */
static void
fill_column(Column *c, Sweeps *sweeps, int x, int width)
{
  tn_tick start, end, tick;
  memset(c->out, 0, (gsize)c->height * sizeof *c->out);
  if (!tn_view_column(c->view, x, width, &start, &end))
    return;
  tn_curve_max(c->view->study->live, start, end, &tick);
  if (tick != c->tick) {
    clear_column(c);
    advance(sweeps, c->view->study, tick);
    paint_alive(c, &sweeps->alive);
    paint_marked(c, tick, c->view->selected);
    c->tick = tick;
  }
  paint_held(c, &sweeps->held, x);
  for (int y = 0; y < c->height; y++)
    c->out[y] = c->cover[y] > 0.0f ? c->pixels[y] : c->out[y];
}

void
tn_raster_offsets(const TnView *view, const TnTheme *theme, double scale, TnRaster *out)
{
  gsize height = (gsize)out->height;
  g_autofree uint32_t *strip = g_new(uint32_t, STRIP * height);
  g_autofree uint32_t *pixels = g_new(uint32_t, height);
  g_autofree float *cover = g_new(float, height);
  Column c = {.view = view,
              .theme = theme,
              .scale = scale,
              .height = out->height,
              .per_byte = out->height / (view->p1 - view->p0),
              .pixels = pixels,
              .cover = cover,
              .tick = -1};
  Sweeps sweeps = {0};
  for (int x = 0; x < out->width; x++) {
    c.out = strip + (gsize)(x % STRIP) * height;
    fill_column(&c, &sweeps, x, out->width);
    if (x % STRIP == STRIP - 1 || x == out->width - 1)
      tn_raster_copy_strip(strip, x % STRIP + 1, x - x % STRIP, out);
  }
  tn_live_sweep_clear(&sweeps.alive);
  tn_live_sweep_clear(&sweeps.held);
}
