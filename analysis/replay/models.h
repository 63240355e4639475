/* SPDX-License-Identifier: MIT */
/* The models, one file each. */
#pragma once

#include "analysis/replay/replay.h"

extern const TnAllocatorModel tn_allocator_caching;
extern const TnAllocatorModel tn_allocator_bfc;
extern const TnAllocatorModel tn_allocator_scalable;
extern const TnAllocatorModel tn_allocator_buddy;
extern const TnAllocatorModel tn_allocator_first_fit;
extern const TnAllocatorModel tn_allocator_best_fit;
extern const TnAllocatorModel tn_allocator_static; /* no events: the arena of a plan */

/* caching-seed.c */
bool tn_caching_seed(TnAllocator *allocator, const TnReplayLog *log);

/* static.c: fills the result with the arena of a plan of all lives.  Where the quick strategy's is
 * above the limit and no proof says that all are, or where the least is wanted, two seconds are
 * spent on a better one, and two more where none that fits was found; none where the quick strategy
 * alone took one, as it does with a hundred thousand lives.  What is found depends on the machine's
 * speed and load: another run may find a smaller plan, or none as small. */
void tn_replay_plan(const TnReplayLog *log,
                    const TnReplayParams *params,
                    TnReplayResult *result,
                    TnProgress *progress);
