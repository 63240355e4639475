/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "render/draw-label.h"

#include "render/raster.h"

#define GAP 6.0
#define LEAST_CUT 90.0 /* a name cut to less than this says nothing */

void
tn_draw_label(const TnPaint *paint, const TnView *view, tn_index buffer, TnRect room)
{
  char size[48];
  uint32_t fill = tn_raster_color(view, paint->theme, buffer) & 0xFFFFFF;
  TnTextStyle style = {.size = 10.0, .color = tn_color_text_on(fill)};
  tn_print_bytes(size, sizeof size, view->study->buffers->bytes[buffer], view->units);
  double x = room.x, y = room.y + room.height / 2;
  double size_width = tn_paint_text_width(paint, size, &style);
  double left = room.width - size_width - GAP;
  if (size_width > room.width)
    return;
  if (left > 10.0) {
    g_autofree char *name = tn_study_dup_label(view->study, buffer);
    if (left >= LEAST_CUT || tn_paint_text_width(paint, name, &style) <= left) {
      style.max_width = left;
      x += tn_paint_text(paint, name, x, y, &style) + GAP;
      style.max_width = 0.0;
    }
  }
  tn_paint_text(paint, size, x, y, &style);
}
