/* SPDX-License-Identifier: MIT */
/* What an allocator held and when, against a walk forward over single granules; and the reserved
 * curve, which must be its sum. */
#include "config.h"

#include "analysis/reserved.h"
#include "analysis/segment-lives.h"
#include "log-support.h"

#include <string.h>

#define MIB (1ll << 20)

static void
check_row(const TnBuffers *b, tn_index i, tn_tick start, tn_tick end, tn_bytes from, tn_bytes bytes)
{
  g_assert_cmpuint(i, <, b->n);
  g_assert_cmpint(b->start[i], ==, start);
  g_assert_cmpint(b->end[i], ==, end);
  g_assert_cmpint(b->offset[i], ==, from);
  g_assert_cmpint(b->bytes[i], ==, bytes);
}

static void
test_whole(void)
{
  static const LogEvent events[] = {{TN_EVENT_SEGMENT_ALLOC, 100 * MIB, 2 * MIB},
                                    {TN_EVENT_ALLOC, 100 * MIB, 512},
                                    {TN_EVENT_SEGMENT_ALLOC, 200 * MIB, 20 * MIB},
                                    {TN_EVENT_SEGMENT_FREE, 100 * MIB, 2 * MIB},
                                    {TN_EVENT_SEGMENT_FREE, 300 * MIB, 4 * MIB}};
  g_autoptr(TnDocument) document = log_new(events, G_N_ELEMENTS(events));
  log_add_segment(document, 200 * MIB, 20 * MIB);
  log_add_segment(document, 400 * MIB, 6 * MIB);
  g_autoptr(TnBuffers) lives = tn_segment_lives_new(log_device(document));
  g_assert_cmpuint(lives->n, ==, 4);
  /* Held before the recording: the one freed in it, and the one that nothing was said of. */
  check_row(lives, 0, 0, 5, 400 * MIB, 6 * MIB);
  check_row(lives, 1, 0, 4, 300 * MIB, 4 * MIB);
  check_row(lives, 2, 0, 3, 100 * MIB, 2 * MIB);
  check_row(lives, 3, 2, 5, 200 * MIB, 20 * MIB);
}

/* Only the middle of a mapping goes away; then it comes back. */
static void
test_partial_unmap(void)
{
  static const LogEvent events[] = {{TN_EVENT_SEGMENT_MAP, 100 * MIB, 60 * MIB},
                                    {TN_EVENT_SEGMENT_UNMAP, 120 * MIB, 20 * MIB},
                                    {TN_EVENT_SEGMENT_MAP, 120 * MIB, 20 * MIB},
                                    {TN_EVENT_SEGMENT_UNMAP, 100 * MIB, 20 * MIB}};
  g_autoptr(TnDocument) document = log_new(events, G_N_ELEMENTS(events));
  log_add_segment(document, 120 * MIB, 40 * MIB);
  g_autoptr(TnBuffers) lives = tn_segment_lives_new(log_device(document));
  g_assert_cmpuint(lives->n, ==, 4);
  tn_bytes at[4] = {0};
  for (tn_index i = 0; i < lives->n; i++)
    for (tn_tick t = lives->start[i]; t < lives->end[i]; t++)
      at[t] += lives->bytes[i];
  static const tn_bytes want[] = {60 * MIB, 40 * MIB, 60 * MIB, 40 * MIB};
  g_assert_cmpmem(at, sizeof at, want, sizeof want);
}

enum { GRANULES = 40, EVENTS = 300 };

/* Random maps and unmaps of runs of granules that are free, or held, at that moment. */
static void
test_random(void)
{
  for (int round = 0; round < 60; round++) {
    bool held[EVENTS + 1][GRANULES] = {{false}};
    LogEvent events[EVENTS];
    for (int g = 0; g < GRANULES; g++)
      held[0][g] = g_test_rand_bit();
    for (int i = 0; i < EVENTS; i++) {
      memcpy(held[i + 1], held[i], sizeof held[i]);
      int from = g_test_rand_int_range(0, GRANULES), to = from;
      bool is_held = held[i][from];
      int most = 1 + g_test_rand_int_range(0, 6);
      while (to < GRANULES && to - from < most && held[i][to] == is_held)
        held[i + 1][to++] = !is_held;
      events[i] = (LogEvent){is_held ? TN_EVENT_SEGMENT_UNMAP : TN_EVENT_SEGMENT_MAP,
                             (uint64_t)(100 + from) * MIB, (to - from) * MIB};
    }
    g_autoptr(TnDocument) document = log_new(events, EVENTS);
    log_device(document)->has_reserved = true;
    for (int g = 0; g < GRANULES;) {
      int from = g;
      while (g < GRANULES && held[EVENTS][g])
        g++;
      if (g > from)
        log_add_segment(document, (uint64_t)(100 + from) * MIB, (g - from) * MIB);
      else
        g++;
    }
    g_autoptr(TnBuffers) lives = tn_segment_lives_new(log_device(document));
    int got[EVENTS][GRANULES] = {{0}};
    for (tn_index i = 0; i < lives->n; i++) {
      if (i > 0)
        g_assert_cmpint(lives->start[i - 1], <=, lives->start[i]);
      g_assert_cmpint(lives->start[i], <, lives->end[i]);
      int from = (int)(lives->offset[i] / MIB) - 100, n = (int)(lives->bytes[i] / MIB);
      for (tn_tick t = lives->start[i]; t < lives->end[i]; t++)
        for (int g = from; g < from + n; g++)
          got[t][g]++;
    }
    g_autoptr(TnCurve) reserved = tn_reserved_curve_new(log_device(document));
    for (int t = 0; t < EVENTS; t++) {
      tn_bytes sum = 0;
      for (int g = 0; g < GRANULES; g++) {
        /* What event 0 gave back was there at tick 0 for no time at all. */
        g_assert_cmpint(got[t][g], ==, held[t + 1][g]);
        sum += held[t + 1][g] ? MIB : 0;
      }
      if (reserved && t > 0)
        g_assert_cmpint(tn_curve_at(reserved, t), ==, sum);
    }
  }
}

static void
test_nothing_known(void)
{
  static const LogEvent events[] = {{TN_EVENT_ALLOC, 4096, 512}};
  g_autoptr(TnDocument) document = log_new(events, 1);
  g_autoptr(TnBuffers) lives = tn_segment_lives_new(log_device(document));
  g_assert_cmpuint(lives->n, ==, 0);
}

/* Segments that lie over each other, and at the very top of the address space. */
static void
test_odd_addresses(void)
{
  static const LogEvent events[] = {{TN_EVENT_SEGMENT_FREE, UINT64_MAX - 10, 100},
                                    {TN_EVENT_SEGMENT_ALLOC, UINT64_MAX - 5, INT64_MAX},
                                    {TN_EVENT_SEGMENT_ALLOC, 4096, 0},
                                    {TN_EVENT_SEGMENT_FREE, 4096, INT64_MAX},
                                    {TN_EVENT_SEGMENT_FREE, 8192, 512}};
  g_autoptr(TnDocument) document = log_new(events, G_N_ELEMENTS(events));
  log_add_segment(document, UINT64_MAX, 1);
  log_add_segment(document, 4096, 8192);
  log_add_segment(document, 4096, 8192);
  g_autoptr(TnBuffers) lives = tn_segment_lives_new(log_device(document));
  for (tn_index i = 0; i < lives->n; i++) {
    g_assert_cmpint(lives->bytes[i], >, 0);
    g_assert_cmpint(lives->start[i], <, lives->end[i]);
  }
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/segment-lives/whole", test_whole);
  g_test_add_func("/segment-lives/partial-unmap", test_partial_unmap);
  g_test_add_func("/segment-lives/random", test_random);
  g_test_add_func("/segment-lives/nothing-known", test_nothing_known);
  g_test_add_func("/segment-lives/odd-addresses", test_odd_addresses);
  return g_test_run();
}
