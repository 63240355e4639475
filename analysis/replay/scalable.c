/* SPDX-License-Identifier: MIT */
/* A model of GE's scalable pool: spans of 64 KiB pages, kept in layers by their page count; the
 * smallest free span that is large enough is split, neighbours join again, and what the device gives
 * comes in huge pages of 2 MiB.  When the device refuses, wholly free spans go back to it first.
 * Its recycle thresholds (tens of GB) and the physical pages behind the addresses are not modelled. */
#include "config.h"

#include "analysis/replay/caching-private.h"
#include "analysis/replay/models.h"

#define PAGE (64 * 1024)
#define HUGE_PAGE (2 * MIB)

static TnAllocator *
create(const TnReplayLog *log, const TnReplaySettings *settings, tn_bytes limit)
{
  return tn_allocator_bfc.create(log, settings, limit); /* one pool, nothing in it yet */
}

static uint32_t
grow(Caching *c, tn_bytes size)
{
  tn_bytes bytes;
  if (!tn_round_up(size, HUGE_PAGE, &bytes) || !tn_caching_has_room(c, bytes))
    return TN_NONE;
  return tn_caching_new_region(c, bytes);
}

static bool
take(TnAllocator *allocator, const TnReplayOp *op, uint64_t hint)
{
  Caching *c = (Caching *)allocator;
  tn_bytes size;
  if (!tn_round_up(MAX(op->bytes, (tn_bytes)1), PAGE, &size))
    return false;
  uint32_t row = tn_caching_take_fit(c, size);
  if (row == TN_NONE)
    row = grow(c, size);
  if (row == TN_NONE) {
    tn_caching_release_all(c);
    row = grow(c, size);
  }
  if (row == TN_NONE)
    return false;
  if (c->blocks[row].size > size)
    tn_caching_insert_free(c, tn_caching_part(c, row, size));
  c->blocks[row].state = BLOCK_TAKEN;
  c->block_of[op->id] = row;
  c->base.allocated += size;
  return true;
}

static void
destroy(TnAllocator *allocator)
{
  tn_allocator_bfc.destroy(allocator);
}

static void
give(TnAllocator *allocator, uint32_t id)
{
  tn_allocator_caching.give(allocator, id);
}

static void
release(TnAllocator *allocator)
{
  tn_caching_release_all((Caching *)allocator);
}

static tn_bytes
largest_hole(const TnAllocator *allocator)
{
  return tn_free_set_largest(&((const Caching *)allocator)->pools[0].free);
}

const TnAllocatorModel tn_allocator_scalable = {
    .name = "scalable",
    .title = "GE's scalable pool: spans of 64 KiB pages in layers",
    .create = create,
    .destroy = destroy,
    .take = take,
    .give = give,
    .release = release,
    .largest_hole = largest_hole};
