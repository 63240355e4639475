/* SPDX-License-Identifier: MIT */
/* The picture of a diff: where a colour must stand, sides on one axis, the head line. */
#include "config.h"

#include "data/reader.h"
#include "render/export.h"

#include <string.h>

#define HEAD "id,lower,upper,size,alignment,offset\n"
#define WIDTH 1200
#define HEIGHT 760

typedef struct {
  TnDocument *documents[2];
  TnDiff *diff;
  TnDiffPicture *picture;
} Both;

static TnDocument *
read_plan(const char *text)
{
  g_autoptr(TnSource) source = tn_source_new_for_bytes("plan.csv", text, strlen(text));
  TnReadOptions options = TN_READ_OPTIONS_INIT;
  return tn_document_load_source(source, &options, NULL);
}

static Both
both_new(const char *a, const char *b, const TnTheme *theme)
{
  Both both = {{read_plan(a), read_plan(b)}, NULL, NULL};
  TnStudy *studies[2];
  TnStudyParams study_params = TN_STUDY_PARAMS_INIT;
  TnDiffParams params = TN_DIFF_PARAMS_INIT;
  for (int i = 0; i < 2; i++) {
    studies[i] = tn_study_new(both.documents[i], 0, &study_params, NULL, NULL);
    tn_study_prepare(studies[i], TN_GROUP_AUTO, NULL);
  }
  both.diff = tn_diff_new(studies[0], studies[1], &params, NULL);
  both.picture = tn_diff_picture_new(both.diff, theme, NULL, "exact");
  tn_study_unref(studies[0]);
  tn_study_unref(studies[1]);
  return both;
}

static void
both_clear(Both *both)
{
  tn_diff_picture_unref(both->picture);
  tn_diff_unref(both->diff);
  tn_document_free(both->documents[0]);
  tn_document_free(both->documents[1]);
}

static const char plan_a[] =
    HEAD "a,0,2,100,4,0\nb,1,4,60,4,100\nc,2,6,80,4,0\nd,4,8,40,4,80\ne,6,9,20,4,0\n";
static const char plan_b[] =
    HEAD "a,0,2,100,4,0\nb,1,4,72,4,100\nc,2,5,60,4,0\nf,4,8,50,4,80\ne,6,9,20,4,0\n";

/* ---- pixels -------------------------------------------------------------------------------------
 */

typedef struct {
  cairo_surface_t *surface;
  TnPaint paint;
} Canvas;

static Canvas
canvas_new(const TnDiffPicture *picture)
{
  Canvas canvas = {cairo_image_surface_create(CAIRO_FORMAT_ARGB32, WIDTH, HEIGHT), {0}};
  canvas.paint = (TnPaint){.cr = cairo_create(canvas.surface),
                           .theme = &picture->theme,
                           .scale = 1.0,
                           .text_scale = 1.0};
  return canvas;
}

static void
canvas_clear(Canvas *canvas)
{
  cairo_destroy(canvas->paint.cr);
  cairo_surface_destroy(canvas->surface);
}

static uint32_t
pixel(const Canvas *canvas, double x, double y)
{
  cairo_surface_flush(canvas->surface);
  const unsigned char *data = cairo_image_surface_get_data(canvas->surface);
  int stride = cairo_image_surface_get_stride(canvas->surface);
  const uint32_t *row = (const uint32_t *)(const void *)(data + (gsize)y * (gsize)stride);
  return row[(int)x] & 0xFFFFFF;
}

/* Whether a pixel of the box near its right bottom corner, free of labels, is a shade of a delta.
 */
static bool
has_shade(const Canvas *canvas, const TnDiffPicture *picture, TnRect r, TnDelta delta)
{
  for (int i = 0; i < TN_SHADES; i++)
    for (double x = r.x + r.width - 9.0; x < r.x + r.width - 2.0; x += 1.0)
      if (pixel(canvas, x, r.y + r.height - 4.0) == picture->theme.shade[delta][i])
        return true;
  return false;
}

static void
assert_side(const TnDiffPicture *picture, TnDiffSide side, const TnDelta *expected, uint32_t n)
{
  TnView view;
  Canvas canvas = canvas_new(picture);
  TnRect rect = {0, 0, WIDTH, 400};
  tn_diff_view_init(&view, picture, side);
  tn_draw_diff_side(&canvas.paint, picture, &view, side, rect);
  for (uint32_t i = 0; i < n; i++) {
    TnRect r;
    g_assert_true(tn_view_rect_offsets(&view, tn_frame_plot(rect), i, &r));
    g_assert_true(has_shade(&canvas, picture, r, expected[i]));
  }
  canvas_clear(&canvas);
}

static void
test_colours(void)
{
  static const TnDelta a[] = {TN_DELTA_SAME, TN_DELTA_LARGER, TN_DELTA_SMALLER, TN_DELTA_GONE,
                              TN_DELTA_SAME};
  static const TnDelta b[] = {TN_DELTA_SAME, TN_DELTA_LARGER, TN_DELTA_SMALLER, TN_DELTA_NEW,
                              TN_DELTA_SAME};
  const TnTheme *themes[] = {tn_theme_light(), tn_theme_dark()};
  for (int i = 0; i < 2; i++) {
    Both both = both_new(plan_a, plan_b, themes[i]);
    assert_side(both.picture, TN_DIFF_A, a, G_N_ELEMENTS(a));
    assert_side(both.picture, TN_DIFF_B, b, G_N_ELEMENTS(b));
    g_assert_cmphex(both.picture->theme.category[TN_DELTA_LARGER], ==, themes[i]->larger);
    g_assert_cmphex(both.picture->theme.category[TN_DELTA_SMALLER], ==, themes[i]->smaller);
    both_clear(&both);
  }
}

/* The zoomed page draws each buffer of a side where pointing looks for it. */
static void
test_zoomed_page(void)
{
  static const TnDelta expected[] = {TN_DELTA_SAME, TN_DELTA_LARGER, TN_DELTA_SMALLER, TN_DELTA_NEW,
                                     TN_DELTA_SAME};
  static const TnDiffLayout layouts[] = {TN_DIFF_OVER_UNDER, TN_DIFF_ONLY_B};
  Both both = both_new(plan_a, plan_b, tn_theme_light());
  for (gsize i = 0; i < G_N_ELEMENTS(layouts); i++) {
    TnView view;
    TnRect rect = {0, 0, WIDTH, HEIGHT}, r;
    Canvas canvas = canvas_new(both.picture);
    both.picture->layout = layouts[i];
    tn_diff_view_init(&view, both.picture, TN_DIFF_B);
    view.t0 = 1.0;
    view.p0 = 40.0;
    tn_draw_diff_zoomed(&canvas.paint, both.picture, &view, rect, TN_UNITS_IEC);
    TnRect plot = tn_diff_page_plot(both.picture, rect, TN_DIFF_B);
    for (uint32_t row = 0; row < G_N_ELEMENTS(expected); row++)
      if (tn_view_rect_offsets(&view, plot, row, &r) && r.y + r.height <= plot.y + plot.height &&
          r.x >= plot.x)
        g_assert_true(has_shade(&canvas, both.picture, r, expected[row]));
    g_assert_true(tn_view_rect_offsets(&view, plot, 1, &r) && r.x >= plot.x);
    canvas_clear(&canvas);
  }
  TnRect rect = {0, 0, WIDTH, HEIGHT};
  both.picture->layout = TN_DIFF_OVER_UNDER;
  TnRect a = tn_diff_page_plot(both.picture, rect, TN_DIFF_A);
  TnRect b = tn_diff_page_plot(both.picture, rect, TN_DIFF_B);
  g_assert_cmpfloat(a.height, ==, b.height);
  g_assert_true(b.y >= a.y + a.height);
  both_clear(&both);
}

/* One scale: a byte is as high in both maps. */
static void
test_one_scale(void)
{
  Both both =
      both_new(HEAD "a,0,4,100,4,0\n", HEAD "a,0,4,100,4,0\nb,1,3,300,4,100\n", tn_theme_light());
  TnView a, b;
  TnRect plot = {0, 0, 100, 100}, rect_a, rect_b;
  tn_diff_view_init(&a, both.picture, TN_DIFF_A);
  tn_diff_view_init(&b, both.picture, TN_DIFF_B);
  tn_view_rect_offsets(&a, plot, 0, &rect_a);
  tn_view_rect_offsets(&b, plot, 0, &rect_b);
  g_assert_cmpfloat(rect_a.height, ==, rect_b.height);
  g_assert_cmpfloat(rect_a.width, ==, rect_b.width);
  g_assert_cmpint(both.picture->height, ==, 400);
  both_clear(&both);
}

static void
test_words(void)
{
  Both both = both_new(plan_a, plan_b, tn_theme_light());
  g_autofree char *head = tn_diff_build_head_line(both.diff, TN_UNITS_IEC);
  g_autofree char *name = tn_diff_picture_dup_name(both.picture, TN_DIFF_B);
  g_assert_cmpstr(head, ==, "Arena 160 B → 172 B, +12 B (+7.5 %)  = +12 B bigger");
  g_assert_cmpstr(name, ==, "plan.csv · exact");
  TnDiffLayout layout;
  g_assert_true(tn_diff_layout_from_name("delta", &layout));
  g_assert_cmpint(layout, ==, TN_DIFF_DELTA_MAP);
  g_assert_false(tn_diff_layout_from_name("beside", &layout));
  both_clear(&both);
}

/* B holds 100 bytes more in the upper half, from the middle on, and both the same below. */
static void
check_delta_map(const char *a, const char *b)
{
  Both both = both_new(a, b, tn_theme_light());
  TnView view;
  TnRect rect = {0, 0, WIDTH, 400}, plot = tn_frame_plot(rect);
  Canvas canvas = canvas_new(both.picture);
  tn_diff_view_init(&view, both.picture, TN_DIFF_B);
  tn_draw_diff_map(&canvas.paint, both.picture, &view, rect);
  uint32_t none = both.picture->theme.panel, hairline = both.picture->theme.hairline;
  for (double at = 0.11; at < 1.0; at += 0.2) {
    double x = plot.x + plot.width * at;
    uint32_t high = pixel(&canvas, x, plot.y + plot.height * 0.27);
    uint32_t low = pixel(&canvas, x, plot.y + plot.height * 0.77);
    g_assert_cmpint(high != none && high != hairline, ==, at > 0.5);
    g_assert_true(low == none || low == hairline);
  }
  canvas_clear(&canvas);
  both_clear(&both);
}

static void
test_delta_map(void)
{
  check_delta_map(HEAD "a,0,4,100,4,0\n", HEAD "a,0,4,100,4,0\nb,2,4,100,4,100\n");
  /* Where A has ended it holds what it held, in the map as in the curves. */
  check_delta_map(HEAD "a,0,4,100,4,0\n", HEAD "a,0,8,100,4,0\nb,4,8,100,4,100\n");
}

/* "None" is said of every moment only where it is so: the largest of many ticks in a column may be the same. */
static void
test_no_difference(void)
{
  g_autoptr(GString) a = g_string_new(HEAD), b = g_string_new(HEAD);
  for (int i = 0; i < 8000; i++) {
    g_string_append_printf(a, "%d,%d,%d,%d,4,0\n", i, i, i + 1, i % 2 ? 8 : 4000);
    g_string_append_printf(b, "%d,%d,%d,%d,4,0\n", i, i, i + 1, i % 2 ? 4000 : 8);
  }
  TnExportParams params = {.width = 1200, .height = 800, .scale = 1.0, .theme = tn_theme_light()};
  for (int is_same = 0; is_same < 2; is_same++) {
    Both both = both_new(a->str, is_same ? a->str : b->str, tn_theme_light());
    g_autoptr(GByteArray) svg =
        tn_export_build_diff(both.picture, TN_UNITS_IEC, &params, TN_EXPORT_SVG, NULL);
    g_autofree char *drawn = g_strndup((const char *)svg->data, svg->len);
    g_assert_cmpint(strstr(drawn, "at every moment") != NULL, ==, is_same);
    g_assert_cmpint(strstr(drawn, "None that is seen at this scale") != NULL, ==, !is_same);
    both_clear(&both);
  }
}

static void
test_same_bytes(void)
{
  Both both = both_new(plan_a, plan_b, tn_theme_dark());
  TnExportParams params = {.width = 1200, .height = 800, .scale = 1.0, .theme = tn_theme_dark()};
  for (TnDiffLayout layout = TN_DIFF_OVER_UNDER; layout <= TN_DIFF_DELTA_MAP; layout++)
    for (TnExportFormat format = TN_EXPORT_PNG; format <= TN_EXPORT_PDF; format++) {
      both.picture->layout = layout;
      g_autoptr(GByteArray) one =
          tn_export_build_diff(both.picture, TN_UNITS_IEC, &params, format, NULL);
      g_autoptr(GByteArray) two =
          tn_export_build_diff(both.picture, TN_UNITS_IEC, &params, format, NULL);
      g_assert_cmpuint(one->len, >, 1000);
      g_assert_cmpmem(one->data, one->len, two->data, two->len);
    }
  both_clear(&both);
}

/* On a box too narrow for its name the size is whole, or not there: a part of it is another figure. */
static void
test_narrow_boxes(void)
{
  static const char *const text =
      HEAD "stage1.block1.conv_%s,%d,%d,262144,4,0\nall,0,40,1024,4,262144\n";
  TnExportParams params = {.width = 1200, .height = 800, .scale = 1.0, .theme = tn_theme_light()};
  guint n_whole = 0, n_signed = 0;
  for (int length = 4; length < 20; length++) {
    g_autofree char *a = g_strdup_printf(text, "a", 0, length);
    g_autofree char *b = g_strdup_printf(text, length % 2 ? "a" : "new", 3, length + 3);
    Both both = both_new(a, b, tn_theme_light());
    g_autoptr(GByteArray) svg =
        tn_export_build_diff(both.picture, TN_UNITS_IEC, &params, TN_EXPORT_SVG, NULL);
    g_autofree char *drawn = g_strndup((const char *)svg->data, svg->len);
    for (const char *at = drawn; (at = strstr(at, "6.0 KiB<")); at++) {
      g_assert_cmpmem(at - 2, 2, "25", 2);
      n_whole += at[-3] == '>';
      n_signed += at[-3] == ' ';
    }
    both_clear(&both);
  }
  /* A text of its own, where boxes are wide enough for one; and without its name it keeps its sign. */
  g_assert_cmpuint(n_whole + n_signed, >=, 16);
  g_assert_cmpuint(n_signed, >=, 2);
}

/* Many buffers, of which each second one differs by some bytes, one is gone and one new. */
static Both
open_many(void)
{
  g_autoptr(GString) a = g_string_new(HEAD "gone,0,9,700,4,0\n"), b = g_string_new(HEAD "new,5,9,300,4,0\n");
  for (int i = 0; i < 60; i++) {
    g_string_append_printf(a, "b%d,%d,%d,%d,4,%d\n", i, i % 5, 9, 100 + 10 * i, 1000 * (i + 1));
    g_string_append_printf(b, "b%d,%d,%d,%d,4,%d\n", i, i % 5, 9, 100 + 10 * i + i % 2 * i, 1000 * (i + 1));
  }
  return both_new(a->str, b->str, tn_theme_light());
}

/* All that is written lies in the pane and can be read, and what has no room is counted. */
static void
check_pane(const Both *both, double height)
{
  Canvas canvas = canvas_new(both->picture);
  g_autoptr(GString) text = g_string_new(NULL);
  TnRect rect = {0, 0, 300, height};
  canvas.paint.svg_text = text;
  tn_draw_diff_side_pane(&canvas.paint, both->picture, rect, TN_UNITS_IEC);
  for (const char *at = text->str; (at = strstr(at, "<text ")); at++) {
    g_assert_cmpfloat(g_ascii_strtod(strstr(at, " y=\"") + 4, NULL), <=, height);
    guint64 fill = g_ascii_strtoull(strstr(at, "fill=\"#") + 7, NULL, 16);
    g_assert_cmpfloat(tn_color_contrast((uint32_t)fill, both->picture->theme.panel), >=, 4.5);
  }
  bool has_changes = strstr(text->str, "Largest changes"), has_all = height >= 1000;
  if (has_changes)
    g_assert_cmpint(strstr(text->str, ">and ") != NULL, ==, !has_all);
  if (strstr(text->str, "Why "))
    g_assert_nonnull(strstr(text->str, "sum = B − A"));
  g_assert_true(has_changes || height < 600);
  canvas_clear(&canvas);
}

static void
test_side_pane(void)
{
  Both both = open_many(), same = both_new(plan_a, plan_a, tn_theme_light());
  for (double height = 40; height < 700; height += 7)
    check_pane(&both, height);
  check_pane(&both, 2000);
  Canvas canvas = canvas_new(same.picture);
  g_autoptr(GString) text = canvas.paint.svg_text = g_string_new(NULL);
  tn_draw_diff_side_pane(&canvas.paint, same.picture, (TnRect){0, 0, 300, 600}, TN_UNITS_IEC);
  g_assert_nonnull(strstr(text->str, "The arena is the same"));
  g_assert_null(strstr(text->str, "sum ="));
  canvas_clear(&canvas);
  both_clear(&both);
  both_clear(&same);
}

/* However low a page is, no title or flag stands in another: curves go first, then flags. */
static void
test_low_pages(void)
{
  Both both = open_many();
  for (double height = 150; height < 900; height += 10) {
    Canvas canvas = canvas_new(both.picture);
    g_autoptr(GString) text = canvas.paint.svg_text = g_string_new(NULL);
    double last = 0.0;
    tn_draw_diff(&canvas.paint, both.picture, (TnRect){0, 0, 700, height}, TN_UNITS_IEC);
    for (const char *at = text->str; (at = strstr(at, "<text ")); at++) {
      const char *end = strchr(at, '>');
      if (!g_strstr_len(at, end - at, "\"bold\""))
        continue;
      double y = g_ascii_strtod(strstr(at, " y=\"") + 4, NULL);
      g_assert_cmpfloat(y - last, >=, 14.0);
      last = y;
    }
    g_assert_cmpint(strstr(text->str, ">Difference") != NULL, ==, height >= 300);
    canvas_clear(&canvas);
  }
  both_clear(&both);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/draw-diff/colours", test_colours);
  g_test_add_func("/draw-diff/zoomed-page", test_zoomed_page);
  g_test_add_func("/draw-diff/one-scale", test_one_scale);
  g_test_add_func("/draw-diff/words", test_words);
  g_test_add_func("/draw-diff/delta-map", test_delta_map);
  g_test_add_func("/draw-diff/no-difference", test_no_difference);
  g_test_add_func("/draw-diff/side-pane", test_side_pane);
  g_test_add_func("/draw-diff/low-pages", test_low_pages);
  g_test_add_func("/draw-diff/same-bytes", test_same_bytes);
  g_test_add_func("/draw-diff/narrow-boxes", test_narrow_boxes);
  return g_test_run();
}
