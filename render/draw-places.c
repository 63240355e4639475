/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "render/draw-places.h"

#include "analysis/plan/reuse.h"
#include "render/raster.h"

#include <math.h>

#define MOST_STREAMS 8u   /* told apart by their hatching */
#define MOST_HATCHED 1500u /* buffers of a picture, the largest: each is painted while one waits */

/* ---- streams
 * ------------------------------------------------------------------------------------- */

static int
compare_streams(gconstpointer a, gconstpointer b)
{
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

/* Which of the first MOST_STREAMS it is; else -1. */
static int
find_among_first(const GArray *streams, uint32_t stream)
{
  for (guint k = 0; k < MIN(streams->len, MOST_STREAMS); k++)
    if (g_array_index(streams, uint32_t, k) == stream)
      return (int)k;
  return -1;
}

/* The streams in the order of their numbers.  Most buffers are of one of the first that are met: those are
 * compared before a hash is asked.  Owned by the caller. */
static GArray *
find_streams(const TnStudy *study)
{
  const TnBuffers *b = study->buffers;
  GArray *streams = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
  for (uint32_t i = 0; b->stream && i < b->n; i++) {
    uint32_t stream = b->stream[i];
    if (stream == TN_NONE || find_among_first(streams, stream) >= 0)
      continue;
    if (g_hash_table_add(seen, GUINT_TO_POINTER(stream)))
      g_array_append_val(streams, stream);
  }
  g_array_sort(streams, compare_streams);
  return streams;
}

char *
tn_draw_stream_words(const TnStudy *study)
{
  g_autoptr(GArray) streams = find_streams(study);
  guint n = MIN(streams->len, MOST_STREAMS), left = streams->len - n;
  if (n < 2)
    return NULL;
  g_autoptr(GString) text = g_string_new(n == 2 ? "hatched: stream " : "hatched: streams ");
  for (guint k = 1; k < n; k++)
    g_string_append_printf(text, "%s%u", k > 1 ? ", " : "", g_array_index(streams, uint32_t, k));
  if (left > 0)
    g_string_append_printf(text, "; %u more %s not", left, tn_plural(left, "is", "are"));
  return g_string_free(g_steal_pointer(&text), FALSE);
}

/* 0: of the first stream, of none, or of one of those beyond MOST_STREAMS. */
static uint32_t
row_of(const GArray *streams, uint32_t stream)
{
  return (uint32_t)MAX(find_among_first(streams, stream), 0);
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

typedef struct {
  TnRect rect; /* in the plot */
  tn_index buffer;
  uint32_t row; /* of its stream */
  bool is_nested;
} Marked;

/* The larger first. */
static int
compare_marked(gconstpointer a, gconstpointer b)
{
  const Marked *x = a, *y = b;
  double left = x->rect.width * x->rect.height, right = y->rect.width * y->rect.height;
  if (left != right)
    return left > right ? -1 : 1;
  return (x->buffer > y->buffer) - (x->buffer < y->buffer);
}

/* What is hatched or has a second outline, and is large enough to show it.  Owned by the caller. */
static GArray *
find_marked(const TnView *view, TnRect plot, const GArray *streams)
{
  const TnBuffers *b = view->study->buffers;
  GArray *out = g_array_new(FALSE, FALSE, sizeof(Marked));
  for (uint32_t i = 0; i < b->n; i++) {
    Marked m = {.buffer = i,
                .row = b->stream ? row_of(streams, b->stream[i]) : 0,
                .is_nested = tn_buffers_traits(b, i) & TN_TRAIT_NESTED};
    if ((m.row > 0 || m.is_nested) && (double)b->start[i] <= view->t1 &&
        (double)b->end[i] >= view->t0 && tn_view_rect_offsets(view, plot, i, &m.rect) &&
        clip_to(plot, &m.rect))
      g_array_append_val(out, m);
  }
  return out;
}

static void
paint_marked(const TnPaint *paint, const TnView *view, const Marked *m)
{
  uint32_t fill = tn_raster_color(view, paint->theme, m->buffer) & 0xFFFFFF;
  uint32_t faint = tn_color_mix(fill, tn_color_text_on(fill), 0.45);
  TnRect r = m->rect;
  if (m->row > 0)
    tn_paint_hatch(paint, r, faint, 14.0 - 1.5 * m->row);
  if (m->is_nested && r.width >= 9.0 && r.height >= 9.0)
    tn_paint_frame(paint, (TnRect){r.x + 2.0, r.y + 2.0, r.width - 5.0, r.height - 5.0}, faint, 1.0);
}

/* In a corner of the plot: only the painting knows it. */
static void
paint_unmarked(const TnPaint *paint, TnRect plot, guint n)
{
  g_autofree char *text = g_strdup_printf("%u smaller ones are not hatched", n);
  TnTextStyle style = {.size = 10.0, .color = paint->theme->secondary, .align = TN_ALIGN_END};
  double width = tn_paint_text_width(paint, text, &style) + 8.0;
  double right = plot.x + plot.width - 2.0, bottom = plot.y + plot.height - 2.0;
  tn_paint_rect(paint, (TnRect){right - width, bottom - 15.0, width, 15.0}, paint->theme->panel);
  tn_paint_text(paint, text, right - 4.0, bottom - 7.5, &style);
}

void
tn_draw_streams(const TnPaint *paint, const TnView *view, TnRect plot)
{
  g_autoptr(GArray) streams = find_streams(view->study);
  if (streams->len < 2 && !view->study->buffers->traits)
    return;
  g_autoptr(GArray) marked = find_marked(view, plot, streams);
  guint n = MIN(marked->len, MOST_HATCHED);
  if (n < marked->len)
    g_array_sort(marked, compare_marked);
  for (guint i = 0; i < n; i++)
    paint_marked(paint, view, &g_array_index(marked, Marked, i));
  if (n < marked->len)
    paint_unmarked(paint, plot, marked->len - n);
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
