/* SPDX-License-Identifier: MIT */
/* Where texts stand: none over another, from the right as from the left, cut in the middle, as XML has them. */
#include "config.h"

#include "tests/render/opened.h"
#include "render/axis.h"
#include "render/draw-what-if.h"
#include "render/draw.h"
#include "render/frame.h"
#include "render/html.h"
#include "render/markup.h"

#include <math.h>
#include <string.h>

/* ---- where texts stand -------------------------------------------------------------------------------- */

/* The first and last columns of a picture on white that have ink. */
static void
find_ink(cairo_surface_t *surface, int *out_first, int *out_last)
{
  cairo_surface_flush(surface);
  const unsigned char *data = cairo_image_surface_get_data(surface);
  int stride = cairo_image_surface_get_stride(surface);
  *out_first = *out_last = -1;
  for (int x = 0; x < cairo_image_surface_get_width(surface); x++)
    for (int y = 0; y < cairo_image_surface_get_height(surface); y++)
      if (data[y * stride + 4 * x] < 0x80) {
        *out_first = *out_first < 0 ? x : *out_first;
        *out_last = x;
      }
}

/* A name from right to left stands where one from left to right does, its room to spare or not. */
static void
test_right_to_left(void)
{
  static const double part[] = {0.0, 0.5, 1.0}; /* of it, before the point */
  for (TnAlign align = TN_ALIGN_START; align <= TN_ALIGN_END; align++) {
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, 400, 30);
    cairo_t *cr = cairo_create(surface);
    cairo_set_source_rgb(cr, 1, 1, 1);
    cairo_paint(cr);
    TnPaint paint = {.cr = cr, .theme = tn_theme_light(), .scale = 1.0, .text_scale = 1.0};
    TnTextStyle style = {.size = 12.0, .color = 0, .align = align, .max_width = 180.0};
    double width = tn_paint_text(&paint, "שכבת קשב ראשית", 200.0, 15.0, &style);
    int first, last;
    find_ink(surface, &first, &last);
    g_assert_cmpint(first, >=, (int)(200.0 - width * part[align]) - 1);
    g_assert_cmpint(last, <=, (int)(200.0 + width * (1.0 - part[align])) + 1);
    cairo_destroy(cr);
    cairo_surface_destroy(surface);
  }
}

/* Of the labels of one size that were written, from left to right; how many there are. */
static int
check_labels_apart(const TnPaint *paint, const TnTextStyle *style)
{
  double free_from = -1e9;
  int n = 0;
  for (const char *at = paint->svg_text->str; (at = strstr(at, "<text x=\"")); at++, n++) {
    const char *text = strchr(at, '>') + 1, *anchor = strstr(at, "text-anchor=\"") + 13;
    g_autofree char *words = g_strndup(text, (gsize)(strstr(text, "</text>") - text));
    double x = g_ascii_strtod(at + 9, NULL), width = tn_paint_text_width(paint, words, style);
    double left = *anchor == 's' ? x : *anchor == 'm' ? x - width / 2 : x - width;
    g_assert_cmpfloat(left, >=, free_from);
    free_from = left + width;
  }
  return n;
}

/* Failed requests a few pixels apart: as many flags as there is room for, none over another. */
static void
test_oom_flags(void)
{
  g_autoptr(GString) log = g_string_new("{\"format\": \"tenure-log\", \"version\": 1}\n");
  for (int i = 0; i < 60; i++)
    g_string_append_printf(log, i % 3 ? "{\"t\": %d, \"event\": \"alloc\", \"address\": \"%d\", \"bytes\": 64}\n"
                                      : "{\"t\": %d, \"event\": \"oom\", \"bytes\": %d}\n",
                           i, 1048576 + i * 64);
  g_autoptr(TnSource) source = tn_source_new_for_bytes("failed.tlog", log->str, log->len);
  Opened drawn = open_source(source, NULL);
  TnView view;
  tn_view_init(&view, drawn.study);
  cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, 10, 10);
  cairo_t *cr = cairo_create(surface);
  TnTextStyle style = {.size = 11.0, .is_bold = true};
  for (int width = 300; width < 4000; width += 97) {
    g_autoptr(GString) text = g_string_new(NULL);
    TnPaint paint = {.cr = cr, .theme = tn_theme_light(), .scale = 1.0, .text_scale = 1.0, .svg_text = text};
    tn_frame_peak(&paint, (TnRect){0, 0, width, 60}, &view, true);
    const char *peak = g_strrstr(text->str, "<text"); /* in a row of its own */
    g_string_truncate(text, (gsize)(peak - text->str));
    g_assert_cmpint(width >= 3600 ? 20 : 1, <=, check_labels_apart(&paint, &style));
  }
  cairo_destroy(cr);
  cairo_surface_destroy(surface);
  close_opened(&drawn);
}

/* A map of nothing says why, not that the arena is one of 0 bytes. */
static void
test_no_size_title(void)
{
  static const struct {
    const char *bytes, *want;
  } rows[] = {{"", "Offsets · nothing to place: no size is known"},
              {", \"bytes\": 64", "Offsets · arena 64 B"},
              {", \"bytes\": 0", "Offsets · arena 0 B"}};
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autofree char *text = g_strdup_printf(
        "{\"format\": \"tenure-graph\", \"version\": 1, \"tensors\": [{\"id\": 0, \"name\": \"x\"%s}], "
        "\"ops\": [{\"id\": 0, \"name\": \"f\", \"inputs\": [], \"outputs\": [0]}]}",
        rows[i].bytes);
    g_autoptr(TnSource) source = tn_source_new_for_bytes("graph.json", text, strlen(text));
    Opened opened = open_source(source, NULL);
    const tn_bytes offset = 0, arena = opened.study->live->peak;
    g_autoptr(TnStudy) placed = tn_study_new_with_offsets(opened.study, &offset, &arena, 1);
    g_assert_true(tn_study_prepare(placed, TN_GROUP_AUTO, NULL));
    TnView view;
    tn_view_init(&view, placed);
    g_autofree char *title = tn_draw_title_offsets(&view);
    g_assert_cmpstr(title, ==, rows[i].want);
    close_opened(&opened);
  }
}

/* That a plan does not fit is said where that is proved, not where none was found. */
static void
test_what_if_title(void)
{
  static const tn_bytes bounds[] = {500, 700};
  Opened drawn = open_sample();
  TnView view;
  tn_view_init(&view, drawn.study);
  cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, 10, 10);
  cairo_t *cr = cairo_create(surface);
  for (int is_proved = 0; is_proved < 2; is_proved++) {
    g_autoptr(GString) text = g_string_new(NULL);
    g_autoptr(GArray) ooms = g_array_new(FALSE, TRUE, sizeof(TnReplayOom));
    g_array_set_size(ooms, 1);
    TnPaint paint = {.cr = cr, .theme = tn_theme_light(), .scale = 1.0, .text_scale = 1.0, .svg_text = text};
    TnReplayResult result = {.ooms = ooms,
                             .reserved_peak = 800,
                             .recorded_peak = TN_BYTES_UNKNOWN,
                             .proved_bound = bounds[is_proved]};
    tn_draw_what_if(&paint, &view, (TnRect){0, 0, 900, 300}, &result, 600, "static");
    g_assert_true((strstr(text->str, "does not fit") != NULL) == is_proved);
    g_assert_true((strstr(text->str, "no plan found that fits") != NULL) != is_proved);
  }
  cairo_destroy(cr);
  cairo_surface_destroy(surface);
  close_opened(&drawn);
}

static void
test_axis_labels(void)
{
  cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, 10, 10);
  cairo_t *cr = cairo_create(surface);
  TnTextStyle style = {.size = 10.0};
  for (int round = 0; round < 2000; round++) {
    g_autoptr(GString) text = g_string_new(NULL);
    TnPaint paint = {.cr = cr, .theme = tn_theme_light(), .scale = 1.0, .text_scale = 1.0, .svg_text = text};
    double low = round % 4 ? floor(pow(10.0, g_test_rand_double_range(0, 15))) : 98123456000.0;
    TnAxis axis = {TN_AXIS_COUNT, low, low + pow(10.0, g_test_rand_double_range(0.5, 12)), TN_UNITS_IEC, "step"};
    tn_axis_draw_below(&paint, (TnRect){72, 0, g_test_rand_double_range(200, 1600), 20}, &axis);
    check_labels_apart(&paint, &style);
  }
  cairo_destroy(cr);
  cairo_surface_destroy(surface);
}

/* ---- what stands in place of them --------------------------------------------------------------------- */

static void
test_elide(void)
{
  static const struct {
    const char *text;
    glong most;
    const char *want;
  } rows[] = {{"abcdefghij", 5, "ab…ij"}, {"abcdefghij", 10, "abcdefghij"},
              {"äöüßäöüß", 4, "ä…üß"},    {"abcd", 3, "a…d"}, {"", 5, ""}};
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autofree char *got = tn_elide_middle(rows[i].text, rows[i].most);
    g_assert_cmpstr(got, ==, rows[i].want);
  }
}

/* XML 1.0, section 2.2: what is no character there is none as a reference either. */
static void
test_markup(void)
{
  static const struct {
    const char *text, *want;
  } rows[] = {{"a<b>&\"'", "a&lt;b&gt;&amp;&quot;&apos;"},
              {"a\x01" "b\x1b[2J\x7f", "a\uFFFDb\uFFFD[2J\uFFFD"},
              {"tab\tline\nreturn\r", "tab\tline\nreturn\r"},
              {"\xc2\x9b\xef\xbf\xbe\xef\xbf\xbf", "\uFFFD\uFFFD\uFFFD"},
              {"\xff" "é\xc3", "\uFFFDé\uFFFD"},
              {"", ""}};
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autofree char *got = tn_markup_escape(rows[i].text);
    g_assert_cmpstr(got, ==, rows[i].want);
  }
}

/* Ids get their prefix in tags; a text that looks like one stays. */
static void
test_html_prefix(void)
{
  static const char svg[] = "<?xml?><svg id=\"s\"><g fill=\"url(#a)\" id=\"b\"/><text id=\"t\">url(#x id=\"y</text></svg>";
  g_autoptr(GString) html = g_string_new(NULL);
  tn_html_svg(html, svg, strlen(svg), "p1-", "what");
  g_assert_cmpstr(html->str, ==,
                  "<svg role=\"img\" aria-label=\"what\" id=\"p1-s\"><g fill=\"url(#p1-a)\" id=\"p1-b\"/>"
                  "<text id=\"p1-t\">url(#x id=\"y</text></svg>");
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/render/right-to-left", test_right_to_left);
  g_test_add_func("/render/axis-labels", test_axis_labels);
  g_test_add_func("/render/oom-flags", test_oom_flags);
  g_test_add_func("/render/no-size-title", test_no_size_title);
  g_test_add_func("/render/what-if-title", test_what_if_title);
  g_test_add_func("/render/elide", test_elide);
  g_test_add_func("/render/markup", test_markup);
  g_test_add_func("/render/html-prefix", test_html_prefix);
  return g_test_run();
}
