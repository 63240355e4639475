/* SPDX-License-Identifier: MIT */
/* Cuts time into sections: the fewest stretches in which lives overlap as they do over the ticks.
 *
 *   ticks     0  1  2  3  4  5          sections
 *   a         [-----)                   [0,1)
 *   b            [--------)             [0,2)
 *   c                  [-----)             [1,2)      a new one begins at the first start after an end
 */
#pragma once

#include "data/types.h"

/* Lives [start[i], end[i]) in copy[i] of the axis (NULL: all in copy 0), shape n, start < end.
 * Fills first/last (shape n) with half-open ranges of sections and returns how many there are
 * (at most n).  Two lives of one copy overlap exactly when their ranges do; lives of different
 * copies never do.  O(n) where the ticks' range is within 16 n, else O(n log n). */
uint32_t tn_ticks_cut(const tn_tick *start, const tn_tick *end, const uint32_t *copy,
                      uint32_t n, uint32_t *first, uint32_t *last);
