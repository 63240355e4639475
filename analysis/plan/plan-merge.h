/* SPDX-License-Identifier: MIT */
/* Of two plans of one table the better part. */
#pragma once

#include "analysis/plan/plan.h"

/* Takes over, space by space, what is smaller in `other`, another plan of the same `buffers` for the same
 * `capacity` (0: none); what either proved, both strategies' tries and times.  Where `plan` failed and
 * `other` did not it becomes that.  `other` is freed. */
void tn_plan_merge(TnPlan *plan, TnPlan *other, const TnBuffers *buffers, tn_bytes capacity);
