/* SPDX-License-Identifier: MIT */
/* Which pairs of a comparison are shown: by side, by kind of change, by the cause that they have a
 * part in. */
#pragma once

#include "analysis/diff/diff.h"

#include <glib.h>

typedef enum {
  TN_SHOW_ONLY_A = 1 << 0,
  TN_SHOW_BOTH = 1 << 1,
  TN_SHOW_ONLY_B = 1 << 2,
  TN_SHOW_ALL_SIDES = 7
} TnDiffSides;

#define TN_SHOW_SAME (1u << TN_N_CHANGES) /* beside the bits of TnDiffChanges */

typedef struct {
  unsigned sides;   /* TnDiffSides */
  unsigned changes; /* any of these; 0: whatever changed */
  unsigned cause;   /* TN_N_CAUSES: whatever the cause */
} TnDiffFilter;

#define TN_DIFF_FILTER_INIT                                                                        \
  {                                                                                                \
    TN_SHOW_ALL_SIDES, 0, TN_N_CAUSES                                                              \
  }

bool tn_diff_filter_is_all(const TnDiffFilter *filter);
/* By pair 1 where it is shown; *out_n of them.  NULL: all are.  O(n). */
GBytes *tn_diff_filter_run(const TnDiffFilter *filter, const TnDiff *diff, uint32_t *out_n);
/* The same by buffer of one side, from what the above gave.  NULL for NULL. */
GBytes *tn_diff_filter_side(const TnDiff *diff, GBytes *shown, TnDiffSide side);

/* The bit of TnDiffSides, and those of changes (TN_SHOW_SAME: none), of a pair. */
unsigned tn_diff_filter_side_of(const TnDiff *diff, uint32_t pair);
unsigned tn_diff_filter_changes_of(const TnDiff *diff, uint32_t pair);
