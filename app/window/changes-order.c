/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/changes-order.h"

#include "app/window/label-ranks.h"

#include <stdlib.h>

/* What sorts a row: the keys one after the other, larger ones first. */
typedef struct {
  int64_t keys[4];
  uint32_t pair;
} Ranked;

static int
compare_ranked(const void *left, const void *right)
{
  const Ranked *x = left, *y = right;
  for (int i = 0; i < 4; i++)
    if (x->keys[i] != y->keys[i])
      return x->keys[i] > y->keys[i] ? -1 : 1;
  return x->pair < y->pair ? -1 : x->pair > y->pair;
}

static tn_bytes
size_of(const TnDiff *diff, uint32_t pair)
{
  return diff->pairs[pair].b == TN_NONE ? tn_diff_bytes_a(diff, pair) : tn_diff_bytes_b(diff, pair);
}

GArray *
tn_changes_order_first(const TnDiff *diff)
{
  GArray *order = g_array_sized_new(FALSE, FALSE, sizeof(uint32_t), diff->n);
  g_autofree Ranked *rows = g_new(Ranked, MAX(diff->n, 1u));
  for (uint32_t i = 0; i < diff->n; i++) {
    tn_bytes delta = tn_diff_bytes_b(diff, i) - tn_diff_bytes_a(diff, i);
    rows[i] = (Ranked){
        {ABS(diff->pair_bytes[i]), ABS(delta), diff->pairs[i].changes != 0, size_of(diff, i)}, i};
  }
  qsort(rows, diff->n, sizeof *rows, compare_ranked);
  for (uint32_t i = 0; i < diff->n; i++)
    g_array_append_val(order, rows[i].pair);
  return order;
}

/* ---- labels ------------------------------------------------------------------------------------
 */

/* By pair the rank of its label; the same label, the same rank.  Owned by the caller. */
static int64_t *
build_label_ranks(const TnDiff *diff)
{
  g_autoptr(TnLabelRanks) labels = tn_label_ranks_new();
  int64_t *ranks = g_new(int64_t, MAX(diff->n, 1u));
  for (uint32_t i = 0; i < diff->n; i++) {
    const TnDiffPair *p = &diff->pairs[i];
    ranks[i] = p->b == TN_NONE ? tn_label_ranks_add(labels, diff->a, p->a, 0)
                               : tn_label_ranks_add(labels, diff->b, p->b, 1);
  }
  g_autofree int64_t *by_number = tn_label_ranks_build(labels);
  for (uint32_t i = 0; i < diff->n; i++)
    ranks[i] = by_number[ranks[i]];
  return ranks;
}

/* ---- by column ---------------------------------------------------------------------------------
 */

const char *
tn_changes_status(const TnDiff *diff, uint32_t pair)
{
  unsigned changes = diff->pairs[pair].changes;
  return changes & TN_CHANGE_NEW      ? "+"
         : changes & TN_CHANGE_GONE   ? "−"
         : changes & TN_CHANGE_GREW   ? "↑"
         : changes & TN_CHANGE_SHRANK ? "↓"
         : changes                    ? "↔"
                                      : "=";
}

static int64_t
status_key(unsigned changes)
{
  static const unsigned order[] = {TN_CHANGE_NEW, TN_CHANGE_GONE, TN_CHANGE_GREW, TN_CHANGE_SHRANK};
  for (int i = 0; i < (int)G_N_ELEMENTS(order); i++)
    if (changes & order[i])
      return i;
  return changes ? 4 : 5;
}

#define UNKNOWN INT64_MIN

static int64_t
key_of(const TnDiff *diff, uint32_t pair, TnChangesColumn column)
{
  tn_bytes offset;
  switch (column) {
  case TN_CHANGES_STATUS:
    return status_key(diff->pairs[pair].changes);
  case TN_CHANGES_SIZE:
    return size_of(diff, pair);
  case TN_CHANGES_SIZE_DELTA:
    return tn_diff_bytes_b(diff, pair) - tn_diff_bytes_a(diff, pair);
  case TN_CHANGES_LIFE_DELTA:
    return tn_diff_life_delta(diff, pair);
  case TN_CHANGES_OFFSET_DELTA:
    return tn_diff_offset_delta(diff, pair, &offset) ? offset : UNKNOWN;
  case TN_CHANGES_AT_PEAK:
    return diff->pair_bytes[pair];
  case TN_CHANGES_MATCH:
    return diff->pairs[pair].match ? diff->pairs[pair].match : UNKNOWN;
  default:
    return diff->pairs[pair].changes;
  }
}

/* A row with its key and its place in the first order. */
typedef struct {
  int64_t key;
  uint32_t pair, place;
} Keyed;

static int
compare_up(const void *left, const void *right)
{
  const Keyed *x = left, *y = right;
  if (x->key != y->key && (x->key == UNKNOWN || y->key == UNKNOWN))
    return x->key == UNKNOWN ? 1 : -1;
  if (x->key != y->key)
    return x->key < y->key ? -1 : 1;
  return x->place < y->place ? -1 : x->place > y->place;
}

static int
compare_down(const void *left, const void *right)
{
  const Keyed *x = left, *y = right;
  if (x->key != y->key)
    return x->key > y->key ? -1 : 1;
  return x->place < y->place ? -1 : x->place > y->place;
}

GArray *
tn_changes_order_by(const TnDiff *diff,
                    const GArray *first,
                    TnChangesColumn column,
                    bool is_descending)
{
  GArray *order = g_array_sized_new(FALSE, FALSE, sizeof(uint32_t), diff->n);
  g_autofree Keyed *rows = g_new(Keyed, MAX(diff->n, 1u));
  g_autofree int64_t *ranks = column == TN_CHANGES_LABEL ? build_label_ranks(diff) : NULL;
  for (uint32_t i = 0; i < diff->n; i++) {
    uint32_t pair = g_array_index(first, uint32_t, i);
    rows[i] = (Keyed){ranks ? ranks[pair] : key_of(diff, pair, column), pair, i};
  }
  qsort(rows, diff->n, sizeof *rows, is_descending ? compare_down : compare_up);
  for (uint32_t i = 0; i < diff->n; i++)
    g_array_append_val(order, rows[i].pair);
  return order;
}
