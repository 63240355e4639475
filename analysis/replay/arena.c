/* SPDX-License-Identifier: MIT */
/* Plain first fit and best fit in one place that grows at its top: what is reserved is the highest
 * end that was ever used. */
#include "config.h"

#include "analysis/replay/caching-private.h"
#include "analysis/replay/models.h"

#define EVERYTHING ((tn_bytes)1 << 50)

typedef struct {
  Caching heap; /* one pool; first fit keeps its free blocks by address (size 0 in the key) */
  bool is_first_fit;
} Arena;

static TnFreeKey
key_of(const Arena *arena, uint32_t row)
{
  const Block *block = &arena->heap.blocks[row];
  return (TnFreeKey){arena->is_first_fit ? 0 : block->size, block->address, row};
}

static void
put(Arena *arena, uint32_t row)
{
  tn_free_set_insert(&arena->heap.pools[0].free, key_of(arena, row));
}

static void
pull(Arena *arena, uint32_t row)
{
  tn_free_set_remove(&arena->heap.pools[0].free, key_of(arena, row));
}

static TnAllocator *
create(const TnReplayLog *log, const TnReplaySettings *settings, tn_bytes limit, bool is_first_fit)
{
  Arena *arena = g_new0(Arena, 1);
  Caching *c = &arena->heap;
  arena->is_first_fit = is_first_fit;
  c->base.limit = limit;
  c->settings = *settings;
  c->spare = TN_NONE;
  c->block_of = g_new(uint32_t, MAX(log->n_ids, 1u));
  for (uint32_t i = 0; i < log->n_ids; i++)
    c->block_of[i] = TN_NONE;
  c->n_pools = 1;
  c->pools = g_new0(Pool, 1);
  put(arena, tn_caching_new_block(c, (Block){.size = EVERYTHING,
                                             .before = TN_NONE,
                                             .after = TN_NONE,
                                             .state = BLOCK_FREE}));
  return &c->base;
}

static TnAllocator *
create_first_fit(const TnReplayLog *log, const TnReplaySettings *settings, tn_bytes limit)
{
  return create(log, settings, limit, true);
}

static TnAllocator *
create_best_fit(const TnReplayLog *log, const TnReplaySettings *settings, tn_bytes limit)
{
  return create(log, settings, limit, false);
}

static void
destroy(TnAllocator *allocator)
{
  Caching *c = (Caching *)allocator;
  tn_free_set_clear(&c->pools[0].free);
  g_free(c->pools);
  g_free(c->block_of);
  g_free(c->blocks);
  g_free(c);
}

static uint32_t
find(const Arena *arena, tn_bytes size)
{
  const TnFreeSet *set = &arena->heap.pools[0].free;
  TnFreeCursor at = tn_free_set_find(set, arena->is_first_fit ? 0 : size, 0);
  for (const TnFreeKey *key; (key = tn_free_set_get(set, at)); tn_free_set_step(set, &at))
    if (arena->heap.blocks[key->block].size >= size)
      return key->block;
  return TN_NONE;
}

static bool
take(TnAllocator *allocator, const TnReplayOp *op, uint64_t hint)
{
  Arena *arena = (Arena *)allocator;
  Caching *c = &arena->heap;
  tn_bytes size;
  if (!tn_round_up(MAX(op->bytes, (tn_bytes)1), c->settings.alignment, &size))
    return false;
  uint32_t row = find(arena, size);
  if (row == TN_NONE)
    return false;
  tn_bytes end = (tn_bytes)c->blocks[row].address + size;
  if (c->base.limit > 0 && end > c->base.limit)
    return false;
  pull(arena, row);
  if (c->blocks[row].size > size)
    put(arena, tn_caching_part(c, row, size));
  c->blocks[row].state = BLOCK_TAKEN;
  c->block_of[op->id] = row;
  c->base.allocated += size;
  c->base.reserved = MAX(c->base.reserved, end);
  return true;
}

static void
give(TnAllocator *allocator, uint32_t id)
{
  Arena *arena = (Arena *)allocator;
  Caching *c = &arena->heap;
  uint32_t row = c->block_of[id];
  if (row == TN_NONE)
    return;
  c->block_of[id] = TN_NONE;
  c->base.allocated -= c->blocks[row].size;
  c->blocks[row].state = BLOCK_FREE;
  uint32_t after = c->blocks[row].after, before = c->blocks[row].before;
  if (after != TN_NONE && c->blocks[after].state == BLOCK_FREE) {
    pull(arena, after);
    tn_caching_swallow_after(c, row);
  }
  if (before != TN_NONE && c->blocks[before].state == BLOCK_FREE) {
    pull(arena, before);
    tn_caching_swallow_after(c, before);
    row = before;
  }
  put(arena, row);
}

/* Below the high-water mark. */
static tn_bytes
largest_hole(const TnAllocator *allocator)
{
  const Arena *arena = (const Arena *)allocator;
  const TnFreeSet *set = &arena->heap.pools[0].free;
  tn_bytes largest = 0;
  for (TnFreeCursor at = tn_free_set_first(set); tn_free_set_get(set, at);
       tn_free_set_step(set, &at)) {
    const Block *block = &arena->heap.blocks[tn_free_set_get(set, at)->block];
    tn_bytes end = MIN((tn_bytes)block->address + block->size, arena->heap.base.reserved);
    largest = MAX(largest, end - (tn_bytes)block->address);
  }
  return largest;
}

const TnAllocatorModel tn_allocator_first_fit = {
    .name = "first-fit",
    .title = "the lowest hole that fits, in one growing place",
    .create = create_first_fit,
    .destroy = destroy,
    .take = take,
    .give = give,
    .largest_hole = largest_hole};

const TnAllocatorModel tn_allocator_best_fit = {
    .name = "best-fit",
    .title = "the smallest hole that fits, in one growing place",
    .create = create_best_fit,
    .destroy = destroy,
    .take = take,
    .give = give,
    .largest_hole = largest_hole};
