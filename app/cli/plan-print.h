/* SPDX-License-Identifier: MIT */
/* What `plan` says of a plan: for a person, for a program, and where there is none. */
#pragma once

#include "app/cli/plan-cost.h"

/* `capacity`: 0 for none. */
void tn_cli_plan_print_json(const TnDocument *document,
                            const TnCommonOptions *common,
                            const TnStudy *study,
                            const TnPlan *plan,
                            tn_bytes alignment,
                            tn_bytes capacity,
                            const TnPlanCost *cost);
void tn_cli_plan_print_text(const TnCommonOptions *options,
                            const TnDocument *document,
                            const TnStudy *study,
                            const TnPlan *plan,
                            tn_bytes capacity,
                            const TnPlanCost *cost);

/* There is no plan, and why; for a program. */
void tn_cli_plan_print_none(const TnDocument *document,
                            const TnStudy *study,
                            const TnPlan *plan,
                            tn_bytes capacity);
