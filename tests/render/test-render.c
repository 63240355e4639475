/* SPDX-License-Identifier: MIT */
/* What is hit is what was painted; the last buffers have bars, and what overlaps is hatched. */
#include "config.h"

#include "tests/render/opened.h"
#include "render/pixels.h"
#include "render/raster.h"

#include <math.h>

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
  Opened sample = open_sample();
  check_zooms(sample.study);
  close_opened(&sample);
  Opened few = open_random(60, 90), many = open_random(3000, 1ll << 42);
  check_zooms(few.study);
  check_zooms(many.study);
  close_opened(&few);
  close_opened(&many);
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
  Opened drawn = open_csv(text->str);
  TnView view;
  tn_view_init(&view, drawn.study);
  for (int width = 1; width <= 3000; width += 7)
    check_all_have_bars(&view, width);
  close_opened(&drawn);
}

/* ---- what is wrong ----------------------------------------------------------------------------------- */

static Opened
open_plan(const char *buffers)
{
  g_autofree char *text = g_strdup_printf(
      "{\"format\": \"tenure-plan\", \"version\": 1, \"axis\": {\"end\": 10}, \"buffers\": [%s]}", buffers);
  g_autoptr(TnSource) source = tn_source_new_for_bytes("plan.json", text, strlen(text));
  return open_source(source, NULL);
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
    Opened drawn = open_plan(plans[i].buffers);
    count_wrong(drawn.study, plans[i].where, &there, &elsewhere);
    g_test_message("plan %d: %d pixels", (int)i, there);
    g_assert_cmpint(there, >=, plans[i].least);
    g_assert_cmpint(there, <=, plans[i].most);
    g_assert_cmpint(elsewhere, ==, 0);
    close_opened(&drawn);
  }
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/render/hits", test_hits);
  g_test_add_func("/render/last-have-bars", test_last_have_bars);
  g_test_add_func("/render/overlaps", test_overlaps);
  return g_test_run();
}
