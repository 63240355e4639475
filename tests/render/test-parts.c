/* SPDX-License-Identifier: MIT */
/* A picture filled in parts on all processors is the picture filled in one go, byte for byte; each part
 * of a work is done once, whoever calls. */
#include "config.h"

#include "tests/render/opened.h"
#include "data/reader.h"
#include "render/parts.h"
#include "render/raster.h"
#include "render/skyline.h"

#include <string.h>

/* ---- parts ----------------------------------------------------------------------------------------- */

enum { N_PARTS = 1000 };

static void
count(gpointer data, guint part)
{
  gint *done = data;
  g_atomic_int_inc(&done[part]);
}

static gpointer
run_often(gpointer data)
{
  for (int round = 0; round < 200; round++) {
    gint done[N_PARTS] = {0};
    guint n = (guint)round * 5 % N_PARTS;
    tn_parts_run(n, count, done);
    for (guint i = 0; i < N_PARTS; i++)
      g_assert_cmpint(done[i], ==, i < n);
  }
  return NULL;
}

static void
test_once_each(void)
{
  GThread *threads[4];
  for (gsize i = 0; i < G_N_ELEMENTS(threads); i++)
    threads[i] = g_thread_new("caller", run_often, NULL);
  run_often(NULL);
  for (gsize i = 0; i < G_N_ELEMENTS(threads); i++)
    g_thread_join(threads[i]);
}

/* A part may have parts of its own: nobody waits for a thread that is waiting too. */
static void
nest(gpointer data, guint part)
{
  gint done[8] = {0};
  tn_parts_run(G_N_ELEMENTS(done), count, done);
  for (gsize i = 0; i < G_N_ELEMENTS(done); i++)
    g_assert_cmpint(done[i], ==, 1);
  count(data, part);
}

static void
test_nested(void)
{
  gint done[16] = {0};
  tn_parts_run(G_N_ELEMENTS(done), nest, done);
  for (gsize i = 0; i < G_N_ELEMENTS(done); i++)
    g_assert_cmpint(done[i], ==, 1);
}

static void
test_count(void)
{
  g_assert_cmpuint(tn_parts_count(0, 64), ==, 1);
  g_assert_cmpuint(tn_parts_count(63, 64), ==, 1);
  g_assert_cmpuint(tn_parts_count(130, 64), <=, 2);
  g_assert_cmpuint(tn_parts_count(1000000, 1), <=, 4 * g_get_num_processors());
}

/* ---- pictures -------------------------------------------------------------------------------------- */

/* More starts than lie between checkpoints, so that some columns jump; of some the cap of rounding is
 * seen, many are thinner than a pixel. */
static Opened
open_many(void)
{
  g_autoptr(GString) text = g_string_new("{\"format\": \"tenure-log\", \"version\": 1}\n");
  enum { SLOTS = 700, EVENTS = 90000 };
  bool is_held[SLOTS] = {0};
  for (int k = 0; k < EVENTS; k++) {
    int i = g_test_rand_int_range(0, SLOTS), address = 1048576 + i * 4096;
    int bytes = 8 * g_test_rand_int_range(1, 500);
    if (is_held[i])
      g_string_append_printf(text, "{\"t\": %d, \"event\": \"free\", \"address\": %d}\n", k, address);
    else
      g_string_append_printf(text,
                             "{\"t\": %d, \"event\": \"alloc\", \"address\": %d, \"bytes\": %d, "
                             "\"requested\": %d, \"name\": \"t%d\"}\n",
                             k, address, bytes, bytes - i % 8, i % 9);
    is_held[i] = !is_held[i];
  }
  g_autoptr(TnSource) source = tn_source_new_for_bytes("many.tlog", text->str, text->len);
  return open_source(source, "tenure-log");
}

typedef void (*Fill)(const TnView *, const TnTheme *, double, TnRaster *);

/* Rows are longer than the picture is wide: what lies beyond stays as it was. */
static uint32_t *
fill(const TnView *view, Fill layer, int width, int height, double scale, guint n_parts)
{
  gsize stride = (gsize)width + 5, n = stride * (gsize)height;
  uint32_t *pixels = g_new(uint32_t, n);
  memset(pixels, 0x5a, n * sizeof *pixels);
  TnRaster out = {pixels, width, height, (int)stride, .n_parts = n_parts};
  layer(view, tn_theme_dark(), scale, &out);
  for (gsize i = 0; i < n; i++)
    if (i % stride >= (gsize)width)
      g_assert_cmphex(pixels[i], ==, 0x5a5a5a5a);
  return pixels;
}

static void
check(const TnView *view, Fill layer)
{
  static const struct {
    int width, height;
    double scale;
  } sizes[] = {{1, 1, 1}, {17, 90, 1}, {333, 200, 1}, {1320, 377, 1}, {800, 411, 2}, {601, 150, 1.5}};
  static const guint parts[] = {0, 2, 3, 7, 64};
  for (gsize s = 0; s < G_N_ELEMENTS(sizes); s++) {
    int width = sizes[s].width, height = sizes[s].height;
    gsize n = ((gsize)width + 5) * (gsize)height;
    g_autofree uint32_t *whole = fill(view, layer, width, height, sizes[s].scale, 1);
    for (gsize p = 0; p < G_N_ELEMENTS(parts); p++) {
      g_autofree uint32_t *cut = fill(view, layer, width, height, sizes[s].scale, parts[p]);
      g_assert_cmpmem(cut, n * sizeof *cut, whole, n * sizeof *whole);
    }
  }
}

static void
check_zooms(const TnStudy *study)
{
  static const double zooms[] = {1, 2.3, 40, 5000};
  g_autofree uint8_t *match = g_new(uint8_t, study->buffers->n);
  for (uint32_t i = 0; i < study->buffers->n; i++)
    match[i] = i % 3 == 0;
  for (gsize i = 0; i < G_N_ELEMENTS(zooms); i++) {
    TnView view;
    tn_view_init(&view, study);
    tn_view_zoom_time(&view, zooms[i], (double)study->live->peak_at);
    if (i % 2)
      tn_view_zoom_places(&view, 3.0, (double)study->map->height * 0.4);
    view.selected = i > 1 ? study->buffers->n / 2 : TN_NONE;
    view.match = i == 3 ? match : NULL;
    check(&view, tn_raster_offsets);
    check(&view, tn_raster_skyline);
  }
}

static void
test_same_pixels(void)
{
  Opened opened[] = {open_sample(), open_many()}; /* the first has segments that are held but free: hatched */
  for (gsize i = 0; i < G_N_ELEMENTS(opened); i++) {
    check_zooms(opened[i].study);
    close_opened(&opened[i]);
  }
}

/* Given up, it ends at once and leaves what is not filled. */
static void
test_stopped(void)
{
  Opened opened = open_many();
  TnView view;
  uint32_t pixels[40 * 30];
  const gint is_stopped = 1;
  memset(pixels, 0x5a, sizeof pixels);
  tn_view_init(&view, opened.study);
  TnRaster out = {pixels, 40, 30, 40, .n_parts = 4, .is_stopped = &is_stopped};
  tn_raster_offsets(&view, tn_theme_dark(), 1.0, &out);
  tn_raster_skyline(&view, tn_theme_dark(), 1.0, &out);
  for (gsize i = 0; i < G_N_ELEMENTS(pixels); i++)
    g_assert_cmphex(pixels[i], ==, 0x5a5a5a5a);
  tn_study_unref(opened.study);
  tn_document_free(opened.document);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/parts/once-each", test_once_each);
  g_test_add_func("/parts/nested", test_nested);
  g_test_add_func("/parts/count", test_count);
  g_test_add_func("/parts/same-pixels", test_same_pixels);
  g_test_add_func("/parts/stopped", test_stopped);
  return g_test_run();
}
