/* SPDX-License-Identifier: MIT */
/* One side of a diff on the common axis, ready to be drawn by every view: equal moments stand under
 * each other, and where the other side has more, this one stands still. */
#pragma once

#include "analysis/diff/diff.h"

/* What a buffer is in the diff: the category of the side's study (TnCategories), so that a theme
 * with these colours draws the difference. */
typedef enum {
  TN_DELTA_SAME,
  TN_DELTA_MOVED, /* another place or moment, name or alignment; size and life are the same */
  TN_DELTA_LARGER,
  TN_DELTA_NEW,
  TN_DELTA_SMALLER,
  TN_DELTA_GONE,
  TN_DELTA_LONGER,
  TN_DELTA_SHORTER,
  TN_N_DELTAS
} TnDelta;

TnDelta tn_delta_of(unsigned changes);
/* "larger in B", for legends. */
const char *tn_delta_title(TnDelta delta);

/* A prepared study whose rows are those of the side's own study, on the common axis; marks are left
 * where they were and mean nothing in it.  It borrows from `diff`'s study: keep the diff.
 * O(n log n). */
TnStudy *tn_diff_build_side_study(const TnDiff *diff, TnDiffSide side);
