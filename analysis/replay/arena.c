/* SPDX-License-Identifier: MIT */
/* Plain first fit and best fit in one place that grows at its top: what is reserved is the highest
 * end that was ever used. */
#include "config.h"

#include "analysis/plan/holes.h"
#include "analysis/replay/models.h"

#define EVERYTHING ((tn_bytes)1 << 50)

typedef struct {
  TnAllocator base;
  TnHoleTree *holes;
  tn_bytes *address, *size; /* by id; of size 0: none */
  tn_bytes alignment;
  bool is_first_fit;
} Arena;

static TnAllocator *
create(const TnReplayLog *log, const TnReplaySettings *settings, tn_bytes limit, bool is_first_fit)
{
  Arena *arena = g_new0(Arena, 1);
  arena->is_first_fit = is_first_fit;
  arena->base.limit = limit;
  arena->alignment = settings->alignment;
  arena->holes = tn_hole_tree_new(log->n_ids);
  arena->address = g_new0(tn_bytes, MAX(log->n_ids, 1u));
  arena->size = g_new0(tn_bytes, MAX(log->n_ids, 1u));
  return &arena->base;
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
  Arena *arena = (Arena *)allocator;
  tn_hole_tree_free(arena->holes);
  g_free(arena->address);
  g_free(arena->size);
  g_free(arena);
}

static bool
take(TnAllocator *allocator, const TnReplayOp *op, uint64_t hint)
{
  Arena *arena = (Arena *)allocator;
  tn_bytes size, most = arena->base.limit > 0 ? MIN(arena->base.limit, EVERYTHING) : EVERYTHING;
  if (!tn_round_up(MAX(op->bytes, (tn_bytes)1), arena->alignment, &size) || size > EVERYTHING)
    return false;
  tn_bytes at = arena->is_first_fit ? tn_hole_tree_lowest(arena->holes, size, 1)
                                    : tn_hole_tree_tightest(arena->holes, size, 1);
  if (at < 0 || at > most - size)
    return false;
  tn_hole_tree_take(arena->holes, at, size);
  arena->address[op->id] = at;
  arena->size[op->id] = size;
  arena->base.allocated += size;
  arena->base.reserved = MAX(arena->base.reserved, at + size);
  return true;
}

static void
give(TnAllocator *allocator, uint32_t id)
{
  Arena *arena = (Arena *)allocator;
  tn_bytes size = arena->size[id];
  if (size == 0)
    return;
  arena->size[id] = 0;
  arena->base.allocated -= size;
  tn_hole_tree_give(arena->holes, arena->address[id], size);
}

/* Below the high-water mark. */
static tn_bytes
largest_hole(const TnAllocator *allocator)
{
  const Arena *arena = (const Arena *)allocator;
  tn_bytes top = arena->base.reserved - tn_hole_tree_end(arena->holes);
  return MAX(tn_hole_tree_largest(arena->holes), top);
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
