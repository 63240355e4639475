/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "render/boxes.h"

#include <math.h>

void
tn_boxes_free(TnBoxes *boxes)
{
  if (!boxes)
    return;
  for (guint i = 0; i < boxes->boxes->len; i++)
    g_free(g_array_index(boxes->boxes, TnBox, i).label);
  g_array_unref(boxes->boxes);
  g_free(boxes->title);
  g_free(boxes);
}

int
tn_boxes_hit(const TnBoxes *boxes, double x, double y)
{
  for (guint i = boxes->boxes->len; i-- > 0;) {
    TnRect r = g_array_index(boxes->boxes, TnBox, i).rect;
    if (x >= r.x && x < r.x + r.width && y >= r.y && y < r.y + r.height)
      return (int)i;
  }
  return -1;
}

int
tn_boxes_find(const TnBoxes *boxes, tn_index buffer)
{
  for (guint i = 0; buffer != TN_NONE && i < boxes->boxes->len; i++)
    if (g_array_index(boxes->boxes, TnBox, i).buffer == buffer)
      return (int)i;
  return -1;
}

/* How far `to` lies behind `from` in the direction; negative: beside it or before it. */
static double
gap_to(TnRect from, TnRect to, int d, bool is_vertical)
{
  double start = is_vertical ? from.y : from.x, length = is_vertical ? from.height : from.width;
  double other = is_vertical ? to.y : to.x, other_length = is_vertical ? to.height : to.width;
  return d > 0 ? other - (start + length) : start - (other + other_length);
}

static double
distance_to(TnRect from, TnRect to, int dx, int dy)
{
  const double slack = 0.5; /* neighbours touch, but for rounding */
  double along = gap_to(from, to, dx ? dx : dy, dx == 0);
  double across = MAX(gap_to(from, to, 1, dx != 0), gap_to(from, to, -1, dx != 0));
  double middle = dx ? fabs(from.y + from.height / 2 - to.y - to.height / 2)
                     : fabs(from.x + from.width / 2 - to.x - to.width / 2);
  if (along < -slack)
    return INFINITY;
  /* Of those that are as near, the one whose middle is. */
  return MAX(along, 0.0) + 2 * MAX(across, 0.0) + middle * 1e-3;
}

int
tn_boxes_step(const TnBoxes *boxes, int from, int dx, int dy)
{
  int best = from;
  double least = INFINITY;
  for (guint i = 0; i < boxes->boxes->len; i++) {
    const TnBox *box = &g_array_index(boxes->boxes, TnBox, i);
    if (box->is_header || (int)i == from)
      continue;
    if (from < 0)
      return (int)i;
    double distance = distance_to(g_array_index(boxes->boxes, TnBox, from).rect, box->rect, dx, dy);
    if (distance < least) {
      least = distance;
      best = (int)i;
    }
  }
  return best;
}

#define LEAST_CUT 80.0 /* a name cut to less than this says nothing */

/* The name gives way first, the size never; where not even the size has room there is no text. */
static void
draw_label(const TnPaint *paint, const TnView *view, const TnBox *box)
{
  double room = box->rect.width - 8.0;
  TnTextStyle style = {.size = 11.0, .color = tn_color_text_on(box->color)};
  if (box->rect.height < 13.0 || room < 26.0)
    return;
  char size[48] = "";
  if (box->bytes >= 0)
    tn_print_bytes(size, sizeof size, box->bytes, view->units);
  double size_width = size[0] ? tn_paint_text_width(paint, size, &style) : 0.0;
  bool is_tall = box->rect.height >= 32.0 && !box->is_header && !box->is_named_above;
  double y = box->rect.y + (box->is_header ? 8.0 : is_tall ? 11.0 : box->rect.height / 2);
  double left = is_tall ? room : room - size_width - 6.0;
  bool is_named = !box->is_named_above &&
                  (left >= LEAST_CUT || (left > 10.0 && tn_paint_text_width(paint, box->label,
                                                                            &style) <= left));
  style.max_width = left;
  if (is_named)
    tn_paint_text(paint, box->label, box->rect.x + 4.0, y, &style);
  style.max_width = 0.0;
  if (!size[0] || size_width > room)
    return;
  if (is_tall) {
    tn_paint_text(paint, size, box->rect.x + 4.0, y + 15.0, &style);
  } else if (is_named) {
    style.align = TN_ALIGN_END;
    tn_paint_text(paint, size, box->rect.x + box->rect.width - 4.0, y, &style);
  } else {
    tn_paint_text(paint, size, box->rect.x + 4.0, y, &style);
  }
}

void
tn_draw_boxes(const TnPaint *paint, const TnView *view, const TnBoxes *boxes, int hovered)
{
  for (guint i = 0; i < boxes->boxes->len; i++) {
    const TnBox *box = &g_array_index(boxes->boxes, TnBox, i);
    TnRect inner = {box->rect.x, box->rect.y, MAX(box->rect.width - 1.0, 0.5),
                    MAX(box->rect.height - 1.0, 0.5)};
    tn_paint_rect(paint, inner, box->color);
    if (!box->is_silent)
      draw_label(paint, view, box);
  }
  for (guint i = 0; i < boxes->boxes->len; i++) {
    const TnBox *box = &g_array_index(boxes->boxes, TnBox, i);
    bool is_selected = box->buffer != TN_NONE && box->buffer == view->selected;
    TnRect inner = {box->rect.x + 1, box->rect.y + 1, MAX(box->rect.width - 3.0, 1.0),
                    MAX(box->rect.height - 3.0, 1.0)};
    if (is_selected || (int)i == hovered)
      tn_paint_frame(paint, inner, is_selected ? paint->theme->text : paint->theme->secondary,
                     is_selected ? 2.0 : 1.0);
  }
}
