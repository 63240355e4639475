/* SPDX-License-Identifier: MIT */
/* The drawings' rules: what is hit is what was painted, no peak is lost at any zoom, round steps,
 * text that can be read on every shade, colours that the colour-blind tell apart. */
#include "config.h"

#include "data/reader.h"
#include "log-support.h"
#include "render/axis.h"
#include "render/draw-totals.h"
#include "render/draw.h"
#include "render/export.h"
#include "render/frame.h"
#include "render/html.h"
#include "render/markup.h"
#include "render/pixels.h"
#include "render/raster.h"
#include "render/report-file.h"
#include "render/scale.h"

#include <math.h>
#include <string.h>

/* ---- studies to draw ------------------------------------------------------------------------------ */

typedef struct {
  TnDocument *document;
  TnStudy *study;
} Drawn;

static Drawn
prepare(TnDocument *document)
{
  TnStudyParams params = TN_STUDY_PARAMS_INIT;
  g_autoptr(GError) error = NULL;
  TnStudy *study =
      tn_study_new(document, tn_study_first_device(document), &params, NULL, &error);
  g_assert_no_error(error);
  g_assert_true(tn_study_prepare(study, TN_GROUP_AUTO, NULL));
  return (Drawn){document, study};
}

static Drawn
open_sample(void)
{
  g_autofree char *path = g_build_filename(g_getenv("TN_SOURCE_ROOT"), "data", "samples",
                                           "transformer-oom.pickle", NULL);
  TnReadOptions options = TN_READ_OPTIONS_INIT;
  g_autoptr(GError) error = NULL;
  TnDocument *document = tn_document_load(path, &options, &error);
  g_assert_no_error(error);
  return prepare(document);
}

static Drawn
open_csv(const char *text)
{
  g_autoptr(TnSource) source = tn_source_new_for_bytes("plan.csv", text, strlen(text));
  TnReadOptions options = {.format = "csv"};
  g_autoptr(GError) error = NULL;
  TnDocument *document = tn_document_load_source(source, &options, &error);
  g_assert_no_error(error);
  return prepare(document);
}

/* Random lives on random places that do not overlap: each in a slot of its own. */
static Drawn
open_random(uint32_t n, gint64 end)
{
  g_autoptr(GString) text = g_string_new("id,lower,upper,size,offset\n");
  for (uint32_t i = 0; i < n; i++) {
    gint64 start = (gint64)(g_test_rand_double() * (double)(end - 1));
    gint64 stop = start + 1 + (gint64)(g_test_rand_double() * (double)end / 5);
    g_string_append_printf(text, "%u,%" G_GINT64_FORMAT ",%" G_GINT64_FORMAT ",%d,%u\n", i, start,
                           MIN(stop, end), g_test_rand_int_range(1, 1000), i * 1000);
  }
  return open_csv(text->str);
}

static void
close_drawn(Drawn *drawn)
{
  tn_study_unref(drawn->study);
  tn_document_free(drawn->document);
}

/* ---- hits ------------------------------------------------------------------------------------------ */

enum { WIDTH = 400, HEIGHT = 300 };

static void
check_hits_offsets(const TnView *view, const uint32_t *pixels)
{
  TnRect rect = {10, 20, WIDTH, HEIGHT};
  const TnTheme *theme = tn_theme_light();
  uint32_t hatch = 0xFF000000u | theme->hatch, padding = 0xFF000000u | theme->padding;
  uint32_t n_hits = 0;
  for (int y = 0; y < HEIGHT; y += 3)
    for (int x = 0; x < WIDTH; x += 3) {
      uint32_t pixel = pixels[y * WIDTH + x];
      tn_tick tick = -1;
      tn_index hit = tn_view_hit_offsets(view, rect, 10 + x + 0.5, 20 + y + 0.5, &tick);
      if (pixel == 0 || pixel == hatch) {
        /* Nothing was painted here: at most the neighbour above or below is offered. */
        if (hit != TN_NONE) {
          uint32_t color = tn_raster_color(view, theme, hit);
          bool is_near = (y > 0 && pixels[(y - 1) * WIDTH + x] == color) ||
                         (y + 1 < HEIGHT && pixels[(y + 1) * WIDTH + x] == color) ||
                         (y > 0 && pixels[(y - 1) * WIDTH + x] == padding) ||
                         (y + 1 < HEIGHT && pixels[(y + 1) * WIDTH + x] == padding);
          g_assert_true(is_near);
        }
        continue;
      }
      g_assert_cmpuint(hit, !=, TN_NONE);
      n_hits++;
      g_assert_cmpint(view->study->buffers->start[hit], <=, tick);
      g_assert_cmpint(view->study->buffers->end[hit], >, tick);
      if (pixel != padding)
        g_assert_cmphex(pixel, ==, tn_raster_color(view, theme, hit));
    }
  if (view->p1 - view->p0 >= (double)view->study->map->height) /* a part may be empty */
    g_assert_cmpuint(n_hits, >, 0);
}

static void
check_hits_lanes(const TnView *view, const uint32_t *pixels)
{
  TnRect rect = {10, 20, WIDTH, HEIGHT};
  uint32_t n_hits = 0;
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++) {
      uint32_t pixel = pixels[y * WIDTH + x];
      if (pixel == 0)
        continue;
      tn_index hit = tn_view_hit_lanes(view, rect, 10 + x + 0.5, 20 + y + 0.5);
      g_assert_cmpuint(hit, !=, TN_NONE);
      g_assert_cmphex(pixel, ==, tn_raster_color(view, tn_theme_light(), hit));
      n_hits++;
    }
  g_assert_cmpuint(n_hits, >, 0);
  g_assert_cmpuint(tn_view_hit_lanes(view, rect, 20, 19), ==,
                   view->lane_top >= 1 ? tn_view_hit_lanes(view, rect, 20, 19) : TN_NONE);
}

static void
check_view(TnView *view)
{
  static uint32_t pixels[WIDTH * HEIGHT];
  TnRaster out = {pixels, WIDTH, HEIGHT, WIDTH};
  tn_raster_offsets(view, tn_theme_light(), 1.0, &out);
  check_hits_offsets(view, pixels);
  for (int i = 0; i < 2; i++) {
    view->lane_height = i ? 1.0 : 15.0;
    tn_raster_lanes(view, tn_theme_light(), 1.0, &out);
    check_hits_lanes(view, pixels);
  }
}

static void
check_zooms(const TnStudy *study)
{
  TnView view;
  tn_view_init(&view, study);
  check_view(&view);
  view.selected = study->buffers->n / 2;
  check_view(&view);
  static const double zooms[] = {3.7, 40, 900};
  for (gsize i = 0; i < G_N_ELEMENTS(zooms); i++) {
    tn_view_init(&view, study);
    tn_view_zoom_time(&view, zooms[i], (double)study->live->peak_at);
    check_view(&view);
    tn_view_zoom_places(&view, 5.0, (double)study->map->height * 0.1);
    check_view(&view);
  }
}

static void
test_hits(void)
{
  Drawn sample = open_sample();
  check_zooms(sample.study);
  close_drawn(&sample);
  Drawn few = open_random(60, 90), many = open_random(3000, 1ll << 42);
  check_zooms(few.study);
  check_zooms(many.study);
  close_drawn(&few);
  close_drawn(&many);
}

static void
check_all_have_bars(const TnView *view, int width)
{
  TnRect rect = {0, 0, width, 100};
  for (uint32_t lane = 0; lane < view->study->lanes->n; lane++) {
    TnLaneWalk walk;
    tn_index buffer;
    int x0, x1;
    tn_lane_walk_init(&walk, view, lane, width);
    g_assert_true(tn_lane_walk_next(&walk, &buffer, &x0, &x1));
    g_assert_cmpint(0, <=, x0);
    g_assert_cmpint(x0, <, x1);
    g_assert_cmpint(x1, <=, width);
    double y = (lane - view->lane_top + 0.5) * view->lane_height;
    g_assert_cmpuint(tn_view_hit_lanes(view, rect, x0 + 0.5, y), ==, buffer);
  }
}

/* A log's newest buffers begin within its last pixel. */
static void
test_last_have_bars(void)
{
  g_autoptr(GString) text = g_string_new("id,lower,upper,size,offset\n0,0,10000,1000,0\n");
  for (int i = 1; i < 20; i++)
    g_string_append_printf(text, "%d,%d,10000,1000,%d\n", i, 10000 - i, i * 1000);
  Drawn drawn = open_csv(text->str);
  TnView view;
  tn_view_init(&view, drawn.study);
  for (int width = 1; width <= 3000; width += 7)
    check_all_have_bars(&view, width);
  close_drawn(&drawn);
}

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
  TnReadOptions options = TN_READ_OPTIONS_INIT;
  g_autoptr(GError) error = NULL;
  TnDocument *document = tn_document_load_source(source, &options, &error);
  g_assert_no_error(error);
  Drawn drawn = prepare(document);
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
  close_drawn(&drawn);
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

/* ---- what is wrong ----------------------------------------------------------------------------------- */

static Drawn
open_plan(const char *buffers)
{
  g_autofree char *text = g_strdup_printf(
      "{\"format\": \"tenure-plan\", \"version\": 1, \"axis\": {\"end\": 10}, \"buffers\": [%s]}", buffers);
  g_autoptr(TnSource) source = tn_source_new_for_bytes("plan.json", text, strlen(text));
  TnReadOptions options = TN_READ_OPTIONS_INIT;
  g_autoptr(GError) error = NULL;
  TnDocument *document = tn_document_load_source(source, &options, &error);
  g_assert_no_error(error);
  return prepare(document);
}

/* Pixels in the colour of what is wrong: of the ticks [from, to) and places [low, high), and elsewhere. */
static void
count_wrong(const TnStudy *study, const int where[4], int *out_there, int *out_elsewhere)
{
  static uint32_t pixels[WIDTH * HEIGHT];
  TnRaster out = {pixels, WIDTH, HEIGHT, WIDTH};
  TnView view;
  *out_there = *out_elsewhere = 0;
  tn_view_init(&view, study);
  tn_raster_offsets(&view, tn_theme_light(), 1.0, &out);
  double per_tick = WIDTH / view.t1, per_byte = HEIGHT / view.p1;
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++) {
      bool is_there = x >= floor(where[0] * per_tick) && x < ceil(where[1] * per_tick) &&
                      HEIGHT - y > floor(where[2] * per_byte) && HEIGHT - 1 - y < ceil(where[3] * per_byte);
      bool is_wrong = pixels[y * WIDTH + x] == (0xFF000000u | tn_theme_light()->peak);
      *out_there += is_wrong && is_there;
      *out_elsewhere += is_wrong && !is_there;
    }
}

#define BUFFER(id, start, end, bytes, offset, more)                                                              \
  "{\"id\": " #id ", \"start\": " #start ", \"end\": " #end ", \"bytes\": " #bytes ", \"offset\": " #offset more "}"

static void
test_overlaps(void)
{
  static const struct {
    const char *buffers;
    int where[4];
    int least, most; /* pixels of the hatching */
  } plans[] = {
      /* A third of 160 x 60 pixels, or nearly. */
      {BUFFER(0, 0, 10, 600, 0, "") "," BUFFER(1, 4, 8, 600, 400, ""), {4, 8, 400, 600}, 2200, 3400},
      {BUFFER(0, 4, 8, 600, 400, "") "," BUFFER(1, 0, 10, 600, 0, ""), {4, 8, 400, 600}, 2200, 3400},
      /* Of less than a pixel, in what comes before it and in what comes after it. */
      {BUFFER(0, 0, 10, 1000, 0, "") "," BUFFER(1, 2, 5, 2, 500, ""), {2, 5, 500, 502}, 20, 60},
      {BUFFER(0, 2, 5, 2, 500, "") "," BUFFER(1, 3, 10, 1000, 0, ""), {3, 5, 500, 502}, 10, 40},
      /* Neighbours, batches that never run together, and a life that the other one's gap leaves room for. */
      {BUFFER(0, 0, 10, 499, 0, "") "," BUFFER(1, 2, 5, 2, 499, "") "," BUFFER(2, 0, 10, 499, 501, ""), {0}, 0, 0},
      {BUFFER(0, 0, 9, 600, 0, ", \"batch_label\": \"a\"") "," BUFFER(1, 1, 9, 600, 200, ", \"batch_label\": \"b\""),
       {0}, 0, 0},
      {BUFFER(0, 0, 9, 600, 0, ", \"gaps\": [[2, 5]]") "," BUFFER(1, 2, 5, 600, 0, ""), {0}, 0, 0},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(plans); i++) {
    int there, elsewhere;
    Drawn drawn = open_plan(plans[i].buffers);
    count_wrong(drawn.study, plans[i].where, &there, &elsewhere);
    g_test_message("plan %d: %d pixels", (int)i, there);
    g_assert_cmpint(there, >=, plans[i].least);
    g_assert_cmpint(there, <=, plans[i].most);
    g_assert_cmpint(elsewhere, ==, 0);
    close_drawn(&drawn);
  }
}

/* ---- columns --------------------------------------------------------------------------------------- */

/* Every tick in view belongs to a column, so the highest column is the highest tick. */
static void
check_columns(const TnView *view, int n)
{
  const TnStudy *study = view->study;
  tn_tick first = (tn_tick)floor(view->t0), stop = (tn_tick)ceil(view->t1);
  tn_tick covered = MAX(first, (tn_tick)0);
  tn_bytes highest = 0;
  for (int column = 0; column < n; column++) {
    tn_tick start, end;
    if (!tn_view_column(view, column, n, &start, &end))
      break;
    g_assert_cmpint(start, <, end);
    g_assert_cmpint(start, >=, first);
    g_assert_cmpint(start, <=, covered);
    g_assert_cmpint(end, <=, study->axis_end);
    covered = MAX(covered, end);
    highest = MAX(highest, tn_curve_max(study->live, start, end, NULL));
  }
  g_assert_cmpint(covered, >=, MIN(stop, study->axis_end));
  tn_bytes want = tn_curve_max(study->live, first, MIN(stop, study->axis_end), NULL);
  g_assert_cmpint(highest, >=, want);
}

static void
test_columns(void)
{
  Drawn drawn[] = {open_sample(), open_random(50, 7), open_random(500, 1ll << 50)};
  static const int widths[] = {1, 2, 3, 320, 1023, 1600, 3200};
  for (gsize d = 0; d < G_N_ELEMENTS(drawn); d++) {
    for (int round = 0; round < 600; round++) {
      TnView view;
      tn_view_init(&view, drawn[d].study);
      if (round > 0) {
        tn_view_zoom_time(&view, pow(10, g_test_rand_double() * 5),
                          g_test_rand_double() * (double)drawn[d].study->axis_end);
        tn_view_pan_time(&view, g_test_rand_double() - 0.5);
      }
      for (gsize i = 0; i < G_N_ELEMENTS(widths); i++)
        check_columns(&view, widths[i]);
    }
    close_drawn(&drawn[d]);
  }
}

/* ---- moving the view ------------------------------------------------------------------------------- */

/* A tick that a range covers in part belongs to it: so does a peak there. */
static void
test_range_ticks(void)
{
  TnStudy study = {.axis_end = 10};
  TnView view = {.study = &study, .r0 = 2.75, .r1 = 4.25};
  tn_tick from, to;
  tn_view_range_ticks(&view, &from, &to);
  g_assert_cmpint(from, ==, 2);
  g_assert_cmpint(to, ==, 5);
  view.r0 = 9.5;
  view.r1 = 10.0;
  tn_view_range_ticks(&view, &from, &to);
  g_assert_cmpint(from, ==, 9);
  g_assert_cmpint(to, ==, 10);
  view.r0 = 3.0;
  view.r1 = 4.0;
  tn_view_range_ticks(&view, &from, &to);
  g_assert_cmpint(to, ==, 4);
}

/* Where doubles are hundreds of ticks apart, the least that is shown still has two ends. */
static void
test_zoom_far(void)
{
  Drawn far = open_csv("id,lower,upper,size\na,0,4611686018427387904,4096\n"
                       "b,4000000000000000000,4000000000000000010,8192\n");
  TnView view;
  tn_view_init(&view, far.study);
  tn_view_fit_time(&view, 4e18, 4e18, 1.5);
  double least = view.t1 - view.t0;
  g_assert_cmpfloat(least, >=, 512.0);
  g_assert_cmpfloat(least, <=, 16384.0);
  tn_view_clamp(&view);
  for (int i = 0; i < 50; i++)
    tn_view_zoom_time(&view, 1.5, tn_view_middle(&view));
  g_assert_cmpfloat(view.t1 - view.t0, ==, least);
  tn_view_pan_time(&view, -0.5);
  g_assert_cmpfloat(view.t1 - view.t0, ==, least);
  tn_view_zoom_time(&view, 1e-9, tn_view_middle(&view));
  tn_view_zoom_time(&view, 1e-20, tn_view_middle(&view));
  g_assert_cmpfloat(view.t0, ==, 0.0);
  g_assert_cmpfloat(view.t1, ==, (double)far.study->axis_end);
  close_drawn(&far);
}

static void
test_zoom_keeps_point(void)
{
  Drawn sample = open_sample();
  TnRect rect = {72, 0, 1500, 500};
  for (int round = 0; round < 500; round++) {
    TnView view;
    tn_view_init(&view, sample.study);
    tn_view_zoom_time(&view, 1 + g_test_rand_double() * 20,
                      g_test_rand_double() * (double)sample.study->axis_end);
    double x = rect.x + g_test_rand_double() * rect.width, tick = tn_view_tick(&view, rect, x);
    double width = view.t1 - view.t0;
    tn_view_zoom_time(&view, 1.3, tick);
    /* Closer: nothing can push the point away, except at one tick of width. */
    if (view.t1 - view.t0 < width * 0.99)
      g_assert_cmpfloat_with_epsilon(tn_view_x(&view, rect, tick), x, 1.0);
    tn_view_zoom_time(&view, 0.01, tick);
    tn_view_zoom_time(&view, 1e-9, tick);
    g_assert_cmpfloat(view.t0, ==, 0.0);
    g_assert_cmpfloat_with_epsilon(view.t1, (double)sample.study->axis_end, 1e-6);
    tn_view_zoom_time(&view, 1e9, tick);
    g_assert_cmpfloat_with_epsilon(view.t1 - view.t0, 1.0, 1e-6);
    tn_view_pan_time(&view, 1e12);
    g_assert_cmpfloat_with_epsilon(view.t1, (double)sample.study->axis_end, 1e-6);
    tn_view_pan_time(&view, -1e12);
    g_assert_cmpfloat_with_epsilon(view.t0, 0.0, 1e-6);
  }
  close_drawn(&sample);
}

/* ---- scales ---------------------------------------------------------------------------------------- */

static void
test_steps(void)
{
  static const struct {
    double least;
    int64_t step;
  } rows[] = {{0.001, 1},  {1, 1},     {1.1, 2},   {2, 2},        {3, 5},
              {5.5, 10},   {72, 100},  {101, 200}, {250, 500},    {501, 1000},
              {1e17, 100000000000000000}, {3e18, 5000000000000000000},
              {9e18, 5000000000000000000}};
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++)
    g_assert_cmpint(tn_scale_step(rows[i].least), ==, rows[i].step);
}

static void
test_byte_steps(void)
{
  const tn_bytes k = 1024, m = k * k, g = k * m;
  const struct {
    double least;
    tn_bytes iec;
    tn_bytes value;
    const char *label;
  } rows[] = {
      {0.1, 1, 7, "7 B"},
      {3, 5, 10, "10 B"},
      {50, 50, 100, "100 B"},
      {60, 102, 102, "0.1 KiB"},
      {500, 512, 1536, "1.5 KiB"},
      {513, k, 3 * k, "3 KiB"},
      {30.0 * (double)k, 50 * k, 150 * k, "150 KiB"},
      {100.0 * (double)k, m / 10, m / 10 * 3, "0.3 MiB"},
      {150.0 * (double)m, g / 5, g / 5 * 6, "1.2 GiB"},
      {300.0 * (double)m, g / 2, 5 * (g / 2), "2.5 GiB"},
      {600.0 * (double)m, g, 12 * g, "12 GiB"},
      {1.5 * (double)g, 2 * g, 4 * g, "4 GiB"},
      {300.0 * (double)g, 512 * g, 1024 * g, "1.0 TiB"},
      {2e18, 2ll << 60, 2ll << 60, "2 EiB"},
      {4e18, 4ll << 60, 4ll << 60, "4 EiB"},
  };
  char text[48];
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    tn_bytes step = tn_scale_byte_step(rows[i].least, TN_UNITS_IEC);
    g_assert_cmpint(step, ==, rows[i].iec);
    g_assert_cmpstr(
        tn_scale_print_bytes(text, sizeof text, rows[i].value, step, TN_UNITS_IEC), ==,
        rows[i].label);
  }
  g_assert_cmpint(tn_scale_byte_step(30e6, TN_UNITS_SI), ==, 50000000);
  g_assert_cmpint(tn_scale_byte_step(150e6, TN_UNITS_SI), ==, 200000000);
  g_assert_cmpstr(tn_scale_print_bytes(text, sizeof text, 400000000, 200000000, TN_UNITS_SI), ==,
                  "0.4 GB");
  g_assert_cmpstr(tn_scale_print_bytes(text, sizeof text, 0, g, TN_UNITS_IEC), ==, "0");
  /* Never below what was asked, up to the end of 64 bits. */
  for (double least = 0.5; least < 2.0e18; least *= 1.37)
    for (TnUnits units = TN_UNITS_IEC; units <= TN_UNITS_SI; units++)
      g_assert_cmpfloat((double)tn_scale_byte_step(least, units), >=, floor(least));
}

/* ---- colours --------------------------------------------------------------------------------------- */

static const TnTheme *
theme_of(int i)
{
  return i ? tn_theme_dark() : tn_theme_light();
}

static void
test_contrast(void)
{
  for (int i = 0; i < 2; i++) {
    const TnTheme *theme = theme_of(i);
    for (int c = 0; c < TN_N_CATEGORIES; c++)
      for (int s = 0; s < TN_SHADES; s++) {
        uint32_t fill = theme->shade[c][s];
        g_assert_cmpfloat(tn_color_contrast(fill, tn_color_text_on(fill)), >=, 4.5);
        /* Dimmed by a search. */
        uint32_t dim = tn_color_mix(fill, theme->panel, 0.8);
        g_assert_cmpfloat(tn_color_contrast(dim, tn_color_text_on(dim)), >=, 4.5);
      }
    const uint32_t text[] = {theme->text, theme->secondary};
    for (gsize k = 0; k < G_N_ELEMENTS(text); k++) {
      g_assert_cmpfloat(tn_color_contrast(text[k], theme->panel), >=, 4.5);
      g_assert_cmpfloat(tn_color_contrast(text[k], theme->background), >=, 4.5);
    }
    g_assert_cmpfloat(tn_color_contrast(theme->peak, theme->on_peak), >=, 4.5);
    g_assert_cmpfloat(tn_color_contrast(theme->warning, tn_color_text_on(theme->warning)), >=, 4.5);
    /* Lines and outlines: 3:1. */
    g_assert_cmpfloat(tn_color_contrast(theme->peak, theme->panel), >=, 3.0);
    g_assert_cmpfloat(tn_color_contrast(theme->warning, theme->panel), >=, 3.0);
  }
  g_assert_cmpfloat_with_epsilon(tn_color_contrast(0, 0xFFFFFF), 21.0, 0.01);
  g_assert_cmpfloat_with_epsilon(tn_color_contrast(0x777777, 0xFFFFFF), 4.48, 0.01);
}

typedef struct {
  double l, a, b;
} Lab;

static double
linear(double c)
{
  return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

/* The simulations of Machado, Oliveira, Fernandes 2009 at full severity (on linear RGB), then
 * CIELAB of D65. */
static Lab
seen(uint32_t color, int kind)
{
  static const double matrix[4][3][3] = {
      {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
      {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216},
       {-0.003882, -0.048116, 1.051998}},
      {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413},
       {-0.011820, 0.042940, 0.968881}},
      {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602},
       {0.004733, 0.691367, 0.303900}}};
  double in[3] = {linear((color >> 16 & 255) / 255.0), linear((color >> 8 & 255) / 255.0),
                  linear((color & 255) / 255.0)};
  double c[3];
  for (int i = 0; i < 3; i++)
    c[i] = CLAMP(matrix[kind][i][0] * in[0] + matrix[kind][i][1] * in[1] +
                     matrix[kind][i][2] * in[2], 0.0, 1.0);
  double xyz[3] = {(0.4124 * c[0] + 0.3576 * c[1] + 0.1805 * c[2]) / 0.95047,
                   0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2],
                   (0.0193 * c[0] + 0.1192 * c[1] + 0.9505 * c[2]) / 1.08883};
  for (int i = 0; i < 3; i++)
    xyz[i] = xyz[i] > 0.008856 ? cbrt(xyz[i]) : 7.787 * xyz[i] + 16.0 / 116.0;
  return (Lab){116 * xyz[1] - 16, 500 * (xyz[0] - xyz[1]), 200 * (xyz[1] - xyz[2])};
}

static double
distance(Lab x, Lab y)
{
  return sqrt((x.l - y.l) * (x.l - y.l) + (x.a - y.a) * (x.a - y.a) + (x.b - y.b) * (x.b - y.b));
}

/* 11 units of CIELAB are told apart side by side; the legend's order and the labels are the second
 * cue. */
static void
test_color_blind(void)
{
  static const char *const kinds[] = {"all", "protanopia", "deuteranopia", "tritanopia"};
  for (int i = 0; i < 2; i++)
    for (int kind = 0; kind < 4; kind++)
      for (int a = 0; a < TN_CATEGORY_BEFORE; a++)
        for (int b = a + 1; b < TN_CATEGORY_BEFORE; b++) {
          const TnTheme *theme = theme_of(i);
          double d = distance(seen(theme->category[a], kind), seen(theme->category[b], kind));
          if (d < 11.0)
            g_error("%s theme, %s: categories %d and %d are only %.1f apart",
                    i ? "dark" : "light", kinds[kind], a + 1, b + 1, d);
        }
}

/* Neighbours of one hue differ: the shades of a category are not the same colour. */
static void
test_shades(void)
{
  for (int i = 0; i < 2; i++)
    for (int c = 0; c < TN_N_CATEGORIES; c++)
      for (int a = 0; a < TN_SHADES; a++)
        for (int b = a + 1; b < TN_SHADES; b++)
          g_assert_cmpfloat(distance(seen(theme_of(i)->shade[c][a], 0),
                                     seen(theme_of(i)->shade[c][b], 0)), >=, 2.0);
}

/* ---- whole pictures of odd studies ------------------------------------------------------------------ */

static void
export_all(const Drawn *drawn)
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
                                 .scale = i == 1 ? 1.5 : 1.0, .theme = theme_of(i % 2)};
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
    Drawn drawn = open_csv(tables[i]);
    export_all(&drawn);
    close_drawn(&drawn);
  }
  Drawn log = prepare(log_new(NULL, 0));
  export_all(&log);
  close_drawn(&log);
}

/* What is far into a lane of very many bars has its name as well. */
static void
test_labels_far_right(void)
{
  g_autoptr(GString) text = g_string_new("id,lower,upper,size\n");
  for (int i = 0; i < 20000; i++)
    g_string_append_printf(text, "b%d,%d,%d,64\n", i, i * 10, i * 10 + 10);
  Drawn drawn = open_csv(text->str);
  TnView view;
  tn_view_init(&view, drawn.study);
  view.t0 = 199950;
  view.t1 = 200000;
  TnExportParams params = {.picture = TN_PICTURE_LIFETIMES, .width = 1024, .height = 300,
                           .scale = 1.0, .theme = tn_theme_light()};
  g_autoptr(GByteArray) svg = tn_export_build(&view, &params, TN_EXPORT_SVG, NULL);
  g_assert_nonnull(g_strstr_len((const char *)svg->data, svg->len, ">b19997<"));
  close_drawn(&drawn);
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
  Drawn drawn = open_sample();
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
  close_drawn(&drawn);
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

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/render/hits", test_hits);
  g_test_add_func("/render/right-to-left", test_right_to_left);
  g_test_add_func("/render/axis-labels", test_axis_labels);
  g_test_add_func("/render/oom-flags", test_oom_flags);
  g_test_add_func("/render/svg-layers", test_svg_layers);
  g_test_add_func("/render/overlaps", test_overlaps);
  g_test_add_func("/render/last-have-bars", test_last_have_bars);
  g_test_add_func("/render/columns", test_columns);
  g_test_add_func("/render/zoom-keeps-point", test_zoom_keeps_point);
  g_test_add_func("/render/zoom-far", test_zoom_far);
  g_test_add_func("/render/range-ticks", test_range_ticks);
  g_test_add_func("/render/steps", test_steps);
  g_test_add_func("/render/byte-steps", test_byte_steps);
  g_test_add_func("/render/contrast", test_contrast);
  g_test_add_func("/render/color-blind", test_color_blind);
  g_test_add_func("/render/shades", test_shades);
  g_test_add_func("/render/odd-studies", test_odd_studies);
  g_test_add_func("/render/labels-far-right", test_labels_far_right);
  g_test_add_func("/render/as-in-window", test_as_in_window);
  g_test_add_func("/render/elide", test_elide);
  g_test_add_func("/render/markup", test_markup);
  g_test_add_func("/render/html-prefix", test_html_prefix);
  g_test_add_func("/render/large-totals", test_large_totals);
  return g_test_run();
}
