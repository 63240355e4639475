/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/changes-order.h"

#include <stdlib.h>
#include <string.h>

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

typedef struct {
  const char *text;
  uint32_t pair;
} Labelled;

static int
compare_labels(const void *left, const void *right)
{
  return strcmp(((const Labelled *)left)->text, ((const Labelled *)right)->text);
}

/* What labels that are made depend on: the call site, else the kind, else the row itself. */
static gpointer
key_of_label(const TnStudy *study, tn_index row)
{
  unsigned kind = study->buffers->kind[row];
  uint64_t key =
      study->sites ? tn_call_sites_of(study->sites, tn_buffers_stack(study->buffers, row)) : 0;
  if (!key)
    key = kind == TN_KIND_BEFORE || kind == TN_KIND_ALLOCATION ? UINT64_C(1) << 40 | kind
                                                               : UINT64_C(1) << 41 | row;
  return (gpointer)(uintptr_t)key;
}

/* A name is the document's own text; a label that is made (of a call site) is made once. */
static const char *
label_of(const TnDiff *diff, uint32_t pair, GHashTable *made[2])
{
  const TnDiffPair *p = &diff->pairs[pair];
  bool is_a = p->b == TN_NONE;
  const TnStudy *study = is_a ? diff->a : diff->b;
  tn_index row = is_a ? p->a : p->b;
  uint32_t name = tn_buffers_name(study->buffers, row);
  if (name)
    return tn_strings_get(study->document->strings, name);
  gpointer key = key_of_label(study, row);
  char *label = g_hash_table_lookup(made[is_a], key);
  if (!label)
    g_hash_table_insert(made[is_a], key, label = tn_study_dup_label(study, row));
  return label;
}

/* By pair the rank of its label; the same label, the same rank.  Owned by the caller. */
static int64_t *
build_label_ranks(const TnDiff *diff)
{
  g_autofree Labelled *rows = g_new(Labelled, MAX(diff->n, 1u));
  int64_t *ranks = g_new(int64_t, MAX(diff->n, 1u));
  GHashTable *made[2] = {g_hash_table_new_full(NULL, NULL, NULL, g_free),
                         g_hash_table_new_full(NULL, NULL, NULL, g_free)};
  for (uint32_t i = 0; i < diff->n; i++)
    rows[i] = (Labelled){label_of(diff, i, made), i};
  qsort(rows, diff->n, sizeof *rows, compare_labels);
  int64_t rank = 0;
  for (uint32_t i = 0; i < diff->n; i++) {
    rank += i && strcmp(rows[i].text, rows[i - 1].text) != 0;
    ranks[rows[i].pair] = rank;
  }
  g_hash_table_unref(made[0]);
  g_hash_table_unref(made[1]);
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
