/* SPDX-License-Identifier: MIT */
/* Keys that differ in one half only do not fall together. */
#include "config.h"

#include "data/hash.h"

#include <stdlib.h>
#include <string.h>

#define N 100000

static int
compare(gconstpointer a, gconstpointer b)
{
  guint x = *(const guint *)a, y = *(const guint *)b;
  return x < y ? -1 : x > y;
}

static guint
count_different(int shift)
{
  g_autofree guint *hash = g_new(guint, N);
  guint n = 1;
  for (gint64 i = 0; i < N; i++) {
    gint64 key = i << shift;
    hash[i] = tn_int64_hash(&key);
  }
  qsort(hash, N, sizeof *hash, compare);
  for (guint i = 1; i < N; i++)
    n += hash[i] != hash[i - 1];
  return n;
}

/* Of 100,000 values by chance 1.2 fall on another's. */
static void
test_spread(void)
{
  for (int shift = 0; shift <= 46; shift++)
    g_assert_cmpuint(count_different(shift), >, N - 20);
}

/* All of 17 pairs of letters that 33 * h + c takes for each other. */
static void
test_texts(void)
{
  guint n = 1 << 17, n_different = 1;
  g_autofree guint *hash = g_new(guint, n);
  for (guint i = 0; i < n; i++) {
    char text[35] = "";
    for (guint bit = 0; bit < 17; bit++)
      memcpy(text + 2 * bit, i >> bit & 1 ? "Ez" : "FY", 2);
    hash[i] = tn_text_hash(text);
  }
  qsort(hash, n, sizeof *hash, compare);
  for (guint i = 1; i < n; i++)
    n_different += hash[i] != hash[i - 1];
  g_assert_cmpuint(n_different, >, n - 20);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/hash/spread", test_spread);
  g_test_add_func("/hash/texts", test_texts);
  return g_test_run();
}
