/* SPDX-License-Identifier: MIT */
/* Tables of which two plans are made, and of each space the smaller kept. */
#pragma once

#include "analysis/plan/plan.h"

/* Batches above the rest, which is quick and often as small as can be; then, where it is not, in one
 * in the spaces that are `apart` (tn_plan_find_apart()). */
TnPlan *tn_plan_both(const TnBuffers *buffers, const TnStrategy *strategy, tn_bytes alignment,
                     const TnPlanParams *params, const bool *apart);

bool tn_plan_has_fixed_rows(const TnBuffers *buffers);

/* Streams (`params->uses`) that are kept apart pair by pair may need too many pairs, or so many that
 * planners do worse than with a place for each stream: that plan is made first. */
TnPlan *tn_plan_streams(const TnBuffers *buffers, const TnStrategy *strategy, tn_bytes alignment,
                        const TnPlanParams *params);
