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

/* Larger figures have smaller classes; four classes to an octave. */
static uint32_t
class_of(int64_t figure)
{
  if (figure <= 0)
    return 255;
  uint32_t octave = 63u - (uint32_t)__builtin_clzll((unsigned long long)figure);
  uint32_t quarter = octave >= 2 ? (uint32_t)(figure >> (octave - 2)) & 3u : 0;
  return 254 - (octave * 4 + quarter);
}

#define CLASSES 256

typedef struct {
  const TnBuffers *buffers;
  TnLaneSort sort;
  const uint32_t *group; /* may be NULL */
  const TnUse *uses;     /* may be NULL */
} Order;

static int64_t
idle_of(const Order *order, uint32_t i)
{
  const TnBuffers *b = order->buffers;
  tn_tick idle = b->end[i] - b->start[i] - (order->uses ? order->uses[i].busy : 0);
  int64_t product;
  return tn_mul(b->bytes[i], idle, &product) ? product : INT64_MAX;
}

/* Groups first, then classes. */
static uint64_t
class_in_order(const Order *order, uint32_t i)
{
  const TnBuffers *b = order->buffers;
  uint64_t base = order->group ? (uint64_t)order->group[i] * CLASSES : 0;
  switch (order->sort) {
  case TN_LANES_BY_START:
    return base;
  case TN_LANES_BY_LIFE:
    return base + class_of(b->end[i] - b->start[i]);
  case TN_LANES_BY_IDLE:
    return base + class_of(idle_of(order, i));
  default:
    return base + class_of(b->bytes[i]);
  }
}

typedef struct {
  uint64_t class;
  uint32_t row;
  tn_tick start;
} Item;

static int
compare_items(const void *a, const void *b)
{
  const Item *x = a, *y = b;
  if (x->class != y->class)
    return x->class < y->class ? -1 : 1;
  if (x->start != y->start)
    return x->start < y->start ? -1 : 1;
  return x->row < y->row ? -1 : x->row > y->row;
}

/* The lanes of one class: those that are free (all at tick 0 in the heap), and the others by
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

/* Rows that stand by start already (those of a log do) need only be brought together by class. */
static uint32_t *
gather_classes(const Order *order, uint32_t n_classes)
{
  uint32_t n = order->buffers->n, *rows = g_new(uint32_t, MAX(n, 1u));
  g_autofree uint32_t *next = g_new0(uint32_t, n_classes + 1);
  for (uint32_t i = 0; i < n; i++)
    next[class_in_order(order, i) + 1]++;
  for (uint32_t class = 0; class < n_classes; class++)
    next[class + 1] += next[class];
  for (uint32_t i = 0; i < n; i++)
    rows[next[class_in_order(order, i)]++] = i;
  return rows;
}

static uint32_t *
sort_items(const Order *order)
{
  uint32_t n = order->buffers->n, *rows = g_new(uint32_t, MAX(n, 1u));
  g_autofree Item *items = g_new(Item, MAX(n, 1u));
  for (uint32_t i = 0; i < n; i++)
    items[i] = (Item){class_in_order(order, i), i, order->buffers->start[i]};
  qsort(items, n, sizeof *items, compare_items);
  for (uint32_t i = 0; i < n; i++)
    rows[i] = items[i].row;
  return rows;
}

/* All rows by group, class and start. */
static uint32_t *
sort_rows(const Order *order)
{
  const TnBuffers *b = order->buffers;
  uint64_t n_classes = 0;
  bool is_by_start = true;
  for (uint32_t i = 0; i < b->n; i++) {
    n_classes = MAX(n_classes, class_in_order(order, i) + 1);
    is_by_start &= i == 0 || b->start[i - 1] <= b->start[i];
  }
  return is_by_start && n_classes <= MAX(b->n, 1u << 16)
             ? gather_classes(order, (uint32_t)n_classes)
             : sort_items(order);
}

static void
fill_rows(TnLanes *lanes, const uint32_t *rows, uint32_t n)
{
  lanes->first = g_new0(uint32_t, lanes->n + 1);
  lanes->rows = g_new(uint32_t, MAX(n, 1u));
  for (uint32_t i = 0; i < n; i++)
    lanes->first[lanes->lane[i] + 1]++;
  for (uint32_t lane = 0; lane < lanes->n; lane++)
    lanes->first[lane + 1] += lanes->first[lane];
  g_autofree uint32_t *next = g_memdup2(lanes->first, sizeof(uint32_t) * (lanes->n + 1));
  for (uint32_t i = 0; i < n; i++)
    lanes->rows[next[lanes->lane[rows[i]]]++] = rows[i];
}

/* A group without buffers has no lanes. */
static void
begin_groups(TnLanes *lanes, uint64_t class, uint32_t lane, uint32_t *begun)
{
  while (lanes->group_lane && *begun <= class / CLASSES && *begun < lanes->n_groups)
    lanes->group_lane[(*begun)++] = lane;
}

static void
assign(TnLanes *lanes, const Order *order, const uint32_t *rows)
{
  const TnBuffers *buffers = order->buffers;
  Class c = {0};
  uint32_t begun = 0;
  uint64_t last = 0;
  for (uint32_t i = 0; i < buffers->n; i++) {
    uint32_t row = rows[i];
    uint64_t class = class_in_order(order, row);
    if (i > 0 && class != last) {
      c.base += c.n;
      c.n = c.ends.n = c.free_lanes.n = 0;
    }
    last = class;
    begin_groups(lanes, class, c.base, &begun);
    lanes->lane[row] = take_lane(&c, buffers->start[row], buffers->end[row]);
  }
  lanes->n = c.base + c.n;
  for (; lanes->group_lane && begun <= lanes->n_groups; begun++)
    lanes->group_lane[begun] = lanes->n;
  g_free(c.ends.entries);
  g_free(c.free_lanes.entries);
}

TnLanes *
tn_lanes_new_sorted(const TnBuffers *buffers, TnLaneSort sort, const uint32_t *group,
                    uint32_t n_groups, const TnUse *uses)
{
  TnLanes *lanes = g_new0(TnLanes, 1);
  Order order = {buffers, sort, group, uses};
  lanes->lane = g_new(uint32_t, MAX(buffers->n, 1u));
  lanes->sort = sort;
  lanes->n_groups = group ? n_groups : 0;
  lanes->group_lane = group ? g_new(uint32_t, n_groups + 1) : NULL;
  g_autofree uint32_t *rows = sort_rows(&order);
  assign(lanes, &order, rows);
  fill_rows(lanes, rows, buffers->n);
  return lanes;
}

TnLanes *
tn_lanes_new(const TnBuffers *buffers)
{
  return tn_lanes_new_sorted(buffers, TN_LANES_BY_SIZE, NULL, 0, NULL);
}

void
tn_lanes_free(TnLanes *lanes)
{
  if (!lanes)
    return;
  g_free(lanes->first);
  g_free(lanes->rows);
  g_free(lanes->lane);
  g_free(lanes->group_lane);
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
