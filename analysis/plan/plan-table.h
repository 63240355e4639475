/* SPDX-License-Identifier: MIT */
/* A table split into spaces, planned one by one and joined again. */
#pragma once

#include "analysis/plan/plan.h"

/* One plan of all rows.  `class`: by row; rows of different classes share nothing; NULL: there are none.
 * `is_stacked`: rows with a batch label lie above those without, whatever is fixed.  Never NULL; owned. */
TnPlan *tn_plan_table(const TnBuffers *buffers, const TnStrategy *strategy, tn_bytes alignment,
                      const TnPlanParams *params, const uint32_t *class, bool is_stacked);

/* Spaces in which some rows are labelled, some not and some fixed are planned in one too: neither kind can
 * be pushed up as a whole.  Returns by space whether it is such a one; owned. */
bool *tn_plan_find_apart(const TnBuffers *buffers, uint32_t n_spaces);

/* Whether the sum of all that could lie one above the other leaves planners room to calculate in. */
bool tn_plan_is_within_reach(const TnBuffers *buffers, tn_bytes least);

/* What one of `n_left` parts may take of the time limit since `begun` (monotonic): what those before did
 * not need goes to those behind. */
TnPlanParams tn_plan_share_time(const TnPlanParams *params, const TnStrategy *strategy, gint64 begun,
                                uint32_t n_left);

/* What is proved of a part, that none fits, is not proved of the whole. */
void tn_plan_doubt_tries(GArray *tried);
