/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/plan/order.h"

#include <string.h>

#define DIGIT_BITS 11
#define N_DIGITS (1u << DIGIT_BITS)

typedef struct {
  uint64_t key;
  uint32_t id;
} Item;

static void
sort_small(Item *items, uint32_t n)
{
  for (uint32_t i = 1; i < n; i++) {
    Item item = items[i];
    uint32_t j = i;
    for (; j > 0 && items[j - 1].key > item.key; j--)
      items[j] = items[j - 1];
    items[j] = item;
  }
}

static void
sort_by_digit(const Item *from, Item *to, uint32_t n, unsigned shift)
{
  uint32_t start[N_DIGITS] = {0}, sum = 0;
  for (uint32_t i = 0; i < n; i++)
    start[(from[i].key >> shift) & (N_DIGITS - 1)]++;
  for (uint32_t digit = 0; digit < N_DIGITS; digit++) {
    uint32_t count = start[digit];
    start[digit] = sum;
    sum += count;
  }
  for (uint32_t i = 0; i < n; i++)
    to[start[(from[i].key >> shift) & (N_DIGITS - 1)]++] = from[i];
}

static void
sort_items(Item *items, uint32_t n, uint64_t differing)
{
  if (n <= 48) {
    sort_small(items, n);
    return;
  }
  g_autofree Item *spare = g_new(Item, n);
  Item *from = items, *to = spare;
  for (unsigned shift = 0; shift < 64; shift += DIGIT_BITS) {
    if (!((differing >> shift) & (N_DIGITS - 1)))
      continue;
    sort_by_digit(from, to, n, shift);
    Item *swap = from;
    from = to;
    to = swap;
  }
  if (from != items)
    memcpy(items, from, n * sizeof *items);
}

static void
sort_ids(const uint64_t *key, uint32_t n, uint32_t *order, uint64_t flip)
{
  if (n == 0)
    return;
  g_autofree Item *items = g_new(Item, n);
  uint64_t differing = 0;
  for (uint32_t i = 0; i < n; i++) {
    items[i] = (Item){key[order[i]] ^ flip, order[i]};
    differing |= items[i].key ^ items[0].key;
  }
  sort_items(items, n, differing);
  for (uint32_t i = 0; i < n; i++)
    order[i] = items[i].id;
}

static void
fill_ids(uint32_t *order, uint32_t n)
{
  for (uint32_t i = 0; i < n; i++)
    order[i] = i;
}

void
tn_order_by_key(const uint64_t *key, uint32_t n, uint32_t *order)
{
  fill_ids(order, n);
  sort_ids(key, n, order, 0);
}

void
tn_order_by_key_descending(const uint64_t *key, uint32_t n, uint32_t *order)
{
  fill_ids(order, n);
  sort_ids(key, n, order, UINT64_MAX);
}

void
tn_order_again(const uint64_t *key, uint32_t n, uint32_t *order)
{
  sort_ids(key, n, order, 0);
}

uint32_t *
tn_order_by_tick(const tn_tick *tick, uint32_t n)
{
  uint32_t *rows = g_new(uint32_t, MAX(n, 1u));
  g_autofree uint64_t *key = g_new(uint64_t, MAX(n, 1u));
  for (uint32_t i = 0; i < n; i++)
    key[i] = (uint64_t)tick[i] ^ (uint64_t)1 << 63; /* those below 0 come first */
  tn_order_by_key(key, n, rows);
  return rows;
}

uint32_t
tn_order_find(const uint32_t *rows, const tn_tick *tick, uint32_t n, tn_tick from)
{
  uint32_t low = 0, high = n;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (tick[rows[middle]] < from)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}
