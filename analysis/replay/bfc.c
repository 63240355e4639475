/* SPDX-License-Identifier: MIT */
/* A model of TensorFlow's BFC allocator: one pool of regions, best fit over bins (which, bins being
 * ranges of sizes, is the smallest chunk that fits), split, coalesce, growth by doubling. */
#include "config.h"

#include "analysis/replay/caching-private.h"
#include "analysis/replay/models.h"

#define GRAIN 256
#define FIRST_REGION (2 * MIB)
#define MOST_WASTE (128 * MIB) /* more than this is always split off */
#define MOST_REGION ((tn_bytes)1 << 61) /* twice the largest request: its double does not pass 64 bits */

typedef struct {
  Caching heap; /* one pool; its blocks, its set */
  tn_bytes next_region;
  bool has_grown;
} Bfc;

static TnAllocator *
create(const TnReplayLog *log, const TnReplaySettings *settings, tn_bytes limit)
{
  Bfc *bfc = g_new0(Bfc, 1);
  Caching *c = &bfc->heap;
  c->base.limit = limit;
  c->settings = *settings;
  c->spare = TN_NONE;
  c->next_address = 1 << 20;
  c->block_of = g_new(uint32_t, MAX(log->n_ids, 1u));
  for (uint32_t i = 0; i < log->n_ids; i++)
    c->block_of[i] = TN_NONE;
  c->n_pools = 1;
  c->pools = g_new0(Pool, 1);
  bool takes_all = !settings->allow_growth && limit > 0;
  bfc->next_region = takes_all ? MAX(limit / GRAIN * GRAIN, (tn_bytes)GRAIN) : FIRST_REGION;
  return &c->base;
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

static void
double_region(Bfc *bfc)
{
  bfc->next_region = MIN(bfc->next_region, MOST_REGION / 2) * 2;
}

/* The next region: doubled until the request fits, but no more than what is left of the limit.  Only
 * where a device refuses sooner would TensorFlow try less and less. */
static uint32_t
grow(Bfc *bfc, tn_bytes size)
{
  Caching *c = &bfc->heap;
  tn_bytes left = c->base.limit ? (c->base.limit - c->base.reserved) / GRAIN * GRAIN : MOST_REGION;
  bool was_doubled = false;
  if (size > left)
    return TN_NONE;
  while (size > bfc->next_region) {
    double_region(bfc);
    was_doubled = true;
  }
  tn_bytes bytes = MIN(bfc->next_region, left);
  if (!tn_caching_has_room(c, bytes))
    return TN_NONE;
  if (!was_doubled)
    double_region(bfc);
  return tn_caching_new_region(c, bytes);
}

static bool
take(TnAllocator *allocator, const TnReplayOp *op, uint64_t hint)
{
  Bfc *bfc = (Bfc *)allocator;
  Caching *c = &bfc->heap;
  tn_bytes size;
  if (!tn_round_up(MAX(op->bytes, (tn_bytes)1), GRAIN, &size) || size > (tn_bytes)1 << 60)
    return false;
  uint32_t row = tn_caching_take_fit(c, size);
  if (row == TN_NONE)
    row = grow(bfc, size);
  if (row == TN_NONE && c->settings.garbage_collection) {
    tn_caching_release_all(c); /* regions that are wholly free */
    row = grow(bfc, size);
  }
  if (row == TN_NONE)
    return false;
  tn_bytes has = c->blocks[row].size;
  if (has >= size * 2 || has - size >= MOST_WASTE)
    tn_caching_insert_free(c, tn_caching_part(c, row, size));
  c->blocks[row].state = BLOCK_TAKEN;
  c->block_of[op->id] = row;
  c->base.allocated += c->blocks[row].size;
  return true;
}

static void
give(TnAllocator *allocator, uint32_t id)
{
  tn_allocator_caching.give(allocator, id);
}

static tn_bytes
largest_hole(const TnAllocator *allocator)
{
  return tn_free_set_largest(&((const Caching *)allocator)->pools[0].free);
}

const TnAllocatorModel tn_allocator_bfc = {
    .name = "bfc",
    .title = "TensorFlow's BFC: one pool, regions that double, best fit, coalesce",
    .create = create,
    .destroy = destroy,
    .take = take,
    .give = give,
    .largest_hole = largest_hole};
