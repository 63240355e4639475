/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/curve.h"

#include "analysis/batch-sum.h"
#include "data/memory.h"

#include <stdlib.h>
#include <string.h>

#define FAN 8u

/* ---- the pyramid ----------------------------------------------------------------------------- */

static void
build_level(TnCurve *curve, uint32_t level)
{
  const uint32_t *high = level ? curve->highest[level - 1] : NULL;
  const uint32_t *low = level ? curve->lowest[level - 1] : NULL;
  uint32_t below = level ? curve->level_n[level - 1] : curve->n;
  uint32_t n = (below + FAN - 1) / FAN;
  curve->level_n[level] = n;
  curve->highest[level] = g_new(uint32_t, n);
  curve->lowest[level] = g_new(uint32_t, n);
  for (uint32_t i = 0; i < n; i++) {
    uint32_t first = i * FAN, stop = MIN(first + FAN, below);
    uint32_t best = high ? high[first] : first, least = low ? low[first] : first;
    for (uint32_t k = first + 1; k < stop; k++) {
      uint32_t h = high ? high[k] : k, l = low ? low[k] : k;
      if (curve->value[h] > curve->value[best])
        best = h;
      if (curve->value[l] < curve->value[least])
        least = l;
    }
    curve->highest[level][i] = best;
    curve->lowest[level][i] = least;
  }
}

static void
build_pyramid(TnCurve *curve)
{
  uint32_t n = curve->n;
  while (n > FAN && curve->n_levels < TN_CURVE_LEVELS) {
    build_level(curve, curve->n_levels);
    n = curve->level_n[curve->n_levels++];
  }
}

/* The extreme point of [first, stop): whole nodes where they fit, points at the rims. */
static uint32_t
extreme(const TnCurve *curve, uint32_t first, uint32_t stop, bool is_max)
{
  uint32_t best = first, at = first;
  while (at < stop) {
    uint32_t level = 0, width = 1, node = at;
    while (level < curve->n_levels && node % FAN == 0 && at + width * FAN <= stop) {
      width *= FAN;
      node /= FAN;
      level++;
    }
    uint32_t point = level == 0 ? at
                     : is_max   ? curve->highest[level - 1][node]
                                : curve->lowest[level - 1][node];
    if (is_max ? curve->value[point] > curve->value[best]
               : curve->value[point] < curve->value[best])
      best = point;
    at += width;
  }
  return best;
}

/* ---- making ------------------------------------------------------------------------------------
 */

static TnCurve *
finish(TnCurve *curve, tn_tick end)
{
  curve->end = end;
  build_pyramid(curve);
  uint32_t best = extreme(curve, 0, curve->n, true);
  curve->peak = curve->value[best];
  curve->peak_at = curve->tick[best];
  return curve;
}

TnCurve *
tn_curve_new(const tn_tick *tick, const tn_bytes *value, uint32_t n, tn_tick end)
{
  static const tn_tick no_tick = 0;
  static const tn_bytes no_value = 0;
  TnCurve *curve = g_new0(TnCurve, 1);
  curve->n = MAX(n, 1u);
  curve->tick = g_memdup2(n ? tick : &no_tick, curve->n * sizeof *tick);
  curve->value = g_memdup2(n ? value : &no_value, curve->n * sizeof *value);
  return finish(curve, end);
}

void
tn_curve_free(TnCurve *curve)
{
  if (!curve)
    return;
  for (uint32_t level = 0; level < curve->n_levels; level++) {
    g_free(curve->highest[level]);
    g_free(curve->lowest[level]);
  }
  g_free(curve->tick);
  g_free(curve->value);
  g_free(curve);
}

typedef struct {
  tn_tick tick;
  tn_bytes change;
} Change;

static int
compare_changes(const void *a, const void *b)
{
  const Change *x = a, *y = b;
  return x->tick < y->tick ? -1 : x->tick > y->tick;
}

static void
add_change(GArray *changes, tn_tick start, tn_tick end, tn_bytes bytes)
{
  if (start >= end || bytes == 0)
    return;
  Change both[2] = {{start, bytes}, {end, -bytes}};
  g_array_append_vals(changes, both, 2);
}

/* A gap takes the buffer away, but for the window that it keeps. */
static void
add_buffer(GArray *changes, const TnBuffers *buffers, tn_index i)
{
  uint32_t n_gaps;
  const TnGap *gaps = tn_buffers_gaps(buffers, i, &n_gaps);
  tn_bytes bytes = buffers->bytes[i];
  add_change(changes, buffers->start[i], buffers->end[i], bytes);
  for (uint32_t g = 0; g < n_gaps; g++)
    add_change(changes, MAX(gaps[g].start, buffers->start[i]), MIN(gaps[g].end, buffers->end[i]),
               -(bytes - (gaps[g].high - gaps[g].low)));
}

/* Sums sorted changes to points; starts at tick 0 even where nothing is alive there. */
static bool
sum_changes(TnCurve *curve, const Change *changes, gsize n, tn_tick end)
{
  curve->tick = g_new(tn_tick, n + 1);
  curve->value = g_new(tn_bytes, n + 1);
  curve->tick[0] = 0;
  curve->value[0] = 0;
  curve->n = 1;
  tn_bytes now = 0;
  for (gsize i = 0; i < n;) {
    tn_tick tick = changes[i].tick;
    tn_bytes net = 0;
    for (; i < n && changes[i].tick == tick; i++)
      if (!tn_add(net, changes[i].change, &net))
        return false;
    if (!tn_add(now, net, &now))
      return false;
    if (tick >= end)
      break;
    uint32_t last = curve->n - 1;
    if (curve->tick[last] == tick) {
      curve->value[last] = now;
    } else if (curve->value[last] != now) {
      curve->tick[curve->n] = tick;
      curve->value[curve->n++] = now;
    }
  }
  curve->tick = g_renew(tn_tick, curve->tick, curve->n);
  curve->value = g_renew(tn_bytes, curve->value, curve->n);
  return true;
}

/* `rows`: NULL for all. */
static bool
sum_by_sorting(
    TnCurve *curve, const TnBuffers *buffers, const uint32_t *rows, uint32_t n, tn_tick end)
{
  g_autoptr(GArray) changes = g_array_sized_new(FALSE, FALSE, sizeof(Change), MIN(n, 1u << 26) * 2);
  for (uint32_t i = 0; i < n; i++)
    add_buffer(changes, buffers, rows ? rows[i] : i);
  if (changes->len)
    qsort(changes->data, changes->len, sizeof(Change), compare_changes);
  return sum_changes(curve, (const Change *)(void *)changes->data, changes->len, end);
}

/* Where there are few ticks for each buffer (a log), one cell a tick beats sorting.  The sums move
 * into the cells of the changes before them: a cell that is never used again costs a page of
 * memory. */
static bool
sum_cells(TnCurve *curve, tn_bytes *cells, tn_tick end)
{
  gsize n = 1;
  for (tn_tick t = 1; t < end; t++)
    n += cells[t] != 0;
  curve->tick = tn_reserve(n, sizeof *curve->tick);
  tn_bytes now = 0;
  for (tn_tick t = 0; t < end; t++) {
    if (t > 0 && cells[t] == 0)
      continue;
    if (!tn_add(now, cells[t], &now))
      return false;
    curve->tick[curve->n] = t;
    cells[curve->n++] = now;
  }
  return true;
}

static bool
sum_by_counting(TnCurve *curve, const TnBuffers *buffers, tn_tick end)
{
  g_autofree tn_bytes *change = tn_reserve_zeros((gsize)end + 1, sizeof *change);
  for (tn_index i = 0; i < buffers->n; i++) {
    tn_tick from = CLAMP(buffers->start[i], 0, end), to = CLAMP(buffers->end[i], 0, end);
    if (!tn_add(change[from], buffers->bytes[i], &change[from]) ||
        !tn_add(change[to], -buffers->bytes[i], &change[to]))
      return false;
  }
  if (!sum_cells(curve, change, end))
    return false;
  curve->value = g_renew(tn_bytes, g_steal_pointer(&change), curve->n);
  return true;
}

/* ---- batches, which never run together -------------------------------------------------------- */

typedef struct {
  tn_tick tick;
  tn_bytes bytes;
  uint32_t place; /* in the rows that are summed up */
} RowChange;

static int
compare_row_changes(const void *a, const void *b)
{
  const RowChange *x = a, *y = b;
  return x->tick < y->tick ? -1 : x->tick > y->tick;
}

static GArray *
row_changes_new(const TnBuffers *buffers, const uint32_t *rows, uint32_t n)
{
  GArray *all = g_array_new(FALSE, FALSE, sizeof(RowChange));
  g_autoptr(GArray) own = g_array_new(FALSE, FALSE, sizeof(Change));
  for (uint32_t i = 0; i < n; i++) {
    g_array_set_size(own, 0);
    add_buffer(own, buffers, rows ? rows[i] : i);
    for (guint k = 0; k < own->len; k++) {
      const Change *change = &g_array_index(own, Change, k);
      RowChange row = {change->tick, change->change, i};
      g_array_append_val(all, row);
    }
  }
  if (all->len)
    qsort(all->data, all->len, sizeof(RowChange), compare_row_changes);
  return all;
}

/* Turns the sums after each tick into changes of the total, which sum_changes() adds up again.
 * `some`: NULL for all. */
static bool
sum_batches(TnCurve *curve,
            const TnBuffers *buffers,
            const uint32_t *some,
            uint32_t n,
            TnBatchSum *sum,
            tn_tick end)
{
  g_autoptr(GArray) rows = row_changes_new(buffers, some, n);
  g_autoptr(GArray) changes = g_array_new(FALSE, FALSE, sizeof(Change));
  tn_bytes before = 0, now = 0;
  for (guint i = 0; i < rows->len; before = now) {
    tn_tick tick = g_array_index(rows, RowChange, i).tick;
    for (; i < rows->len && g_array_index(rows, RowChange, i).tick == tick; i++)
      if (!tn_batch_sum_add(sum, g_array_index(rows, RowChange, i).place,
                            g_array_index(rows, RowChange, i).bytes))
        return false;
    if (!tn_batch_sum_total(sum, &now))
      return false;
    Change change = {tick, now - before};
    g_array_append_val(changes, change);
  }
  return sum_changes(curve, (const Change *)(void *)changes->data, changes->len, end);
}

/* Takes the curve. */
static TnCurve *
finish_sums(TnCurve *curve, bool is_good, tn_tick end)
{
  if (is_good)
    return finish(curve, end);
  tn_curve_free(curve);
  return NULL;
}

TnCurve *
tn_curve_new_for_buffers(const TnBuffers *buffers, tn_tick end)
{
  TnCurve *curve = g_new0(TnCurve, 1);
  end = MAX(end, (tn_tick)1);
  g_autoptr(TnBatchSum) batches = tn_batch_sum_new(buffers, NULL, buffers->n);
  if (batches)
    return finish_sums(curve, sum_batches(curve, buffers, NULL, buffers->n, batches, end), end);
  bool is_dense = !buffers->gap_first && end / 8 <= (tn_tick)buffers->n;
  bool is_good = is_dense ? sum_by_counting(curve, buffers, end)
                          : sum_by_sorting(curve, buffers, NULL, buffers->n, end);
  return finish_sums(curve, is_good, end);
}

TnCurve *
tn_curve_new_for_rows(const TnBuffers *buffers, const uint32_t *rows, uint32_t n, tn_tick end)
{
  TnCurve *curve = g_new0(TnCurve, 1);
  end = MAX(end, (tn_tick)1);
  return finish_sums(curve, sum_by_sorting(curve, buffers, rows, n, end), end);
}

TnCurve *
tn_curve_new_for_part(const TnBuffers *buffers, const uint32_t *rows, uint32_t n, tn_tick end)
{
  g_autoptr(TnBatchSum) batches = tn_batch_sum_new(buffers, rows, n);
  if (!batches)
    return tn_curve_new_for_rows(buffers, rows, n, end);
  TnCurve *curve = g_new0(TnCurve, 1);
  end = MAX(end, (tn_tick)1);
  return finish_sums(curve, sum_batches(curve, buffers, rows, n, batches, end), end);
}

/* ---- asking ------------------------------------------------------------------------------------
 */

uint32_t
tn_curve_find(const TnCurve *curve, tn_tick tick)
{
  uint32_t low = 0, high = curve->n;
  while (high - low > 1) {
    uint32_t middle = low + (high - low) / 2;
    if (curve->tick[middle] <= tick)
      low = middle;
    else
      high = middle;
  }
  return low;
}

tn_bytes
tn_curve_at(const TnCurve *curve, tn_tick tick)
{
  return curve->value[tn_curve_find(curve, tick)];
}

static uint32_t
extreme_of_ticks(const TnCurve *curve, tn_tick start, tn_tick end, bool is_max)
{
  uint32_t first = tn_curve_find(curve, start);
  uint32_t stop = tn_curve_find(curve, MAX(end - 1, start)) + 1;
  return extreme(curve, first, stop, is_max);
}

tn_bytes
tn_curve_max(const TnCurve *curve, tn_tick start, tn_tick end, tn_tick *out_at)
{
  uint32_t point = extreme_of_ticks(curve, start, end, true);
  if (out_at)
    *out_at = MAX(curve->tick[point], start);
  return curve->value[point];
}

tn_bytes
tn_curve_min(const TnCurve *curve, tn_tick start, tn_tick end)
{
  return curve->value[extreme_of_ticks(curve, start, end, false)];
}
