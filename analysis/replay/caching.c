/* SPDX-License-Identifier: MIT */
/* A model of PyTorch's caching allocator: best fit in the pool of a stream, split, coalesce; before
 * it gives up it collects garbage, grows, releases oversize blocks, releases all. */
#include "config.h"

#include "analysis/replay/caching-private.h"
#include "analysis/replay/models.h"

/* ---- blocks -------------------------------------------------------------------------------- */

uint32_t
tn_caching_new_block(Caching *c, Block block)
{
  uint32_t row = c->spare;
  if (row != TN_NONE) {
    c->spare = c->blocks[row].after;
  } else {
    if (c->n_blocks == c->capacity) {
      c->capacity = MAX(c->capacity * 2, 1024u);
      c->blocks = g_renew(Block, c->blocks, c->capacity);
    }
    row = c->n_blocks++;
  }
  c->blocks[row] = block;
  return row;
}

void
tn_caching_drop_block(Caching *c, uint32_t row)
{
  c->blocks[row].after = c->spare;
  c->spare = row;
}

void
tn_caching_insert_free(Caching *c, uint32_t row)
{
  Block *block = &c->blocks[row];
  block->gc_base = c->n_searches;
  tn_free_set_insert(&c->pools[block->pool].free, (TnFreeKey){block->size, block->address, row});
}

void
tn_caching_remove_free(Caching *c, uint32_t row)
{
  const Block *block = &c->blocks[row];
  tn_free_set_remove(&c->pools[block->pool].free, (TnFreeKey){block->size, block->address, row});
}

uint32_t
tn_caching_part(Caching *c, uint32_t row, tn_bytes size)
{
  Block rest = c->blocks[row];
  rest.address += (uint64_t)size;
  rest.size -= size;
  rest.before = row;
  uint32_t rest_row = tn_caching_new_block(c, rest);
  if (rest.after != TN_NONE)
    c->blocks[rest.after].before = rest_row;
  c->blocks[row].after = rest_row;
  c->blocks[row].size = size;
  return rest_row;
}

void
tn_caching_swallow_after(Caching *c, uint32_t row)
{
  Block *block = &c->blocks[row];
  uint32_t gone = block->after;
  block->size += c->blocks[gone].size;
  block->after = c->blocks[gone].after;
  if (block->after != TN_NONE)
    c->blocks[block->after].before = row;
  tn_caching_drop_block(c, gone);
}

bool
tn_caching_has_room(const Caching *c, tn_bytes bytes)
{
  tn_bytes sum;
  return tn_add(c->base.reserved, bytes, &sum) && (c->base.limit == 0 || sum <= c->base.limit);
}

/* ---- taking -------------------------------------------------------------------------------- */

static tn_bytes
size_when_grown(const Caching *c, uint32_t row)
{
  const Block *block = &c->blocks[row];
  bool grows = block->after != TN_NONE && c->blocks[block->after].state == BLOCK_UNMAPPED;
  return block->size + (grows ? c->blocks[block->after].size : 0);
}

/* A growing segment's last block counts with the room that it could grow into, so that it is
 * taken last. */
static const TnFreeKey *
prefer_fixed_end(const Caching *c, const TnFreeSet *set, TnFreeCursor at)
{
  const TnFreeKey *best = tn_free_set_get(set, at), *next;
  while (c->blocks[best->block].is_expandable) {
    tn_free_set_step(set, &at);
    next = tn_free_set_get(set, at);
    if (!next || size_when_grown(c, next->block) >= size_when_grown(c, best->block))
      break;
    best = next;
  }
  return best;
}

static uint32_t
find_free(Caching *c, const Request *request)
{
  TnFreeSet *set = &request->pool->free;
  tn_bytes most = c->settings.max_split_size;
  c->n_searches += !request->pool->is_small && !request->pool->is_private;
  TnFreeCursor at = tn_free_set_find(set, request->size, 0);
  const TnFreeKey *key = tn_free_set_get(set, at);
  if (!key)
    return TN_NONE;
  if (c->blocks[key->block].is_expandable)
    key = prefer_fixed_end(c, set, at);
  tn_bytes size = c->blocks[key->block].size;
  if (most > 0 && request->size < most && size >= most)
    return TN_NONE;
  if (most > 0 && request->size >= most &&
      size >= tn_add_saturated(request->size, c->settings.max_non_split_rounding))
    return TN_NONE;
  uint32_t row = key->block;
  tn_caching_remove_free(c, row);
  return row;
}

/* A free block of at least the size, in no set; TN_NONE where there is no room. */
static uint32_t
grow(Caching *c, const Request *request)
{
  if (c->settings.expandable_segments)
    return tn_caching_expand(c, request);
  if (!tn_caching_has_room(c, request->segment_size)) {
    c->base.refused = request->segment_size;
    return TN_NONE;
  }
  uint64_t address = request->hint;
  if (!address) {
    address = c->next_address;
    c->next_address += (uint64_t)request->segment_size;
  }
  c->base.reserved += request->segment_size;
  return tn_caching_new_block(c, (Block){.address = address,
                                         .size = request->segment_size,
                                         .before = TN_NONE,
                                         .after = TN_NONE,
                                         .pool = request->pool_row,
                                         .state = BLOCK_FREE});
}

static uint32_t
find_or_grow(Caching *c, const Request *request)
{
  uint32_t row = find_free(c, request);
  if (row != TN_NONE)
    return row;
  if (c->settings.garbage_collection_threshold > 0 && c->base.limit > 0)
    tn_caching_collect_garbage(c);
  if ((row = grow(c, request)) != TN_NONE)
    return row;
  if (tn_caching_release_oversize(c, request) && (row = grow(c, request)) != TN_NONE)
    return row;
  tn_caching_release_all(c);
  return grow(c, request);
}

uint32_t
tn_caching_new_region(Caching *c, tn_bytes bytes)
{
  uint64_t address = c->next_address;
  c->base.reserved += bytes;
  c->next_address += (uint64_t)bytes;
  return tn_caching_new_block(c, (Block){.address = address,
                                         .size = bytes,
                                         .before = TN_NONE,
                                         .after = TN_NONE,
                                         .state = BLOCK_FREE});
}

uint32_t
tn_caching_take_fit(Caching *c, tn_bytes size)
{
  const TnFreeSet *set = &c->pools[0].free;
  const TnFreeKey *key = tn_free_set_get(set, tn_free_set_find(set, size, 0));
  if (!key)
    return TN_NONE;
  uint32_t row = key->block;
  tn_caching_remove_free(c, row);
  return row;
}

static bool
is_split(const Caching *c, const Block *block, tn_bytes size)
{
  tn_bytes rest = block->size - size;
  if (c->pools[block->pool].is_small || block->is_expandable)
    return rest >= MIN_BLOCK;
  return (c->settings.max_split_size == 0 || size < c->settings.max_split_size) &&
         rest > SMALL_REQUEST;
}

static Request
make_request(Caching *c, const TnReplayOp *op, uint64_t hint)
{
  Request request = {.size = tn_caching_round(&c->settings, op->bytes), .hint = hint};
  if (op->action == TN_REPLAY_FAILED) /* its size is the rounded one, by the settings it was made with */
    request.size = tn_caching_round_padded(&c->settings, op->bytes);
  request.segment_size = tn_caching_segment_size(request.size);
  request.pool_row = (uint16_t)(2 * op->space + (request.size <= SMALL_REQUEST));
  request.pool = &c->pools[request.pool_row];
  return request;
}

static bool
take(TnAllocator *allocator, const TnReplayOp *op, uint64_t hint)
{
  Caching *c = (Caching *)allocator;
  Request request = make_request(c, op, hint);
  uint32_t row = find_or_grow(c, &request);
  if (row == TN_NONE)
    return false;
  if (is_split(c, &c->blocks[row], request.size))
    tn_caching_insert_free(c, tn_caching_part(c, row, request.size));
  c->blocks[row].state = BLOCK_TAKEN;
  c->block_of[op->id] = row;
  c->base.allocated += c->blocks[row].size;
  return true;
}

static void
give(TnAllocator *allocator, uint32_t id)
{
  Caching *c = (Caching *)allocator;
  uint32_t row = c->block_of[id];
  if (row == TN_NONE)
    return;
  c->block_of[id] = TN_NONE;
  c->base.allocated -= c->blocks[row].size;
  c->blocks[row].state = BLOCK_FREE;
  uint32_t after = c->blocks[row].after, before = c->blocks[row].before;
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
}

static void
release(TnAllocator *allocator)
{
  tn_caching_release_all((Caching *)allocator);
}

static tn_bytes
largest_hole(const TnAllocator *allocator)
{
  const Caching *c = (const Caching *)allocator;
  tn_bytes largest = 0;
  for (uint32_t i = 0; i < c->n_pools; i++)
    largest = MAX(largest, tn_free_set_largest(&c->pools[i].free));
  return largest;
}

/* ---- making -------------------------------------------------------------------------------- */

static TnAllocator *
create(const TnReplayLog *log, const TnReplaySettings *settings, tn_bytes limit)
{
  Caching *c = g_new0(Caching, 1);
  c->base.limit = limit;
  c->settings = *settings;
  c->log = log;
  c->spare = TN_NONE;
  c->next_address = MAX(log->top, (uint64_t)1 << 32);
  c->block_of = g_new(uint32_t, MAX(log->n_ids, 1u));
  for (uint32_t i = 0; i < log->n_ids; i++)
    c->block_of[i] = TN_NONE;
  c->n_pools = 2 * log->n_spaces;
  c->pools = g_new0(Pool, c->n_pools);
  for (uint32_t i = 0; i < c->n_pools; i++) {
    c->pools[i].is_small = i % 2;
    c->pools[i].is_private = log->is_private[i / 2];
  }
  return &c->base;
}

static void
destroy(TnAllocator *allocator)
{
  Caching *c = (Caching *)allocator;
  for (uint32_t i = 0; i < c->n_pools; i++) {
    tn_free_set_clear(&c->pools[i].free);
    tn_free_set_clear(&c->pools[i].unmapped);
  }
  g_free(c->pools);
  g_free(c->block_of);
  g_free(c->blocks);
  g_free(c);
}

const TnAllocatorModel tn_allocator_caching = {
    .name = "caching",
    .title = "PyTorch's caching allocator: pools by stream, best fit, split, coalesce",
    .create = create,
    .destroy = destroy,
    .seed = tn_caching_seed,
    .take = take,
    .give = give,
    .release = release,
    .largest_hole = largest_hole};
