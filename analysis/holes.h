/* SPDX-License-Identifier: MIT */
/* The state of an allocator's segments at one tick: which blocks stand where, and the holes between
 * them.  A tick's state is the one after its event.
 *
 *   segment  [ block |  hole  | block | hole ]     hole: held from the device, free to hand out
 *
 * The end of a block is its rounded size; where the allocator never split off so small a rest (large
 * segments that can't grow), the rest belongs to the block and is no hole: `rest`. */
#pragma once

#include "analysis/study.h"

typedef struct {
  uint64_t address;
  tn_bytes bytes;
  tn_bytes rest;    /* behind it, not split off: no request can have it */
  uint32_t buffer;  /* row of the study's buffers */
  uint32_t segment; /* row of TnHoles.segments; TN_NONE: outside of all of them */
} TnHeldBlock;

typedef struct {
  uint64_t address;
  tn_bytes bytes;
  uint32_t segment;
} TnHole;

typedef struct {
  uint64_t address;
  tn_bytes bytes;
  uint32_t space;
  bool is_small, is_expandable;
  uint32_t first_block, n_blocks; /* of TnHoles.blocks */
  uint32_t first_hole, n_holes;   /* of TnHoles.holes */
  tn_bytes free_bytes, largest_hole;
} TnSegmentState;

/* Holes that one kind of request can use: a space (pool of a stream) and small or large segments. */
typedef struct {
  uint32_t space;
  bool is_small;
  uint32_t n_segments, n_holes;
  tn_bytes reserved_bytes, free_bytes, largest_hole;
} TnHoleGroup;

typedef struct {
  tn_tick tick;
  GArray *segments; /* TnSegmentState, by address */
  GArray *blocks;   /* TnHeldBlock, by address */
  GArray *holes;    /* TnHole, by address */
  GArray *groups;   /* TnHoleGroup, by space, small ones first */
  tn_bytes reserved_bytes; /* = block_bytes + rest_bytes + free_bytes */
  tn_bytes block_bytes;    /* of blocks inside segments, rounded sizes */
  tn_bytes rest_bytes, free_bytes, largest_hole;
  uint32_t n_rests;       /* blocks with a rest; gaps to the eye: n_rests + holes->len */
  tn_bytes outside_bytes; /* blocks outside of all segments: the log says too little of segments */
  uint32_t n_outside;
} TnHoles;

/* The state at `tick` of a log with segments; of a log without any, blocks only.  O(alive log alive)
 * on a prepared study, else O(buffers + segments). */
TnHoles *tn_holes_new(const TnStudy *study, tn_tick tick);
void tn_holes_free(TnHoles *holes);

/* 1 - largest hole / all holes; 0 where there is no hole. */
double tn_holes_fragmentation(const TnHoles *holes);
/* The group of this space and kind; NULL where it has no segment. */
const TnHoleGroup *tn_holes_find_group(const TnHoles *holes, uint32_t space, bool is_small);
/* Whether requests of this size are served by small segments (formats/pytorch.md 1.9). */
bool tn_holes_is_small_request(tn_bytes rounded);

static inline const TnSegmentState *
tn_holes_segment(const TnHoles *holes, uint32_t i)
{
  return &g_array_index(holes->segments, TnSegmentState, i);
}

static inline const TnHeldBlock *
tn_holes_block(const TnHoles *holes, uint32_t i)
{
  return &g_array_index(holes->blocks, TnHeldBlock, i);
}

static inline const TnHole *
tn_holes_hole(const TnHoles *holes, uint32_t i)
{
  return &g_array_index(holes->holes, TnHole, i);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC(TnHoles, tn_holes_free)
