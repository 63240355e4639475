/* SPDX-License-Identifier: MIT */
/* The free stretches of an arena, ordered by address and by size.  The last hole has no end. */
#pragma once

#include "data/types.h"

typedef struct TnHoles TnHoles;

#define TN_HOLES_END (INT64_MAX / 2)

/* One hole, [0, TN_HOLES_END).  At most `n_max` pieces will be taken at once. */
TnHoles *tn_holes_new(uint32_t n_max);
void tn_holes_free(TnHoles *holes);

/* A multiple of `alignment` at which `size` bytes are free, -1 where there is none.  Changes
 * nothing.  O(log holes) without alignment; with, as many steps more as holes are too small for it. */
tn_bytes tn_holes_lowest(const TnHoles *holes, tn_bytes size, tn_bytes alignment);
/* In the smallest hole that holds it, the lowest of equals. */
tn_bytes tn_holes_tightest(const TnHoles *holes, tn_bytes size, tn_bytes alignment);
/* True where [offset, offset + size) is free. */
bool tn_holes_are_free(const TnHoles *holes, tn_bytes offset, tn_bytes size);

/* Takes a free stretch out of its hole; gives one back and joins it with its neighbours.
 * O(log holes). */
void tn_holes_take(TnHoles *holes, tn_bytes offset, tn_bytes size);
void tn_holes_give(TnHoles *holes, tn_bytes offset, tn_bytes size);

/* The largest hole but the endless one, 0 where there is none; where the endless one begins. */
tn_bytes tn_holes_largest(const TnHoles *holes);
tn_bytes tn_holes_end(const TnHoles *holes);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(TnHoles, tn_holes_free)
