/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/plan/occupancy.h"

#include "analysis/plan/plan-space.h"

typedef struct {
  uint32_t space;
  tn_bytes offset, bytes, alignment;
  bool is_fixed;
} Placed;

static int
compare_placed(const void *a, const void *b)
{
  const Placed *x = a, *y = b;
  if (x->space != y->space)
    return x->space < y->space ? -1 : 1;
  return (x->offset > y->offset) - (x->offset < y->offset);
}

bool
tn_occupancy_window(const TnBuffers *b, tn_index i, tn_tick tick, tn_bytes *low, tn_bytes *high)
{
  uint32_t n;
  const TnGap *gaps = tn_buffers_gaps(b, i, &n);
  bool is_alive = b->start[i] <= tick && tick < b->end[i];
  *low = 0;
  *high = is_alive ? b->bytes[i] : 0;
  for (uint32_t g = 0; is_alive && g < n; g++)
    if (gaps[g].start <= tick && tick < gaps[g].end) {
      *low = gaps[g].low;
      *high = gaps[g].high;
    }
  return *low < *high;
}

static GArray *
alive_new(const TnBuffers *b, const tn_bytes *offset, tn_bytes alignment,
          tn_tick tick)
{
  GArray *alive = g_array_new(FALSE, FALSE, sizeof(Placed));
  for (tn_index i = 0; i < b->n; i++) {
    tn_bytes low, high;
    if (offset[i] == TN_NOT_PLACED || !tn_occupancy_window(b, i, tick, &low, &high))
      continue;
    /* A window of a buffer stays where it is. */
    Placed placed = {tn_buffers_space(b, i), offset[i] + low, high - low,
                     tn_plan_common_multiple(MAX(tn_buffers_alignment(b, i), 1), MAX(alignment, 1)),
                     b->flags[i] & TN_BUFFER_FIXED || high - low < b->bytes[i]};
    g_array_append_val(alive, placed);
  }
  if (alive->len)
    qsort(alive->data, alive->len, sizeof(Placed), compare_placed);
  return alive;
}

/* One space of the arena, from the bottom up. */
typedef struct {
  tn_bytes top;    /* highest end so far, as planned */
  tn_bytes packed; /* the same once everything has moved down */
} Stack;

static void
add_placed(TnOccupancy *at, Stack *stack, const Placed *placed)
{
  tn_bytes hole = placed->offset - stack->top, to = placed->offset;
  if (hole > 0) {
    at->hole_bytes += hole;
    at->largest_hole_bytes = MAX(at->largest_hole_bytes, hole);
  }
  /* Never upwards: what shares its bytes with another (a batch) stays. */
  if (!placed->is_fixed && tn_round_up(stack->packed, placed->alignment, &to) &&
      to < placed->offset)
    at->moved_bytes += placed->bytes;
  else
    to = placed->offset;
  stack->packed = MAX(stack->packed, to + placed->bytes);
  at->used_bytes += MAX(placed->offset + placed->bytes - MAX(placed->offset, stack->top), (tn_bytes)0);
  stack->top = MAX(stack->top, placed->offset + placed->bytes);
}

TnOccupancy
tn_occupancy_at(const TnBuffers *buffers, const tn_bytes *offset, tn_bytes alignment, tn_tick tick)
{
  g_autoptr(GArray) alive = alive_new(buffers, offset, alignment, tick);
  TnOccupancy at = {.tick = tick};
  Stack stack = {0};
  for (guint i = 0; i < alive->len; i++) {
    const Placed *placed = &g_array_index(alive, Placed, i);
    add_placed(&at, &stack, placed);
    if (i + 1 < alive->len && g_array_index(alive, Placed, i + 1).space == placed->space)
      continue;
    at.extent_bytes += stack.top;
    at.won_bytes += stack.top - stack.packed;
    stack = (Stack){0};
  }
  return at;
}

static int
compare_ticks(const void *a, const void *b)
{
  tn_tick x = *(const tn_tick *)a, y = *(const tn_tick *)b;
  return (x > y) - (x < y);
}

/* Sorted, each once. */
static GArray *
starts_new(const TnBuffers *b)
{
  GArray *ticks = g_array_sized_new(FALSE, FALSE, sizeof(tn_tick), b->n);
  g_array_append_vals(ticks, b->start, b->n);
  if (ticks->len)
    qsort(ticks->data, ticks->len, sizeof(tn_tick), compare_ticks);
  guint n = 0;
  for (guint i = 0; i < ticks->len; i++)
    if (n == 0 || g_array_index(ticks, tn_tick, i) != g_array_index(ticks, tn_tick, n - 1))
      g_array_index(ticks, tn_tick, n++) = g_array_index(ticks, tn_tick, i);
  g_array_set_size(ticks, n);
  return ticks;
}

GArray *
tn_occupancy_curve_new(const TnBuffers *buffers, const tn_bytes *offset,
                       tn_bytes alignment, uint32_t most)
{
  GArray *curve = g_array_new(FALSE, FALSE, sizeof(TnOccupancy));
  g_autoptr(GArray) ticks = starts_new(buffers);
  guint n = MIN(ticks->len, MAX(most, 1u));
  for (guint i = 0; i < n; i++) {
    guint k = (guint)((uint64_t)i * ticks->len / n);
    TnOccupancy at = tn_occupancy_at(buffers, offset, alignment,
                                     g_array_index(ticks, tn_tick, k));
    g_array_append_val(curve, at);
  }
  return curve;
}

tn_tick
tn_occupancy_high_water(const TnBuffers *buffers, const tn_bytes *offset)
{
  tn_bytes highest = 0;
  tn_tick first = -1;
  for (tn_index i = 0; i < buffers->n; i++) {
    if (offset[i] == TN_NOT_PLACED || buffers->bytes[i] <= 0)
      continue;
    tn_bytes end = offset[i] + buffers->bytes[i];
    if (end > highest || (end == highest && buffers->start[i] < first))
      first = buffers->start[i];
    highest = MAX(highest, end);
  }
  return first;
}

double
tn_occupancy_fragmentation(const TnOccupancy *at)
{
  return at->hole_bytes > 0 ? 1.0 - (double)at->largest_hole_bytes / (double)at->hole_bytes : 0.0;
}
