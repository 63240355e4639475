/* SPDX-License-Identifier: MIT */
/* The free stretches of an arena, ordered by address and by size.  The last hole has no end. */
#pragma once

#include "data/types.h"

typedef struct TnHoleTree TnHoleTree;

#define TN_HOLES_END (INT64_MAX / 2)

/* One hole, [0, TN_HOLES_END).  At most `n_max` pieces will be taken at once. */
TnHoleTree *tn_hole_tree_new(uint32_t n_max);
void tn_hole_tree_free(TnHoleTree *holes);

/* A multiple of `alignment` at which `size` bytes are free, -1 where there is none.  Changes
 * nothing.  O(log holes) without alignment; with, as many steps more as holes are too small for it. */
tn_bytes tn_hole_tree_lowest(const TnHoleTree *holes, tn_bytes size, tn_bytes alignment);
/* In the smallest hole that holds it, the lowest of equals. */
tn_bytes tn_hole_tree_tightest(const TnHoleTree *holes, tn_bytes size, tn_bytes alignment);
/* True where [offset, offset + size) is free. */
bool tn_hole_tree_are_free(const TnHoleTree *holes, tn_bytes offset, tn_bytes size);

/* Takes a free stretch out of its hole; gives one back and joins it with its neighbours.
 * O(log holes). */
void tn_hole_tree_take(TnHoleTree *holes, tn_bytes offset, tn_bytes size);
void tn_hole_tree_give(TnHoleTree *holes, tn_bytes offset, tn_bytes size);

/* The largest hole but the endless one, 0 where there is none; where the endless one begins. */
tn_bytes tn_hole_tree_largest(const TnHoleTree *holes);
tn_bytes tn_hole_tree_end(const TnHoleTree *holes);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(TnHoleTree, tn_hole_tree_free)
