/* SPDX-License-Identifier: MIT */
/* Lanes: no two lives of a lane meet, as few lanes as can be, the large ones first. */
#include "config.h"

#include "analysis/lanes.h"
#include "log-support.h"

/* Four classes to an octave, as the header says. */
static int
class_of(tn_bytes bytes)
{
  if (bytes <= 0)
    return -1;
  int octave = 0;
  while (octave < 62 && bytes >> (octave + 1))
    octave++;
  return octave * 4 + (octave >= 2 ? (int)(bytes >> (octave - 2)) & 3 : 0);
}

static int
compare_ticks(gconstpointer a, gconstpointer b)
{
  tn_tick x = *(const tn_tick *)a, y = *(const tn_tick *)b;
  return x < y ? -1 : x > y;
}

/* The largest number of lives of a class at one tick: no fewer lanes can hold them. */
static uint32_t
fewest_lanes(const TnBuffers *b, int size_class)
{
  g_autoptr(GArray) starts = g_array_new(FALSE, FALSE, sizeof(tn_tick));
  g_autoptr(GArray) ends = g_array_new(FALSE, FALSE, sizeof(tn_tick));
  for (tn_index i = 0; i < b->n; i++)
    if (class_of(b->bytes[i]) == size_class) {
      g_array_append_val(starts, b->start[i]);
      g_array_append_val(ends, b->end[i]);
    }
  g_array_sort(starts, compare_ticks);
  g_array_sort(ends, compare_ticks);
  uint32_t most = 0, ended = 0;
  for (guint i = 0; i < starts->len; i++) {
    while (ended < ends->len &&
           g_array_index(ends, tn_tick, ended) <= g_array_index(starts, tn_tick, i))
      ended++;
    most = MAX(most, i + 1 - ended);
  }
  return most;
}

static void
check_lanes(const TnBuffers *b, tn_tick end)
{
  TnLanes *lanes = tn_lanes_new(b);
  g_assert_cmpuint(lanes->first[lanes->n], ==, b->n);
  int last_class = 1000;
  uint32_t in_class = 0;
  for (uint32_t lane = 0; lane < lanes->n; lane++) {
    g_assert_cmpuint(lanes->first[lane], <, lanes->first[lane + 1]);
    int size_class = class_of(b->bytes[lanes->rows[lanes->first[lane]]]);
    if (size_class != last_class) {
      g_assert_cmpint(size_class, <, last_class);
      if (lane > 0)
        g_assert_cmpuint(in_class, ==, fewest_lanes(b, last_class));
      last_class = size_class;
      in_class = 0;
    }
    in_class++;
    for (uint32_t i = lanes->first[lane]; i < lanes->first[lane + 1]; i++) {
      tn_index row = lanes->rows[i];
      g_assert_cmpuint(lanes->lane[row], ==, lane);
      g_assert_cmpint(class_of(b->bytes[row]), ==, size_class);
      if (i > lanes->first[lane])
        g_assert_cmpint(b->end[lanes->rows[i - 1]], <=, b->start[row]);
    }
  }
  for (int i = 0; i < 300 && lanes->n; i++) {
    uint32_t lane = (uint32_t)g_test_rand_int_range(0, (gint32)lanes->n);
    tn_tick tick = (tn_tick)(g_test_rand_double() * (double)end);
    tn_index want = TN_NONE;
    for (tn_index k = 0; k < b->n; k++)
      if (lanes->lane[k] == lane && b->start[k] <= tick && tick < b->end[k])
        want = k;
    g_assert_cmpuint(tn_lanes_at(lanes, b, lane, tick), ==, want);
  }
  g_assert_cmpuint(tn_lanes_at(lanes, b, lanes->n, 0), ==, TN_NONE);
  tn_lanes_free(lanes);
}

static void
test_random(void)
{
  static const struct {
    uint32_t n;
    tn_tick end, longest;
    tn_bytes most;
  } rows[] = {{0, 10, 2, 10},         {1, 10, 10, 10},          {500, 300, 20, 4},
              {2000, 900, 200, 4096}, {3000, 5, 5, 1ll << 40},  {2000, 1000, 30, INT64_MAX},
              /* Clocks in microseconds since 1970, and beyond. */
              {2000, 1ll << 52, 1ll << 46, 3}, {500, 1ll << 61, 1ll << 60, 3}};
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++)
    for (int is_sorted = 0; is_sorted < 2; is_sorted++) {
      g_autoptr(TnBuffers) b =
          random_lives(rows[i].n, rows[i].end, rows[i].longest, rows[i].most, is_sorted);
      check_lanes(b, rows[i].end);
    }
}

static void
test_order(void)
{
  g_autoptr(TnBuffers) b = tn_buffers_new();
  tn_buffers_add(b, 0, 10, 0, TN_KIND_UNKNOWN);
  tn_buffers_add(b, 0, 10, 100, TN_KIND_UNKNOWN);
  tn_buffers_add(b, 5, 9, 1000, TN_KIND_UNKNOWN);
  tn_buffers_add(b, 0, 5, 1010, TN_KIND_UNKNOWN);
  tn_buffers_add(b, 4, 6, 1000, TN_KIND_UNKNOWN);
  TnLanes *lanes = tn_lanes_new(b);
  static const uint32_t want[] = {3, 2, 0, 0, 1};
  g_assert_cmpuint(lanes->n, ==, 4);
  g_assert_cmpmem(lanes->lane, sizeof want, want, sizeof want);
  tn_lanes_free(lanes);
}

/* The figure that the classes are of, by hand. */
static tn_bytes
figure_of(const TnBuffers *b, TnLaneSort sort, tn_index i)
{
  tn_tick life = b->end[i] - b->start[i];
  if (sort == TN_LANES_BY_LIFE)
    return life;
  return sort == TN_LANES_BY_SIZE ? b->bytes[i] : sort == TN_LANES_BY_IDLE ? b->bytes[i] * life : 1;
}

/* Lanes stand by group, then by class; within both no two lives meet. */
static void
check_sorted(const TnBuffers *b, TnLaneSort sort, const uint32_t *group, uint32_t n_groups)
{
  TnLanes *lanes = tn_lanes_new_sorted(b, sort, group, n_groups, NULL);
  g_assert_cmpuint(lanes->group_lane[0], ==, 0);
  g_assert_cmpuint(lanes->group_lane[n_groups], ==, lanes->n);
  for (uint32_t g = 0; g < n_groups; g++) {
    int last = 1000;
    for (uint32_t lane = lanes->group_lane[g]; lane < lanes->group_lane[g + 1]; lane++) {
      int class = class_of(figure_of(b, sort, lanes->rows[lanes->first[lane]]));
      g_assert_cmpint(class, <=, last);
      last = class;
      for (uint32_t i = lanes->first[lane]; i < lanes->first[lane + 1]; i++) {
        g_assert_cmpuint(group[lanes->rows[i]], ==, g);
        g_assert_cmpint(class_of(figure_of(b, sort, lanes->rows[i])), ==, class);
        if (i > lanes->first[lane])
          g_assert_cmpint(b->end[lanes->rows[i - 1]], <=, b->start[lanes->rows[i]]);
      }
    }
  }
  tn_lanes_free(lanes);
}

static void
test_sorted(void)
{
  for (int is_by_start = 0; is_by_start < 2; is_by_start++) {
    g_autoptr(TnBuffers) b = random_lives(1500, 900, 200, 4096, is_by_start);
    g_autofree uint32_t *group = g_new(uint32_t, b->n);
    /* Group 2 and the last one have no buffers. */
    for (uint32_t i = 0; i < b->n; i++)
      group[i] = i % 3 == 2 ? 3 : i % 3;
    for (TnLaneSort sort = TN_LANES_BY_SIZE; sort <= TN_LANES_BY_IDLE; sort++)
      check_sorted(b, sort, group, 5);
  }
}

/* By start there is one class: as few lanes as lives at one tick. */
static void
test_by_start(void)
{
  g_autoptr(TnBuffers) b = tn_buffers_new();
  tn_buffers_add(b, 0, 10, 1, TN_KIND_UNKNOWN);
  tn_buffers_add(b, 2, 4, 1000, TN_KIND_UNKNOWN);
  tn_buffers_add(b, 4, 12, 5, TN_KIND_UNKNOWN);
  tn_buffers_add(b, 10, 12, 70, TN_KIND_UNKNOWN);
  TnLanes *lanes = tn_lanes_new_sorted(b, TN_LANES_BY_START, NULL, 0, NULL);
  static const uint32_t want[] = {0, 1, 1, 0};
  g_assert_cmpuint(lanes->n, ==, 2);
  g_assert_null(lanes->group_lane);
  g_assert_cmpmem(lanes->lane, sizeof want, want, sizeof want);
  tn_lanes_free(lanes);
}

/* What is used all its life is not idle, however large. */
static void
test_by_idle(void)
{
  g_autoptr(TnBuffers) b = tn_buffers_new();
  tn_buffers_add(b, 0, 6, 1 << 20, TN_KIND_UNKNOWN);
  tn_buffers_add(b, 0, 6, 1 << 10, TN_KIND_UNKNOWN);
  static const TnUse uses[] = {{.busy = 6}, {.busy = 3}};
  TnLanes *lanes = tn_lanes_new_sorted(b, TN_LANES_BY_IDLE, NULL, 0, uses);
  g_assert_cmpuint(lanes->lane[1], ==, 0);
  g_assert_cmpuint(lanes->lane[0], ==, 1);
  tn_lanes_free(lanes);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/lanes/random", test_random);
  g_test_add_func("/lanes/order", test_order);
  g_test_add_func("/lanes/sorted", test_sorted);
  g_test_add_func("/lanes/by-start", test_by_start);
  g_test_add_func("/lanes/by-idle", test_by_idle);
  return g_test_run();
}
