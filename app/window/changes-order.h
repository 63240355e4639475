/* SPDX-License-Identifier: MIT */
/* In which order the pairs of a comparison stand in its list.  For any thread. */
#pragma once

#include "analysis/diff/diff.h"

#include <glib.h>

typedef enum {
  TN_CHANGES_STATUS,
  TN_CHANGES_LABEL,
  TN_CHANGES_SIZE, /* in B, of what is gone in A */
  TN_CHANGES_SIZE_DELTA,
  TN_CHANGES_LIFE_DELTA,
  TN_CHANGES_OFFSET_DELTA,
  TN_CHANGES_AT_PEAK,
  TN_CHANGES_MATCH,
  TN_CHANGES_KINDS,
  TN_N_CHANGES_COLUMNS
} TnChangesColumn;

/* All pairs (uint32_t), the most important first: by what they add to the difference of the peaks,
 * then by the difference of their sizes, then changed ones, then by size.  O(n log n). */
GArray *tn_changes_order_first(const TnDiff *diff);
/* By a column; what is the same there stands as in `first` (and unknown last).  O(n log n). */
GArray *tn_changes_order_by(const TnDiff *diff,
                            const GArray *first,
                            TnChangesColumn column,
                            bool is_descending);

/* "+", "−", "↑", "↓", "↔" or "=". */
const char *tn_changes_status(const TnDiff *diff, uint32_t pair);
