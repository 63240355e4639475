/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/lanes.h"

#include <stdlib.h>
#include <string.h>

/* A binary heap, smallest tick first, then the smallest lane. */
typedef struct {
  tn_tick tick;
  uint32_t lane;
} Entry;

typedef struct {
  Entry *entries;
  uint32_t n, capacity;
} Heap;

static inline bool
is_less(Entry a, Entry b)
{
  return a.tick != b.tick ? a.tick < b.tick : a.lane < b.lane;
}

static void
heap_push(Heap *heap, Entry entry)
{
  if (heap->n == heap->capacity) {
    heap->capacity = MAX(64u, heap->capacity * 2);
    heap->entries = g_renew(Entry, heap->entries, heap->capacity);
  }
  uint32_t at = heap->n++;
  for (; at > 0 && is_less(entry, heap->entries[(at - 1) / 2]); at = (at - 1) / 2)
    heap->entries[at] = heap->entries[(at - 1) / 2];
  heap->entries[at] = entry;
}

static Entry
heap_pop(Heap *heap)
{
  Entry top = heap->entries[0], last = heap->entries[--heap->n];
  uint32_t at = 0;
  for (;;) {
    uint32_t child = 2 * at + 1;
    if (child >= heap->n)
      break;
    if (child + 1 < heap->n && is_less(heap->entries[child + 1], heap->entries[child]))
      child++;
    if (!is_less(heap->entries[child], last))
      break;
    heap->entries[at] = heap->entries[child];
    at = child;
  }
  heap->entries[at] = last;
  return top;
}

/* Larger sizes have smaller classes; four classes to an octave. */
static uint32_t
class_of(tn_bytes bytes)
{
  if (bytes <= 0)
    return 255;
  uint32_t octave = 63u - (uint32_t)__builtin_clzll((unsigned long long)bytes);
  uint32_t quarter = octave >= 2 ? (uint32_t)(bytes >> (octave - 2)) & 3u : 0;
  return 254 - (octave * 4 + quarter);
}

typedef struct {
  uint32_t size_class;
  uint32_t row;
  tn_tick start;
} Item;

static int
compare_items(const void *a, const void *b)
{
  const Item *x = a, *y = b;
  if (x->size_class != y->size_class)
    return x->size_class < y->size_class ? -1 : 1;
  if (x->start != y->start)
    return x->start < y->start ? -1 : 1;
  return x->row < y->row ? -1 : x->row > y->row;
}

/* The lanes of one size class: those that are free (all at tick 0 in the heap), and the others by
 * the tick at which they become free. */
typedef struct {
  Heap free_lanes, ends;
  uint32_t base, n; /* lanes of this class: base … base + n */
} Class;

static uint32_t
take_lane(Class *c, tn_tick start, tn_tick end)
{
  while (c->ends.n && c->ends.entries[0].tick <= start)
    heap_push(&c->free_lanes, (Entry){0, heap_pop(&c->ends).lane});
  uint32_t lane = c->free_lanes.n ? heap_pop(&c->free_lanes).lane : c->n++;
  heap_push(&c->ends, (Entry){end, lane});
  return c->base + lane;
}

static Item *
sort_items(const TnBuffers *buffers)
{
  Item *items = g_new(Item, MAX(buffers->n, 1u));
  for (uint32_t i = 0; i < buffers->n; i++)
    items[i] = (Item){class_of(buffers->bytes[i]), i, buffers->start[i]};
  qsort(items, buffers->n, sizeof *items, compare_items);
  return items;
}

static void
fill_rows(TnLanes *lanes, const Item *items, uint32_t n)
{
  lanes->first = g_new0(uint32_t, lanes->n + 1);
  lanes->rows = g_new(uint32_t, MAX(n, 1u));
  for (uint32_t i = 0; i < n; i++)
    lanes->first[lanes->lane[i] + 1]++;
  for (uint32_t lane = 0; lane < lanes->n; lane++)
    lanes->first[lane + 1] += lanes->first[lane];
  g_autofree uint32_t *next = g_memdup2(lanes->first, sizeof(uint32_t) * (lanes->n + 1));
  for (uint32_t i = 0; i < n; i++)
    lanes->rows[next[lanes->lane[items[i].row]]++] = items[i].row;
}

TnLanes *
tn_lanes_new(const TnBuffers *buffers)
{
  TnLanes *lanes = g_new0(TnLanes, 1);
  lanes->lane = g_new(uint32_t, MAX(buffers->n, 1u));
  g_autofree Item *items = sort_items(buffers);
  Class c = {0};
  for (uint32_t i = 0; i < buffers->n; i++) {
    if (i > 0 && items[i].size_class != items[i - 1].size_class) {
      c.base += c.n;
      c.n = c.ends.n = c.free_lanes.n = 0;
    }
    uint32_t row = items[i].row;
    lanes->lane[row] = take_lane(&c, buffers->start[row], buffers->end[row]);
  }
  lanes->n = c.base + c.n;
  g_free(c.ends.entries);
  g_free(c.free_lanes.entries);
  fill_rows(lanes, items, buffers->n);
  return lanes;
}

void
tn_lanes_free(TnLanes *lanes)
{
  if (!lanes)
    return;
  g_free(lanes->first);
  g_free(lanes->rows);
  g_free(lanes->lane);
  g_free(lanes);
}

tn_index
tn_lanes_at(const TnLanes *lanes, const TnBuffers *buffers, uint32_t lane, tn_tick tick)
{
  if (lane >= lanes->n)
    return TN_NONE;
  uint32_t low = lanes->first[lane], high = lanes->first[lane + 1];
  uint32_t base = low;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (buffers->start[lanes->rows[middle]] <= tick)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == base)
    return TN_NONE;
  tn_index row = lanes->rows[low - 1];
  return buffers->end[row] > tick ? row : TN_NONE;
}
