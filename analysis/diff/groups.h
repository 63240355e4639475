/* SPDX-License-Identifier: MIT */
/* Changes of one kind and one name as one row: eighty buffers of one line of code say one thing. */
#pragma once

#include "analysis/diff/diff.h"

typedef struct {
  char *label;               /* owned by the array */
  unsigned changes;          /* TnDiffChanges, the same of all */
  uint32_t n, first;         /* pairs, and the largest of them */
  tn_bytes bytes_a, bytes_b; /* sums; saturated at 64 bits */
  tn_bytes peak_bytes;       /* what they add to the difference of the live peaks */
} TnDiffGroup;

/* TnDiffGroup rows, the most important first: by what they add to the difference of the peaks, then
 * by the difference of their sizes, then by size.  Owned by the caller.  O(n log n). */
GArray *tn_diff_build_groups(const TnDiff *diff);

static inline const TnDiffGroup *
tn_diff_group(const GArray *groups, uint32_t i)
{
  return &g_array_index(groups, TnDiffGroup, i);
}
