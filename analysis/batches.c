/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/batches.h"

typedef struct {
  tn_tick tick;
  tn_bytes change;
} Edge;

static gint
compare_edges(gconstpointer a, gconstpointer b)
{
  const Edge *x = a, *y = b;
  if (x->tick != y->tick)
    return x->tick < y->tick ? -1 : 1;
  return x->change < y->change ? -1 : x->change > y->change; /* what ends goes first */
}

static tn_bytes
peak_of(GArray *edges)
{
  tn_bytes now = 0, peak = 0;
  g_array_sort(edges, compare_edges);
  for (guint i = 0; i < edges->len; i++) {
    now += g_array_index(edges, Edge, i).change;
    peak = MAX(peak, now);
  }
  return peak;
}

static void
add_row(TnBatch *batch, const TnStudy *study, tn_index i)
{
  const TnBuffers *b = study->buffers;
  batch->n++;
  batch->total += b->bytes[i]; /* a part of the sum of all, which fits */
  if (study->offset[i] == TN_NOT_PLACED)
    return;
  batch->low = batch->low == TN_NOT_PLACED ? study->offset[i] : MIN(batch->low, study->offset[i]);
  batch->high = MAX(batch->high, study->offset[i] + b->bytes[i]);
}

static gint
compare_batches(gconstpointer a, gconstpointer b)
{
  const TnBatch *x = a, *y = b;
  if ((x->label == 0) != (y->label == 0))
    return x->label == 0 ? 1 : -1;
  if (x->peak != y->peak)
    return x->peak > y->peak ? -1 : 1;
  return x->label < y->label ? -1 : x->label > y->label;
}

static bool
has_labels(const TnBuffers *b)
{
  for (uint32_t i = 0; b->batch && i < b->n; i++)
    if (b->batch[i])
      return true;
  return false;
}

GArray *
tn_batches_new(const TnStudy *study)
{
  const TnBuffers *b = study->buffers;
  GArray *batches = g_array_new(FALSE, FALSE, sizeof(TnBatch));
  g_autoptr(GHashTable) row_of = g_hash_table_new(NULL, NULL); /* label → row + 1 */
  g_autoptr(GPtrArray) edges = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
  for (uint32_t i = 0; has_labels(b) && i < b->n; i++) {
    gpointer key = GUINT_TO_POINTER(b->batch[i]);
    guint row = GPOINTER_TO_UINT(g_hash_table_lookup(row_of, key));
    if (!row) {
      TnBatch fresh = {.label = b->batch[i], .low = TN_NOT_PLACED, .high = TN_NOT_PLACED};
      g_array_append_val(batches, fresh);
      g_ptr_array_add(edges, g_array_new(FALSE, FALSE, sizeof(Edge)));
      row = batches->len;
      g_hash_table_insert(row_of, key, GUINT_TO_POINTER(row));
    }
    Edge start = {b->start[i], b->bytes[i]}, end = {b->end[i], -b->bytes[i]};
    g_array_append_val((GArray *)g_ptr_array_index(edges, row - 1), start);
    g_array_append_val((GArray *)g_ptr_array_index(edges, row - 1), end);
    add_row(&g_array_index(batches, TnBatch, row - 1), study, i);
  }
  for (guint k = 0; k < batches->len; k++)
    g_array_index(batches, TnBatch, k).peak = peak_of(g_ptr_array_index(edges, k));
  g_array_sort(batches, compare_batches);
  return batches;
}
