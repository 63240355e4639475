/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/batch-sum.h"

#include "analysis/plan/occupancy.h"

#include <stdlib.h>
#include <string.h>

static int
compare_labels(const void *a, const void *b)
{
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

/* The rows' labels, each once, growing, behind a 0. */
static GArray *
labels_new(const TnBuffers *b, const tn_index *rows, uint32_t n)
{
  g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
  GArray *labels = g_array_new(FALSE, TRUE, sizeof(uint32_t));
  g_array_set_size(labels, 1);
  for (uint32_t k = 0; k < n; k++) {
    uint32_t label = b->batch[rows ? rows[k] : k];
    if (label && g_hash_table_add(seen, GUINT_TO_POINTER(label)))
      g_array_append_val(labels, label);
  }
  qsort(labels->data, labels->len, sizeof(uint32_t), compare_labels);
  return labels;
}

/* Takes the labels. */
static void
number_places(TnBatchSum *sum, const TnBuffers *b, const tn_index *rows, uint32_t n, GArray *labels)
{
  g_autoptr(GHashTable) slot_of = g_hash_table_new(NULL, NULL); /* label → slot */
  sum->n = labels->len - 1;
  sum->label = (uint32_t *)(void *)g_array_free(labels, FALSE);
  for (uint32_t slot = 1; slot <= sum->n; slot++)
    g_hash_table_insert(slot_of, GUINT_TO_POINTER(sum->label[slot]), GUINT_TO_POINTER(slot));
  sum->slot = g_new(uint32_t, n);
  for (uint32_t k = 0; k < n; k++) {
    gpointer label = GUINT_TO_POINTER(b->batch[rows ? rows[k] : k]);
    sum->slot[k] = GPOINTER_TO_UINT(g_hash_table_lookup(slot_of, label));
  }
}

TnBatchSum *
tn_batch_sum_new(const TnBuffers *b, const tn_index *rows, uint32_t n)
{
  if (!b->batch || n == 0)
    return NULL;
  GArray *labels = labels_new(b, rows, n);
  if (labels->len == 1) {
    g_array_unref(labels);
    return NULL;
  }
  TnBatchSum *sum = g_new0(TnBatchSum, 1);
  number_places(sum, b, rows, n, labels);
  for (sum->width = 1; sum->width < sum->n;)
    sum->width *= 2;
  sum->most = g_new0(tn_bytes, (gsize)sum->width * 2);
  return sum;
}

void
tn_batch_sum_free(TnBatchSum *sum)
{
  if (!sum)
    return;
  g_free(sum->slot);
  g_free(sum->label);
  g_free(sum->most);
  g_free(sum);
}

void
tn_batch_sum_reset(TnBatchSum *sum)
{
  sum->plain = 0;
  memset(sum->most, 0, (gsize)sum->width * 2 * sizeof *sum->most);
}

bool
tn_batch_sum_add(TnBatchSum *sum, uint32_t place, tn_bytes change)
{
  uint32_t slot = sum->slot[place];
  if (!slot)
    return tn_add(sum->plain, change, &sum->plain);
  gsize node = (gsize)sum->width + slot - 1;
  if (!tn_add(sum->most[node], change, &sum->most[node]))
    return false;
  for (node /= 2; node > 0; node /= 2)
    sum->most[node] = MAX(sum->most[2 * node], sum->most[2 * node + 1]);
  return true;
}

bool
tn_batch_sum_total(const TnBatchSum *sum, tn_bytes *out_total)
{
  return tn_add(sum->plain, MAX(sum->most[1], (tn_bytes)0), out_total);
}

uint32_t
tn_batch_sum_label(const TnBatchSum *sum)
{
  gsize node = 1;
  if (sum->most[1] <= 0)
    return 0;
  while (node < sum->width)
    node = sum->most[2 * node] >= sum->most[2 * node + 1] ? 2 * node : 2 * node + 1;
  return sum->label[node - sum->width + 1];
}

uint32_t
tn_batch_sum_label_at(const TnBuffers *b, const tn_index *rows, uint32_t n, tn_tick tick)
{
  uint32_t best = 0;
  tn_bytes most = 0, low, high;
  if (!b->batch)
    return 0;
  g_autoptr(GHashTable) sums = g_hash_table_new(NULL, NULL); /* label → what it holds */
  for (uint32_t k = 0; k < n; k++) {
    tn_index row = rows ? rows[k] : k;
    uint32_t label = b->batch[row];
    gpointer key = GUINT_TO_POINTER(label);
    if (!label || !tn_occupancy_window(b, row, tick, &low, &high))
      continue;
    tn_bytes now = (tn_bytes)GPOINTER_TO_SIZE(g_hash_table_lookup(sums, key)) + high - low;
    g_hash_table_insert(sums, key, GSIZE_TO_POINTER((gsize)now));
    if (now > most || (now == most && label < best)) {
      most = now;
      best = label;
    }
  }
  return best;
}

uint32_t
tn_batch_sum_label_of_sweep(const TnBuffers *b, const TnLiveSweep *sweep, tn_tick tick)
{
  if (!b->batch || sweep->n == 0)
    return 0;
  g_autofree tn_index *rows = g_new(tn_index, sweep->n);
  for (uint32_t i = 0; i < sweep->n; i++)
    rows[i] = sweep->alive[i].row;
  return tn_batch_sum_label_at(b, rows, sweep->n, tick);
}

void
tn_batch_sum_keep(const TnBuffers *b, GArray *rows, tn_tick tick)
{
  tn_index *row = (tn_index *)(void *)rows->data;
  uint32_t label = tn_batch_sum_label_at(b, row, rows->len, tick);
  guint kept = 0;
  for (guint k = 0; k < rows->len; k++)
    if (tn_batch_sum_counts(b, row[k], label))
      row[kept++] = row[k];
  g_array_set_size(rows, kept);
}

bool
tn_batch_sum_has_several(const TnGraph *graph)
{
  uint32_t first = 0;
  for (guint i = 0; i < graph->ops->len; i++) {
    uint32_t label = tn_graph_op(graph, i)->batch_label;
    if (label && first && label != first)
      return true;
    first = label ? label : first;
  }
  return false;
}
