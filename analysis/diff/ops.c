/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/diff/ops.h"

#include "analysis/diff/keys.h"
#include "analysis/diff/sequence.h"
#include "data/hash.h"

typedef enum { BY_ALL, BY_STRUCTURE, BY_NAME, BY_TYPE, N_WAYS } Way;

static uint32_t
op_at(const TnDiffOps *ops, uint32_t place)
{
  return ops->order ? ops->order[place] : g_array_index(ops->graph->order, uint32_t, place);
}

uint32_t *
tn_diff_ops_build_places(const TnDiffOps *ops)
{
  uint32_t n = ops->graph->ops->len, *places = g_new0(uint32_t, MAX(n, 1u));
  for (uint32_t i = 0; i < n; i++)
    places[op_at(ops, i)] = i;
  return places;
}

static uint64_t
key_of(const TnDiffOps *ops, uint32_t op, Way way)
{
  const TnOp *row = tn_graph_op(ops->graph, op);
  uint64_t key = tn_diff_key_add(ops->strings[row->type], ops->strings[row->domain]);
  if (way == BY_ALL || way == BY_NAME)
    key = tn_diff_key_add(key, ops->strings[row->name]);
  if (way == BY_ALL || way == BY_STRUCTURE) {
    for (uint32_t i = 0; i < row->n_inputs; i++)
      key = tn_diff_key_add(
          key, tn_diff_shape_key(ops->graph, tn_graph_inputs(ops->graph, row)[i], ops->strings));
    for (uint32_t i = 0; i < row->n_outputs; i++)
      key = tn_diff_key_add(
          key, tn_diff_shape_key(ops->graph, tn_graph_outputs(ops->graph, row)[i], ops->strings));
  }
  return key;
}

static uint64_t *
build_keys(const TnDiffOps *ops, Way way)
{
  uint32_t n = ops->graph->ops->len;
  uint64_t *keys = g_new(uint64_t, MAX(n, 1u));
  for (uint32_t i = 0; i < n; i++)
    keys[i] = key_of(ops, op_at(ops, i), way);
  return keys;
}

/* Aligns what lies between the pairs that are there; all in places of the orders. */
static void
fill_gaps(uint32_t *b_of_a, uint32_t n, const uint64_t *a, const uint64_t *b, uint32_t m)
{
  uint32_t a0 = 0, b0 = 0;
  g_autofree uint32_t *found = g_new(uint32_t, MAX(n, 1u));
  for (uint32_t i = 0; i <= n; i++) {
    if (i < n && b_of_a[i] == TN_NONE)
      continue;
    uint32_t b1 = i < n ? b_of_a[i] : m;
    if (i > a0 && b1 > b0) {
      tn_sequence_align(a + a0, i - a0, b + b0, b1 - b0, found);
      for (uint32_t k = a0; k < i; k++)
        b_of_a[k] = found[k - a0] == TN_NONE ? TN_NONE : found[k - a0] + b0;
    }
    a0 = i + 1;
    b0 = b1 + 1;
  }
}

/* Of each key the only place that has no partner; TN_NONE + a key twice. */
static GHashTable *
build_lonely(const TnDiffOps *ops, const uint64_t *keys, const uint8_t *is_taken)
{
  GHashTable *table = g_hash_table_new(tn_int64_hash, g_int64_equal);
  for (uint32_t i = 0; i < ops->graph->ops->len; i++)
    if (!is_taken[i] && tn_graph_op(ops->graph, op_at(ops, i))->name) {
      bool is_twice = g_hash_table_contains(table, &keys[i]);
      g_hash_table_insert(table, (gpointer)&keys[i], GUINT_TO_POINTER(is_twice ? TN_NONE : i + 1));
    }
  return table;
}

/* An op that runs elsewhere in the other order. */
static void
match_lonely(const TnDiffOps *a, const TnDiffOps *b, uint32_t *b_of_a)
{
  uint32_t n = a->graph->ops->len, m = b->graph->ops->len;
  g_autofree uint64_t *keys_a = build_keys(a, BY_NAME), *keys_b = build_keys(b, BY_NAME);
  g_autofree uint8_t *taken_a = g_new0(uint8_t, MAX(n, 1u)), *taken_b = g_new0(uint8_t, MAX(m, 1u));
  for (uint32_t i = 0; i < n; i++)
    if (b_of_a[i] != TN_NONE)
      taken_a[i] = taken_b[b_of_a[i]] = 1;
  g_autoptr(GHashTable) lonely_a = build_lonely(a, keys_a, taken_a);
  g_autoptr(GHashTable) lonely_b = build_lonely(b, keys_b, taken_b);
  for (uint32_t i = 0; i < n; i++) {
    uint32_t own = GPOINTER_TO_UINT(g_hash_table_lookup(lonely_a, &keys_a[i]));
    uint32_t other = GPOINTER_TO_UINT(g_hash_table_lookup(lonely_b, &keys_a[i]));
    if (own == i + 1 && other && other != TN_NONE)
      b_of_a[i] = other - 1;
  }
}

uint32_t *
tn_diff_ops_align(const TnDiffOps *a, const TnDiffOps *b, bool is_same)
{
  uint32_t n = a->graph->ops->len, m = b->graph->ops->len;
  uint32_t *rows = g_new(uint32_t, MAX(n, 1u));
  g_autofree uint32_t *b_of_a = g_new(uint32_t, MAX(n, 1u));
  for (uint32_t i = 0; i < n; i++) {
    rows[i] = i;
    b_of_a[i] = TN_NONE;
  }
  if (is_same)
    return rows;
  for (Way way = BY_ALL; way < N_WAYS; way++) {
    g_autofree uint64_t *keys_a = build_keys(a, way), *keys_b = build_keys(b, way);
    fill_gaps(b_of_a, n, keys_a, keys_b, m);
  }
  match_lonely(a, b, b_of_a);
  for (uint32_t i = 0; i < n; i++)
    rows[op_at(a, i)] = b_of_a[i] == TN_NONE ? TN_NONE : op_at(b, b_of_a[i]);
  return rows;
}
