/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "render/wrap.h"

#include <string.h>

#define ELLIPSIS " …"

/* Words give way until the ellipsis has its room. */
static void
end_with_ellipsis(const TnPaint *paint, GString *line, double width, const TnTextStyle *style)
{
  for (;;) {
    gsize had = line->len;
    g_string_append(line, ELLIPSIS);
    if (tn_paint_text_width(paint, line->str, style) <= width)
      return;
    g_string_truncate(line, had);
    char *space = strrchr(line->str, ' ');
    if (!space) {
      g_string_append(line, ELLIPSIS);
      return;
    }
    g_string_truncate(line, (gsize)(space - line->str));
  }
}

GPtrArray *
tn_wrap(const TnPaint *paint, const char *text, double width, guint most, const TnTextStyle *style)
{
  GPtrArray *lines = g_ptr_array_new_with_free_func(g_free);
  g_autoptr(GString) line = g_string_new(NULL);
  TnTextStyle measured = *style;
  measured.max_width = 0;
  for (const char *word = text; *word && lines->len < most;) {
    gsize had = line->len, length = strcspn(word, " ");
    g_string_append(line, had ? " " : "");
    g_string_append_len(line, word, (gssize)length);
    if (had == 0 || tn_paint_text_width(paint, line->str, &measured) <= width) {
      word += length + (word[length] == ' ');
      continue;
    }
    g_string_truncate(line, had);
    if (lines->len + 1 == most)
      end_with_ellipsis(paint, line, width, &measured);
    g_ptr_array_add(lines, g_strdup(line->str));
    g_string_truncate(line, 0);
  }
  if (line->len && lines->len < most)
    g_ptr_array_add(lines, g_strdup(line->str));
  return lines;
}

guint
tn_wrap_count(const TnPaint *paint,
              const char *text,
              double width,
              guint most,
              const TnTextStyle *style)
{
  g_autoptr(GPtrArray) lines = tn_wrap(paint, text, width, most, style);
  return lines->len;
}

double
tn_wrap_line_height(const TnPaint *paint, const TnTextStyle *style)
{
  return style->size * paint->text_scale * TN_LINE_HEIGHT;
}

double
tn_paint_wrapped(const TnPaint *paint,
                 const char *text,
                 double x,
                 double top,
                 double width,
                 guint most,
                 const TnTextStyle *style)
{
  double height = tn_wrap_line_height(paint, style);
  TnTextStyle cut = *style;
  g_autoptr(GPtrArray) lines = tn_wrap(paint, text, width, most, style);
  cut.max_width = width; /* a single word may be wider */
  for (guint i = 0; i < lines->len; i++)
    tn_paint_text(paint, g_ptr_array_index(lines, i), x, top + (i + 0.5) * height, &cut);
  return lines->len * height;
}
