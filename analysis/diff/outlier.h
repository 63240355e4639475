/* SPDX-License-Identifier: MIT */
/* Of many figures the one that does not belong. */
#pragma once

#include "data/types.h"

/* The row of `values` (shape n) farthest from their median; TN_NONE where that is no more than 3.5
 * times the usual distance (the median of all distances, Iglewicz and Hoaglin 1993) or than 2 % of
 * the median away, or where there are fewer than three.  O(n log n). */
uint32_t tn_outlier_find(const tn_bytes *values, uint32_t n);
