/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/live-index.h"

#include <stdlib.h>

#define EVERY 4096u /* starts between two checkpoints, at least */

static int
compare_starts(gconstpointer a, gconstpointer b, gpointer data)
{
  const tn_tick *start = data;
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  if (start[x] != start[y])
    return start[x] < start[y] ? -1 : 1;
  return x < y ? -1 : x > y;
}

static uint32_t *
order_by_start(const TnBuffers *buffers)
{
  bool is_sorted = true;
  for (uint32_t i = 1; i < buffers->n && is_sorted; i++)
    is_sorted = buffers->start[i - 1] <= buffers->start[i];
  if (is_sorted)
    return NULL;
  uint32_t *order = g_new(uint32_t, buffers->n);
  for (uint32_t i = 0; i < buffers->n; i++)
    order[i] = i;
  g_qsort_with_data(order, (gint)buffers->n, sizeof *order, compare_starts, buffers->start);
  return order;
}

/* Drops what does not outlive the start at `position` - 1. */
static void
drop_ended(const TnLiveIndex *index, GArray *alive, uint32_t position)
{
  const TnBuffers *buffers = index->buffers;
  tn_tick now = buffers->start[tn_live_index_row(index, position - 1)];
  uint32_t kept = 0;
  for (uint32_t i = 0; i < alive->len; i++) {
    uint32_t row = g_array_index(alive, uint32_t, i);
    if (buffers->end[row] > now)
      g_array_index(alive, uint32_t, kept++) = row;
  }
  g_array_set_size(alive, kept);
}

static void
make_checkpoints(TnLiveIndex *index)
{
  uint32_t n = index->buffers->n, last = 0, none = 0;
  g_autoptr(GArray) rows = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  g_autoptr(GArray) alive = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  g_autoptr(GArray) first = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  g_autoptr(GArray) position = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  g_array_append_val(position, none);
  g_array_append_val(first, none);
  for (uint32_t at = 0; at < n;) {
    uint32_t stop = at + MIN(EVERY, n - at);
    for (; at < stop; at++) {
      uint32_t row = tn_live_index_row(index, at);
      g_array_append_val(alive, row);
    }
    if (at - last < EVERY)
      break;
    drop_ended(index, alive, at);
    if (alive->len > at - last)
      continue;
    g_array_append_val(first, rows->len);
    g_array_append_val(position, at);
    if (alive->len)
      g_array_append_vals(rows, alive->data, alive->len);
    last = at;
  }
  g_array_append_val(first, rows->len);
  index->n_checkpoints = position->len;
  index->first = (uint32_t *)(void *)g_array_free(g_steal_pointer(&first), FALSE);
  index->position = (uint32_t *)(void *)g_array_free(g_steal_pointer(&position), FALSE);
  index->rows = (uint32_t *)(void *)g_array_free(g_steal_pointer(&rows), FALSE);
}

TnLiveIndex *
tn_live_index_new(const TnBuffers *buffers)
{
  TnLiveIndex *index = g_new0(TnLiveIndex, 1);
  index->buffers = buffers;
  index->order = order_by_start(buffers);
  make_checkpoints(index);
  return index;
}

void
tn_live_index_free(TnLiveIndex *index)
{
  if (!index)
    return;
  g_free(index->order);
  g_free(index->first);
  g_free(index->position);
  g_free(index->rows);
  g_free(index);
}

uint32_t
tn_live_index_position(const TnLiveIndex *index, tn_tick tick)
{
  uint32_t low = 0, high = index->buffers->n;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (index->buffers->start[tn_live_index_row(index, middle)] < tick)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static void
keep(TnLiveSweep *sweep, uint32_t row, tn_tick tick)
{
  tn_tick end = sweep->index->buffers->end[row];
  if (end <= tick)
    return;
  if (sweep->n == sweep->capacity) {
    sweep->capacity = MAX(1024u, sweep->capacity * 2);
    sweep->alive = g_renew(TnLiveRow, sweep->alive, sweep->capacity);
  }
  sweep->alive[sweep->n++] = (TnLiveRow){end, row};
}

/* Adds what starts in [next, `tick`], when it is still alive at `tick`. */
static void
take_starts(TnLiveSweep *sweep, tn_tick tick)
{
  const TnBuffers *buffers = sweep->index->buffers;
  for (; sweep->next < buffers->n; sweep->next++) {
    uint32_t row = tn_live_index_row(sweep->index, sweep->next);
    if (buffers->start[row] > tick)
      break;
    keep(sweep, row, tick);
  }
}

/* The last checkpoint at or before a position. */
static uint32_t
checkpoint_before(const TnLiveIndex *index, uint32_t position)
{
  uint32_t low = 0, high = index->n_checkpoints;
  while (high - low > 1) {
    uint32_t middle = low + (high - low) / 2;
    if (index->position[middle] <= position)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* The checkpoint for `tick`. */
static void
find_checkpoint(const TnLiveIndex *index, tn_tick tick, const uint32_t **out_rows, uint32_t *out_n,
                uint32_t *out_next)
{
  uint32_t checkpoint = checkpoint_before(index, tn_live_index_position(index, tick));
  *out_rows = index->rows + index->first[checkpoint];
  *out_n = index->first[checkpoint + 1] - index->first[checkpoint];
  *out_next = index->position[checkpoint];
}

bool
tn_live_index_jump(const TnLiveIndex *index, uint32_t next, tn_tick tick,
                   const uint32_t **out_rows, uint32_t *out_n, uint32_t *out_next)
{
  const TnBuffers *buffers = index->buffers;
  uint32_t far = next + 4 * EVERY;
  if (next > 0 && (far >= buffers->n || far < next ||
                   buffers->start[tn_live_index_row(index, far)] >= tick))
    return false;
  find_checkpoint(index, tick, out_rows, out_n, out_next);
  return *out_next > next;
}

static void
jump(TnLiveSweep *sweep, tn_tick tick, const uint32_t *rows, uint32_t n, uint32_t next)
{
  sweep->n = 0;
  for (uint32_t i = 0; i < n; i++)
    keep(sweep, rows[i], tick);
  sweep->next = next;
}

void
tn_live_sweep_init(TnLiveSweep *sweep, const TnLiveIndex *index, tn_tick tick)
{
  *sweep = (TnLiveSweep){.index = index};
  tn_live_sweep_advance(sweep, tick);
}

void
tn_live_sweep_advance(TnLiveSweep *sweep, tn_tick tick)
{
  const uint32_t *rows;
  uint32_t n, next, kept = 0;
  if (tn_live_index_jump(sweep->index, sweep->next, tick, &rows, &n, &next)) {
    jump(sweep, tick, rows, n, next);
  } else {
    for (uint32_t i = 0; i < sweep->n; i++)
      if (sweep->alive[i].end > tick)
        sweep->alive[kept++] = sweep->alive[i];
    sweep->n = kept;
  }
  take_starts(sweep, tick);
}

void
tn_live_sweep_clear(TnLiveSweep *sweep)
{
  g_clear_pointer(&sweep->alive, g_free);
}

void
tn_live_index_at(const TnLiveIndex *index, tn_tick tick, GArray *out_rows)
{
  TnLiveSweep sweep;
  tn_live_sweep_init(&sweep, index, tick);
  g_array_set_size(out_rows, 0);
  for (uint32_t i = 0; i < sweep.n; i++)
    g_array_append_val(out_rows, sweep.alive[i].row);
  tn_live_sweep_clear(&sweep);
}
