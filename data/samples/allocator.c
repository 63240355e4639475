/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "data/samples/allocator.h"

#define MIB (1024 * 1024)
#define SMALL_REQUEST (1 * MIB)
#define SMALL_SEGMENT (2 * MIB)
#define MIDDLE_REQUEST (10 * MIB)
#define MIDDLE_SEGMENT (20 * MIB)
#define GRAIN 512

static void
free_segment(gpointer data)
{
  Segment *segment = data;
  for (Block *block = segment->first, *next; block; block = next) {
    next = block->after;
    g_free(block);
  }
  g_free(segment);
}

Allocator *
allocator_new(int64_t limit)
{
  Allocator *allocator = g_new0(Allocator, 1);
  allocator->limit = limit;
  allocator->next_address = 0x7f5e40000000;
  allocator->now_us = 1764236400000000; /* 27 November 2025, 09:40 UTC */
  allocator->seed = 1;
  allocator->segments = g_ptr_array_new_with_free_func(free_segment);
  allocator->events = g_array_new(FALSE, FALSE, sizeof(Event));
  return allocator;
}

void
allocator_free(Allocator *allocator)
{
  g_ptr_array_unref(allocator->segments);
  g_array_unref(allocator->events);
  g_free(allocator);
}

void
allocator_wait(Allocator *allocator, uint32_t us)
{
  allocator->seed = allocator->seed * 1664525u + 1013904223u;
  allocator->now_us += us / 2 + (allocator->seed >> 8) % MAX(us, 1u);
}

static void
record(Allocator *allocator, const char *action, int64_t address, int64_t size, uint32_t stack)
{
  if (!allocator->is_recording)
    return;
  allocator_wait(allocator, 12);
  Event event = {action, address, size, allocator->now_us, stack};
  g_array_append_val(allocator->events, event);
}

static Block *
best_fit(Allocator *allocator, int64_t size, bool is_small)
{
  Block *best = NULL;
  for (guint s = 0; s < allocator->segments->len; s++) {
    Segment *segment = g_ptr_array_index(allocator->segments, s);
    if (segment->is_small != is_small)
      continue;
    for (Block *block = segment->first; block; block = block->after)
      if (!block->is_active && block->size >= size && (!best || block->size < best->size))
        best = block;
  }
  return best;
}

static Block *
add_segment(Allocator *allocator, int64_t size, bool is_small, uint32_t stack)
{
  int64_t total = is_small ? SMALL_SEGMENT
                  : size < MIDDLE_REQUEST
                      ? MIDDLE_SEGMENT
                      : (size + SMALL_SEGMENT - 1) / SMALL_SEGMENT * SMALL_SEGMENT;
  if (allocator->reserved + total > allocator->limit)
    return NULL;
  Segment *segment = g_new0(Segment, 1);
  Block *block = g_new0(Block, 1);
  *segment = (Segment){allocator->next_address, total, is_small, stack, block};
  *block = (Block){.address = segment->address, .size = total, .segment = segment};
  allocator->reserved += total;
  allocator->next_address += total;
  g_ptr_array_add(allocator->segments, segment);
  record(allocator, "segment_alloc", segment->address, total, stack);
  return block;
}

/* Gives back every segment that is wholly free. */
static void
release_cached(Allocator *allocator, uint32_t stack)
{
  for (guint s = 0; s < allocator->segments->len;) {
    Segment *segment = g_ptr_array_index(allocator->segments, s);
    if (segment->first->is_active || segment->first->after) {
      s++;
      continue;
    }
    allocator->reserved -= segment->total;
    record(allocator, "segment_free", segment->address, segment->total, stack);
    g_ptr_array_remove_index(allocator->segments, s);
  }
}

static void
split(Block *block, int64_t size)
{
  int64_t rest = block->size - size;
  if (block->segment->is_small ? rest < GRAIN : rest <= SMALL_REQUEST)
    return;
  Block *after = g_new0(Block, 1);
  *after = (Block){.address = block->address + size,
                   .size = rest,
                   .requested = block->requested,
                   .segment = block->segment,
                   .before = block,
                   .after = block->after};
  if (after->after)
    after->after->before = after;
  block->after = after;
  block->size = size;
}

Block *
allocator_take(Allocator *allocator, int64_t bytes, uint32_t stack)
{
  int64_t size = MAX((bytes + GRAIN - 1) / GRAIN * GRAIN, (int64_t)GRAIN);
  bool is_small = size <= SMALL_REQUEST;
  Block *block = best_fit(allocator, size, is_small);
  if (!block)
    block = add_segment(allocator, size, is_small, stack);
  if (!block) {
    release_cached(allocator, stack);
    block = add_segment(allocator, size, is_small, stack);
  }
  if (!block) {
    record(allocator, "oom", allocator->limit - allocator->reserved, size, stack);
    return NULL;
  }
  split(block, size);
  block->is_active = true;
  block->requested = bytes;
  block->stack = stack;
  record(allocator, "alloc", block->address, bytes, stack);
  return block;
}

/* `block` swallows its free right neighbour. */
static void
swallow_next(Block *block)
{
  Block *next = block->after;
  if (!next || next->is_active)
    return;
  block->size += next->size;
  block->after = next->after;
  if (next->after)
    next->after->before = block;
  g_free(next);
}

void
allocator_give(Allocator *allocator, Block *block, uint32_t stack)
{
  record(allocator, "free_requested", block->address, block->requested, stack);
  record(allocator, "free_completed", block->address, block->requested, stack);
  block->is_active = false;
  block->stack = 0;
  swallow_next(block);
  if (block->before && !block->before->is_active)
    swallow_next(block->before);
}

int64_t
allocator_allocated(const Allocator *allocator)
{
  int64_t sum = 0;
  for (guint s = 0; s < allocator->segments->len; s++) {
    const Segment *segment = g_ptr_array_index(allocator->segments, s);
    for (const Block *block = segment->first; block; block = block->after)
      sum += block->is_active ? block->size : 0;
  }
  return sum;
}

int64_t
allocator_largest_hole(const Allocator *allocator, bool is_small)
{
  int64_t largest = 0;
  for (guint s = 0; s < allocator->segments->len; s++) {
    const Segment *segment = g_ptr_array_index(allocator->segments, s);
    for (const Block *block = segment->first; block && segment->is_small == is_small;
         block = block->after)
      largest = block->is_active ? largest : MAX(largest, block->size);
  }
  return largest;
}
