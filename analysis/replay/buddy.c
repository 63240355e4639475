/* SPDX-License-Identifier: MIT */
/* A buddy allocator: sizes are powers of two, a free block joins the one it was parted from.  What
 * is reserved is the highest end that was ever used. */
#include "config.h"

#include "analysis/replay/free-set.h"
#include "analysis/replay/models.h"

#define LEAST 512
#define EVERYTHING ((tn_bytes)1 << 50)

typedef struct {
  TnAllocator base;
  TnFreeSet free; /* by (size, address) */
  uint64_t *address; /* by id */
  tn_bytes *size;    /* by id; 0: none */
} Buddy;

static TnAllocator *
create(const TnReplayLog *log, const TnReplaySettings *settings, tn_bytes limit)
{
  Buddy *buddy = g_new0(Buddy, 1);
  buddy->base.limit = limit;
  buddy->address = g_new0(uint64_t, MAX(log->n_ids, 1u));
  buddy->size = g_new0(tn_bytes, MAX(log->n_ids, 1u));
  tn_free_set_insert(&buddy->free, (TnFreeKey){EVERYTHING, 0, 0});
  return &buddy->base;
}

static void
destroy(TnAllocator *allocator)
{
  Buddy *buddy = (Buddy *)allocator;
  tn_free_set_clear(&buddy->free);
  g_free(buddy->address);
  g_free(buddy->size);
  g_free(buddy);
}

static tn_bytes
power_of_two(tn_bytes bytes)
{
  tn_bytes size = LEAST;
  while (size < bytes && size < EVERYTHING)
    size *= 2;
  return size;
}

static bool
take(TnAllocator *allocator, const TnReplayOp *op, uint64_t hint)
{
  Buddy *buddy = (Buddy *)allocator;
  tn_bytes size = power_of_two(op->bytes);
  const TnFreeKey *found = tn_free_set_get(&buddy->free, tn_free_set_find(&buddy->free, size, 0));
  if (!found || size < op->bytes)
    return false;
  TnFreeKey block = *found;
  tn_bytes end = (tn_bytes)block.address + size;
  if (buddy->base.limit > 0 && end > buddy->base.limit)
    return false;
  tn_free_set_remove(&buddy->free, block);
  while (block.size > size) {
    block.size /= 2;
    tn_free_set_insert(&buddy->free,
                       (TnFreeKey){block.size, block.address + (uint64_t)block.size, 0});
  }
  buddy->address[op->id] = block.address;
  buddy->size[op->id] = size;
  buddy->base.allocated += size;
  buddy->base.reserved = MAX(buddy->base.reserved, end);
  return true;
}

static void
give(TnAllocator *allocator, uint32_t id)
{
  Buddy *buddy = (Buddy *)allocator;
  tn_bytes size = buddy->size[id];
  uint64_t address = buddy->address[id];
  if (size == 0)
    return;
  buddy->size[id] = 0;
  buddy->base.allocated -= size;
  while (size < EVERYTHING &&
         tn_free_set_remove(&buddy->free, (TnFreeKey){size, address ^ (uint64_t)size, 0})) {
    address &= ~(uint64_t)size;
    size *= 2;
  }
  tn_free_set_insert(&buddy->free, (TnFreeKey){size, address, 0});
}

static tn_bytes
largest_hole(const TnAllocator *allocator)
{
  const Buddy *buddy = (const Buddy *)allocator;
  tn_bytes largest = 0;
  /* Of one size the lowest block has the most below the highest end. */
  for (tn_bytes size = LEAST; size <= EVERYTHING; size *= 2) {
    const TnFreeKey *key = tn_free_set_get(&buddy->free, tn_free_set_find(&buddy->free, size, 0));
    if (!key)
      break;
    tn_bytes end = MIN((tn_bytes)key->address + key->size, buddy->base.reserved);
    largest = MAX(largest, end - (tn_bytes)key->address);
  }
  return largest;
}

const TnAllocatorModel tn_allocator_buddy = {
    .name = "buddy",
    .title = "sizes are powers of two, halves join again",
    .create = create,
    .destroy = destroy,
    .take = take,
    .give = give,
    .largest_hole = largest_hole};
