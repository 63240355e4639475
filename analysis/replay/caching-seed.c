/* SPDX-License-Identifier: MIT */
/* What was there before the recording, put where it was. */
#include "config.h"

#include "analysis/replay/caching-private.h"
#include "analysis/replay/models.h"

/* The last block laid down in a segment. */
typedef struct {
  Caching *c;
  uint32_t last;
} Laying;

static void
lay(Laying *laying, Block block)
{
  Caching *c = laying->c;
  block.before = laying->last;
  block.after = TN_NONE;
  block.origin = laying->last == TN_NONE ? block.address : c->blocks[laying->last].origin;
  uint32_t row = tn_caching_new_block(c, block);
  if (laying->last != TN_NONE)
    c->blocks[laying->last].after = row;
  laying->last = row;
  if (block.state == BLOCK_FREE)
    tn_caching_insert_free(c, row);
  else if (block.state == BLOCK_UNMAPPED)
    tn_caching_insert_unmapped(c, row);
}

static void
lay_free(Laying *laying, const Block *like, uint64_t from, uint64_t to, BlockState state)
{
  Block block = *like;
  block.address = from;
  block.size = (tn_bytes)(to - from);
  block.state = (uint8_t)state;
  if (to > from)
    lay(laying, block);
}

/* The blocks of segment `row`, from *next on, with the holes between them. */
static void
lay_segment(Laying *laying, const TnReplayLog *log, uint32_t row, guint *next)
{
  Caching *c = laying->c;
  const TnReplayPlace *segment = &g_array_index(log->segments, TnReplayPlace, row);
  Block like = {.pool = (uint16_t)(2 * segment->space + segment->is_small),
                .is_expandable = segment->is_expandable};
  uint64_t at = segment->address, stop = at + (uint64_t)segment->bytes;
  for (; *next < log->blocks->len; ++*next) {
    const TnReplayPlace *place = &g_array_index(log->blocks, TnReplayPlace, *next);
    if (place->segment != row)
      break;
    if (place->address < at)
      continue; /* two blocks at one place: the file contradicts itself */
    lay_free(laying, &like, at, place->address, BLOCK_FREE);
    at = MIN(MAX(place->address + (uint64_t)place->bytes, at), stop);
    if (at <= place->address)
      continue; /* of no size, or outside */
    lay_free(laying, &like, place->address, at, BLOCK_TAKEN);
    c->block_of[place->id] = laying->last;
    c->base.allocated += c->blocks[laying->last].size;
  }
  lay_free(laying, &like, at, stop, BLOCK_FREE);
  c->base.reserved += segment->bytes;
}

/* Whether the next mapped range belongs to the same growing segment. */
static const TnReplayPlace *
next_range(const TnReplayLog *log, uint32_t row)
{
  const TnReplayPlace *here = &g_array_index(log->segments, TnReplayPlace, row), *next;
  if (row + 1 >= log->segments->len)
    return NULL;
  next = &g_array_index(log->segments, TnReplayPlace, row + 1);
  bool is_same = next->is_expandable && next->space == here->space &&
                 next->is_small == here->is_small &&
                 next->address - here->address < (uint64_t)1 << 40;
  return is_same ? next : NULL;
}

/* Behind a mapped range: unmapped up to the next one, or to the end of the addresses. */
static bool
lay_unmapped(Laying *laying, const TnReplayLog *log, uint32_t row)
{
  const TnReplayPlace *segment = &g_array_index(log->segments, TnReplayPlace, row);
  const TnReplayPlace *next = next_range(log, row);
  Block like = {.pool = (uint16_t)(2 * segment->space + segment->is_small), .is_expandable = true};
  uint64_t from = segment->address + (uint64_t)segment->bytes;
  uint64_t to = next ? next->address : from + (uint64_t)tn_caching_address_space(laying->c);
  lay_free(laying, &like, from, to, BLOCK_UNMAPPED);
  return next != NULL;
}

/* Blocks of no segment, or of one that is done. */
static guint
skip_others(const TnReplayLog *log, uint32_t row, guint next)
{
  for (; next < log->blocks->len; next++) {
    uint32_t segment = g_array_index(log->blocks, TnReplayPlace, next).segment;
    if (segment != TN_NONE && segment >= row)
      break;
  }
  return next;
}

bool
tn_caching_seed(TnAllocator *allocator, const TnReplayLog *log)
{
  Laying laying = {.c = (Caching *)allocator, .last = TN_NONE};
  guint next = 0;
  bool is_joined = false;
  for (uint32_t row = 0; row < log->segments->len; row++) {
    next = skip_others(log, row, next);
    if (!is_joined)
      laying.last = TN_NONE;
    lay_segment(&laying, log, row, &next);
    is_joined = g_array_index(log->segments, TnReplayPlace, row).is_expandable &&
                lay_unmapped(&laying, log, row);
  }
  return true;
}
