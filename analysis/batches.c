/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/batches.h"

/* A part of the sum of all, which fits. */
static tn_bytes
peak_of(const TnStudy *study, const GArray *rows)
{
  g_autoptr(TnCurve) curve = tn_curve_new_for_rows(
      study->buffers, (const uint32_t *)(const void *)rows->data, rows->len, study->axis_end);
  return curve ? curve->peak : study->live->peak;
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

/* The rows of each label, as `batches` lists the labels. */
static GPtrArray *
sort_rows(const TnStudy *study, GArray *batches)
{
  const TnBuffers *b = study->buffers;
  GPtrArray *rows = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
  g_autoptr(GHashTable) place_of = g_hash_table_new(NULL, NULL); /* label → place + 1 */
  for (uint32_t i = 0; i < b->n; i++) {
    gpointer key = GUINT_TO_POINTER(b->batch[i]);
    guint place = GPOINTER_TO_UINT(g_hash_table_lookup(place_of, key));
    if (!place) {
      TnBatch fresh = {.label = b->batch[i], .low = TN_NOT_PLACED, .high = TN_NOT_PLACED};
      g_array_append_val(batches, fresh);
      g_ptr_array_add(rows, g_array_new(FALSE, FALSE, sizeof(uint32_t)));
      place = batches->len;
      g_hash_table_insert(place_of, key, GUINT_TO_POINTER(place));
    }
    g_array_append_val((GArray *)g_ptr_array_index(rows, place - 1), i);
    add_row(&g_array_index(batches, TnBatch, place - 1), study, i);
  }
  return rows;
}

GArray *
tn_batches_new(const TnStudy *study)
{
  GArray *batches = g_array_new(FALSE, FALSE, sizeof(TnBatch));
  if (!has_labels(study->buffers))
    return batches;
  g_autoptr(GPtrArray) rows = sort_rows(study, batches);
  for (guint k = 0; k < batches->len; k++)
    g_array_index(batches, TnBatch, k).peak = peak_of(study, g_ptr_array_index(rows, k));
  g_array_sort(batches, compare_batches);
  return batches;
}
