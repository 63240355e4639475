/* SPDX-License-Identifier: MIT */
/* What `plan` is asked for, and the plans that it makes and writes. */
#pragma once

#include "analysis/plan/plan.h"
#include "app/cli/cli.h"

#define TN_CLI_NO_TICK G_MININT64

typedef struct {
  char *strategy, *capacity, *output, *order, *serve, *ge, *against;
  char **buckets;
  double time_limit;
  gint64 seed, compact_at;
} TnCliPlanOptions;

/* What the options say of every plan that is made. */
typedef struct {
  const TnStrategy *strategy;
  tn_bytes capacity, alignment;
  unsigned ge_options;
} TnCliPlanWanted;

/* False: printed. */
bool tn_cli_plan_parse(const TnCommonOptions *common,
                       const TnCliPlanOptions *own,
                       TnCliPlanWanted *out_wanted);
TnPlanParams tn_cli_plan_params(const TnCliPlanOptions *own, const TnCliPlanWanted *wanted);

/* A plan that keeps all rules, or says why there is none, and the warnings of it; NULL: a planner
 * broke a rule.  Complains of both.  Owned by the caller. */
TnPlan *tn_cli_plan_build(const TnStudy *study,
                          const TnCommonOptions *common,
                          const TnCliPlanOptions *own,
                          const TnCliPlanWanted *wanted);

/* Whether the plan, with what its runtime has beside it, takes no more than the capacity. */
bool tn_cli_plan_fits(const TnCommonOptions *common,
                      const TnDocument *document,
                      const TnPlan *plan,
                      tn_bytes capacity);

/* As .json or .csv, by the path's ending; false: printed. */
bool tn_cli_plan_write(const TnDocument *document,
                       const TnStudy *study,
                       const TnPlan *plan,
                       const TnCommonOptions *common,
                       const char *path);
