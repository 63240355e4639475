/* SPDX-License-Identifier: MIT */
/* What the parts of `ge` share: tenants in blocks, and blocks inside blocks. */
#pragma once

#include "analysis/plan/bodies.h"

typedef struct {
  tn_tick start, end; /* half-open; GE's closed [b, e] is [b, e + 1) */
  tn_bytes size;      /* with what lies below it for its alignment */
  uint32_t stream, batch;
  bool is_alone;      /* its block serves nobody else: no reuse, or neighbours in a fixed order */
} TnGeItem;

typedef struct {
  GArray *members;   /* uint32_t items, by start; their lives are disjoint */
  tn_bytes size;     /* largest member, rounded up to the unit; at least the sum of its children */
  uint32_t stream, batch;
  bool is_alone;
  uint32_t parent;   /* block, TN_NONE: at the top */
  tn_bytes within;   /* its offset in the parent */
  tn_bytes used;     /* bytes of it that its children have */
  uint32_t n_children, depth;
} TnGeBlock;

typedef struct {
  const char *name;  /* as GE's log names it */
  bool is_range;         /* level 1 rounds to ceilings of ranges of sizes */
  bool is_max;           /* level 1 has one size only, and there is no level 2 */
  bool is_descending;    /* level 2, blocks of one size: the later comes first */
  bool is_first_release; /* level 1: the block released first is taken first */
} TnGeVariant;

typedef struct {
  const TnGeItem *items;
  uint32_t n_items;
  tn_bytes unit; /* 512, or more where alignments ask for it */
  const TnGeVariant *variant;
  TnProgress *progress;
  GArray *blocks; /* TnGeBlock */
} TnGePlan;

/* Level 1: walks the ops; an item takes a released block of the same size, stream and batch, or a
 * new one.  False where cancelled. */
bool tn_ge_share_blocks(TnGePlan *plan);

/* Level 2: puts blocks into larger ones while those are idle.  False where cancelled.
 * O(blocks² log members) at most; a parent without room ends its search at once. */
bool tn_ge_nest_blocks(TnGePlan *plan);

/* The offset of each block (shape n blocks), blocks of other batches inside those of the largest;
 * returns the arena. */
tn_bytes tn_ge_place_blocks(const TnGePlan *plan, tn_bytes *offset);

/* The ceilings of GE's ranges of sizes: growing, the last one is the largest size.  `sizes` in any
 * order; owned by the caller (tn_bytes). */
GArray *tn_ge_ceilings_new(const tn_bytes *sizes, uint32_t n);
