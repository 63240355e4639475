/* SPDX-License-Identifier: MIT */
/* A table split into spaces, planned one by one and joined again. */
#pragma once

#include "analysis/plan/plan.h"

/* One plan of all rows.  `class`: by row; rows of different classes share nothing; NULL: there are none.
 * Rows with a batch label lie above those without, but in spaces where `apart` (by space; NULL: nowhere)
 * both are planned in one.  Never NULL; owned. */
TnPlan *tn_plan_table(const TnBuffers *buffers, const TnStrategy *strategy, tn_bytes alignment,
                      const TnPlanParams *params, const uint32_t *class, const bool *apart);

/* Spaces in which some rows are labelled and some not are planned in one, too, where one kind above the
 * other may need more: some are fixed, or what alignment leaves free below one could hold others (all sizes
 * multiples of one alignment leave nothing free), and there are not too many pairs of both kinds.
 * Returns by space whether it is such a one; owned; NULL: none is. */
bool *tn_plan_find_apart(const TnBuffers *buffers, tn_bytes least);

/* Whether the sum of all that could lie one above the other leaves planners room to calculate in. */
bool tn_plan_is_within_reach(const TnBuffers *buffers, tn_bytes least);

/* What one of `n_left` parts may take of the time limit since `begun` (monotonic): what those before did
 * not need goes to those behind. */
TnPlanParams tn_plan_share_time(const TnPlanParams *params, const TnStrategy *strategy, gint64 begun,
                                uint32_t n_left);

/* What is proved of a part, that none fits, is not proved of the whole. */
void tn_plan_doubt_tries(GArray *tried);
