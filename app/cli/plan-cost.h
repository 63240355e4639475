/* SPDX-License-Identifier: MIT */
/* What `plan` says of a plan beside its bytes: places taken over, waits that adds, how full it is over
 * time, what a compaction would win. */
#pragma once

#include "analysis/plan/occupancy.h"
#include "analysis/plan/plan.h"
#include "app/cli/cli.h"

typedef struct {
  GArray *reuse;       /* TnReusePair; NULL: too many buffers to ask (above 200,000) */
  int64_t added_waits; /* -1: not a graph, or too many ops */
  GArray *curve;       /* TnOccupancy */
  TnOccupancy compaction;
  tn_bytes high_water_bytes;
} TnPlanCost;

/* `order`: of the graph's ops, NULL: the file's; `compact_at`: a tick, or -1 for the one at which the
 * arena's highest byte is in use.  Cleared by the caller. */
TnPlanCost tn_plan_cost_find(const TnDocument *document, const TnStudy *study, const TnPlan *plan,
                             const uint32_t *order, tn_bytes alignment, tn_tick compact_at);
void tn_plan_cost_clear(TnPlanCost *cost);

void tn_plan_cost_add_json(cJSON *object, const TnPlanCost *cost);
void tn_plan_cost_print(const TnCommonOptions *common, const TnPlanCost *cost);
