/* SPDX-License-Identifier: MIT */
/* Blocks shared whole: a body takes a block for itself while it lives, whatever the block's size. */
#pragma once

#include "analysis/plan/neighbours.h"

/* Colours the bodies in `order` (shape n; fixed ones are skipped): each takes the smallest free
 * block that holds it, else the largest free one, which grows, else a new one.  Fills block[b]
 * (shape bodies->n, TN_NONE for the skipped) and returns how many blocks there are.
 * `neighbours` must have nothing placed.  TN_NONE where cancelled.  O(pairs + n blocks). */
uint32_t tn_colour(TnNeighbours *neighbours, const TnBodies *bodies, const uint32_t *order,
                   uint32_t n, TnProgress *progress, uint32_t *block);

/* Stacks blocks from `base` upwards; each body goes to its block's bottom, or as little above it as
 * its alignment wants.  Fills `offset` of bodies with a block, returns the top; -1 where an address
 * overflows. */
tn_bytes tn_colour_stack(const TnBodies *bodies, const uint32_t *block, uint32_t n_blocks,
                         tn_bytes base, tn_bytes *offset);
