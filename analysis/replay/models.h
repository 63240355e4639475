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

/* static.c: fills the result with the arena of a plan of all lives.  Where the quick strategy's is above
 * the limit and no proof says that all are, or where the least is wanted, some two seconds are spent on
 * a better one. */
void tn_replay_plan(const TnReplayLog *log, const TnReplayParams *params, bool wants_least,
                    TnReplayResult *result, TnProgress *progress);
