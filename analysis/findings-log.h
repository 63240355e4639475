/* SPDX-License-Identifier: MIT */
/* Findings on a log: what grew, what lay idle, and what the allocator's own ways cost.  Savings are
 * computed: the live peak without the buffers, or the reserved peak of a replay without the cause. */
#pragma once

#include "analysis/finding.h"
#include "analysis/replay/replay.h"

/* The live peak with other ends of lives (`end`: by buffer, only read). */
tn_bytes tn_peak_with_ends(const TnStudy *study, tn_tick *end);

/* `leak`: a call site that grows with every iteration.  saving: of the live peak. */
void tn_find_leaks(const TnStudy *study, TnFindings *findings);

/* `late-free`: freed long after the last recorded use, by call site.  saving: of the live peak. */
void tn_find_late_frees(const TnStudy *study, TnFindings *findings);

/* `fragmentation`: holes at the reserved peak that were too small for the largest request of the
 * last thousand events.  saving: of the reserved peak, by a replay with growing segments. */
void tn_find_fragmentation(const TnStudy *study, const TnReplayLog *log, TnFindings *findings);

/* `cross-stream`: pools and streams that each keep a cache of their own.  saving: of the reserved
 * peak, by a replay in which all requests share one. */
void tn_find_split_pools(const TnStudy *study, const TnReplayLog *log, TnFindings *findings);

/* `repeated-allocation`: a call site that takes the same size again and again within an iteration
 * while the one before is gone.  A note: bytes taken in all, no saving of the peak. */
void tn_find_repeats(const TnStudy *study, TnFindings *findings);
