/* SPDX-License-Identifier: MIT */
/* The live curve against brute force: values, extremes of ranges, gaps, dense and sparse axes. */
#include "config.h"

#include "analysis/curve.h"
#include "log-support.h"

#define LABELS 4u

/* Of no label, and of the label that has most. */
static tn_bytes
alive_at(const TnBuffers *b, tn_tick tick)
{
  tn_bytes sum[LABELS] = {0}, most = 0;
  for (tn_index i = 0; i < b->n; i++) {
    if (b->start[i] > tick || b->end[i] <= tick)
      continue;
    uint32_t n;
    const TnGap *gaps = tn_buffers_gaps(b, i, &n);
    tn_bytes bytes = b->bytes[i];
    for (uint32_t g = 0; g < n; g++)
      if (gaps[g].start <= tick && tick < gaps[g].end)
        bytes = gaps[g].high - gaps[g].low;
    sum[b->batch ? b->batch[i] : 0] += bytes;
  }
  for (uint32_t k = 1; k < LABELS; k++)
    most = MAX(most, sum[k]);
  return sum[0] + most;
}

/* The curve is a step function of `want` (by tick), asked in every way. */
static void
check_curve(const TnCurve *curve, const tn_bytes *want, tn_tick end)
{
  tn_bytes peak = 0;
  tn_tick peak_at = 0;
  g_assert_cmpint(curve->tick[0], ==, 0);
  for (uint32_t i = 1; i < curve->n; i++) {
    g_assert_cmpint(curve->tick[i], >, curve->tick[i - 1]);
    g_assert_cmpint(curve->tick[i], <, end);
  }
  for (tn_tick t = 0; t < end; t++) {
    g_assert_cmpint(tn_curve_at(curve, t), ==, want[t]);
    if (want[t] > peak) {
      peak = want[t];
      peak_at = t;
    }
  }
  g_assert_cmpint(curve->peak, ==, peak);
  g_assert_cmpint(curve->peak_at, ==, peak_at);
  for (int round = 0; round < 400; round++) {
    tn_tick a = g_test_rand_int_range(0, (gint32)end);
    tn_tick z = a + 1 + g_test_rand_int_range(0, (gint32)(end - a));
    z = MIN(z, end);
    tn_bytes most = want[a], least = want[a];
    tn_tick most_at = a, at = -1;
    for (tn_tick t = a; t < z; t++) {
      if (want[t] > most) {
        most = want[t];
        most_at = t;
      }
      least = MIN(least, want[t]);
    }
    g_assert_cmpint(tn_curve_max(curve, a, z, &at), ==, most);
    g_assert_cmpint(at, ==, most_at);
    g_assert_cmpint(tn_curve_min(curve, a, z), ==, least);
  }
}

static void
add_random_gaps(TnBuffers *b)
{
  g_autoptr(GArray) gaps = g_array_new(FALSE, FALSE, sizeof(TnGap));
  g_autoptr(GArray) owner = g_array_new(FALSE, FALSE, sizeof(tn_index));
  for (tn_index i = 0; i < b->n; i++) {
    tn_tick at = b->start[i];
    while (b->end[i] - at >= 2 && g_test_rand_bit()) {
      tn_tick from = at + g_test_rand_int_range(0, (gint32)(b->end[i] - at));
      tn_tick to = from + 1 + g_test_rand_int_range(0, (gint32)(b->end[i] - from));
      to = MIN(to, b->end[i]);
      TnGap gap = {from, to, 0, 0};
      if (g_test_rand_bit() && b->bytes[i] >= 2) {
        gap.low = g_test_rand_int_range(0, (gint32)b->bytes[i] - 1);
        gap.high = gap.low + 1 +
                   g_test_rand_int_range(0, (gint32)(b->bytes[i] - gap.low));
        gap.high = MIN(gap.high, b->bytes[i]);
      }
      g_array_append_val(gaps, gap);
      g_array_append_val(owner, i);
      at = to;
    }
  }
  tn_buffers_set_gaps(b, (const TnGap *)(void *)gaps->data,
                      (const tn_index *)(void *)owner->data, gaps->len);
}

static void
check_random(uint32_t n, tn_tick end, bool with_gaps, uint32_t n_labels)
{
  g_autoptr(TnBuffers) b = random_lives(n, end, MAX(end / 3, (tn_tick)2), 1000, g_test_rand_bit());
  if (with_gaps)
    add_random_gaps(b);
  if (n_labels)
    tn_buffers_need(b, TN_COLUMN_BATCH);
  for (uint32_t i = 0; n_labels && i < n; i++)
    b->batch[i] = (uint32_t)g_test_rand_int_range(0, (gint32)n_labels);
  g_autoptr(TnCurve) curve = tn_curve_new_for_buffers(b, end);
  g_assert_nonnull(curve);
  g_assert_cmpint(curve->end, ==, end);
  g_autofree tn_bytes *want = g_new(tn_bytes, end);
  for (tn_tick t = 0; t < end; t++)
    want[t] = alive_at(b, t);
  check_curve(curve, want, end);
}

/* Many buffers a tick: one cell a tick; few: sorting.  Sizes of the pyramid's levels on both sides
 * of a power of eight. */
static void
test_random(void)
{
  static const struct {
    uint32_t n;
    tn_tick end;
  } rows[] = {{0, 1},    {0, 9},   {1, 1},    {1, 50},    {5, 8},     {40, 63},  {200, 64},
              {200, 65}, {9, 511}, {60, 512}, {600, 513}, {20, 3000}, {900, 4097}};
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++)
    for (int gaps = 0; gaps < 2; gaps++)
      for (uint32_t labels = 0; labels <= LABELS; labels++)
        check_random(rows[i].n, rows[i].end, gaps, labels);
}

/* The two ways to sum give the same points. */
static void
test_dense_is_sparse(void)
{
  g_autoptr(TnBuffers) dense = random_lives(3000, 5000, 900, 1 << 20, TRUE);
  g_autoptr(TnBuffers) sparse = tn_buffers_copy(dense);
  const tn_tick stretch = 1000003;
  for (tn_index i = 0; i < sparse->n; i++) {
    sparse->start[i] *= stretch;
    sparse->end[i] *= stretch;
  }
  g_autoptr(TnCurve) a = tn_curve_new_for_buffers(dense, 5000);
  g_autoptr(TnCurve) b = tn_curve_new_for_buffers(sparse, 5000 * stretch);
  g_assert_cmpuint(a->n, ==, b->n);
  for (uint32_t i = 0; i < a->n; i++) {
    g_assert_cmpint(a->tick[i] * stretch, ==, b->tick[i]);
    g_assert_cmpint(a->value[i], ==, b->value[i]);
  }
  g_assert_cmpint(a->peak_at * stretch, ==, b->peak_at);
  g_assert_cmpint(a->peak, ==, b->peak);
}

/* Of some rows: as if the others had no bytes. */
static void
test_rows(void)
{
  g_autoptr(TnBuffers) all = random_lives(300, 900, 200, 1000, TRUE);
  add_random_gaps(all);
  uint32_t rows[300], n = 0;
  for (uint32_t i = all->n; i-- > 0;)
    if (g_test_rand_bit())
      rows[n++] = i;
  g_autoptr(TnCurve) some = tn_curve_new_for_rows(all, rows, n, 900);
  g_autoptr(TnBuffers) others = tn_buffers_copy(all);
  for (uint32_t k = 0; k < n; k++)
    others->end[rows[k]] = others->start[rows[k]];
  for (tn_tick t = 0; t < 900; t++)
    g_assert_cmpint(tn_curve_at(some, t), ==, alive_at(all, t) - alive_at(others, t));
}

/* What lives beyond the axis is cut off; what begins beyond it does not show. */
static void
test_beyond_axis(void)
{
  static const tn_tick ends[] = {4, 400};
  for (gsize i = 0; i < G_N_ELEMENTS(ends); i++) {
    g_autoptr(TnBuffers) b = tn_buffers_new();
    tn_buffers_add(b, 0, ends[i] + 7, 10, TN_KIND_UNKNOWN);
    tn_buffers_add(b, ends[i], ends[i] + 3, 100, TN_KIND_UNKNOWN);
    g_autoptr(TnCurve) curve = tn_curve_new_for_buffers(b, ends[i]);
    g_assert_cmpuint(curve->n, ==, 1);
    g_assert_cmpint(curve->peak, ==, 10);
    g_assert_cmpint(tn_curve_max(curve, 0, ends[i], NULL), ==, 10);
    g_assert_cmpint(tn_curve_min(curve, 0, ends[i]), ==, 10);
  }
}

static void
test_overflow(void)
{
  for (tn_tick end = 4; end <= 400; end += 396) {
    g_autoptr(TnBuffers) apart = tn_buffers_new();
    tn_buffers_add(apart, 0, 1, INT64_MAX, TN_KIND_UNKNOWN);
    tn_buffers_add(apart, 1, 2, INT64_MAX, TN_KIND_UNKNOWN);
    tn_buffers_add(apart, 2, 3, INT64_MAX - 1, TN_KIND_UNKNOWN);
    tn_buffers_add(apart, 2, 3, 1, TN_KIND_UNKNOWN);
    g_autoptr(TnCurve) good = tn_curve_new_for_buffers(apart, end);
    g_assert_nonnull(good);
    g_assert_cmpint(good->peak, ==, INT64_MAX);
    g_assert_cmpint(good->peak_at, ==, 0);
    tn_buffers_add(apart, 2, 4, 1, TN_KIND_UNKNOWN);
    g_assert_null(tn_curve_new_for_buffers(apart, end));
  }
}

static void
test_given_points(void)
{
  static const tn_tick tick[] = {0, 5, 9};
  static const tn_bytes value[] = {3, -2, 7};
  g_autoptr(TnCurve) curve = tn_curve_new(tick, value, 3, 20);
  tn_tick at;
  g_assert_cmpint(tn_curve_at(curve, 4), ==, 3);
  g_assert_cmpint(tn_curve_at(curve, 5), ==, -2);
  g_assert_cmpint(tn_curve_at(curve, 19), ==, 7);
  g_assert_cmpint(tn_curve_at(curve, 99), ==, 7);
  g_assert_cmpint(tn_curve_at(curve, -5), ==, 3);
  g_assert_cmpint(tn_curve_max(curve, 2, 8, &at), ==, 3);
  g_assert_cmpint(at, ==, 2);
  g_assert_cmpint(tn_curve_max(curve, 12, 13, &at), ==, 7);
  g_assert_cmpint(at, ==, 12);
  g_assert_cmpint(tn_curve_min(curve, 8, 9), ==, -2);
  g_autoptr(TnCurve) empty = tn_curve_new(NULL, NULL, 0, 1);
  g_assert_cmpint(empty->peak, ==, 0);
  g_assert_cmpint(empty->n, ==, 1);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/curve/random", test_random);
  g_test_add_func("/curve/dense-is-sparse", test_dense_is_sparse);
  g_test_add_func("/curve/rows", test_rows);
  g_test_add_func("/curve/beyond-axis", test_beyond_axis);
  g_test_add_func("/curve/overflow", test_overflow);
  g_test_add_func("/curve/given-points", test_given_points);
  return g_test_run();
}
