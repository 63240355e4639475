/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "render/draw-regions.h"

#include "analysis/regions.h"

#include <math.h>
#include <string.h>

#define MOST 300        /* regions of a picture: more are smaller than a line */
#define MOST_LABELS 40
#define LABEL 14.0      /* logical pixels: height of a label */
#define LEAST_HEIGHT 4.0

typedef struct {
  const TnPaint *paint;
  const TnView *view;
  TnRect plot;
  TnRect labels[MOST_LABELS]; /* none may cover another */
  int n_labels;
} Drawing;

/* ---- the key --------------------------------------------------------------------------------------- */

static uint32_t
count_kind(const GArray *regions, TnRegionKind kind)
{
  uint32_t n = 0;
  for (guint i = 0; i < regions->len; i++)
    n += g_array_index(regions, TnRegion, i).kind == kind;
  return n;
}

char *
tn_draw_region_words(const TnStudy *study)
{
  static const struct {
    TnRegionKind kind;
    const char *one, *many; /* many: with the number */
  } words[] = {{TN_REGION_ZERO_COPY, "bar: zero copy", "bars: zero copy"},
               {TN_REGION_BATCH, "dashed: a batch", "dashed: %u batches"},
               {TN_REGION_NEIGHBOURS, "bracket: neighbours", "brackets: neighbours"},
               {TN_REGION_SEGMENT, "line: a segment", "lines: %u segments"},
               {TN_REGION_SPACE, "one memory type", "%u memory types"}};
  g_autoptr(GString) text = g_string_new(NULL);
  for (gsize i = 0; study->regions && i < G_N_ELEMENTS(words); i++) {
    uint32_t n = count_kind(study->regions, words[i].kind);
    const char *number = n > 1 ? strstr(words[i].many, "%u") : NULL;
    if (n == 0)
      continue;
    g_string_append(text, text->len ? " · " : "");
    if (number)
      g_string_append_printf(text, "%.*s%u%s", (int)(number - words[i].many), words[i].many, n, number + 2);
    else
      g_string_append(text, n > 1 ? words[i].many : words[i].one);
  }
  return text->len ? g_string_free(g_steal_pointer(&text), FALSE) : NULL;
}

/* ---- labels ---------------------------------------------------------------------------------------- */

/* On a ground of its own, so that it is read on any colour; false where another stands. */
static bool
paint_label(Drawing *d, const char *text, double x, double y, TnAlign align)
{
  TnTextStyle style = {.size = 10.0, .color = d->paint->theme->text, .max_width = 140.0};
  double width = tn_paint_text_width(d->paint, text, &style) + 8.0;
  double left = align == TN_ALIGN_END ? x - width : x;
  double top = CLAMP(y - LABEL / 2, d->plot.y, MAX(d->plot.y + d->plot.height - LABEL, d->plot.y));
  TnRect r = {MAX(left, d->plot.x), top, width, LABEL};
  if (d->n_labels == MOST_LABELS || r.x + r.width > d->plot.x + d->plot.width ||
      !tn_rect_is_free(r, d->labels, d->n_labels))
    return false;
  d->labels[d->n_labels++] = r;
  tn_paint_set_color(d->paint, d->paint->theme->panel, 0.88);
  cairo_rectangle(d->paint->cr, r.x, r.y, r.width, r.height);
  cairo_fill(d->paint->cr);
  tn_paint_text(d->paint, text, r.x + 4.0, r.y + LABEL / 2, &style);
  return true;
}

/* ---- regions --------------------------------------------------------------------------------------- */

static TnRect
rect_of(const Drawing *d, const TnRegion *region)
{
  double left = tn_view_x(d->view, d->plot, (double)region->start);
  double right = tn_view_x(d->view, d->plot, (double)region->end);
  double top = tn_view_y(d->view, d->plot, (double)region->high);
  double bottom = tn_view_y(d->view, d->plot, (double)region->low);
  return (TnRect){left, top, right - left, bottom - top};
}

/* The part of it that is in the plot; false where none is. */
static bool
clip(const Drawing *d, TnRect *r)
{
  double left = MAX(r->x, d->plot.x), right = MIN(r->x + r->width, d->plot.x + d->plot.width);
  double top = MAX(r->y, d->plot.y), bottom = MIN(r->y + r->height, d->plot.y + d->plot.height);
  *r = (TnRect){left, top, right - left, bottom - top};
  return r->width > 0 && r->height > 0;
}

/* A memory type is named at its top, a segment at its bottom; a line stands between it and the next. */
static void
paint_across(Drawing *d, const TnRegion *region, TnRect r)
{
  double right = d->plot.x + d->plot.width, bottom = r.y + r.height;
  bool is_space = region->kind == TN_REGION_SPACE;
  if (is_space && r.y > d->plot.y + 1.0)
    tn_paint_hline(d->paint, d->plot.x, r.y, d->plot.width, d->paint->theme->text);
  else if (!is_space && region->low > 0 && bottom < d->plot.y + d->plot.height - 1.0)
    tn_paint_dashed_hline(d->paint, d->plot.x, bottom, d->plot.width, d->paint->theme->secondary);
  double y = is_space ? r.y + LABEL / 2 + 3.0 : bottom - LABEL / 2 - 3.0;
  if (region->name && r.height >= LABEL + 6.0)
    paint_label(d, region->name, right - 4.0, y, TN_ALIGN_END);
}

static void
paint_bar(Drawing *d, TnRect r)
{
  double right = d->plot.x + d->plot.width;
  tn_paint_rect(d->paint, (TnRect){right + 2.0, r.y, 4.0, MAX(r.height, 1.0)}, d->paint->theme->text);
  double middle = r.y + r.height / 2;
  static const double steps[] = {0.0, LABEL, -LABEL};
  for (gsize i = 0; r.height >= LABEL && i < G_N_ELEMENTS(steps); i++)
    if (fabs(steps[i]) <= r.height / 2 &&
        paint_label(d, "zero copy", right - 4.0, middle + steps[i], TN_ALIGN_END))
      return;
}

/* Its edges lie on the rim of what it holds; the name stands on the upper one. */
static void
paint_batch(Drawing *d, const TnRegion *region, TnRect whole, TnRect r)
{
  static const double dashes[] = {5.0, 3.0};
  cairo_t *cr = d->paint->cr;
  if (r.width < 6.0 || r.height < LEAST_HEIGHT)
    return;
  cairo_save(cr);
  cairo_rectangle(cr, d->plot.x, d->plot.y, d->plot.width, d->plot.height);
  cairo_clip(cr);
  cairo_rectangle(cr, round(whole.x) + 0.5, round(whole.y) + 0.5, MAX(round(whole.width) - 1.0, 1.0),
                  MAX(round(whole.height) - 1.0, 1.0));
  tn_paint_set_color(d->paint, d->paint->theme->background, 0.8);
  cairo_set_line_width(cr, 3.0);
  cairo_stroke_preserve(cr);
  tn_paint_set_color(d->paint, d->paint->theme->text, 1.0);
  cairo_set_line_width(cr, 1.0);
  cairo_set_dash(cr, dashes, 2, 0.0);
  cairo_stroke(cr);
  cairo_restore(cr);
  if (region->name && r.width >= 40.0)
    paint_label(d, region->name, r.x + 8.0, r.y, TN_ALIGN_START);
}

/* "[" before the first of them. */
static void
paint_bracket(Drawing *d, TnRect r)
{
  uint32_t color = d->paint->theme->text, ground = d->paint->theme->background;
  double x = MAX(r.x - 4.0, d->plot.x + 1.0), height = r.height - 2.0, y = r.y + 1.0;
  if (r.height < LEAST_HEIGHT + 2.0 || r.width < 8.0)
    return;
  tn_paint_rect(d->paint, (TnRect){x - 1.0, y - 1.0, 4.0, height + 2.0}, ground);
  tn_paint_rect(d->paint, (TnRect){x - 1.0, y - 1.0, 8.0, 4.0}, ground);
  tn_paint_rect(d->paint, (TnRect){x - 1.0, y + height - 3.0, 8.0, 4.0}, ground);
  tn_paint_rect(d->paint, (TnRect){x, y, 2.0, height}, color);
  tn_paint_rect(d->paint, (TnRect){x, y, 6.0, 2.0}, color);
  tn_paint_rect(d->paint, (TnRect){x, y + height - 2.0, 6.0, 2.0}, color);
}

static void
paint_region(Drawing *d, const TnRegion *region)
{
  TnRect whole = rect_of(d, region), r = whole;
  bool is_across = region->kind <= TN_REGION_ZERO_COPY; /* of the address axis alone */
  if (is_across) {
    r.x = d->plot.x;
    r.width = d->plot.width;
  }
  if (!clip(d, &r))
    return;
  if (region->kind == TN_REGION_ZERO_COPY)
    paint_bar(d, r);
  else if (is_across)
    paint_across(d, region, r);
  else if (region->kind == TN_REGION_BATCH)
    paint_batch(d, region, whole, r);
  else
    paint_bracket(d, r);
}

void
tn_draw_regions(const TnPaint *paint, const TnView *view, TnRect plot)
{
  const GArray *regions = view->study->regions;
  Drawing drawing = {.paint = paint, .view = view, .plot = plot};
  int drawn = 0;
  for (guint i = 0; regions && i < regions->len && drawn < MOST; i++) {
    const TnRegion *region = &g_array_index(regions, TnRegion, i);
    if ((double)region->end < view->t0 || (double)region->start > view->t1 ||
        (double)region->high < view->p0 || (double)region->low > view->p1)
      continue;
    paint_region(&drawing, region);
    drawn++;
  }
}
