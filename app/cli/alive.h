/* SPDX-License-Identifier: MIT */
/* What was alive when requests failed, by call site and by module, as `info` and `check` say it. */
#pragma once

#include "app/cli/cli.h"

#include "analysis/oom.h"

/* A row of `list` for each failed request of the study's device: `by_call_site` and `by_module`,
 * the largest first, each with the sum of the rest; where modules can't be told `modules_untold`
 * says why.  Of very many failures the first and the last ones (tn_oom_find_told()); returns how many
 * were left out. */
uint32_t tn_cli_add_alive(cJSON *list, const TnStudy *study);

/* The same of the first failed request, a few rows each, on standard output. */
void tn_cli_print_alive(const TnCommonOptions *options, const TnStudy *study);
