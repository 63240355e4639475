/* SPDX-License-Identifier: MIT */
/* Rules of GE's plans beyond those that any plan keeps (analysis/check.h). */
#pragma once

#include "analysis/finding.h"
#include "analysis/study.h"

/* Of a plan whose buffers have traits: `ge-cross-stream` (two tenants of a place, nothing makes the
 * later wait), `ge-clean-mix`, `ge-zero-copy-merged`, `ge-unaligned`, `ge-nested-outside`,
 * `above-no-reuse`, `ge-open-lives` (of the overlaps
 * that `findings` has already), and `plan-gap`: why the arena is larger than what is needed at once.
 * At most 100 of each.  O(n log n), and the edges between the two ops of each pair across streams. */
void tn_find_ge(const TnStudy *study, TnFindings *findings);

/* Of any other plan: `cross-stream`, the same of two tenants, where the file says which stream waits for
 * which. */
void tn_find_stream_sharing(const TnStudy *study, TnFindings *findings);

/* `why-not` (on request): whether two rows could share memory, and the first rule that forbids it. */
void tn_find_why_not(const TnStudy *study, tn_index a, tn_index b, TnFindings *findings);

/* `plan-gap` alone, of any plan. */
void tn_find_plan_gap(const TnStudy *study, TnFindings *findings);
