/* SPDX-License-Identifier: MIT */
/* Who is placed at the same time, where very many are: an index that finds the lowest gap without
 * looking at each neighbour.
 *
 * Time is a tree of stretches, halved down to single sections.  Each stretch keeps, as addresses that
 * are taken, bottom to top: `whole`, by those whose lives cover it but not the stretch above it; and
 * `any`, by those and all that live in a part of it.  What neighbours take from a life is then `any` of
 * the few stretches that make it up and `whole` of those above them. */
#pragma once

#include "analysis/plan/bodies.h"

typedef struct TnCrowd TnCrowd;

/* Nothing placed.  Only for simple bodies (TnBodies.is_simple), which are borrowed for its life. */
TnCrowd *tn_crowd_new(const TnBodies *bodies);
void tn_crowd_free(TnCrowd *crowd);

/* The lowest offset of body `b` that its alignment and the placed bodies allow.  O(log sections) where
 * the lowest gap is free all along its life, O(gaps below it) of those stretches at worst. */
tn_bytes tn_crowd_lowest(TnCrowd *crowd, uint32_t b);

/* `offset` is one that nothing forbids.  O(log sections) stretches; the memory of a body is 16 bytes
 * in each at most, nothing where it joins others without a gap of use to any body. */
void tn_crowd_place(TnCrowd *crowd, uint32_t b, tn_bytes offset);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(TnCrowd, tn_crowd_free)
