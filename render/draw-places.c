/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "render/draw-places.h"

#include "analysis/plan/reuse.h"
#include "render/raster.h"

#include <math.h>

#define MOST_STREAMS 8   /* told apart by their hatching */
#define MOST_HATCHED 600 /* buffers of a picture: more are smaller than a line */

/* ---- streams
 * ------------------------------------------------------------------------------------- */

/* The streams in the order of their numbers; at most MOST_STREAMS. */
static uint32_t
find_streams(const TnStudy *study, uint32_t *out)
{
  const TnBuffers *b = study->buffers;
  uint32_t n = 0;
  for (uint32_t i = 0; b->stream && i < b->n && n < MOST_STREAMS; i++) {
    uint32_t stream = b->stream[i], k = 0;
    if (stream == TN_NONE)
      continue;
    while (k < n && out[k] < stream)
      k++;
    if (k < n && out[k] == stream)
      continue;
    for (uint32_t m = n++; m > k; m--)
      out[m] = out[m - 1];
    out[k] = stream;
  }
  return n;
}

char *
tn_draw_stream_words(const TnStudy *study)
{
  uint32_t streams[MOST_STREAMS], n = find_streams(study, streams);
  if (n < 2)
    return NULL;
  g_autoptr(GString) text = g_string_new(n == 2 ? "hatched: stream " : "hatched: streams ");
  for (uint32_t k = 1; k < n; k++)
    g_string_append_printf(text, "%s%u", k > 1 ? ", " : "", streams[k]);
  return g_string_free(g_steal_pointer(&text), FALSE);
}

static uint32_t
row_of(const uint32_t *streams, uint32_t n, uint32_t stream)
{
  for (uint32_t k = 0; k < n; k++)
    if (streams[k] == stream)
      return k;
  return 0;
}

/* The part of a rectangle that lies in the plot; false where too little does. */
static bool
clip_to(TnRect plot, TnRect *r)
{
  double left = MAX(r->x, plot.x), right = MIN(r->x + r->width, plot.x + plot.width);
  double top = MAX(r->y, plot.y), bottom = MIN(r->y + r->height, plot.y + plot.height);
  *r = (TnRect){left, top, right - left, bottom - top};
  return r->width >= 5.0 && r->height >= 5.0;
}

void
tn_draw_streams(const TnPaint *paint, const TnView *view, TnRect plot)
{
  const TnBuffers *b = view->study->buffers;
  uint32_t streams[MOST_STREAMS], n = find_streams(view->study, streams);
  int drawn = 0;
  if (n < 2 && !b->traits)
    return;
  for (uint32_t i = 0; i < b->n && drawn < MOST_HATCHED; i++) {
    TnRect r;
    uint32_t k = b->stream ? row_of(streams, n, b->stream[i]) : 0;
    bool is_nested = tn_buffers_traits(b, i) & TN_TRAIT_NESTED;
    if ((k == 0 && !is_nested) || (double)b->start[i] > view->t1 || (double)b->end[i] < view->t0 ||
        !tn_view_rect_offsets(view, plot, i, &r) || !clip_to(plot, &r))
      continue;
    uint32_t color = tn_color_text_on(tn_raster_color(view, paint->theme, i) & 0xFFFFFF);
    uint32_t faint = tn_color_mix(tn_raster_color(view, paint->theme, i) & 0xFFFFFF, color, 0.45);
    if (k > 0)
      tn_paint_hatch(paint, r, faint, 14.0 - 1.5 * k);
    if (is_nested && r.width >= 9.0 && r.height >= 9.0)
      tn_paint_frame(paint, (TnRect){r.x + 2.0, r.y + 2.0, r.width - 5.0, r.height - 5.0}, faint,
                     1.0);
    drawn++;
  }
}

/* ---- who gets whose place
 * --------------------------------------------------------------------------- */

typedef struct {
  double x0, y0, x1, y1;
} Arrow;

#define ARROW_HEAD 7.0
#define ARROW_HALO 4.0 /* wide */

static void
trace(cairo_t *cr, Arrow a)
{
  double angle = atan2(a.y1 - a.y0, a.x1 - a.x0), head = ARROW_HEAD;
  cairo_new_path(cr);
  cairo_move_to(cr, a.x0, a.y0);
  cairo_line_to(cr, a.x1, a.y1);
  cairo_move_to(cr, a.x1 - head * cos(angle - 0.45), a.y1 - head * sin(angle - 0.45));
  cairo_line_to(cr, a.x1, a.y1);
  cairo_line_to(cr, a.x1 - head * cos(angle + 0.45), a.y1 - head * sin(angle + 0.45));
}

/* On a halo, so that it is seen on any colour. */
static void
paint_arrow(const TnPaint *paint, Arrow arrow)
{
  trace(paint->cr, arrow);
  tn_paint_set_color(paint, paint->theme->background, 0.9);
  cairo_set_line_width(paint->cr, ARROW_HALO);
  cairo_stroke_preserve(paint->cr);
  tn_paint_set_color(paint, paint->theme->text, 1.0);
  cairo_set_line_width(paint->cr, 1.6);
  cairo_stroke(paint->cr);
}

/* From the end of the earlier to the start of the later, at the height of the bytes that both hold;
 * where these meet, from inside the one to inside the other. */
static bool
arrow_of(const TnView *view, TnRect plot, const TnReusePair *pair, Arrow *out)
{
  TnRect a, b;
  if (!tn_view_rect_offsets(view, plot, pair->earlier, &a) ||
      !tn_view_rect_offsets(view, plot, pair->later, &b))
    return false;
  double top = MAX(MAX(a.y, b.y), plot.y);
  double bottom = MIN(MIN(a.y + a.height, b.y + b.height), plot.y + plot.height);
  double right = a.x + a.width;
  if (bottom <= top || b.x < plot.x || right > plot.x + plot.width)
    return false;
  bool is_close = b.x - right < 16.0;
  double from = is_close ? right - MIN(8.0, a.width / 2.0) : right;
  double to = is_close ? b.x + MIN(8.0, b.width / 2.0) : b.x;
  *out = (Arrow){MAX(from, plot.x), (top + bottom) / 2.0, to, (top + bottom) / 2.0};
  return true;
}

bool
tn_chain_bounds(const TnView *view, TnRect plot, const GArray *pairs, TnRect *out)
{
  const double around = ARROW_HEAD + ARROW_HALO;
  double left = HUGE_VAL, right = -HUGE_VAL, top = HUGE_VAL, bottom = -HUGE_VAL;
  Arrow arrow;
  for (guint i = 0; i < pairs->len; i++) {
    if (!arrow_of(view, plot, &g_array_index(pairs, TnReusePair, i), &arrow))
      continue;
    left = MIN(left, MIN(arrow.x0, arrow.x1));
    right = MAX(right, MAX(arrow.x0, arrow.x1));
    top = MIN(top, arrow.y0);
    bottom = MAX(bottom, arrow.y0);
  }
  left = MAX(floor(left - around), plot.x);
  top = MAX(floor(top - around), plot.y);
  right = MIN(ceil(right + around), plot.x + plot.width);
  bottom = MIN(ceil(bottom + around), plot.y + plot.height);
  if (left >= right || top >= bottom)
    return false;
  *out = (TnRect){left, top, right - left, bottom - top};
  return true;
}

void
tn_draw_chain(const TnPaint *paint, const TnView *view, TnRect plot, const GArray *pairs)
{
  Arrow arrow;
  cairo_save(paint->cr);
  cairo_rectangle(paint->cr, plot.x, plot.y, plot.width, plot.height);
  cairo_clip(paint->cr);
  cairo_set_line_cap(paint->cr, CAIRO_LINE_CAP_ROUND);
  for (guint i = 0; i < pairs->len; i++)
    if (arrow_of(view, plot, &g_array_index(pairs, TnReusePair, i), &arrow))
      paint_arrow(paint, arrow);
  cairo_restore(paint->cr);
}
