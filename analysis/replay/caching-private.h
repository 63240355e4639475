/* SPDX-License-Identifier: MIT */
/* The state of the model of PyTorch's caching allocator, for the files caching*.c.
 * Rules and constants: formats/pytorch.md 1.9, and PyTorch's CUDACachingAllocator.cpp. */
#pragma once

#include "analysis/replay/free-set.h"
#include "analysis/replay/replay.h"

#define MIB ((tn_bytes)1 << 20)
#define MIN_BLOCK 512
#define SMALL_REQUEST (1 * MIB)   /* at most: small pool */
#define SMALL_SEGMENT (2 * MIB)
#define MIDDLE_REQUEST (10 * MIB) /* below: a segment of 20 MiB */
#define LARGE_SEGMENT (20 * MIB)
#define LARGE_ROUNDING (2 * MIB)

typedef enum { BLOCK_FREE, BLOCK_TAKEN, BLOCK_UNMAPPED } BlockState;

/* Blocks of a segment are linked by address; neighbours of the same state that is not TAKEN are one
 * block. */
typedef struct {
  uint64_t address;
  uint64_t origin;        /* of growing segments: where their range of addresses begins */
  tn_bytes size;
  uint32_t before, after; /* neighbours in the segment, TN_NONE */
  uint32_t gc_base;       /* n_searches when it became free */
  uint16_t pool;
  uint8_t state;          /* BlockState */
  bool is_expandable;
} Block;

typedef struct {
  TnFreeSet free;     /* by (size, address) */
  TnFreeSet unmapped; /* of growing segments: by address, all of size 0 */
  bool is_small, is_private;
} Pool;

typedef struct {
  TnAllocator base;
  TnReplaySettings settings;
  const TnReplayLog *log;
  Block *blocks;
  uint32_t n_blocks, capacity, spare; /* spare: list of unused rows through `after` */
  uint32_t *block_of;                 /* by id: row, TN_NONE */
  Pool *pools;                        /* two for each space: large, small */
  uint32_t n_pools;
  uint32_t n_searches;                /* of the large pools of all streams, not of private ones */
  uint64_t next_address;
} Caching;

/* One request on its way. */
typedef struct {
  tn_bytes size;         /* rounded */
  tn_bytes segment_size; /* what it would take from the device */
  Pool *pool;
  uint16_t pool_row;
  uint64_t hint;
} Request;

/* caching.c */
uint32_t tn_caching_new_block(Caching *c, Block block);
void tn_caching_drop_block(Caching *c, uint32_t row);
void tn_caching_insert_free(Caching *c, uint32_t row);
void tn_caching_remove_free(Caching *c, uint32_t row);
/* Parts a block: the first `size` bytes keep the row; returns the row of the rest, same state. */
uint32_t tn_caching_part(Caching *c, uint32_t row, tn_bytes size);
/* `row` swallows its neighbour behind (taken out of its set); no set is touched for `row`. */
void tn_caching_swallow_after(Caching *c, uint32_t row);
bool tn_caching_has_room(const Caching *c, tn_bytes bytes);
/* For allocators of one pool.  Another `bytes` of the device (there is room) as one free block, in no
 * set yet. */
uint32_t tn_caching_new_region(Caching *c, tn_bytes bytes);
/* The smallest free block of at least `size`, out of its set; TN_NONE. */
uint32_t tn_caching_take_fit(Caching *c, tn_bytes size);

/* caching-expand.c: growing segments.  A free block of at least the size, out of its pool's set;
 * TN_NONE where memory runs out (what was mapped on the way stays). */
uint32_t tn_caching_expand(Caching *c, const Request *request);
/* Gives back whole granules inside a free block. */
void tn_caching_unmap(Caching *c, uint32_t row);
/* The unmapped room behind what a recorded growing segment had mapped. */
void tn_caching_insert_unmapped(Caching *c, uint32_t row);
tn_bytes tn_caching_address_space(const Caching *c);

/* caching-release.c */
void tn_caching_release_segment(Caching *c, uint32_t row);
void tn_caching_release_all(Caching *c);
/* Enough oversize blocks for the request, largest first; false where there are not. */
bool tn_caching_release_oversize(Caching *c, const Request *request);
void tn_caching_collect_garbage(Caching *c);

/* caching-round.c */
tn_bytes tn_caching_round(const TnReplaySettings *settings, tn_bytes bytes);
/* Of a size that has its padding; once more it stays what it is. */
tn_bytes tn_caching_round_padded(const TnReplaySettings *settings, tn_bytes bytes);
tn_bytes tn_caching_segment_size(tn_bytes rounded);
