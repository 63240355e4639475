/* SPDX-License-Identifier: MIT */
/* `plan FILE --against recorded|STRATEGY`: what that plan leaves on the table, for a person or as
 * JSON. */
#pragma once

#include "app/answer/left-answer.h"
#include "app/cli/cli.h"

TnExit tn_plan_left_run(const TnStudy *study, const TnCommonOptions *common,
                        const TnLeftQuestion *question);
