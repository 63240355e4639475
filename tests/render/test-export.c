/* SPDX-License-Identifier: MIT */
/* Whole pictures: of odd studies, as they are in the window, their layers and labels. */
#include "config.h"

#include "log-support.h"
#include "tests/render/opened.h"
#include "render/draw-totals.h"
#include "render/export.h"
#include "render/report-file.h"

#include <string.h>

/* ---- texts among shapes ------------------------------------------------------------------------------ */

enum { MANY_TEXTS = 2000 };

static void
draw_layers(const TnPaint *paint, TnRect rect, const void *payload)
{
  (void)payload;
  TnTextStyle style = {.size = 10.0};
  g_autofree char *wide = g_strnfill(900, 'w');
  tn_paint_text(paint, "below  it", 20.0, 20.0, &style);
  tn_paint_rect(paint, (TnRect){10, 10, 30, 30}, 0x123456);
  tn_paint_text(paint, "above it", 20.0, 20.0, &style);
  cairo_save(paint->cr);
  cairo_rectangle(paint->cr, rect.width + 10, 0, 10, 10);
  cairo_clip(paint->cr);
  tn_paint_text(paint, "clipped", 20.0, 20.0, &style);
  cairo_restore(paint->cr);
  for (int i = 0; i < MANY_TEXTS; i++) {
    g_autofree char *text = g_strdup_printf("%d %s", i, wide);
    tn_paint_text(paint, text, 20.0, 40.0, &style);
  }
  tn_paint_rect(paint, (TnRect){10, 10, 200, 100}, 0x654321);
}

static gsize
place_of(const char *svg, const char *words)
{
  const char *at = strstr(svg, words);
  g_assert_nonnull(at);
  return (gsize)(at - svg);
}

/* In an SVG, texts stand where they were painted: what came later covers them. */
static void
test_svg_layers(void)
{
  TnExportParams params = {.width = 300, .height = 200, .scale = 1.0, .theme = tn_theme_light()};
  g_autoptr(GByteArray) bytes = tn_export_build_drawing(&params, TN_EXPORT_SVG, draw_layers, NULL, NULL);
  g_assert_nonnull(bytes);
  g_autofree char *svg = g_strndup((const char *)bytes->data, bytes->len);
  g_assert_cmpuint(bytes->len, >, 1500000); /* so far reaches what is said of a text's place */
  gsize rect = place_of(svg, "rgb(7.05"), last = place_of(svg, "rgb(39.6");
  g_assert_cmpuint(place_of(svg, " xml:space=\"preserve\">below  it</text>"), <, rect);
  g_assert_cmpuint(place_of(svg, ">above it</text>"), >, rect);
  g_assert_null(strstr(svg, "clipped"));
  g_assert_null(strstr(svg, "-700000"));
  for (int i = 0; i < MANY_TEXTS; i++) {
    g_autofree char *text = g_strdup_printf(">%d ww", i);
    g_assert_cmpuint(place_of(svg, text), <, last);
  }
}

/* ---- whole pictures of odd studies ------------------------------------------------------------------ */

static void
export_all(const Opened *drawn)
{
  static const char *const starts[] = {"\x89PNG", "<?xm", "%PDF"};
  static const int sizes[][2] = {{320, 200}, {1024, 600}, {1, 1}};
  for (gsize i = 0; i < G_N_ELEMENTS(sizes); i++)
    for (TnPicture picture = TN_PICTURE_LIFETIMES; picture <= TN_PICTURE_REPORT; picture++)
      for (TnExportFormat format = TN_EXPORT_PNG; format <= TN_EXPORT_PDF; format++) {
        TnView view;
        tn_view_init(&view, drawn->study);
        view.selected = view.hovered = drawn->study->buffers->n ? 0 : TN_NONE;
        TnExportParams params = {.picture = picture, .width = sizes[i][0], .height = sizes[i][1],
                                 .scale = i == 1 ? 1.5 : 1.0, .theme = i % 2 ? tn_theme_dark() : tn_theme_light()};
        g_autoptr(GError) error = NULL;
        g_autoptr(GByteArray) bytes = tn_export_build(&view, &params, format, &error);
        g_assert_no_error(error);
        g_assert_cmpmem(bytes->data, 4, starts[format], 4);
      }
}

static void
test_odd_studies(void)
{
  static const char *const tables[] = {
      "id,lower,upper,size\n",
      "id,lower,upper,size\na,0,1,0\n",
      "id,lower,upper,size\na,0,1,1\n",
      "id,lower,upper,size\na,0,9223372036854775807,9223372036854775807\n",
      "id,lower,upper,size,offset\na,0,9223372036854775807,9223372036854775807,0\n",
      "id,lower,upper,size,offset\na,9223372036854775806,9223372036854775807,5,"
      "9223372036854775800\n",
      "id,lower,upper,size,offset\nno-room-for-a-name-as-long-as-this-one-is-"
      "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx,0,5,7,3\n",
  };
  for (gsize i = 0; i < G_N_ELEMENTS(tables); i++) {
    Opened drawn = open_csv(tables[i]);
    export_all(&drawn);
    close_opened(&drawn);
  }
  Opened log = open_document(log_new(NULL, 0));
  export_all(&log);
  close_opened(&log);
}

/* What is far into a lane of very many bars has its name as well. */
static void
test_labels_far_right(void)
{
  g_autoptr(GString) text = g_string_new("id,lower,upper,size\n");
  for (int i = 0; i < 20000; i++)
    g_string_append_printf(text, "b%d,%d,%d,64\n", i, i * 10, i * 10 + 10);
  Opened drawn = open_csv(text->str);
  TnView view;
  tn_view_init(&view, drawn.study);
  view.t0 = 199950;
  view.t1 = 200000;
  TnExportParams params = {.picture = TN_PICTURE_LIFETIMES, .width = 1024, .height = 300,
                           .scale = 1.0, .theme = tn_theme_light()};
  g_autoptr(GByteArray) svg = tn_export_build(&view, &params, TN_EXPORT_SVG, NULL);
  g_assert_nonnull(g_strstr_len((const char *)svg->data, svg->len, ">b19997<"));
  close_opened(&drawn);
}

static GByteArray *
draw_svg(const TnView *view, TnPicture picture)
{
  TnExportParams params = {.picture = picture, .width = 1200, .height = 700, .scale = 1.0,
                           .theme = tn_theme_light()};
  GByteArray *svg = tn_export_build(view, &params, TN_EXPORT_SVG, NULL);
  g_assert_nonnull(svg);
  return svg;
}

/* What stands in the window in place of the offset map, or how far its bars are scrolled, is nothing to
 * a picture of the whole. */
static void
test_as_in_window(void)
{
  Opened drawn = open_sample();
  TnView view;
  tn_view_init(&view, drawn.study);
  view.selected = 0;
  TnView shown = view;
  shown.is_skyline = true;
  g_autoptr(GByteArray) map = draw_svg(&view, TN_PICTURE_OFFSETS);
  g_autoptr(GByteArray) shown_map = draw_svg(&shown, TN_PICTURE_OFFSETS);
  g_assert_cmpmem(map->data, map->len, shown_map->data, shown_map->len);
  shown.lane_top = 9.0;
  g_autoptr(GByteArray) report = draw_svg(&view, TN_PICTURE_REPORT);
  g_autoptr(GByteArray) shown_report = draw_svg(&shown, TN_PICTURE_REPORT);
  g_assert_cmpmem(report->data, report->len, shown_report->data, shown_report->len);
  TnReportParams params = {.view = &view, .theme = tn_theme_light()};
  TnReportParams shown_params = {.view = &shown, .theme = tn_theme_light()};
  g_autoptr(GByteArray) html = tn_report_build(&params, TN_REPORT_HTML, NULL);
  g_autoptr(GByteArray) shown_html = tn_report_build(&shown_params, TN_REPORT_HTML, NULL);
  g_assert_cmpmem(html->data, html->len, shown_html->data, shown_html->len);
  close_opened(&drawn);
}

/* Rows that pass 64 bits together share the bar all the same. */
static void
test_large_totals(void)
{
  g_autoptr(TnDocument) document = tn_document_new("totals.log");
  TnAccount *account = tn_account_new("Totals", 0);
  for (int i = 0; i < 3; i++)
    tn_account_add(account, "part", INT64_MAX, NULL);
  g_ptr_array_add(document->accounts, account);
  cairo_surface_t *image = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, 632, 200);
  TnPaint paint = {.cr = cairo_create(image), .theme = tn_theme_light(), .scale = 1, .text_scale = 1};
  tn_draw_totals(&paint, document, TN_UNITS_IEC, (TnRect){0, 0, 632, 200});
  cairo_surface_flush(image);
  const uint32_t *row = (const uint32_t *)(void *)(cairo_image_surface_get_data(image) +
                                                   40 * cairo_image_surface_get_stride(image));
  uint32_t first = row[16 + 100], second = row[16 + 300], third = row[16 + 500];
  g_assert_cmphex(row[16 + 190], ==, first);
  g_assert_cmphex(row[16 + 210], ==, second);
  g_assert_cmphex(row[16 + 410], ==, third);
  g_assert_true(first != second && second != third && first != third);
  cairo_destroy(paint.cr);
  cairo_surface_destroy(image);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/render/svg-layers", test_svg_layers);
  g_test_add_func("/render/odd-studies", test_odd_studies);
  g_test_add_func("/render/labels-far-right", test_labels_far_right);
  g_test_add_func("/render/as-in-window", test_as_in_window);
  g_test_add_func("/render/large-totals", test_large_totals);
  return g_test_run();
}
