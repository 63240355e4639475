/* SPDX-License-Identifier: MIT */
/* A model of GE's scalable pool: spans of 64 KiB pages, kept in layers by their page count; the
 * smallest free span that is large enough is split, neighbours join again, and what the device gives
 * comes in huge pages of 2 MiB.  When the device refuses, wholly free spans go back to it first.
 *
 * Source: gert::ScalableAllocator and RtsCachingMemAllocator of CANN's GE.  Its one threshold that
 * acts is that of the whole pool (95 % of the device's memory, or the option
 * ge.experiment.memory_pool_threshold): no request may be larger, and a new span that would pass it
 * waits until free spans went back; where some stay free even then it is refused, where nothing is
 * free it is given.  The limits of a layer (8 GiB, 10240 spans) and of what is cached at all are in its
 * configuration, but a freed span is kept whatever they say.  Not modelled: the delay before a large
 * span is split for a small request the first time, and the physical pages behind the addresses. */
#include "config.h"

#include "analysis/replay/caching-private.h"
#include "analysis/replay/models.h"

#define PAGE (64 * 1024)
#define HUGE_PAGE (2 * MIB)
#define POOL_PART 0.95 /* of the device's memory */

/* A limit other than the recorded one is another device. */
static tn_bytes
threshold_of(const TnReplayLog *log, const TnReplaySettings *settings, tn_bytes limit)
{
  tn_bytes total = log->study->device->total_bytes;
  if (settings->memory_pool_threshold > 0)
    return settings->memory_pool_threshold;
  if (limit <= 0 || limit != log->limit || total < limit)
    total = limit;
  return (tn_bytes)(POOL_PART * (double)total);
}

static TnAllocator *
create(const TnReplayLog *log, const TnReplaySettings *settings, tn_bytes limit)
{
  /* One pool, nothing in it yet. */
  TnAllocator *allocator = tn_allocator_bfc.create(log, settings, limit);
  ((Caching *)allocator)->settings.memory_pool_threshold = threshold_of(log, settings, limit);
  return allocator;
}

/* Whether the pool would rather give something back than take as much more. */
static bool
is_above_threshold(const Caching *c, tn_bytes bytes)
{
  tn_bytes threshold = c->settings.memory_pool_threshold;
  return threshold > 0 && c->base.reserved > threshold - bytes &&
         c->base.reserved > c->base.allocated;
}

static uint32_t
grow(Caching *c, tn_bytes size)
{
  tn_bytes bytes;
  if (!tn_round_up(size, HUGE_PAGE, &bytes) || is_above_threshold(c, bytes) ||
      !tn_caching_has_room(c, bytes))
    return TN_NONE;
  return tn_caching_new_region(c, bytes);
}

static bool
take(TnAllocator *allocator, const TnReplayOp *op, uint64_t hint)
{
  Caching *c = (Caching *)allocator;
  tn_bytes size;
  tn_bytes threshold = c->settings.memory_pool_threshold;
  if (!tn_round_up(MAX(op->bytes, (tn_bytes)1), PAGE, &size) || (threshold > 0 && size > threshold))
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
