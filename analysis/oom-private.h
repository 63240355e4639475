/* SPDX-License-Identifier: MIT */
/* What the files of oom.c share. */
#pragma once

#include "analysis/oom.h"

/* What happened, the verdict, and what to do next, of a TnOom whose figures are filled.  Owned by the
 * caller. */
char *tn_oom_dup_sentence(const TnOom *oom);
char *tn_oom_dup_cause(const TnOom *oom);
char *tn_oom_dup_advice(const TnOom *oom);

/* formats/pytorch.md 1.9: what grows takes and gives back so much at a time. */
tn_bytes tn_oom_granule(bool is_small);

/* What the device could have back if the free bytes of a group lay as one likes: a segment is given back
 * whole or not at all, so that a hole in one that stays is none of it; what grows gives back granules.
 * Shape holes->groups->len; owned by the caller.  Exact, by the set of all sums in their common unit; where
 * that would be more than some 0.1 s of work, as there are very many sizes of a small unit, it may be too much.
 * O(segments log segments), and a bounded number of sums. */
tn_bytes *tn_oom_sum_whole(const TnHoles *holes);
