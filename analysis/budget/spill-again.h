/* SPDX-License-Identifier: MIT */
/* What it costs at least to make a storage again. */
#pragma once

#include "analysis/budget/spill-model.h"

/* By idle stretch: seconds of the ops that must run again before its next use: its maker, and the
 * makers of what that reads and nobody needs any more by then; each op shared by all stretches with
 * the same next use that may need it, so that sums over stretches are never too high.  HUGE_VAL:
 * impossible.  `least` (by op): seconds of its fastest way.  Owned. */
double *tn_spill_again_seconds(const TnSpillModel *model, const double *least);
