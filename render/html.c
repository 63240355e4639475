/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "render/html.h"

#include "render/markup.h"
#include "render/paint.h"

#include <string.h>

/* Of a cell: a file has names of any length, and a table of them is for reading. */
#define MOST_CHARS 2000

static void
append_escaped(GString *html, const char *text)
{
  g_autofree char *escaped = tn_markup_escape(text);
  g_string_append(html, escaped);
}

void
tn_html_begin(GString *html, const char *title, const TnTheme *t)
{
  g_string_append(html, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                        "<meta name=\"viewport\" content=\"width=device-width\">\n<title>");
  append_escaped(html, title);
  g_string_append_printf(
      html,
      "</title>\n<style>\n"
      ":root{color-scheme:%s}\n"
      "body{font:14px/1.45 %s;background:#%06X;color:#%06X;max-width:1240px;margin:0 auto;"
      "padding:24px}\n"
      "h1{font-size:22px;margin:0 0 4px}h2{font-size:16px;margin:28px 0 8px}\n"
      "p{margin:4px 0;white-space:pre-wrap}.small{color:#%06X;font-size:12px;overflow-wrap:anywhere}\n"
      ".notes{max-width:80ch}\n"
      "svg{width:100%%;height:auto;display:block;margin:8px 0}\n"
      "table{border-collapse:collapse;font-size:13px;background:#%06X}\n"
      "th{text-align:left;font-weight:600;color:#%06X}\n"
      "th,td{padding:4px 12px;border-bottom:1px solid #%06X;vertical-align:top}\n"
      "td.n{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}\n"
      "td{overflow-wrap:anywhere}\n"
      "@media print{body{max-width:none;padding:0}h2{break-after:avoid}"
      "svg,tr{break-inside:avoid}}\n"
      "</style>\n</head>\n<body>\n",
      t->is_dark ? "dark" : "light", "Cantarell,\"Noto Sans\",\"DejaVu Sans\",sans-serif",
      t->background, t->text, t->secondary, t->panel, t->secondary, t->hairline);
}

void
tn_html_end(GString *html)
{
  g_string_append(html, "</body>\n</html>\n");
}

void
tn_html_element(GString *html, const char *tag, const char *text)
{
  g_string_append_printf(html, "<%s>", tag);
  append_escaped(html, text);
  /* A tag may have attributes: they don't stand in its end. */
  g_string_append_printf(html, "</%.*s>\n", (int)strcspn(tag, " "), tag);
}

void
tn_html_table_begin(GString *html, const char *const *columns)
{
  g_string_append(html, "<table>\n<thead><tr>");
  for (; *columns; columns++) {
    g_string_append(html, "<th>");
    append_escaped(html, *columns);
    g_string_append(html, "</th>");
  }
  g_string_append(html, "</tr></thead>\n<tbody>\n");
}

void
tn_html_table_row(GString *html, const char *const *cells, const bool *is_number)
{
  g_string_append(html, "<tr>");
  for (int i = 0; cells[i]; i++) {
    g_string_append(html, is_number && is_number[i] ? "<td class=\"n\">" : "<td>");
    g_autofree char *cell = tn_elide_middle(cells[i], MOST_CHARS);
    append_escaped(html, cell);
    g_string_append(html, "</td>");
  }
  g_string_append(html, "</tr>\n");
}

void
tn_html_table_end(GString *html)
{
  g_string_append(html, "</tbody>\n</table>\n");
}

/* Copies a tag with `prefix` after each of the places where an id is given or named. */
static void
append_tag(GString *html, const char *text, const char *end, const char *prefix)
{
  static const char *const places[] = {" id=\"", "url(#", "href=\"#"};
  while (text < end) {
    const char *next = end;
    gsize length = 0;
    for (gsize i = 0; i < G_N_ELEMENTS(places); i++) {
      const char *at = g_strstr_len(text, next - text, places[i]);
      if (at) {
        next = at;
        length = strlen(places[i]);
      }
    }
    g_string_append_len(html, text, (gssize)(next - text + (gssize)length));
    if (length)
      g_string_append(html, prefix);
    text = next + length;
  }
}

/* What stands between tags is text, which may look like anything; "<" and ">" are escaped there. */
static void
append_prefixed(GString *html, const char *text, const char *end, const char *prefix)
{
  const char *open;
  while ((open = memchr(text, '<', (gsize)(end - text))) != NULL) {
    const char *close = memchr(open, '>', (gsize)(end - open));
    const char *stop = close ? close + 1 : end;
    g_string_append_len(html, text, (gssize)(open - text));
    append_tag(html, open, stop, prefix);
    text = stop;
  }
  g_string_append_len(html, text, (gssize)(end - text));
}

void
tn_html_svg(GString *html, const char *svg, gsize size, const char *prefix, const char *label)
{
  const char *end = svg + size, *start = g_strstr_len(svg, (gssize)size, "<svg");
  if (!start)
    return;
  g_string_append(html, "<svg role=\"img\" aria-label=\"");
  append_escaped(html, label);
  g_string_append_c(html, '"');
  const char *attributes = start + strlen("<svg"),
             *close = memchr(attributes, '>', (gsize)(end - attributes));
  if (!close)
    close = end;
  append_tag(html, attributes, close, prefix);
  append_prefixed(html, close, end, prefix);
}
