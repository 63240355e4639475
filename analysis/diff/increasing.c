/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/diff/increasing.h"

#include <string.h>

/* The first pile whose top is not below `value`; growing input goes onto a new pile at once. */
static uint32_t
find_pile(const int64_t *values, const uint32_t *top, uint32_t n, int64_t value)
{
  if (n == 0 || values[top[n - 1]] < value)
    return n;
  uint32_t low = 0, high = n - 1;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (values[top[middle]] < value)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

uint32_t
tn_increasing_mark(const int64_t *values, uint32_t n, uint8_t *keep)
{
  g_autofree uint32_t *top = g_new(uint32_t, MAX(n, 1u));
  g_autofree uint32_t *before = g_new(uint32_t, MAX(n, 1u));
  uint32_t n_piles = 0;
  for (uint32_t i = 0; i < n; i++) {
    uint32_t pile = find_pile(values, top, n_piles, values[i]);
    before[i] = pile ? top[pile - 1] : TN_NONE;
    top[pile] = i;
    n_piles = MAX(n_piles, pile + 1);
  }
  memset(keep, 0, n);
  for (uint32_t i = n_piles ? top[n_piles - 1] : TN_NONE; i != TN_NONE; i = before[i])
    keep[i] = 1;
  return n_piles;
}
