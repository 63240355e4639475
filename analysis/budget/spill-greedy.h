/* SPDX-License-Identifier: MIT */
/* A good spill plan for graphs of any size: choose, then improve choice by choice. */
#pragma once

#include "analysis/budget/spill-search.h"

/* Puts the best plan that it finds into `found` (initialised).  Of several rules for the next
 * choice each makes a plan; the best is improved until nothing helps or the time is over. */
void tn_spill_greedy(const TnSpillModel *model,
                     const TnSpillSearch *search,
                     const TnSpillPlan *hint,
                     TnSpillFound *found);
