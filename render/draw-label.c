/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "render/draw-label.h"

#include "render/raster.h"

#include <string.h>

#define GAP 6.0
#define LEAST_CUT 90.0 /* a name cut to less than this says nothing */

/* The part of a name that is written: all of it, what is left of it, or nothing (0). */
static double
width_of_name(const TnPaint *paint, const char *name, double left, TnTextStyle *style)
{
  double width = tn_paint_text_width(paint, name, style);
  if (left <= 10.0 || (width > left && left < LEAST_CUT))
    return 0.0;
  style->max_width = left;
  return MIN(width, left);
}

/* With all of the sign, or its first word, or without where there is no room for more. */
static char *
sign_size(const TnPaint *paint, const char *sign, const char *size, double room)
{
  TnTextStyle style = {.size = 10.0};
  const char *space = strchr(sign, ' ');
  gsize lengths[] = {strlen(sign), space ? (gsize)(space + 1 - sign) : 0};
  for (gsize i = 0; i < G_N_ELEMENTS(lengths); i++) {
    g_autofree char *text = g_strdup_printf("%.*s%s", (int)lengths[i], sign, size);
    if (tn_paint_text_width(paint, text, &style) <= room)
      return g_steal_pointer(&text);
  }
  return g_strdup(size);
}

void
tn_draw_name_and_size(const TnPaint *paint,
                      const char *sign,
                      const char *name,
                      const char *size,
                      uint32_t fill,
                      bool has_ground,
                      TnRect room)
{
  TnTextStyle style = {.size = 10.0, .color = tn_color_text_on(fill & 0xFFFFFF)}, whole = style;
  double x = room.x, y = room.y + room.height / 2;
  double size_width = tn_paint_text_width(paint, size, &style);
  g_autofree char *signed_name = g_strconcat(sign, name, NULL);
  double name_width = width_of_name(paint, signed_name, room.width - size_width - GAP, &style);
  g_autofree char *signed_size = name_width > 0.0 ? g_strdup(size) : sign_size(paint, sign, size, room.width);
  if (name_width <= 0.0)
    size_width = tn_paint_text_width(paint, signed_size, &style);
  if (size_width > room.width)
    return;
  double width = name_width > 0.0 ? name_width + GAP + size_width : size_width;
  if (has_ground)
    tn_paint_rect(paint, (TnRect){x - 2.0, y - 7.0, width + 4.0, 14.0}, fill);
  if (name_width > 0.0)
    x += tn_paint_text(paint, signed_name, x, y, &style) + GAP;
  tn_paint_text(paint, signed_size, x, y, &whole);
}

void
tn_draw_label(const TnPaint *paint, const TnView *view, tn_index buffer, TnRect room)
{
  g_autofree char *name = tn_study_dup_label(view->study, buffer);
  g_autofree char *size = tn_format_bytes(view->study->buffers->bytes[buffer], view->units);
  tn_draw_name_and_size(paint, "", name, size, tn_raster_color(view, paint->theme, buffer), false,
                        room);
}
