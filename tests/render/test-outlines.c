/* SPDX-License-Identifier: MIT */
/* The theme with outlines draws a rim around every bar of both maps, on the pixels that the lives and
 * places say; the one without draws none. */
#include "config.h"

#include "tests/render/opened.h"
#include "data/reader.h"
#include "render/draw.h"
#include "render/frame.h"

#include <string.h>

/* An event is 50 pixels wide, a byte 0.4 high: all edges lie between pixels. */
enum { WIDTH = 500, HEIGHT = 400, TICK = 50, LANE = 16 };

static const struct {
  int lower, upper, size, offset;
} bars[] = {{0, 4, 400, 0}, {2, 8, 300, 400}, {5, 10, 400, 0}, {8, 10, 250, 750}, {0, 2, 100, 400}};

static Opened
open_bars(void)
{
  g_autoptr(GString) text = g_string_new("id,lower,upper,size,offset\n");
  for (gsize i = 0; i < G_N_ELEMENTS(bars); i++)
    g_string_append_printf(text, "%d,%d,%d,%d,%d\n", (int)i, bars[i].lower, bars[i].upper,
                           bars[i].size, bars[i].offset);
  return open_csv(text->str);
}

typedef void (*Draw)(const TnPaint *paint, const TnView *view, TnRect rect, cairo_surface_t *image);

/* Owned by the caller. */
static cairo_surface_t *
draw(const TnView *view, Draw draw_map, const TnTheme *theme, int scale, TnRect *out_plot)
{
  TnRect rect = {0, 0, WIDTH, HEIGHT}, inside = tn_frame_plot(rect);
  rect.width += WIDTH - inside.width;
  rect.height += HEIGHT - inside.height;
  cairo_surface_t *surface = cairo_image_surface_create(
      CAIRO_FORMAT_RGB24, (int)rect.width * scale, (int)rect.height * scale);
  cairo_t *cr = cairo_create(surface);
  cairo_scale(cr, scale, scale);
  TnPaint paint = {.cr = cr, .theme = theme, .scale = scale, .text_scale = 1.0};
  draw_map(&paint, view, rect, NULL);
  cairo_destroy(cr);
  cairo_surface_flush(surface);
  *out_plot = tn_frame_plot(rect);
  return surface;
}

/* How many of a rectangle's pixels, device ones, have the colour. */
static int
count(cairo_surface_t *surface, int x, int y, int width, int height, uint32_t color)
{
  const unsigned char *data = cairo_image_surface_get_data(surface);
  int stride = cairo_image_surface_get_stride(surface), n = 0;
  for (int row = y; row < y + height; row++)
    for (int column = x; column < x + width; column++) {
      uint32_t pixel;
      memcpy(&pixel, data + (gsize)row * (gsize)stride + 4 * (gsize)column, sizeof pixel);
      n += (pixel & 0xFFFFFF) == (color & 0xFFFFFF);
    }
  return n;
}

/* Of the four edges of a rectangle of device pixels, the pixels that have the colour. */
static int
count_rim(cairo_surface_t *surface, int x, int y, int width, int height, uint32_t color)
{
  return count(surface, x, y, width, 1, color) + count(surface, x, y + height - 1, width, 1, color) +
         count(surface, x, y + 1, 1, height - 2, color) +
         count(surface, x + width - 1, y + 1, 1, height - 2, color);
}

static void
check_bar(cairo_surface_t *surface, TnRect r, int scale, const TnTheme *theme)
{
  int x = (int)r.x * scale, y = (int)r.y * scale;
  int width = (int)r.width * scale, height = (int)r.height * scale;
  int rim = count_rim(surface, x, y, width, height, theme->text);
  g_assert_cmpint(rim, ==, theme->has_outlines ? 2 * width + 2 * (height - 2) : 0);
  /* The rim is one pixel thick: the next pixels inside are the bar's own. */
  g_assert_cmpint(count_rim(surface, x + 1, y + 1, width - 2, height - 2, theme->text), ==, 0);
}

static void
check_maps(const TnStudy *study, const TnTheme *theme, int scale)
{
  TnView view;
  TnRect plot;
  tn_view_init(&view, study);
  view.lane_height = LANE;
  g_assert_cmpfloat(view.p1, ==, 1000.0);
  g_assert_cmpfloat(view.t1, ==, 10.0);
  cairo_surface_t *offsets = draw(&view, tn_draw_offsets, theme, scale, &plot);
  cairo_surface_t *lanes = draw(&view, tn_draw_lifetimes, theme, scale, &plot);
  for (gsize i = 0; i < G_N_ELEMENTS(bars); i++) {
    TnRect r = {plot.x + TICK * bars[i].lower, 0, TICK * (bars[i].upper - bars[i].lower), 0};
    r.height = bars[i].size * 0.4;
    r.y = plot.y + HEIGHT - bars[i].offset * 0.4 - r.height;
    check_bar(offsets, r, scale, theme);
    r.y = plot.y + (double)LANE * study->lanes->lane[i];
    r.height = LANE - 1;
    check_bar(lanes, r, scale, theme);
  }
  cairo_surface_destroy(offsets);
  cairo_surface_destroy(lanes);
}

static void
test_rims(void)
{
  Opened opened = open_bars();
  for (int has_outlines = 0; has_outlines < 2; has_outlines++)
    for (int palette = 0; palette < TN_N_PALETTES; palette++) {
      tn_theme_set_variant((TnPalette)palette, has_outlines);
      for (int scale = 1; scale <= 2; scale++) {
        check_maps(opened.study, tn_theme_light(), scale);
        check_maps(opened.study, tn_theme_dark(), scale);
      }
    }
  tn_theme_set_variant(TN_PALETTE_TENURE, false);
  close_opened(&opened);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/outlines/rims", test_rims);
  return g_test_run();
}
