/* SPDX-License-Identifier: MIT */
/* Time by the clock: known values, both ways of the map between ticks and microseconds, columns
 * that lose no tick, and views that stay on their ticks. */
#include "config.h"

#include "log-support.h"
#include "render/view.h"

#include <math.h>

/* A log whose event i is at time[i]: allocations and frees of one address in turn. */
static TnStudy *
study_at(const int64_t *time, uint32_t n, TnDocument **out_document)
{
  g_autofree LogEvent *events = g_new(LogEvent, n);
  for (uint32_t i = 0; i < n; i++)
    events[i] = (LogEvent){i % 2 ? TN_EVENT_FREE : TN_EVENT_ALLOC, 0x1000, 512 * (1 + i / 2 % 7)};
  *out_document = log_new(events, n);
  for (uint32_t i = 0; i < n; i++)
    log_device(*out_document)->events.time_us[i] = time[i];
  TnStudyParams params = TN_STUDY_PARAMS_INIT;
  g_autoptr(GError) error = NULL;
  TnStudy *study = tn_study_new(*out_document, 0, &params, NULL, &error);
  g_assert_no_error(error);
  g_assert_true(tn_study_prepare(study, TN_GROUP_AUTO, NULL));
  return study;
}

static void
close_study(TnStudy *study, TnDocument *document)
{
  tn_study_unref(study);
  tn_document_free(document);
}

static void
test_known(void)
{
  static const int64_t time[] = {100, 107, 107, 119};
  TnDocument *document;
  TnStudy *study = study_at(time, 4, &document);
  const TnClock *clock = study->clock;
  static const struct {
    double tick, us;
  } ats[] = {{0, 0},     {0.5, 3.5}, {1, 7},      {1.5, 7}, {2, 7},
             {2.25, 10}, {3, 19},    {3.5, 19.5}, {4, 20},  {9, 20}};
  static const struct {
    double us, tick;
  } ticks[] = {{-1, 0}, {0, 0}, {3.5, 0.5}, {7, 2}, {13, 2.5}, {19, 3}, {20, 4}, {99, 4}};
  static const struct {
    double us;
    tn_tick first;
  } firsts[] = {{0, 0}, {0.5, 1}, {7, 1}, {7.5, 3}, {19, 3}, {19.5, 4}};
  g_assert_nonnull(clock);
  g_assert_cmpfloat(clock->total_us, ==, 20);
  for (gsize i = 0; i < G_N_ELEMENTS(ats); i++)
    g_assert_cmpfloat_with_epsilon(tn_clock_at(clock, ats[i].tick), ats[i].us, 1e-9);
  for (gsize i = 0; i < G_N_ELEMENTS(ticks); i++)
    g_assert_cmpfloat_with_epsilon(tn_clock_tick(clock, ticks[i].us), ticks[i].tick, 1e-9);
  for (gsize i = 0; i < G_N_ELEMENTS(firsts); i++)
    g_assert_cmpint(tn_clock_first(clock, firsts[i].us), ==, firsts[i].first);
  close_study(study, document);
}

/* No times, one moment only, times that are missing or go back. */
static void
test_bad_times(void)
{
  static const int64_t none[] = {0, 0, 0, 0}, same[] = {5, 5, 5, 5},
                       mixed[] = {0, 50, 0, 40, 60, 0};
  static const double want[] = {0, 0, 0, 0, 10, 10, 11};
  TnDocument *document;
  TnStudy *study = study_at(none, 4, &document);
  g_autofree char *reason = tn_study_dup_no_clock(study);
  g_assert_null(study->clock);
  g_assert_cmpstr(reason, ==, "The file records no times: its axis counts events.");
  close_study(study, document);
  study = study_at(same, 4, &document);
  g_assert_null(study->clock);
  close_study(study, document);
  study = study_at(mixed, 6, &document);
  g_autofree char *no_reason = tn_study_dup_no_clock(study);
  g_assert_null(no_reason);
  for (int i = 0; i <= 6; i++)
    g_assert_cmpfloat(tn_clock_at(study->clock, i), ==, want[i]);
  g_assert_cmpint(study->clock->n_back, ==, 1);
  close_study(study, document);
}

/* 100 ticks: the first 50 take 50 µs, the next one 950, the rest 1 each. */
static void
test_long_in(void)
{
  int64_t time[100];
  char text[32];
  TnDocument *document;
  for (int i = 0; i < 100; i++)
    time[i] = 1000 + i + (i > 50 ? 949 : 0);
  TnStudy *study = study_at(time, 100, &document);
  const TnClock *clock = study->clock;
  g_assert_cmpfloat(clock->total_us, ==, 1049);
  g_assert_cmpfloat(tn_clock_life(clock, 50, 51), ==, 950);
  g_assert_cmpint(tn_clock_long_in(clock, 50, 51), ==, TN_LONG_IN_SECONDS); /* 1 % against 91 % */
  g_assert_cmpint(tn_clock_long_in(clock, 0, 50), ==, TN_LONG_IN_TICKS);    /* 50 % against 5 % */
  g_assert_cmpint(tn_clock_long_in(clock, 0, 100), ==, TN_LONG_NEITHER);
  g_assert_cmpint(tn_clock_long_in(clock, 30, 51), ==,
                  TN_LONG_IN_SECONDS);                                   /* 21 % against 92.5 % */
  g_assert_cmpint(tn_clock_long_in(clock, 25, 51), ==, TN_LONG_NEITHER); /* 26 % against 93 % */
  g_assert_cmpstr(tn_long_in_name(TN_LONG_IN_TICKS), ==, "ticks");
  static const struct {
    double us;
    const char *text;
  } texts[] = {{0, "0 s"},           {12, "12 µs"},      {3450, "3.45 ms"}, {123456, "123.5 ms"},
               {1234567, "1.235 s"}, {75.2e6, "75.2 s"}, {3600e6, "3600 s"}};
  for (gsize i = 0; i < G_N_ELEMENTS(texts); i++)
    g_assert_cmpstr(tn_print_us(text, sizeof text, texts[i].us), ==, texts[i].text);
  close_study(study, document);
}

static void
test_parse(void)
{
  static const struct {
    const char *text;
    double us; /* < 0: none */
  } rows[] = {{"1.2 s", 1.2e6}, {"35ms", 35e3}, {"12 µs", 12}, {"12us", 12}, {"0 s", 0},
              {"12", -1},       {"s", -1},      {"1 h", -1},   {"", -1},     {"1e999 s", -1}};
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    double us = -1;
    g_assert_cmpint(tn_parse_us(rows[i].text, &us), ==, rows[i].us >= 0);
    g_assert_cmpfloat_with_epsilon(us, rows[i].us, 1e-6);
  }
}

static TnStudy *
random_study(TnDocument **out_document)
{
  uint32_t n = 2 + (uint32_t)g_test_rand_int_range(0, 300);
  g_autofree int64_t *time = g_new(int64_t, n);
  int64_t at = 1600000000000000;
  for (uint32_t i = 0; i < n; i++) {
    at += g_test_rand_bit() ? 0 : g_test_rand_int_range(0, g_test_rand_bit() ? 3 : 100000);
    time[i] = at + (i == n - 1);
  }
  return study_at(time, n, out_document);
}

static void
test_round_trip(void)
{
  for (int round = 0; round < 200; round++) {
    TnDocument *document;
    TnStudy *study = random_study(&document);
    const TnClock *clock = study->clock;
    for (int k = 0; k < 50; k++) {
      double us = g_test_rand_double() * clock->total_us;
      double tick = tn_clock_tick(clock, us);
      g_assert_cmpfloat_with_epsilon(tn_clock_at(clock, tick), us, 1e-4);
      tn_tick first = tn_clock_first(clock, us);
      g_assert_true(tn_clock_at(clock, (double)first) >= us);
      g_assert_true(first == 0 || tn_clock_at(clock, (double)first - 1) < us);
    }
    close_study(study, document);
  }
}

/* The columns of a whole view have all ticks, and each has those of its time: nothing more but what
 * was in force at its beginning. */
static void
check_columns(const TnView *view, int n)
{
  const TnClock *clock = view->study->clock;
  double from = tn_view_at(view, view->t0), width = tn_view_width(view);
  tn_tick last = -1, start, end;
  for (int column = 0; column < n && tn_view_column(view, column, n, &start, &end); column++) {
    double left = from + width * column / n, right = from + width * (column + 1) / n;
    g_assert_cmpint(start, <, end);
    g_assert_true(last < 0 || start <= last);
    g_assert_true(tn_clock_at(clock, (double)start) <= left + 1e-3);
    g_assert_true(end >= clock->n || tn_clock_at(clock, (double)end) >= right - 1e-3);
    g_assert_true(end == start + 1 || tn_clock_at(clock, (double)end - 1) <= right + 1e-3);
    last = end;
  }
  g_assert_true(last >= (tn_tick)ceil(view->t1 - 1e-6) ||
                last >= tn_clock_first(clock, from + width - 1e-3));
}

static void
test_views(void)
{
  TnRect rect = {70, 0, 1000, 100};
  for (int round = 0; round < 300; round++) {
    TnDocument *document;
    TnStudy *study = random_study(&document);
    TnView view, ticks;
    tn_view_init(&view, study);
    view.is_clock = true;
    check_columns(&view, 1 + g_test_rand_int_range(0, 400));
    tn_tick covered, end;
    g_assert_true(tn_view_column(&view, 0, 1, &covered, &end));
    g_assert_cmpint(covered, ==, 0);
    g_assert_cmpint(end, ==, study->axis_end);
    double tick = g_test_rand_double() * (double)study->axis_end, x;
    tn_view_zoom_time(&view, 1 + 5 * g_test_rand_double(), tick);
    check_columns(&view, 1 + g_test_rand_int_range(0, 400));
    /* What is under a point stays there while it zooms. */
    x = rect.x + rect.width * (0.2 + 0.6 * g_test_rand_double());
    tick = tn_view_tick(&view, rect, x);
    if (tn_view_width(&view) > 100)
      tn_view_zoom_time(&view, 1.5, tick);
    g_assert_cmpfloat_with_epsilon(tn_view_x(&view, rect, tick), x, 0.01);
    /* Another count of the axis moves nothing but the picture. */
    ticks = view;
    ticks.is_clock = false;
    tn_view_clamp(&ticks);
    g_assert_true(ticks.t1 - ticks.t0 <= 1.0 + 1e-6 ||
                  (fabs(ticks.t0 - view.t0) < 1e-6 && fabs(ticks.t1 - view.t1) < 1e-6));
    tn_view_zoom_time(&view, 1e-9, tick);
    g_assert_cmpfloat_with_epsilon(view.t0, 0.0, 1e-9);
    g_assert_cmpfloat_with_epsilon(view.t1, (double)study->axis_end, 1e-9);
    tn_view_zoom_time(&view, 1e12, tick);
    g_assert_cmpfloat_with_epsilon(tn_view_width(&view), 1.0, 1e-3);
    tn_view_pan_time(&view, 1e15);
    g_assert_cmpfloat_with_epsilon(view.t1, (double)study->axis_end, 1e-6);
    close_study(study, document);
  }
}

/* Two lives: of many ticks in no time, and of one tick that takes most of it. */
static void
test_bars(void)
{
  static const int64_t time[] = {10, 11, 12, 13, 14, 1014};
  static const LogEvent events[] = {{TN_EVENT_ALLOC, 0x1000, 512}, {TN_EVENT_OTHER, 0, 0},
                                    {TN_EVENT_OTHER, 0, 0},        {TN_EVENT_FREE, 0x1000, 512},
                                    {TN_EVENT_ALLOC, 0x1000, 512}, {TN_EVENT_FREE, 0x1000, 512}};
  TnDocument *document = log_new(events, 6);
  for (int i = 0; i < 6; i++)
    log_device(document)->events.time_us[i] = time[i];
  TnStudyParams params = TN_STUDY_PARAMS_INIT;
  TnStudy *study = tn_study_new(document, 0, &params, NULL, NULL);
  TnView view;
  TnRect plot = {0, 0, 1005, 100}, first, second;
  tn_study_prepare(study, TN_GROUP_AUTO, NULL);
  tn_view_init(&view, study);
  view.is_clock = true;
  g_assert_true(tn_view_rect_lanes(&view, plot, 0, &first));
  g_assert_true(tn_view_rect_lanes(&view, plot, 1, &second));
  g_assert_cmpfloat_with_epsilon(first.x, 0, 1e-6);
  g_assert_cmpfloat_with_epsilon(first.width, 3, 1e-6);
  g_assert_cmpfloat_with_epsilon(second.x, 4, 1e-6);
  g_assert_cmpfloat_with_epsilon(second.width, 1000, 1e-6);
  g_assert_cmpint(tn_view_hit_lanes(&view, plot, 500, 2), ==, 1);
  g_assert_cmpint(tn_view_hit_lanes(&view, plot, 1, 2), ==, 0);
  g_assert_cmpint(tn_view_hit_offsets(&view, plot, 500, 50, NULL), ==, 1);
  view.is_clock = false;
  g_assert_true(tn_view_rect_lanes(&view, plot, 0, &first));
  g_assert_cmpfloat_with_epsilon(first.width, 1005 * 3 / 6.0, 1e-6);
  close_study(study, document);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/clock/known", test_known);
  g_test_add_func("/clock/bad-times", test_bad_times);
  g_test_add_func("/clock/long-in", test_long_in);
  g_test_add_func("/clock/parse", test_parse);
  g_test_add_func("/clock/round-trip", test_round_trip);
  g_test_add_func("/clock/views", test_views);
  g_test_add_func("/clock/bars", test_bars);
  return g_test_run();
}
