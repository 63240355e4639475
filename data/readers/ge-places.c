/* SPDX-License-Identifier: MIT */
/* Which places of a plan others have too. */
#include "config.h"

#include "data/readers/ge-build.h"

static gint
compare_places(gconstpointer a, gconstpointer b, gpointer data)
{
  const TnBuffers *buffers = data;
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  if (buffers->space[x] != buffers->space[y])
    return buffers->space[x] < buffers->space[y] ? -1 : 1;
  return buffers->offset[x] < buffers->offset[y] ? -1 : buffers->offset[x] > buffers->offset[y];
}

uint8_t *
tn_ge_shared_places_new(const TnBuffers *b)
{
  uint8_t *is_shared = g_new0(uint8_t, MAX(b->n, 1u));
  g_autofree uint32_t *order = g_new(uint32_t, MAX(b->n, 1u));
  uint32_t n = 0, highest = TN_NONE;
  for (uint32_t i = 0; i < b->n; i++)
    if (b->offset[i] >= 0 && b->bytes[i] > 0)
      order[n++] = i;
  g_qsort_with_data(order, (int)n, sizeof *order, compare_places, (gpointer)b);
  for (uint32_t k = 0; k < n; k++) {
    uint32_t i = order[k];
    bool is_new = highest == TN_NONE || b->space[highest] != b->space[i];
    if (!is_new && b->offset[highest] + b->bytes[highest] > b->offset[i])
      is_shared[i] = is_shared[highest] = 1;
    if (is_new || b->offset[i] + b->bytes[i] > b->offset[highest] + b->bytes[highest])
      highest = i;
  }
  return is_shared;
}

/* ---- who begins last ------------------------------------------------------------------------- */

static gint
compare_tops(gconstpointer a, gconstpointer b, gpointer data)
{
  const TnBuffers *buffers = data;
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  if (buffers->space[x] != buffers->space[y])
    return buffers->space[x] < buffers->space[y] ? -1 : 1;
  tn_bytes of_x = buffers->offset[x] + buffers->bytes[x], of_y = buffers->offset[y] + buffers->bytes[y];
  return of_x < of_y ? -1 : of_x > of_y;
}

static uint32_t *
placed_new(const TnBuffers *b, GCompareDataFunc compare, uint32_t *out_n)
{
  uint32_t *order = g_new(uint32_t, MAX(b->n, 1u)), n = 0;
  for (uint32_t i = 0; i < b->n; i++)
    if (b->offset[i] >= 0)
      order[n++] = i;
  g_qsort_with_data(order, (int)n, sizeof *order, compare, (gpointer)b);
  *out_n = n;
  return order;
}

/* The first of `by_top` that ends above `offset` in this space. */
static uint32_t
first_above(const TnBuffers *b, const uint32_t *by_top, uint32_t n, uint32_t space, tn_bytes offset)
{
  uint32_t low = 0, high = n;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2, k = by_top[middle];
    if (b->space[k] < space || (b->space[k] == space && b->offset[k] + b->bytes[k] <= offset))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* A sweep up each space: those that begin below a row's top are in a tree over their tops, which gives the
 * latest start of all that end above its offset (Fenwick, 1994, from the last row on). */
tn_tick *
tn_ge_latest_starts_new(const TnBuffers *b)
{
  uint32_t n, next = 0;
  g_autofree uint32_t *by_offset = placed_new(b, compare_places, &n);
  g_autofree uint32_t *by_top = placed_new(b, compare_tops, &n);
  g_autofree uint32_t *rank = g_new(uint32_t, MAX(b->n, 1u));
  g_autofree tn_tick *tree = g_new(tn_tick, (gsize)n + 1);
  tn_tick *latest = g_new(tn_tick, MAX(b->n, 1u));
  for (uint32_t i = 0; i < b->n; i++)
    latest[i] = -1;
  for (uint32_t k = 0; k <= n; k++)
    tree[k] = -1;
  for (uint32_t k = 0; k < n; k++)
    rank[by_top[k]] = n - k; /* 1: the highest */
  for (uint32_t k = 0; k < n; k++) {
    uint32_t i = by_top[k];
    for (; next < n; next++) {
      uint32_t other = by_offset[next];
      if (b->space[other] > b->space[i] ||
          (b->space[other] == b->space[i] && b->offset[other] >= b->offset[i] + b->bytes[i]))
        break;
      for (uint32_t at = rank[other]; at <= n; at += at & -at)
        tree[at] = MAX(tree[at], b->start[other]);
    }
    for (uint32_t at = n - first_above(b, by_top, n, b->space[i], b->offset[i]); at; at -= at & -at)
      latest[i] = MAX(latest[i], tree[at]);
  }
  return latest;
}
