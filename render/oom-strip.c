/* SPDX-License-Identifier: MIT */
/* The segments at the failure, one behind the other, a pixel column the colour of what fills most
 * of it. */
#include "config.h"

#include "render/draw-oom-private.h"

#include "render/raster.h"

#include <math.h>
#include <string.h>

#define HOLE 0u /* no colour is black: a hole */

typedef struct {
  tn_bytes from, to; /* place: segments one behind the other */
  uint32_t color;
  uint32_t buffer;
} Piece;

/* Where each segment begins. */
static tn_bytes *
places_of(const TnHoles *holes)
{
  tn_bytes *place = g_new(tn_bytes, holes->segments->len + 1u), at = 0;
  for (guint i = 0; i < holes->segments->len; i++) {
    place[i] = at;
    at += tn_holes_segment(holes, i)->bytes;
  }
  place[holes->segments->len] = at;
  return place;
}

static GArray *
pieces_new(const TnOomPage *page, const tn_bytes *place)
{
  const TnHoles *holes = page->oom->holes;
  GArray *pieces = g_array_new(FALSE, FALSE, sizeof(Piece));
  for (guint i = 0; i < holes->blocks->len; i++) {
    const TnHeldBlock *block = tn_holes_block(holes, i);
    if (block->segment == TN_NONE)
      continue;
    const TnSegmentState *segment = tn_holes_segment(holes, block->segment);
    tn_bytes from = place[block->segment] + (tn_bytes)(block->address - segment->address);
    Piece piece = {from, from + block->bytes + block->rest,
                   tn_raster_color(page->view, page->paint->theme, block->buffer), block->buffer};
    g_array_append_val(pieces, piece);
  }
  return pieces;
}

/* The colour that has most of [from, to); *next: the first piece that may reach into it. */
static uint32_t
color_of_column(const GArray *pieces, guint *next, double from, double to)
{
  uint32_t best = HOLE;
  double most = 0, used = 0;
  while (*next < pieces->len && (double)g_array_index(pieces, Piece, *next).to <= from)
    ++*next;
  for (guint i = *next; i < pieces->len; i++) {
    const Piece *piece = &g_array_index(pieces, Piece, i);
    double part = MIN((double)piece->to, to) - MAX((double)piece->from, from);
    if ((double)piece->from >= to)
      break;
    used += part;
    if (part > most) {
      most = part;
      best = piece->color;
    }
  }
  return used * 2 < to - from ? HOLE : best;
}

static void
paint_run(const TnOomPage *page, TnRect rect, uint32_t color)
{
  if (color != HOLE) {
    tn_paint_rect(page->paint, rect, color);
    return;
  }
  tn_paint_rect(page->paint, rect, page->paint->theme->panel);
  tn_paint_hatch(page->paint, rect, page->paint->theme->hatch, 5.0);
}

static void
paint_columns(const TnOomPage *page, const GArray *pieces, tn_bytes all, TnRect rect)
{
  int n = (int)(rect.width * page->paint->scale), first = 0;
  guint next = 0;
  uint32_t last = HOLE;
  for (int column = 0; column <= n; column++) {
    double from = (double)all / n * column;
    uint32_t color = column < n ? color_of_column(pieces, &next, from, from + (double)all / n) : 1u;
    if (column == 0)
      last = color;
    if (color == last && column < n)
      continue;
    paint_run(page,
              (TnRect){rect.x + first / page->paint->scale, rect.y,
                       (column - first) / page->paint->scale, rect.height},
              last);
    first = column;
    last = color;
  }
}

/* A mark below the strip from one place to another, its text beside it, or below where neither side
 * has room.  Returns the height taken. */
static double
paint_bracket(const TnOomPage *page,
              double from,
              double to,
              double y,
              uint32_t color,
              const char *text,
              double left,
              double right)
{
  double width = MAX(to - from, 2.0);
  tn_paint_rect(page->paint, (TnRect){from, y, width, 5.0}, color);
  TnTextStyle style = {.size = 11.0, .color = color, .max_width = right - left};
  double text_width = tn_paint_text_width(page->paint, text, &style);
  double x = from + width + 6.0;
  if (x + text_width > right)
    x = from - 6.0 - text_width;
  bool is_below = x < left;
  tn_paint_text(page->paint, text, is_below ? MAX(MIN(from, right - text_width), left) : x,
                y + (is_below ? 14.0 : 3.0), &style);
  return is_below ? 26.0 : 16.0;
}

static double
x_of_address(const TnOomPage *page,
             const tn_bytes *place,
             uint32_t segment,
             uint64_t address,
             double x,
             double width)
{
  const TnHoles *holes = page->oom->holes;
  tn_bytes at = place[segment] + (tn_bytes)(address - tn_holes_segment(holes, segment)->address);
  return x + (double)at / (double)place[holes->segments->len] * width;
}

/* Every block, also those whose column another one fills. */
static void
add_hits(const TnOomPage *page, const GArray *pieces, tn_bytes all, TnRect rect)
{
  for (guint i = 0; i < pieces->len; i++) {
    const Piece *piece = &g_array_index(pieces, Piece, i);
    double from = (double)piece->from / (double)all * rect.width;
    double to = (double)piece->to / (double)all * rect.width;
    tn_oom_add_hit(page, (TnRect){rect.x + from, rect.y, to - from, rect.height}, piece->buffer);
  }
}

/* The request to scale, and the place that would take the fewest buffers.  Returns the height. */
static double
paint_scale(const TnOomPage *page, const tn_bytes *place, double x, double top, double width)
{
  const TnOom *oom = page->oom;
  char size[48], held[48];
  double wide = (double)oom->requested / (double)place[oom->holes->segments->len] * width;
  g_autofree char *request = g_strdup_printf(
      wide > width ? "the request, %s, is larger than all of this" : "the request, %s, to scale",
      tn_print_bytes(size, sizeof size, oom->requested, page->view->units));
  double height = paint_bracket(page, x, x + MIN(wide, width), top, page->paint->theme->peak,
                                request, x, x + width);
  if (oom->room.buffers->len == 0)
    return height;
  double from = x_of_address(page, place, oom->room.segment, oom->room.address, x, width);
  double to = x_of_address(page, place, oom->room.segment,
                           oom->room.address + (uint64_t)oom->room.bytes, x, width);
  g_autofree char *text =
      g_strdup_printf("without %u buffer%s (%s) it fits here", oom->room.buffers->len,
                      oom->room.buffers->len == 1 ? "" : "s",
                      tn_print_bytes(held, sizeof held, oom->room.block_bytes, page->view->units));
  return height +
         paint_bracket(page, from, to, top + height, page->paint->theme->text, text, x, x + width);
}

double
tn_oom_paint_strip(const TnOomPage *page, double x, double top, double width)
{
  const TnHoles *holes = page->oom->holes;
  char size[48];
  if (holes->segments->len == 0)
    return 0;
  g_autofree tn_bytes *place = places_of(holes);
  g_autoptr(GArray) pieces = pieces_new(page, place);
  g_autofree char *title =
      g_strdup_printf("Addresses at the failure · %s in %u segment%s, gaps folded; hatched: free",
                      tn_print_bytes(size, sizeof size, holes->reserved_bytes, page->view->units),
                      holes->segments->len, holes->segments->len == 1 ? "" : "s");
  double y = top + tn_oom_heading(page, x, top, width, title);
  TnRect strip = {x, y, width, TN_OOM_STRIP};
  paint_columns(page, pieces, place[holes->segments->len], strip);
  add_hits(page, pieces, place[holes->segments->len], strip);
  y += TN_OOM_STRIP + 6.0;
  /* Six pixels of each mark are space to the next. */
  return y + MAX(paint_scale(page, place, x, y, width) - 6.0, 26.0) - top;
}
