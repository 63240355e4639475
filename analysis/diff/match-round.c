/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/diff/match.h"

#include "analysis/diff/sequence.h"

#include <stdlib.h>

typedef struct {
  uint64_t key;
  uint32_t row;
} Keyed;

static int
compare_keyed(const void *left, const void *right)
{
  const Keyed *x = left, *y = right;
  if (x->key != y->key)
    return x->key < y->key ? -1 : 1;
  return x->row < y->row ? -1 : x->row > y->row;
}

/* The rows that take part, by key, then by row. */
static Keyed *
build_keyed(const TnDiffRows *rows, const uint64_t *key, uint32_t *out_n)
{
  uint32_t all = rows->study->buffers->n, n = 0;
  bool is_sorted = true;
  Keyed *list = g_new(Keyed, MAX(all, 1u));
  for (uint32_t i = 0; i < all; i++)
    if (key[i] && rows->partner[i] == TN_NONE && !(rows->is_alone && rows->is_alone[i])) {
      is_sorted &= n == 0 || list[n - 1].key <= key[i];
      list[n++] = (Keyed){key[i], i};
    }
  if (!is_sorted)
    qsort(list, n, sizeof *list, compare_keyed);
  *out_n = n;
  return list;
}

static uint32_t
producer_of(const TnDiffRows *rows, uint32_t row)
{
  return rows->graph ? tn_buffers_op(rows->study->buffers, row) : TN_NONE;
}

/* Names lie where ids are counted through: what another op makes is another tensor. */
static bool
is_refused(const TnDiffMatcher *m, uint32_t a, uint32_t b)
{
  uint32_t op_a = producer_of(&m->a, a), op_b = producer_of(&m->b, b);
  if (!m->op_of_a || op_a == TN_NONE || op_b == TN_NONE)
    return false;
  return m->op_of_a[op_a] != TN_NONE && m->op_of_a[op_a] != op_b;
}

static void
pair(TnDiffMatcher *m, uint32_t a, uint32_t b, TnDiffMatch match)
{
  if (is_refused(m, a, b))
    return;
  m->a.partner[a] = b;
  m->b.partner[b] = a;
  m->a.match[a] = m->b.match[b] = (uint8_t)match;
}

static uint64_t
value_of(const TnDiffRows *rows, const uint64_t *value, uint32_t row)
{
  return value ? value[row] : (uint64_t)rows->study->buffers->bytes[row];
}

/* What no value joins, between those that are joined, in the order of the rows. */
static void
pair_rest(TnDiffMatcher *m,
          const Keyed *a,
          uint32_t n,
          const Keyed *b,
          uint32_t n_b,
          const uint32_t *b_of_a,
          TnDiffMatch match)
{
  uint32_t next_b = 0;
  for (uint32_t i = 0; i < n; i++) {
    if (b_of_a[i] != TN_NONE) {
      next_b = b_of_a[i] + 1;
      continue;
    }
    uint32_t stop = n_b;
    for (uint32_t k = i + 1; k < n && stop == n_b; k++)
      if (b_of_a[k] != TN_NONE)
        stop = b_of_a[k];
    for (; i < n && b_of_a[i] == TN_NONE; i++)
      if (next_b < stop)
        pair(m, a[i].row, b[next_b++].row, match);
    i--;
  }
}

/* Values that join fewer than half of the rows say nothing: the first occurrence is the first. */
static void
forget_if_few(uint32_t *b_of_a, uint32_t n, uint32_t n_b)
{
  uint32_t n_joined = 0;
  for (uint32_t i = 0; i < n; i++)
    n_joined += b_of_a[i] != TN_NONE;
  for (uint32_t i = 0; i < n && n_joined < MIN(n, n_b) / 2; i++)
    b_of_a[i] = TN_NONE;
}

static void
pair_group(TnDiffMatcher *m,
           const TnDiffRound *round,
           const Keyed *a,
           uint32_t n,
           const Keyed *b,
           uint32_t n_b)
{
  if (n == 1 && n_b == 1 && !round->is_strict) {
    pair(m, a->row, b->row, round->match);
    return;
  }
  g_autofree uint64_t *values = g_new(uint64_t, n + n_b);
  g_autofree uint32_t *b_of_a = g_new(uint32_t, n);
  for (uint32_t i = 0; i < n; i++)
    values[i] = value_of(&m->a, round->value_a, a[i].row);
  for (uint32_t i = 0; i < n_b; i++)
    values[n + i] = value_of(&m->b, round->value_b, b[i].row);
  tn_sequence_align(values, n, values + n, n_b, b_of_a);
  if (!round->is_strict)
    forget_if_few(b_of_a, n, n_b);
  for (uint32_t i = 0; i < n; i++)
    if (b_of_a[i] != TN_NONE)
      pair(m, a[i].row, b[b_of_a[i]].row, round->match);
  if (!round->is_strict)
    pair_rest(m, a, n, b, n_b, b_of_a, round->match);
}

static uint32_t
group_end(const Keyed *list, uint32_t from, uint32_t n)
{
  uint32_t to = from;
  while (to < n && list[to].key == list[from].key)
    to++;
  return to;
}

void
tn_diff_round(TnDiffMatcher *m, const TnDiffRound *round)
{
  uint32_t n, n_b, i = 0, k = 0;
  g_autofree Keyed *a = build_keyed(&m->a, round->key_a, &n);
  g_autofree Keyed *b = build_keyed(&m->b, round->key_b, &n_b);
  while (i < n && k < n_b) {
    if (a[i].key < b[k].key) {
      i = group_end(a, i, n);
      continue;
    }
    if (a[i].key > b[k].key) {
      k = group_end(b, k, n_b);
      continue;
    }
    uint32_t i_end = group_end(a, i, n), k_end = group_end(b, k, n_b);
    if (!round->is_even || i_end - i == k_end - k)
      pair_group(m, round, a + i, i_end - i, b + k, k_end - k);
    i = i_end;
    k = k_end;
  }
}
