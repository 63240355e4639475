/* SPDX-License-Identifier: MIT */
/* No peak is lost at any zoom, the point under the pointer stays, steps are round. */
#include "config.h"

#include "tests/render/opened.h"
#include "render/scale.h"
#include "render/view.h"

#include <math.h>

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
  Opened drawn[] = {open_sample(), open_random(50, 7), open_random(500, 1ll << 50)};
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
    close_opened(&drawn[d]);
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
  Opened far = open_csv("id,lower,upper,size\na,0,4611686018427387904,4096\n"
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
  close_opened(&far);
}

static void
test_zoom_keeps_point(void)
{
  Opened sample = open_sample();
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
  close_opened(&sample);
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

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/render/columns", test_columns);
  g_test_add_func("/render/zoom-keeps-point", test_zoom_keeps_point);
  g_test_add_func("/render/zoom-far", test_zoom_far);
  g_test_add_func("/render/range-ticks", test_range_ticks);
  g_test_add_func("/render/steps", test_steps);
  g_test_add_func("/render/byte-steps", test_byte_steps);
  return g_test_run();
}
