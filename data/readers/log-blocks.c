/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "data/readers/log-blocks.h"

#include "data/hash.h"

typedef struct {
  GHashTable *segments, *blocks; /* address → event + 1 */
  uint32_t n_segment_events;
} Live;

/* On a machine of 64 bits an address is a pointer's worth. */
static gpointer
key_of(uint64_t address)
{
  return GSIZE_TO_POINTER((gsize)address);
}

/* An event that gives a segment back need not say its size again. */
static void
end_segment(Live *live, TnEvents *events, uint32_t i)
{
  uint32_t start = GPOINTER_TO_UINT(g_hash_table_lookup(live->segments, key_of(events->address[i])));
  if (start && events->bytes[i] == 0)
    events->bytes[i] = events->bytes[start - 1];
  g_hash_table_remove(live->segments, key_of(events->address[i]));
}

static void
sweep(Live *live, TnEvents *events)
{
  for (uint32_t i = 0; i < events->n; i++) {
    gpointer key = key_of(events->address[i]), row = GUINT_TO_POINTER(i + 1);
    uint8_t action = events->action[i];
    live->n_segment_events += action == TN_EVENT_SEGMENT_ALLOC || action == TN_EVENT_SEGMENT_FREE;
    if (action == TN_EVENT_SEGMENT_ALLOC)
      g_hash_table_insert(live->segments, key, row);
    else if (action == TN_EVENT_SEGMENT_FREE)
      end_segment(live, events, i);
    else if (action == TN_EVENT_ALLOC)
      g_hash_table_insert(live->blocks, key, row);
    else if (action == TN_EVENT_FREE)
      g_hash_table_remove(live->blocks, key);
  }
}

static int
compare_segments(gconstpointer a, gconstpointer b)
{
  const TnSegment *x = a, *y = b;
  return x->address < y->address ? -1 : x->address > y->address;
}

static int
compare_blocks(gconstpointer a, gconstpointer b)
{
  const TnBlock *x = a, *y = b;
  return x->address < y->address ? -1 : x->address > y->address;
}

static void
collect_segments(TnDevice *device, const Live *live)
{
  GHashTableIter iter;
  gpointer row;
  g_hash_table_iter_init(&iter, live->segments);
  while (g_hash_table_iter_next(&iter, NULL, &row)) {
    uint32_t i = GPOINTER_TO_UINT(row) - 1;
    TnSegment segment = {.address = device->events.address[i],
                         .bytes = device->events.bytes[i],
                         .space = device->events.space[i],
                         .stack = device->events.stack[i]};
    g_array_append_val(device->segments, segment);
  }
  g_array_sort(device->segments, compare_segments);
}

/* The segment that holds all of the block; TN_NONE where none does. */
static uint32_t
segment_of(const TnDevice *device, uint64_t address, tn_bytes bytes)
{
  guint low = 0, high = device->segments->len;
  while (low < high) {
    guint middle = low + (high - low) / 2;
    if (g_array_index(device->segments, TnSegment, middle).address <= address)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == 0)
    return TN_NONE;
  const TnSegment *segment = &g_array_index(device->segments, TnSegment, low - 1);
  uint64_t inside = address - segment->address;
  return inside <= (uint64_t)segment->bytes && (uint64_t)segment->bytes - inside >= (uint64_t)bytes
             ? low - 1
             : TN_NONE;
}

static void
collect_blocks(TnDevice *device, const Live *live)
{
  const TnEvents *events = &device->events;
  GHashTableIter iter;
  gpointer row;
  g_hash_table_iter_init(&iter, live->blocks);
  while (g_hash_table_iter_next(&iter, NULL, &row)) {
    uint32_t i = GPOINTER_TO_UINT(row) - 1;
    tn_bytes used = events->used && events->used[i] >= 0 ? events->used[i] : events->bytes[i];
    TnBlock block = {.address = events->address[i],
                     .bytes = used,
                     .requested = events->bytes[i],
                     .segment = segment_of(device, events->address[i], used),
                     .stack = events->stack[i],
                     .state = TN_BLOCK_ACTIVE};
    if (block.segment != TN_NONE)
      g_array_append_val(device->blocks, block);
  }
  g_array_sort(device->blocks, compare_blocks);
}

void
tn_log_fill_segments(TnDevice *device)
{
  Live live = {.segments = g_hash_table_new(tn_direct64_hash, NULL),
               .blocks = g_hash_table_new(tn_direct64_hash, NULL)};
  sweep(&live, &device->events);
  device->has_reserved = live.n_segment_events > 0;
  if (device->has_reserved) {
    collect_segments(device, &live);
    collect_blocks(device, &live);
  }
  g_hash_table_unref(live.segments);
  g_hash_table_unref(live.blocks);
}
