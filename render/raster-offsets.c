/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "render/raster.h"

#include "data/next-free.h"
#include "render/pixels.h"

#include <math.h>
#include <string.h>

/* Columns are filled one under the other in a small strip and turned into rows from there: a column
 * of a picture touches a cache line for each pixel. */
#define STRIP 16

/* Buffers of a plan lie beside each other, and a column is painted about once.  Where more than this many lie
 * over one another, at one place by a hundred thousands, each pixel is painted once, by the last. */
#define MOST_OVER 16

/* What a buffer takes of a column: the same in all columns, so it is worked out once. */
typedef struct {
  tn_tick end;
  uint32_t row;
  uint32_t color; /* 0: not looked up yet.  Thin ones are many, and few of them win a pixel */
  float share;    /* as of tn_pixels_of_span() */
  uint16_t first, stop;
} Span;

typedef struct {
  const TnView *view;
  const TnTheme *theme;
  double scale;
  int height;
  double per_byte; /* device pixels */
  Span *spans;     /* of what is alive at `tick` and in sight, by start */
  uint32_t n, capacity, next; /* `next`: position in the order of starts */
  uint32_t *pixels; /* the buffers at `tick`, from the top */
  float *cover;     /* how much of each pixel its colour covers: the largest share wins */
  uint32_t *owner;  /* the buffer that painted it, where `cover` says that one did; NULL: a log's, which cannot
                       be wrong */
  uint8_t *is_wrong; /* two buffers hold its bytes at once */
  uint32_t *out;    /* the present column: what is held, and the buffers over it */
  tn_tick tick;     /* of `pixels`; -1: none yet */
  TnLiveSweep held;
} Column;

/* ---- what is alive and in sight ---------------------------------------------------------------- */

static void
add_span(Column *c, tn_index row, tn_tick end, double low, double high, uint32_t color)
{
  int first, stop;
  float share = tn_pixels_of_span(c->view, c->height, c->per_byte, low, high, &first, &stop);
  if (share <= 0.0f)
    return;
  if (c->n == c->capacity) {
    c->capacity = MAX(1024u, c->capacity * 2);
    c->spans = g_renew(Span, c->spans, c->capacity);
  }
  c->spans[c->n++] = (Span){end, row, color, share, (uint16_t)first, (uint16_t)stop};
}

/* With it, over it, what rounding and alignment lost, where that is thick enough to be seen. */
static void
add_buffer(Column *c, tn_index row, tn_tick tick)
{
  const TnStudy *study = c->view->study;
  const TnBuffers *b = study->buffers;
  tn_tick end = b->end[row];
  tn_bytes place;
  if (end <= tick || (place = study->map->place[row]) == TN_NOT_PLACED)
    return;
  double low = (double)place, high = low + (double)b->bytes[row];
  add_span(c, row, end, low, high, 0);
  double lost = (double)(b->bytes[row] - tn_buffers_requested(b, row));
  if (lost * c->per_byte >= 1.0)
    add_span(c, row, end, MAX(high - lost, low), high, 0xFF000000u | c->theme->padding);
}

/* Without a branch: who ends is as good as random, and there are tens of thousands. */
static void
drop_ended(Column *c, tn_tick tick)
{
  Span *spans = c->spans;
  uint32_t n = c->n, kept = 0;
  while (kept < n && spans[kept].end > tick)
    kept++;
  for (uint32_t i = kept; i < n; i++) {
    Span span = spans[i];
    spans[kept] = span;
    kept += span.end > tick;
  }
  c->n = kept;
}

/* As tn_live_sweep_advance(). */
static void
advance_alive(Column *c, tn_tick tick)
{
  const TnLiveIndex *index = c->view->study->index;
  const TnBuffers *b = c->view->study->buffers;
  const uint32_t *rows;
  uint32_t n;
  if (tn_live_index_jump(index, c->next, tick, &rows, &n, &c->next)) {
    c->n = 0;
    for (uint32_t i = 0; i < n; i++)
      add_buffer(c, rows[i], tick);
  } else {
    drop_ended(c, tick);
  }
  for (; c->next < b->n; c->next++) {
    uint32_t row = tn_live_index_row(index, c->next);
    if (b->start[row] > tick)
      break;
    add_buffer(c, row, tick);
  }
}

static void
advance(Column *c, tn_tick tick)
{
  const TnLiveIndex *segments = c->view->study->segment_index;
  advance_alive(c, tick);
  if (segments && c->tick < 0)
    tn_live_sweep_init(&c->held, segments, tick);
  else if (segments)
    tn_live_sweep_advance(&c->held, tick);
  c->tick = tick;
}

/* ---- painting ---------------------------------------------------------------------------------- */

/* Held from the device: hatched until a buffer covers it.  The pattern follows the device pixels,
 * so that neighbouring columns join to lines. */
static void
paint_held(Column *c, int x)
{
  const TnStudy *study = c->view->study;
  uint32_t line = 0xFF000000u | c->theme->hatch;
  int gap = MAX((int)lround(6.0 * c->scale), 3), thick = MAX((int)lround(c->scale), 1);
  for (uint32_t i = 0; i < c->held.n; i++) {
    uint32_t row = c->held.alive[i].row;
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

static uint32_t
color_of(const Column *c, Span *span)
{
  if (!span->color)
    span->color = tn_raster_color(c->view, c->theme, span->row);
  return span->color;
}

static void
paint_pixels(Column *c, int first, int stop, Span *span)
{
  uint32_t color = color_of(c, span);
  for (int y = first; y < stop; y++) {
    c->pixels[y] = color;
    c->cover[y] = span->share;
  }
  for (int y = first; c->owner && y < stop; y++)
    c->owner[y] = span->row;
}

static void
paint_span(Column *c, Span *span)
{
  paint_pixels(c, span->first, span->stop, span);
}

/* A gap frees a part of its buffer, or all of it.  They are sorted and apart. */
static bool
is_in_gap(const TnBuffers *b, tn_index row, tn_tick tick)
{
  uint32_t n, low = 0;
  const TnGap *gaps = tn_buffers_gaps(b, row, &n);
  for (uint32_t high = n; low < high;) {
    uint32_t middle = low + (high - low) / 2;
    if (gaps[middle].start <= tick)
      low = middle + 1;
    else
      high = middle;
  }
  return low > 0 && tick < gaps[low - 1].end;
}

/* Whether two that are alive hold the same bytes and may not: as the checker says, but for what a gap
 * leaves of a buffer. */
static bool
do_clash(const Column *c, tn_index i, tn_index j)
{
  const TnBuffers *b = c->view->study->buffers;
  const tn_bytes *place = c->view->study->map->place;
  bool are_apart = b->batch && b->batch[i] && b->batch[j] && b->batch[i] != b->batch[j];
  return i != j && !are_apart && place[i] < place[j] + b->bytes[j] && place[j] < place[i] + b->bytes[i] &&
         !is_in_gap(b, i, c->tick) && !is_in_gap(b, j, c->tick);
}

/* Before it is painted: what it meets.  Neighbours may share a pixel, so their places are asked; of what is
 * thin on what is thin nothing could be seen. */
static void
mark_clashes(Column *c, const Span *span)
{
  tn_index met = TN_NONE;
  bool is_wrong = false;
  for (int y = span->first; y < span->stop; y++) {
    if (MAX(c->cover[y], span->share) < 1.0f || c->cover[y] <= 0.0f)
      continue;
    if (c->owner[y] != met)
      is_wrong = do_clash(c, met = c->owner[y], span->row);
    c->is_wrong[y] |= is_wrong;
  }
}

/* As paint_spans(), from the last one to the first: what is whole, then what is thin (of one pixel). */
static void
paint_from_last(Column *c, Span *spans, uint32_t n)
{
  g_autofree uint32_t *next = g_new(uint32_t, (gsize)c->height + 1); /* pixels that none has painted */
  for (uint32_t y = 0; y <= (uint32_t)c->height; y++)
    next[y] = y;
  memset(c->cover, 0, (gsize)c->height * sizeof *c->cover);
  for (uint32_t i = n; i-- > 0;) {
    Span *span = &spans[i];
    if (span->share < 1.0f)
      continue;
    for (uint32_t y = tn_next_free(next, span->first); y < span->stop; y = tn_next_free(next, y)) {
      paint_pixels(c, (int)y, (int)y + 1, span);
      next[y] = y + 1;
    }
  }
  for (uint32_t i = 0; i < n; i++)
    if (spans[i].share < 1.0f && spans[i].share > c->cover[spans[i].first])
      paint_span(c, &spans[i]);
}

/* What covers whole pixels covers what came before it; of thin ones the largest share wins.  What is
 * whole is asked first: below the last half pixel it begins behind the picture and has no rows. */
static void
paint_spans(Column *c, Span *spans, uint32_t n)
{
  const float *cover = c->cover;
  int64_t room = (int64_t)MOST_OVER * c->height;
  for (uint32_t i = 0; i < n && room >= 0; i++) {
    if (c->owner && (spans[i].share >= 1.0f || cover[spans[i].first] >= 1.0f))
      mark_clashes(c, &spans[i]);
    if (spans[i].share >= 1.0f || spans[i].share > cover[spans[i].first]) {
      paint_span(c, &spans[i]);
      room -= spans[i].stop - spans[i].first;
    }
  }
  if (room < 0)
    paint_from_last(c, spans, n);
}

/* A marked buffer is never lost under its neighbours. */
static void
paint_marked(Column *c, tn_index row)
{
  const TnStudy *study = c->view->study;
  if (row == TN_NONE || study->buffers->start[row] > c->tick ||
      study->buffers->end[row] <= c->tick || study->map->place[row] == TN_NOT_PLACED)
    return;
  double low = (double)study->map->place[row], high = low + (double)study->buffers->bytes[row];
  uint32_t from = c->n;
  add_span(c, row, 0, low, MAX(high, low + 1.0 / c->per_byte), 0);
  paint_spans(c, c->spans + from, c->n - from);
  c->n = from;
}

static void
paint_alive(Column *c)
{
  memset(c->pixels, 0, (gsize)c->height * sizeof *c->pixels);
  memset(c->cover, 0, (gsize)c->height * sizeof *c->cover);
  memset(c->is_wrong, 0, (gsize)c->height);
  paint_spans(c, c->spans, c->n);
  paint_marked(c, c->view->selected);
}

/* Hatched the other way than what is held, so that it is told from it without its colour too. */
static void
hatch_wrong(Column *c, int x)
{
  int gap = MAX((int)lround(7.0 * c->scale), 4), thick = MAX((int)lround(2.0 * c->scale), 1);
  for (int y = 0; y < c->height; y++)
    if (c->is_wrong[y] && (x + c->height - y) % gap < thick)
      c->out[y] = 0xFF000000u | c->theme->peak;
}

/* Columns that show the same tick (there are fewer ticks than pixels) share their buffers. */
static void
fill_column(Column *c, int x, int width)
{
  tn_tick start, end, tick;
  memset(c->out, 0, (gsize)c->height * sizeof *c->out);
  if (!tn_view_column(c->view, x, width, &start, &end))
    return;
  tn_curve_max(c->view->study->live, start, end, &tick);
  if (tick != c->tick) {
    advance(c, tick);
    paint_alive(c);
  }
  paint_held(c, x);
  for (int y = 0; y < c->height; y++)
    c->out[y] = c->cover[y] > 0.0f ? c->pixels[y] : c->out[y];
  hatch_wrong(c, x);
}

/* ---- the picture, in parts --------------------------------------------------------------------- */

static void
fill_columns(const TnView *view, const TnTheme *theme, double scale, int from, int stop,
             TnRaster *out)
{
  gsize height = (gsize)out->height;
  g_autofree uint32_t *strip = g_new(uint32_t, STRIP * height);
  g_autofree uint32_t *pixels = g_new0(uint32_t, height);
  g_autofree float *cover = g_new0(float, height);
  g_autofree uint32_t *owner = view->study->is_log ? NULL : g_new(uint32_t, height);
  g_autofree uint8_t *is_wrong = g_new0(uint8_t, height);
  Column c = {.view = view,
              .theme = theme,
              .scale = scale,
              .height = out->height,
              .per_byte = out->height / (view->p1 - view->p0),
              .pixels = pixels,
              .cover = cover,
              .owner = owner,
              .is_wrong = is_wrong,
              .tick = -1};
  for (int x = from; x < stop && !tn_raster_is_stopped(out); x++) {
    int at = (x - from) % STRIP;
    c.out = strip + (gsize)at * height;
    fill_column(&c, x, out->width);
    if (at == STRIP - 1 || x == stop - 1)
      tn_raster_copy_strip(strip, at + 1, x - at, out);
  }
  g_free(c.spans);
  tn_live_sweep_clear(&c.held);
}

void
tn_raster_offsets(const TnView *view, const TnTheme *theme, double scale, TnRaster *out)
{
  tn_raster_fill_parts(view, theme, scale, fill_columns, out);
}
