/* SPDX-License-Identifier: MIT */
/* `plan FILE --bucket DIM=N,…`: shape buckets, one plan for each set of dimensions. */
#pragma once

#include "app/cli/plan-make.h"

/* Whether --serve has buckets to choose from; false: printed. */
bool tn_cli_plan_check_serve(const TnCliPlanOptions *own);

TnExit
tn_cli_plan_buckets(const char *file, const TnCommonOptions *common, const TnCliPlanOptions *own);
