/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "render/wrap.h"

typedef struct {
  const TnPaint *paint;
  TnTextStyle style;
  double x, y, height;
  int n, most;
} Lines;

static void
put(Lines *lines, const char *text)
{
  tn_paint_text(lines->paint, text, lines->x, lines->y + lines->height / 2, &lines->style);
  lines->y += lines->height;
  lines->n++;
}

double
tn_paint_wrapped(const TnPaint *paint,
                 const char *text,
                 double x,
                 double top,
                 double width,
                 int most,
                 const TnTextStyle *style)
{
  Lines lines = {.paint = paint, .style = *style, .x = x, .y = top, .most = most,
                 .height = style->size * paint->text_scale * TN_LINE_HEIGHT};
  g_auto(GStrv) words = g_strsplit(text, " ", -1);
  g_autoptr(GString) line = g_string_new(NULL);
  TnTextStyle measured = *style;
  measured.max_width = 0;
  lines.style.max_width = width;
  for (gsize i = 0; words[i] && lines.n < most; i++) {
    gsize had = line->len;
    g_string_append_printf(line, "%s%s", had ? " " : "", words[i]);
    if (had == 0 || tn_paint_text_width(paint, line->str, &measured) <= width)
      continue;
    g_string_truncate(line, had);
    if (lines.n + 1 == most)
      g_string_append(line, " …");
    put(&lines, line->str);
    g_string_assign(line, words[i]);
  }
  if (line->len && lines.n < most)
    put(&lines, line->str);
  return lines.y - top;
}
