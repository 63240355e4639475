/* SPDX-License-Identifier: MIT */
/* What the parts of `ge` share: tenants in blocks, and blocks inside blocks. */
#pragma once

#include "analysis/plan/bodies.h"

#define TN_GE_UNIT 512
#define TN_GE_WINDOWS 256 /* stretches of the axis in a block's sketch */
#define TN_GE_BATCH_PIECE 419430400 /* 400 MB: a batch is cut into pieces of at most this */

typedef struct {
  tn_tick start, end; /* half-open; GE's closed [b, e] is [b, e + 1) */
  tn_tick release;    /* its own stream may have its place from here on; TN_TICK_MAX: never */
  tn_bytes size;      /* with what lies below it for its alignment */
  tn_bytes real;      /* what others may have of it where it is zero copy or contiguous */
  uint32_t stream, batch;
  uint8_t is_alone : 1;      /* its block serves nobody else */
  uint8_t is_continuous : 1; /* neighbours in a fixed order, one item */
  uint8_t is_zero_copy : 1, is_input : 1, is_cleaned : 1, is_data : 1, is_fixed : 1;
  uint8_t has_foreign : 1;   /* another stream uses it last */
  uint8_t has_many_begins : 1; /* written first on several streams (neighbours) */
} TnGeItem;

/* An item in a block, with what is asked of it most, in one piece of memory. */
typedef struct {
  tn_tick start, end, release;
  tn_bytes size;
  uint32_t item;
  uint8_t window, code; /* of a sketch: where it begins, how long it lives */
} TnGeMember;

/* The ops that begin and end the life of each item, one for each stream. */
typedef struct {
  const TnStreamClock *clock;
  uint32_t *begin_first, *begin; /* n items + 1 */
  uint32_t *last_first, *last;
} TnGeUses;

typedef struct {
  GArray *members;   /* TnGeMember, by start; their lives are disjoint */
  tn_bytes align;    /* the largest member, rounded up to the unit: what it asks for */
  tn_bytes real;     /* the largest `real` */
  tn_tick start, end, release; /* of its first, and of its last member */
  tn_bytes size;     /* once resized: at least `align` of the members, at least its children's sum */
  uint32_t stream, batch;
  uint8_t is_alone : 1, is_continuous : 1, is_zero_copy : 1, is_input : 1, has_cleaned : 1;
  uint8_t has_data : 1, is_fixed : 1, has_foreign : 1; /* foreign: its last member */
  uint8_t has_many_begins : 1, has_ops : 1; /* has_ops: `begins` and `lasts` are up to date */
  uint32_t parent;   /* block, TN_NONE: at the top */
  GArray *children;  /* uint32_t blocks, side by side; NULL: none */
  tn_bytes used;     /* what its children ask for, together */
  tn_bytes room;     /* no block that asks for more fits in it or below it */
  uint8_t *shortest, *widest; /* by window: the shortest life that begins there, the widest idle time that
                                 touches it, on a scale of their own; NULL: not sketched */
  GArray *begins, *lasts; /* uint32_t ops, one of each stream; found when they are asked for */
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
  const TnGeUses *uses; /* NULL: blocks of one stream serve no other */
  const TnGeVariant *variant;
  unsigned options; /* TnGeOptions */
  TnProgress *progress;
  GArray *blocks; /* TnGeBlock */
  tn_tick axis_start, axis_end;
} TnGePlan;

static inline const TnGeMember *
tn_ge_member(const TnGeBlock *block, uint32_t m)
{
  return &g_array_index(block->members, TnGeMember, m);
}

static inline TnGeBlock *
tn_ge_block(const TnGePlan *plan, uint32_t i)
{
  return &g_array_index(plan->blocks, TnGeBlock, i);
}

/* ---- ge-items.c ---- */

/* The bodies of a problem as items (shape n bodies, owned by the caller), and who uses them (NULL
 * where the problem has no `uses`). */
TnGeItem *tn_ge_items_new(const TnPlanProblem *problem, const TnBodies *bodies, TnGeUses **out_uses);
void tn_ge_uses_free(TnGeUses *uses);

/* Keeps one op of each stream in `ops` (uint32_t, from row `from` on): the last there, or the first. */
void tn_ge_keep_op(const TnStreamClock *clock, GArray *ops, guint from, uint32_t op, bool is_last);

/* What GE takes for a tensor of `bytes`: a multiple of 32, and `padding` (32 on most chips, 16 on
 * v350, 0 on Ascend 950); -1 where that passes 64 bits. */
tn_bytes tn_ge_real_size(tn_bytes bytes, tn_bytes padding);

/* ---- ge-level1.c ---- */

/* Walks the ops; an item takes a released block of the same size, stream and batch, or a new one.
 * Contiguous, zero-copy and unshared items have blocks of their own.  False where cancelled. */
bool tn_ge_share_blocks(TnGePlan *plan);

/* The ceilings of GE's ranges of sizes: growing, the last one is the largest size.  `sizes` in any
 * order; owned by the caller (tn_bytes). */
GArray *tn_ge_ceilings_new(const tn_bytes *sizes, uint32_t n);

/* ---- ge-level2.c ---- */

/* Puts blocks into larger ones while those are idle, into the deepest first.  False where cancelled.
 * O(blocks²) pairs at worst; those that lives or sizes rule out are passed over by the tree of
 * ge-candidates.h. */
bool tn_ge_nest_blocks(TnGePlan *plan);

/* ---- ge-layout.c ---- */

/* The offset of each block (shape n blocks); returns the arena. */
tn_bytes tn_ge_place_blocks(TnGePlan *plan, tn_bytes *offset);

/* ---- ge-blocks.c ---- */

/* Adds a block for this item alone, and returns its row. */
uint32_t tn_ge_block_add(TnGePlan *plan, uint32_t item);
void tn_ge_block_append(TnGePlan *plan, uint32_t block, uint32_t item);
/* A block of the same kind for some members of `like` (TnGeMember, taken over); may move the table. */
uint32_t tn_ge_block_add_rest(TnGePlan *plan, uint32_t like, GArray *members);
void tn_ge_block_clear(TnGeBlock *block);
/* Finds what follows from the members anew: after some were taken away. */
void tn_ge_block_refresh(TnGePlan *plan, uint32_t block);

/* Finds the axis; before the first block. */
void tn_ge_find_axis(TnGePlan *plan);

/* False where no member of `block` can lie in an idle time of `parent`; true where one might. */
bool tn_ge_block_may_hold(const TnGeBlock *parent, const TnGeBlock *block);

/* Whether all of `later` may come after all of `earlier`. */
bool tn_ge_block_follows(const TnGePlan *plan, TnGeBlock *earlier, TnGeBlock *later);
