/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "render/boxes.h"

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
