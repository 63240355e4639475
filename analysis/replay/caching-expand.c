/* SPDX-License-Identifier: MIT */
/* Growing segments: a range of addresses per pool and stream, mapped in granules as it is needed. */
#include "config.h"

#include "analysis/replay/caching-private.h"

static tn_bytes
granule_of(const Pool *pool)
{
  return pool->is_small ? SMALL_SEGMENT : LARGE_SEGMENT;
}

tn_bytes
tn_caching_address_space(const Caching *c)
{
  tn_bytes most = (tn_bytes)1 << 42, limit = MIN(c->base.limit, most);
  return limit > 0 ? MIN(limit / 8 * 9 + LARGE_SEGMENT, most) : most;
}

void
tn_caching_insert_unmapped(Caching *c, uint32_t row)
{
  const Block *block = &c->blocks[row];
  tn_free_set_insert(&c->pools[block->pool].unmapped, (TnFreeKey){0, block->address, row});
}

static void
remove_unmapped(Caching *c, uint32_t row)
{
  const Block *block = &c->blocks[row];
  tn_free_set_remove(&c->pools[block->pool].unmapped, (TnFreeKey){0, block->address, row});
}

static bool
is_usable(const Caching *c, uint32_t row)
{
  return row != TN_NONE && c->blocks[row].state != BLOCK_TAKEN;
}

static bool
has_space(const Caching *c, uint32_t row, tn_bytes size)
{
  tn_bytes sum = 0;
  for (; sum < size && is_usable(c, row); row = c->blocks[row].after)
    sum += c->blocks[row].size;
  return sum >= size;
}

static uint32_t
add_range(Caching *c, const Request *request)
{
  tn_bytes size = tn_caching_address_space(c);
  uint64_t address = request->hint ? request->hint : c->next_address;
  if (!request->hint)
    c->next_address += (uint64_t)(size + LARGE_SEGMENT) / (uint64_t)LARGE_SEGMENT *
                       (uint64_t)LARGE_SEGMENT;
  uint32_t row = tn_caching_new_block(c, (Block){.address = address,
                                                 .origin = address,
                                                 .size = size,
                                                 .before = TN_NONE,
                                                 .after = TN_NONE,
                                                 .pool = request->pool_row,
                                                 .state = BLOCK_UNMAPPED,
                                                 .is_expandable = true});
  tn_caching_insert_unmapped(c, row);
  return row;
}

/* The lowest place that has the room: unmapped, or the free block right before.  TN_NONE where no range
 * of addresses is as long. */
static uint32_t
find_place(Caching *c, const Request *request)
{
  const TnFreeSet *set = &request->pool->unmapped;
  TnFreeCursor cursor = tn_free_set_first(set);
  for (const TnFreeKey *key; (key = tn_free_set_get(set, cursor));
       tn_free_set_step(set, &cursor)) {
    uint32_t row = key->block, before = c->blocks[row].before;
    if (is_usable(c, before))
      row = before;
    if (has_space(c, row, request->size))
      return row;
  }
  if (request->size <= tn_caching_address_space(c))
    return add_range(c, request);
  c->base.refused = request->size;
  return TN_NONE;
}

/* Maps at least `size` bytes at the start of an unmapped block, whole granules, and joins them with
 * the free neighbours.  Returns the free block (in its set), TN_NONE where memory runs out. */
static uint32_t
map(Caching *c, uint32_t row, tn_bytes size)
{
  Block *block = &c->blocks[row];
  tn_bytes granule = granule_of(&c->pools[block->pool]), whole;
  if (!tn_round_up(size, granule, &whole))
    return TN_NONE;
  whole = MIN(whole, block->size);
  if (!tn_caching_has_room(c, whole)) {
    c->base.refused = whole;
    return TN_NONE;
  }
  remove_unmapped(c, row);
  if (whole < block->size)
    tn_caching_insert_unmapped(c, tn_caching_part(c, row, whole));
  block = &c->blocks[row];
  block->state = BLOCK_FREE;
  c->base.reserved += whole;
  uint32_t before = block->before, after = block->after;
  if (after != TN_NONE && c->blocks[after].state == BLOCK_FREE) {
    tn_caching_remove_free(c, after);
    tn_caching_swallow_after(c, row);
  }
  if (before != TN_NONE && c->blocks[before].state == BLOCK_FREE) {
    tn_caching_remove_free(c, before);
    tn_caching_swallow_after(c, before);
    row = before;
  }
  tn_caching_insert_free(c, row);
  return row;
}

uint32_t
tn_caching_expand(Caching *c, const Request *request)
{
  uint32_t row = find_place(c, request);
  if (row != TN_NONE && c->blocks[row].state == BLOCK_UNMAPPED)
    row = map(c, row, MIN(c->blocks[row].size, request->size));
  while (row != TN_NONE && c->blocks[row].size < request->size) {
    uint32_t next = c->blocks[row].after;
    tn_bytes missing = request->size - c->blocks[row].size;
    row = map(c, next, MIN(missing, c->blocks[next].size));
  }
  if (row != TN_NONE)
    tn_caching_remove_free(c, row);
  return row;
}

/* Joins an unmapped block with unmapped neighbours; all of them out of the set on return but it. */
static void
join_unmapped(Caching *c, uint32_t row)
{
  uint32_t before = c->blocks[row].before, after = c->blocks[row].after;
  if (after != TN_NONE && c->blocks[after].state == BLOCK_UNMAPPED) {
    remove_unmapped(c, after);
    tn_caching_swallow_after(c, row);
  }
  if (before != TN_NONE && c->blocks[before].state == BLOCK_UNMAPPED) {
    remove_unmapped(c, before);
    tn_caching_swallow_after(c, before);
    row = before;
  }
  tn_caching_insert_unmapped(c, row);
}

void
tn_caching_unmap(Caching *c, uint32_t row)
{
  const Block *block = &c->blocks[row];
  uint64_t granule = (uint64_t)granule_of(&c->pools[block->pool]);
  uint64_t origin = block->origin; /* granules are counted from there */
  uint64_t from = (block->address - origin + granule - 1) / granule * granule + origin;
  uint64_t to = (block->address + (uint64_t)block->size - origin) / granule * granule + origin;
  if (from >= to)
    return;
  tn_caching_remove_free(c, row);
  if (from > block->address) {
    uint32_t rest = tn_caching_part(c, row, (tn_bytes)(from - c->blocks[row].address));
    tn_caching_insert_free(c, row);
    row = rest;
  }
  if ((uint64_t)c->blocks[row].size > to - from)
    tn_caching_insert_free(c, tn_caching_part(c, row, (tn_bytes)(to - from)));
  c->blocks[row].state = BLOCK_UNMAPPED;
  c->base.reserved -= (tn_bytes)(to - from);
  join_unmapped(c, row);
}
