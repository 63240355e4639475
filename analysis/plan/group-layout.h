/* SPDX-License-Identifier: MIT */
/* Where the members of a padded contiguous group are, some of which are fixed. */
#pragma once

#include "analysis/plan/plan.h"

/* Of n rows in order (those of no bytes take no part), each of which follows the one before with less
 * than the strictest alignment between:
 *
 *   |  m0 |/| m1 |  FIXED  |//|  m3  |/////|  FIXED  |/|  m5  |
 *    as high as it may be      highest that        lowest
 *                              leaves no gap too large
 *
 * Sets at[i], shape n.  False where no place of the others goes with the fixed ones: with it, what is above
 * the last fixed one ends as low as it can.  O(n). */
bool tn_group_layout_around(const TnPlanProblem *problem, const uint32_t *rows, uint32_t n,
                            tn_bytes *at);
