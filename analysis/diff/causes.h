/* SPDX-License-Identifier: MIT */
/* Why the peak is another: each buffer at either side's peak is one of the causes, with its bytes.
 */
#pragma once

#include "analysis/diff/diff.h"

/* Takes a study's arena apart, each space at its own live peak: gaps below a buffer that its alignment
 * forces, what its streams need that share nothing, all else that is empty, and what the spaces' peaks together
 * pass the live peak by.  `order`: of a graph's ops, NULL its own.  False where a sum passes 64 bits.
 * O(n + alive log alive), of several streams O(n²). */
bool tn_diff_account(const TnStudy *study, const uint32_t *order, TnDiffAccount *out_account);

/* Fills the causes of a diff whose pairs, axis and accounts are there; false where a sum passes 64
 * bits.  O(n). */
bool tn_diff_find_causes(TnDiff *diff);
