/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "render/draw-oom-private.h"

#include "render/raster.h"

#include <stdlib.h>

#define ROW 34.0
#define BAR 13.0
#define MOST_ROWS 12

/* The scale of all rows, and where the next one goes. */
typedef struct {
  const TnOomPage *page;
  double x, y, width, bytes_wide; /* pixels for a byte */
} Rows;

static void
paint_words(const Rows *rows, const char *left, const char *right, uint32_t color)
{
  TnTextStyle style = {.size = 11.0, .color = color, .align = TN_ALIGN_END};
  double used = tn_paint_text(rows->page->paint, right, rows->x + rows->width, rows->y + 7.0,
                              &style);
  style = (TnTextStyle){.size = 11.0, .color = rows->page->paint->theme->secondary,
                        .max_width = MAX(rows->width - used - 12.0, 20.0)};
  tn_paint_text(rows->page->paint, left, rows->x, rows->y + 7.0, &style);
}

static TnRect
bar_of(const Rows *rows, double from, tn_bytes bytes)
{
  return (TnRect){rows->x + from, rows->y + 16.0, MAX((double)bytes * rows->bytes_wide, 1.0), BAR};
}

static void
paint_hole(const Rows *rows, TnRect bar)
{
  tn_paint_rect(rows->page->paint, bar, rows->page->paint->theme->panel);
  tn_paint_hatch(rows->page->paint, bar, rows->page->paint->theme->secondary, 5.0);
  tn_paint_frame(rows->page->paint, bar, rows->page->paint->theme->other, 1.0);
}

/* The line where the request would end. */
static void
paint_limit(const Rows *rows)
{
  double x = rows->x + (double)rows->page->oom->requested * rows->bytes_wide;
  tn_paint_dashed_vline(rows->page->paint, x, rows->y + 13.0, BAR + 6.0,
                        rows->page->paint->theme->peak);
}

static void
paint_request(Rows *rows)
{
  char size[48];
  const TnOom *oom = rows->page->oom;
  tn_print_bytes(size, sizeof size, oom->requested, rows->page->view->units);
  uint32_t site = tn_call_sites_of(oom->sites, oom->stack);
  g_autofree char *left =
      site ? g_strdup_printf("the request of %s", tn_call_sites_name(oom->sites, site))
           : g_strdup("the request");
  paint_words(rows, left, size, rows->page->paint->theme->peak);
  tn_paint_rect(rows->page->paint, bar_of(rows, 0, oom->requested),
                rows->page->paint->theme->peak);
  rows->y += ROW;
}

/* "model.py:47 forward"; where no name and no call stack is known, its size says more. */
static char *
dup_label(const TnOomPage *page, uint32_t buffer)
{
  const TnBuffers *b = page->view->study->buffers;
  char size[48];
  if (tn_buffers_name(b, buffer) || tn_buffers_stack(b, buffer))
    return tn_study_dup_label(page->view->study, buffer);
  return g_strdup_printf("a block of %s",
                         tn_print_bytes(size, sizeof size, b->bytes[buffer], page->view->units));
}

/* A label, or where the segment begins or ends. */
static char *
dup_neighbour(const TnOomPage *page, uint32_t segment, uint32_t block, bool is_inside)
{
  if (!is_inside)
    return g_strdup("the segment's end");
  return dup_label(page, tn_holes_block(page->oom->holes, block)->buffer);
}

/* The block behind a hole: the first of its segment with a higher address. */
static uint32_t
block_behind(const TnHoles *holes, const TnHole *hole)
{
  const TnSegmentState *segment = tn_holes_segment(holes, hole->segment);
  uint32_t at = segment->first_block, stop = at + segment->n_blocks;
  while (at < stop && tn_holes_block(holes, at)->address < hole->address)
    at++;
  return at;
}

static void
paint_hole_row(Rows *rows, const TnHole *hole)
{
  const TnOomPage *page = rows->page;
  const TnHoles *holes = page->oom->holes;
  const TnSegmentState *segment = tn_holes_segment(holes, hole->segment);
  char size[48], missing[48];
  uint32_t behind = block_behind(holes, hole);
  g_autofree char *below =
      dup_neighbour(page, hole->segment, behind - 1, behind > segment->first_block);
  g_autofree char *above = dup_neighbour(page, hole->segment, behind,
                                         behind < segment->first_block + segment->n_blocks);
  g_autofree char *left = g_strdup_printf("between %s and %s", below, above);
  if (behind > segment->first_block)
    tn_oom_add_hit(page, (TnRect){rows->x, rows->y, rows->width, ROW},
                   tn_holes_block(holes, behind - 1)->buffer);
  g_autofree char *right = g_strdup_printf(
      "%s, %s short", tn_print_bytes(size, sizeof size, hole->bytes, page->view->units),
      tn_print_bytes(missing, sizeof missing, MAX(page->oom->requested - hole->bytes, (tn_bytes)0),
                     page->view->units));
  paint_words(rows, left, right, page->paint->theme->text);
  paint_hole(rows, bar_of(rows, 0, hole->bytes));
  paint_limit(rows);
  rows->y += ROW;
}

/* The hole that there would be, with the blocks that stand in it. */
static void
paint_room(Rows *rows, const TnOomRoom *room)
{
  const TnOomPage *page = rows->page;
  const TnStudy *study = page->view->study;
  char size[48];
  if (room->buffers->len == 0)
    return;
  uint32_t first = g_array_index(room->buffers, uint32_t, 0);
  g_autofree char *label = dup_label(page, first);
  g_autofree char *left =
      room->buffers->len == 1
          ? g_strdup_printf("the place that %s holds", label)
          : g_strdup_printf("the place that %s and %u more hold", label, room->buffers->len - 1);
  g_autofree char *right = g_strdup_printf(
      "%s without %s", tn_print_bytes(size, sizeof size, room->bytes, page->view->units),
      room->buffers->len == 1 ? "it" : "them");
  paint_words(rows, left, right, page->paint->theme->text);
  paint_hole(rows, bar_of(rows, 0, room->bytes));
  for (guint i = 0; i < room->buffers->len; i++) {
    uint32_t row = g_array_index(room->buffers, uint32_t, i);
    double from = (double)((uint64_t)study->offset[row] - room->address) * rows->bytes_wide;
    TnRect bar = bar_of(rows, from, study->buffers->bytes[row]);
    tn_paint_rect(page->paint, bar, tn_raster_color(page->view, page->paint->theme, row));
    tn_oom_add_hit(page, bar, row);
  }
  paint_limit(rows);
  rows->y += ROW;
}

static int
compare_holes(const void *a, const void *b)
{
  const TnHole *x = a, *y = b;
  if (x->bytes != y->bytes)
    return x->bytes < y->bytes ? 1 : -1;
  return (x->address > y->address) - (x->address < y->address);
}

/* Those that the request might use, largest first. */
static GArray *
usable_holes_new(const TnOom *oom)
{
  GArray *list = g_array_new(FALSE, FALSE, sizeof(TnHole));
  for (guint i = 0; i < oom->holes->holes->len; i++) {
    const TnHole *hole = tn_holes_hole(oom->holes, i);
    const TnSegmentState *segment = tn_holes_segment(oom->holes, hole->segment);
    if (segment->space == oom->space && segment->is_small == oom->is_small)
      g_array_append_vals(list, hole, 1);
  }
  if (list->len)
    qsort(list->data, list->len, sizeof(TnHole), compare_holes);
  return list;
}

void
tn_oom_paint_holes(const TnOomPage *page, TnRect rect)
{
  const TnOom *oom = page->oom;
  g_autoptr(GArray) holes = usable_holes_new(oom);
  tn_bytes widest = MAX(oom->requested, oom->room.bytes);
  Rows rows = {.page = page, .x = rect.x, .y = rect.y, .width = rect.width};
  double bottom = rect.y + rect.height;
  rows.bytes_wide = rect.width / (double)MAX(MAX(widest, oom->usable_largest), (tn_bytes)1);
  rows.y += tn_oom_heading(page, rect.x, rect.y, rect.width,
                           "The request beside the largest holes it may use");
  paint_request(&rows);
  if (rows.y + ROW <= bottom)
    paint_room(&rows, &oom->room);
  if (rows.y + ROW <= bottom && oom->pins.block_bytes < oom->room.block_bytes)
    paint_room(&rows, &oom->pins);
  for (guint i = 0; i < MIN(holes->len, (guint)MOST_ROWS); i++) {
    if (rows.y + ROW > bottom)
      return;
    paint_hole_row(&rows, &g_array_index(holes, TnHole, i));
  }
}
