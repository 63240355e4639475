/* SPDX-License-Identifier: MIT */
/* Who is placed at the same time, where very many are: an index for packing from below that leaves out
 * what cannot matter.
 *
 * A section's floor is an address below which everything is taken there.  A body can lie no lower than
 * the highest floor of its sections, so neighbours that end below it need not be looked at.  Placed
 * bodies lie in a segment tree over the sections, at the nodes that their life covers; each node keeps
 * what it holds as solid blocks, bottom to top, and the highest top below it.  The floors are another
 * such tree, with their least and greatest. */
#pragma once

#include "analysis/plan/neighbours.h"

typedef struct TnFloors TnFloors;

/* Nothing placed.  Only for simple bodies (TnBodies.is_simple), which are borrowed for its life. */
TnFloors *tn_floors_new(const TnBodies *bodies);
void tn_floors_free(TnFloors *floors);

/* What placed bodies forbid to body `b`, above *out_from, below which it can't lie at all; unsorted.
 * Borrowed, valid until the next call.  O(log sections + what is found). */
TnForbidden *tn_floors_forbidden(TnFloors *floors, uint32_t b, tn_bytes *out_from,
                                 uint32_t *out_n);

/* `offset` is one that nothing forbids. */
void tn_floors_place(TnFloors *floors, uint32_t b, tn_bytes offset);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(TnFloors, tn_floors_free)
