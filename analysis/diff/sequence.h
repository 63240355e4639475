/* SPDX-License-Identifier: MIT */
/* Two sequences side by side, so that what was inserted into one of them shifts nothing.
 *
 *   a:  p q r     s t
 *       | | |     | |        b_of_a = 0 1 2 5 6
 *   b:  p q r x y s t
 */
#pragma once

#include "data/types.h"

/* For each element of `a` (shape n) the element of `b` (shape m) that stands for it: equal, and
 * growing; TN_NONE where there is none.  `b_of_a`: shape n, owned by the caller.
 * Method: equal ends, then anchors that are unique in both (patience; keys, then runs of 4 and of
 * 16 of them), then Myers, "An O(ND) difference algorithm" (1986) between the anchors, which
 * commits to its furthest path every 64 differences.  O((n + m) log (n + m)), O(n) where they are
 * equal; the longest common subsequence where that differs in few places, else near it. */
void
tn_sequence_align(const uint64_t *a, uint32_t n, const uint64_t *b, uint32_t m, uint32_t *b_of_a);
