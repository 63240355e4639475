/* SPDX-License-Identifier: MIT */
/* Keys that differ in one half only do not fall together. */
#include "config.h"

#include "data/hash.h"

#include <stdlib.h>

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

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/hash/spread", test_spread);
  return g_test_run();
}
