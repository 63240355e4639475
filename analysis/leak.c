/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/leak.h"

#include <stdlib.h>

#define N_PARTS 8       /* of a recording without marks */
#define MOST_MEASURED 8 /* leaks whose saving is computed */

/* Whole iterations: [tick[i], tick[i + 1]). */
static GArray *
iterations_new(const TnStudy *study, bool *out_is_by_marks)
{
  GArray *ticks = g_array_new(FALSE, FALSE, sizeof(tn_tick));
  for (guint i = 0; i < study->device->marks->len; i++) {
    const TnMark *mark = &g_array_index(study->device->marks, TnMark, i);
    bool is_new = ticks->len == 0 || mark->tick > g_array_index(ticks, tn_tick, ticks->len - 1);
    if (mark->kind == TN_MARK_ITERATION && is_new)
      g_array_append_val(ticks, mark->tick);
  }
  *out_is_by_marks = ticks->len >= 3;
  if (*out_is_by_marks)
    return ticks;
  g_array_set_size(ticks, 0);
  for (tn_tick i = 0; i <= N_PARTS && study->axis_end >= N_PARTS * 8; i++) {
    tn_tick tick = study->axis_end / N_PARTS * i;
    g_array_append_val(ticks, tick);
  }
  return ticks;
}

/* The iteration in which a tick lies; -1 before, and the number of whole ones after the last. */
static int
iteration_of(const GArray *ticks, tn_tick tick)
{
  guint low = 0, high = ticks->len;
  while (low < high) {
    guint middle = low + (high - low) / 2;
    if (g_array_index(ticks, tn_tick, middle) <= tick)
      low = middle + 1;
    else
      high = middle;
  }
  return (int)low - 1;
}

static bool
is_never_freed(const TnBuffers *b, uint32_t i)
{
  return (b->flags[i] & TN_BUFFER_TO_END) && !(b->flags[i] & TN_BUFFER_BEFORE);
}

/* What a site added in whole iterations one after the other. */
typedef struct {
  int last;         /* the last whole iteration seen, -1: none */
  bool has_missed;  /* an iteration went by without any */
  tn_bytes last_bytes;
} Growth;

static void
add_growth(Growth *growth, int iteration, int n_whole, tn_bytes bytes)
{
  if (iteration < 0 || iteration >= n_whole)
    return;
  if (iteration != growth->last) {
    growth->has_missed |= iteration != growth->last + 1;
    growth->last = iteration;
    growth->last_bytes = 0;
  }
  growth->last_bytes += bytes;
}

static Growth *
growth_of_sites(const TnStudy *study, const TnCallSites *sites, const GArray *ticks)
{
  const TnBuffers *b = study->buffers; /* by start, so iterations come in order */
  Growth *growth = g_new0(Growth, sites->n);
  for (uint32_t s = 0; s < sites->n; s++)
    growth[s].last = -1;
  for (uint32_t i = 0; i < b->n; i++)
    if (is_never_freed(b, i))
      add_growth(&growth[tn_call_sites_of(sites, tn_buffers_stack(b, i))],
                 iteration_of(ticks, b->start[i]), (int)ticks->len - 1, b->bytes[i]);
  return growth;
}

static void
clear_leak(gpointer data)
{
  g_array_unref(((TnLeak *)data)->buffers);
}

/* The buffers of each leaking site; `row_of`: by site, row + 1. */
static void
collect(TnLeaks *leaks, const TnStudy *study, const TnCallSites *sites, const uint32_t *row_of)
{
  const TnBuffers *b = study->buffers;
  for (uint32_t i = 0; i < b->n; i++) {
    uint32_t row = row_of[tn_call_sites_of(sites, tn_buffers_stack(b, i))];
    if (!row || !is_never_freed(b, i))
      continue;
    TnLeak *leak = &g_array_index(leaks->rows, TnLeak, row - 1);
    g_array_append_val(leak->buffers, i);
    leak->bytes += b->bytes[i];
  }
}

static int
compare_bytes(const void *a, const void *b)
{
  const TnLeak *x = a, *y = b;
  if (x->saving != y->saving)
    return x->saving < y->saving ? 1 : -1;
  if (x->bytes != y->bytes)
    return x->bytes < y->bytes ? 1 : -1;
  return (x->site > y->site) - (x->site < y->site);
}

tn_bytes
tn_live_peak_without(const TnStudy *study, const GArray *without)
{
  const TnBuffers *b = study->buffers;
  g_autofree tn_bytes *bytes = g_memdup2(b->bytes, sizeof *bytes * MAX(b->n, 1u));
  for (guint i = 0; i < without->len; i++)
    bytes[g_array_index(without, uint32_t, i)] = 0;
  TnBuffers shallow = *b;
  shallow.bytes = bytes;
  g_autoptr(TnCurve) curve = tn_curve_new_for_buffers(&shallow, study->axis_end);
  return curve ? curve->peak : TN_BYTES_UNKNOWN;
}

static void
measure(TnLeaks *leaks, const TnStudy *study)
{
  if (leaks->rows->len)
    qsort(leaks->rows->data, leaks->rows->len, sizeof(TnLeak), compare_bytes);
  for (guint i = 0; i < MIN(leaks->rows->len, (guint)MOST_MEASURED); i++) {
    TnLeak *leak = &g_array_index(leaks->rows, TnLeak, i);
    leak->saving = study->live->peak - tn_live_peak_without(study, leak->buffers);
  }
  if (leaks->rows->len)
    qsort(leaks->rows->data, leaks->rows->len, sizeof(TnLeak), compare_bytes);
}

TnLeaks *
tn_leaks_new(const TnStudy *study, const TnCallSites *sites)
{
  TnLeaks *leaks = g_new0(TnLeaks, 1);
  g_autoptr(GArray) ticks = iterations_new(study, &leaks->is_by_marks);
  g_autofree uint32_t *row_of = g_new0(uint32_t, sites->n);
  leaks->rows = g_array_new(FALSE, FALSE, sizeof(TnLeak));
  g_array_set_clear_func(leaks->rows, clear_leak);
  leaks->n_iterations = ticks->len ? ticks->len - 1 : 0;
  if (leaks->n_iterations < 2 || !study->is_log)
    return leaks;
  g_autofree Growth *growth = growth_of_sites(study, sites, ticks);
  for (uint32_t site = 1; site < sites->n; site++) {
    TnLeak leak = {.site = site,
                   .buffers = NULL,
                   .per_iteration = growth[site].last_bytes,
                   .saving = TN_BYTES_UNKNOWN};
    if (growth[site].has_missed || growth[site].last != (int)leaks->n_iterations - 1)
      continue;
    leak.buffers = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    g_array_append_val(leaks->rows, leak);
    row_of[site] = leaks->rows->len;
  }
  collect(leaks, study, sites, row_of);
  measure(leaks, study);
  return leaks;
}

void
tn_leaks_free(TnLeaks *leaks)
{
  if (!leaks)
    return;
  g_array_unref(leaks->rows);
  g_free(leaks);
}
