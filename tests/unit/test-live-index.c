/* SPDX-License-Identifier: MIT */
/* Checkpoints and sweep of the live set against brute force, on tables of more rows than a
 * checkpoint spans. */
#include "config.h"

#include "analysis/live-index.h"
#include "log-support.h"

#include <stdlib.h>

static int
compare_rows(const void *a, const void *b)
{
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return x < y ? -1 : x > y;
}

/* The rows alive at a tick, by row. */
static GArray *
alive_at(const TnBuffers *b, tn_tick tick)
{
  GArray *rows = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  for (uint32_t i = 0; i < b->n; i++)
    if (b->start[i] <= tick && tick < b->end[i])
      g_array_append_val(rows, i);
  return rows;
}

static void
check_rows(const TnBuffers *b, tn_tick tick, const GArray *got)
{
  g_autoptr(GArray) want = alive_at(b, tick);
  g_autoptr(GArray) sorted = g_array_sized_new(FALSE, FALSE, sizeof(uint32_t), got->len);
  if (got->len)
    g_array_append_vals(sorted, got->data, got->len);
  g_array_sort(sorted, compare_rows);
  if (want->len == 0)
    g_assert_cmpuint(got->len, ==, 0);
  else
    g_assert_cmpmem(sorted->data, sorted->len * 4, want->data, want->len * 4);
}

static void
check_at(const TnLiveIndex *index, tn_tick tick)
{
  g_autoptr(GArray) rows = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  tn_live_index_at(index, tick, rows);
  check_rows(index->buffers, tick, rows);
  for (guint i = 1; i < rows->len; i++)
    g_assert_cmpint(index->buffers->start[g_array_index(rows, uint32_t, i - 1)], <=,
                    index->buffers->start[g_array_index(rows, uint32_t, i)]);
}

static void
check_sweep(const TnLiveIndex *index, tn_tick end, tn_tick largest_step)
{
  TnLiveSweep sweep;
  tn_tick tick = (tn_tick)(g_test_rand_double() * (double)end / 4);
  tn_live_sweep_init(&sweep, index, tick);
  for (int i = 0; i < 60 && tick < end; i++) {
    g_autoptr(GArray) rows = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    for (uint32_t k = 0; k < sweep.n; k++)
      g_array_append_val(rows, sweep.alive[k].row);
    check_rows(index->buffers, tick, rows);
    tick += (tn_tick)(g_test_rand_double() * (double)largest_step);
    tn_live_sweep_advance(&sweep, tick);
  }
  tn_live_sweep_clear(&sweep);
}

static void
check_position(const TnLiveIndex *index, tn_tick tick)
{
  uint32_t want = 0;
  for (uint32_t i = 0; i < index->buffers->n; i++)
    want += index->buffers->start[i] < tick;
  g_assert_cmpuint(tn_live_index_position(index, tick), ==, want);
}

static void
check_table(const TnBuffers *b, tn_tick end)
{
  TnLiveIndex *index = tn_live_index_new(b);
  for (int i = 0; i < 40; i++) {
    tn_tick tick = (tn_tick)(g_test_rand_double() * (double)end);
    check_at(index, tick);
    check_position(index, tick);
  }
  check_at(index, 0);
  check_at(index, end - 1);
  check_at(index, end);
  check_at(index, -1);
  static const int parts[] = {2000, 100, 5};
  for (gsize i = 0; i < G_N_ELEMENTS(parts); i++)
    check_sweep(index, end, MAX(end / parts[i], (tn_tick)2));
  /* All checkpoints together stay as small as the table. */
  g_assert_cmpuint(index->first[index->n_checkpoints], <=, b->n);
  tn_live_index_free(index);
}

static void
test_random(void)
{
  static const struct {
    uint32_t n;
    tn_tick end, longest;
  } rows[] = {{0, 10, 2},           {1, 10, 10},          {4095, 9000, 300},
              {4096, 9000, 300},    {4097, 9000, 300},    {8192, 100, 3},
              {23000, 50000, 700},  {23000, 50000, 50000}, {30000, 1ll << 50, 1ll << 44},
              {41000, 2000, 40}};
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++)
    for (int is_sorted = 0; is_sorted < 2; is_sorted++) {
      g_autoptr(TnBuffers) b =
          random_lives(rows[i].n, rows[i].end, rows[i].longest, 100, is_sorted);
      check_table(b, rows[i].end);
    }
}

/* Nothing is ever freed: the live set is as large as the table. */
static void
test_leak(void)
{
  g_autoptr(TnBuffers) b = tn_buffers_new();
  for (int i = 0; i < 100000; i++)
    tn_buffers_add(b, i, 100000, 1, TN_KIND_UNKNOWN);
  TnLiveIndex *index = tn_live_index_new(b);
  g_assert_cmpuint(index->first[index->n_checkpoints], <=, 100000);
  g_autoptr(GArray) rows = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  for (int tick = 0; tick < 100000; tick += 9973) {
    tn_live_index_at(index, tick, rows);
    g_assert_cmpuint(rows->len, ==, tick + 1);
    g_assert_cmpuint(g_array_index(rows, uint32_t, rows->len - 1), ==, tick);
  }
  tn_live_index_free(index);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/live-index/random", test_random);
  g_test_add_func("/live-index/leak", test_leak);
  return g_test_run();
}
