/* SPDX-License-Identifier: MIT */
/* Sequences beside each other, the longest increasing part, two axes laid over each other. */
#include "config.h"

#include "analysis/diff/axis.h"
#include "analysis/diff/increasing.h"
#include "analysis/diff/sequence.h"

#include <string.h>

#define MAX_N 600

static uint32_t
align_text(const char *a, const char *b, uint32_t *b_of_a)
{
  uint64_t keys_a[64] = {0}, keys_b[64] = {0};
  uint32_t n = (uint32_t)strlen(a), m = (uint32_t)strlen(b), n_pairs = 0;
  for (uint32_t i = 0; i < n; i++)
    keys_a[i] = (uint64_t)a[i];
  for (uint32_t i = 0; i < m; i++)
    keys_b[i] = (uint64_t)b[i];
  tn_sequence_align(keys_a, n, keys_b, m, b_of_a);
  for (uint32_t i = 0; i < n; i++)
    n_pairs += b_of_a[i] != TN_NONE;
  return n_pairs;
}

static void
test_small(void)
{
  static const struct {
    const char *a, *b;
    uint32_t common;
  } rows[] = {{"pqrst", "pqrxyst", 5}, {"", "abc", 0},           {"abc", "", 0},
              {"abc", "abc", 3},       {"abcabba", "cbabac", 4}, {"abc", "xyz", 0},
              {"ab", "ba", 1},         {"aaaa", "aa", 2},        {"xaxbxc", "abc", 3}};
  uint32_t b_of_a[64];
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++)
    g_assert_cmpuint(align_text(rows[i].a, rows[i].b, b_of_a), ==, rows[i].common);
  align_text("pqrst", "pqrxyst", b_of_a);
  g_assert_cmpuint(b_of_a[2], ==, 2);
  g_assert_cmpuint(b_of_a[3], ==, 5);
  g_assert_cmpuint(b_of_a[4], ==, 6);
}

static uint32_t
longest_common(const uint64_t *a, uint32_t n, const uint64_t *b, uint32_t m)
{
  static uint32_t row[2][MAX_N + 1];
  memset(row, 0, sizeof row);
  for (uint32_t i = 0; i < n; i++) {
    uint32_t *now = row[(i + 1) % 2], *last = row[i % 2];
    for (uint32_t k = 0; k < m; k++)
      now[k + 1] = a[i] == b[k] ? last[k] + 1 : MAX(now[k], last[k + 1]);
  }
  return row[n % 2][m];
}

/* Pairs are equal, grow, and are as many as can be (few differences). */
static void
test_random(void)
{
  for (int round = 0; round < 400; round++) {
    uint64_t a[MAX_N], b[MAX_N];
    uint32_t n = (uint32_t)g_test_rand_int_range(0, 60), m = 0, b_of_a[MAX_N], n_pairs = 0;
    int letters = g_test_rand_int_range(2, 30);
    for (uint32_t i = 0; i < n; i++)
      a[i] = (uint64_t)g_test_rand_int_range(0, letters);
    for (uint32_t i = 0; i < n; i++) {
      if (g_test_rand_int_range(0, 8) == 0)
        b[m++] = (uint64_t)g_test_rand_int_range(0, letters);
      if (g_test_rand_int_range(0, 8))
        b[m++] = a[i];
    }
    tn_sequence_align(a, n, b, m, b_of_a);
    int64_t last = -1;
    for (uint32_t i = 0; i < n; i++) {
      if (b_of_a[i] == TN_NONE)
        continue;
      g_assert_cmpuint(a[i], ==, b[b_of_a[i]]);
      g_assert_cmpint(b_of_a[i], >, last);
      last = b_of_a[i];
      n_pairs++;
    }
    g_assert_cmpuint(n_pairs, ==, longest_common(a, n, b, m));
  }
}

/* A long stretch that only one side has, of keys that repeat all the time. */
static void
test_inserted_block(void)
{
  uint32_t n = 20000, block = 3000, at = 9000;
  g_autofree uint64_t *a = g_new(uint64_t, n), *b = g_new(uint64_t, n + block);
  g_autofree uint32_t *b_of_a = g_new(uint32_t, n);
  for (uint32_t i = 0; i < n; i++)
    a[i] = (uint64_t)g_test_rand_int_range(0, 12);
  for (uint32_t i = 0; i < n + block; i++)
    b[i] = i < at ? a[i] : i < at + block ? (uint64_t)g_test_rand_int_range(0, 12) : a[i - block];
  b[100] = 77;
  tn_sequence_align(a, n, b, n + block, b_of_a);
  uint32_t n_right = 0;
  for (uint32_t i = 0; i < n; i++)
    n_right += b_of_a[i] == (i < at ? i : i + block);
  g_assert_cmpuint(n_right, >=, n - 50);
}

static void
test_increasing(void)
{
  const int64_t values[] = {3, 1, 2, 2, 9, 4, 5, 0};
  uint8_t keep[G_N_ELEMENTS(values)];
  g_assert_cmpuint(tn_increasing_mark(values, G_N_ELEMENTS(values), keep), ==, 4);
  const uint8_t expected[] = {0, 1, 1, 0, 0, 1, 1, 0};
  uint8_t other[] = {0, 1, 0, 1, 0, 1, 1, 0};
  g_assert_true(memcmp(keep, expected, sizeof keep) == 0 || memcmp(keep, other, sizeof keep) == 0);
  g_assert_cmpuint(tn_increasing_mark(values, 0, keep), ==, 0);
}

/* a: 0..4 5..8, b: the same with two ticks of its own at 5. */
static void
test_axis(void)
{
  const tn_tick a[] = {0, 1, 2, 3, 4, 5, 6, 7, 8}, b[] = {0, 1, 2, 3, 4, 7, 8, 9, 10};
  g_autoptr(TnDiffAxis) axis = tn_diff_axis_new(a, b, G_N_ELEMENTS(a), 1, 9, 11);
  g_assert_cmpuint(axis->stretches->len, ==, 2);
  g_assert_cmpint(axis->end, ==, 11);
  g_assert_cmpint(tn_diff_axis_map(axis, TN_DIFF_A, 4), ==, 4);
  g_assert_cmpint(tn_diff_axis_map(axis, TN_DIFF_A, 5), ==, 7);
  g_assert_cmpint(tn_diff_axis_map(axis, TN_DIFF_B, 10), ==, 8);
  g_assert_cmpint(tn_diff_axis_map(axis, TN_DIFF_B, 6), ==, 4); /* b alone: a stands still */
  g_assert_cmpint(tn_diff_axis_to_common(axis, TN_DIFF_A, 5), ==, 7);
  g_assert_cmpint(tn_diff_axis_from_common(axis, TN_DIFF_B, 6), ==, 6);
  g_assert_cmpint(tn_diff_axis_rank(axis, TN_DIFF_A, 6), ==, 6);
  g_assert_cmpint(tn_diff_axis_rank(axis, TN_DIFF_B, 6), ==, 5);
  g_assert_cmpint(tn_diff_axis_rank(axis, TN_DIFF_B, 8), ==, 6);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/diff-sequence/small", test_small);
  g_test_add_func("/diff-sequence/random", test_random);
  g_test_add_func("/diff-sequence/inserted-block", test_inserted_block);
  g_test_add_func("/diff-sequence/increasing", test_increasing);
  g_test_add_func("/diff-sequence/axis", test_axis);
  return g_test_run();
}
