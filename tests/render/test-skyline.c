/* SPDX-License-Identifier: MIT */
/* The skyline against a stack built by hand: in each column what is alive at its peak tick, the oldest at
 * the ground. */
#include "config.h"

#include "tests/render/opened.h"
#include "data/reader.h"
#include "render/skyline.h"

#include <string.h>

enum { WIDTH = 240, HEIGHT = 208 };

/* Rows sorted by start (by row among equals), as they lie on each other. */
static int
compare_starts(gconstpointer a, gconstpointer b, gpointer data)
{
  const TnBuffers *buffers = data;
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  if (buffers->start[x] != buffers->start[y])
    return buffers->start[x] < buffers->start[y] ? -1 : 1;
  return x < y ? -1 : x > y;
}

static tn_bytes
live_at(const TnBuffers *b, tn_tick tick)
{
  tn_bytes sum = 0;
  for (uint32_t i = 0; i < b->n; i++)
    sum += b->start[i] <= tick && tick < b->end[i] ? b->bytes[i] : 0;
  return sum;
}

/* The first tick of the column with the most bytes alive. */
static tn_tick
peak_of_column(const TnView *view, int x)
{
  const TnBuffers *b = view->study->buffers;
  tn_tick start, end, best;
  g_assert_true(tn_view_column(view, x, WIDTH, &start, &end));
  best = start;
  for (tn_tick tick = start; tick < end; tick++)
    if (live_at(b, tick) > live_at(b, best))
      best = tick;
  return best;
}

/* The buffer at a height, TN_NONE above all. */
static tn_index
stacked_at(const TnView *view, const GArray *order, tn_tick tick, double height)
{
  const TnBuffers *b = view->study->buffers;
  double top = 0.0;
  for (guint i = 0; i < order->len; i++) {
    uint32_t row = g_array_index(order, uint32_t, i);
    if (b->start[row] > tick || b->end[row] <= tick)
      continue;
    top += (double)b->bytes[row];
    if (top > height)
      return row;
  }
  return TN_NONE;
}

static void
check(const TnView *view)
{
  static uint32_t pixels[WIDTH * HEIGHT];
  TnRaster out = {pixels, WIDTH, HEIGHT, WIDTH};
  const TnBuffers *b = view->study->buffers;
  g_autoptr(GArray) order = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  for (uint32_t i = 0; i < b->n; i++)
    g_array_append_val(order, i);
  g_array_sort_with_data(order, compare_starts, (gpointer)b);
  tn_raster_skyline(view, tn_theme_light(), 1.0, &out);
  double per_row = tn_skyline_height(view) / HEIGHT;
  for (int x = 0; x < WIDTH; x += 3) {
    tn_tick tick = peak_of_column(view, x);
    for (int y = 0; y < HEIGHT; y += 3) {
      /* Rows are rounded to whole pixels: the middle of a row is told where one buffer covers it all. */
      double low = (HEIGHT - y - 1) * per_row, middle = low + per_row / 2;
      tn_index want = stacked_at(view, order, tick, middle);
      tn_index hit =
          tn_skyline_hit(view, (TnRect){10, 20, WIDTH, HEIGHT}, 10 + x + 0.5, 20 + y + 0.5);
      /* On the border itself, which rounding may put on either side, both are right. */
      g_assert_true(hit == want || hit == stacked_at(view, order, tick, middle - 1e-6) ||
                    hit == stacked_at(view, order, tick, middle + 1e-6));
      if (stacked_at(view, order, tick, low) != want ||
          stacked_at(view, order, tick, low + per_row * 0.999) != want)
        continue;
      uint32_t pixel = pixels[y * WIDTH + x];
      if (want == TN_NONE)
        g_assert_cmphex(pixel, ==, 0);
      else if (want != view->selected)
        g_assert_cmphex(pixel, ==, tn_raster_color(view, tn_theme_light(), want));
    }
  }
}

static void
test_by_hand(void)
{
  Opened opened = open_csv("id,lower,upper,size,offset\na,0,4,100,0\nb,1,3,50,100\nc,2,4,50,150\n");
  TnView view;
  TnRect rect = {0, 0, 40, 208};
  tn_view_init(&view, opened.study);
  g_assert_cmpfloat(tn_skyline_height(&view), ==, 208.0);
  /* One pixel a byte; at tick 2 all three lie on each other, at 3 the last one has come down. */
  g_assert_cmpuint(tn_skyline_hit(&view, rect, 25, 208 - 99.5), ==, 0);
  g_assert_cmpuint(tn_skyline_hit(&view, rect, 25, 208 - 100.5), ==, 1);
  g_assert_cmpuint(tn_skyline_hit(&view, rect, 25, 208 - 150.5), ==, 2);
  g_assert_cmpuint(tn_skyline_hit(&view, rect, 25, 208 - 200.5), ==, TN_NONE);
  g_assert_cmpuint(tn_skyline_hit(&view, rect, 35, 208 - 100.5), ==, 2);
  g_assert_cmpuint(tn_skyline_hit(&view, rect, 35, 208 - 150.5), ==, TN_NONE);
  close_opened(&opened);
}

static void
test_random(void)
{
  for (int round = 0; round < 3; round++) {
    g_autoptr(GString) text = g_string_new("id,lower,upper,size,offset\n");
    for (int i = 0; i < 300; i++) {
      int start = g_test_rand_int_range(0, 900);
      g_string_append_printf(text, "%d,%d,%d,%d,%d\n", i, start,
                             MIN(start + g_test_rand_int_range(1, 200), 1000),
                             g_test_rand_int_range(1, 1000), i * 1000);
    }
    Opened opened = open_csv(text->str);
    TnView view;
    tn_view_init(&view, opened.study);
    check(&view);
    tn_view_zoom_time(&view, 7.3, 400.0);
    view.selected = 17;
    check(&view);
    close_opened(&opened);
  }
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/skyline/by-hand", test_by_hand);
  g_test_add_func("/skyline/random", test_random);
  return g_test_run();
}
