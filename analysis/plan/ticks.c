/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/plan/order.h"
#include "analysis/plan/ticks.h"

enum { HAS_START = 1, HAS_END = 2 };

/* Distinct moments, numbered: rank of each start and end. */
typedef struct {
  uint32_t *start, *end; /* shape n */
  uint32_t n_moments;
} Ranks;

static void
rank_dense(const tn_tick *start, const tn_tick *end, uint32_t n, tn_tick base, Ranks *ranks)
{
  for (uint32_t i = 0; i < n; i++) {
    ranks->start[i] = (uint32_t)(start[i] - base);
    ranks->end[i] = (uint32_t)(end[i] - base);
  }
}

static void
rank_sparse(const tn_tick *start, const tn_tick *end, uint32_t n, tn_tick base, Ranks *ranks)
{
  g_autofree uint64_t *key = g_new(uint64_t, (gsize)n * 2);
  g_autofree uint32_t *order = g_new(uint32_t, (gsize)n * 2);
  for (uint32_t i = 0; i < n; i++) {
    key[i] = (uint64_t)start[i] - (uint64_t)base;
    key[n + i] = (uint64_t)end[i] - (uint64_t)base;
  }
  tn_order_by_key(key, n * 2, order);
  uint32_t rank = 0;
  for (uint32_t i = 0; i < n * 2; i++) {
    uint32_t id = order[i];
    if (i && key[id] != key[order[i - 1]])
      rank++;
    if (id < n)
      ranks->start[id] = rank;
    else
      ranks->end[id - n] = rank;
  }
  ranks->n_moments = n ? rank + 1 : 0;
}

static void
rank_moments(const tn_tick *start, const tn_tick *end, uint32_t n, Ranks *ranks)
{
  tn_tick low = INT64_MAX, high = INT64_MIN;
  for (uint32_t i = 0; i < n; i++) {
    low = MIN(low, start[i]);
    high = MAX(high, end[i]);
  }
  uint64_t range = n ? (uint64_t)high - (uint64_t)low + 1 : 0;
  ranks->start = g_new(uint32_t, MAX(n, 1u));
  ranks->end = g_new(uint32_t, MAX(n, 1u));
  ranks->n_moments = (uint32_t)range;
  if (range <= (uint64_t)n * 16 + 64)
    rank_dense(start, end, n, low, ranks);
  else
    rank_sparse(start, end, n, low, ranks);
}

/* Many copies of a long axis are mostly empty: number only the moments that occur. */
static void
fold_copies(const uint32_t *copy, uint32_t n, Ranks *ranks)
{
  g_autofree tn_tick *start = g_new(tn_tick, MAX(n, 1u)), *end = g_new(tn_tick, MAX(n, 1u));
  for (uint32_t i = 0; i < n; i++) {
    tn_tick at = (tn_tick)copy[i] * ranks->n_moments;
    start[i] = at + ranks->start[i];
    end[i] = at + ranks->end[i];
  }
  rank_sparse(start, end, n, 0, ranks);
}

uint32_t
tn_ticks_cut(const tn_tick *start,
             const tn_tick *end,
             const uint32_t *copy,
             uint32_t n,
             uint32_t *first,
             uint32_t *last)
{
  Ranks ranks;
  rank_moments(start, end, n, &ranks);
  if (copy)
    fold_copies(copy, n, &ranks);
  gsize n_slots = ranks.n_moments;
  g_autofree uint8_t *what = g_new0(uint8_t, n_slots + 1);
  g_autofree uint32_t *section = g_new(uint32_t, n_slots + 1);
  for (uint32_t i = 0; i < n; i++) {
    what[ranks.start[i]] |= HAS_START;
    what[ranks.end[i]] |= HAS_END;
  }
  /* section[] counts sections begun up to and including this moment's starts. */
  uint32_t n_sections = 0;
  bool has_ended = true;
  for (gsize at = 0; at < n_slots; at++) {
    has_ended |= (what[at] & HAS_END) != 0;
    if ((what[at] & HAS_START) && has_ended) {
      n_sections++;
      has_ended = false;
    }
    section[at] = n_sections;
  }
  for (uint32_t i = 0; i < n; i++) {
    first[i] = section[ranks.start[i]] - 1;
    /* A life that ends at a moment covers the sections begun before that moment's starts. */
    last[i] = section[ranks.end[i] - 1];
  }
  g_free(ranks.start);
  g_free(ranks.end);
  return n_sections;
}
