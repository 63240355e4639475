/* SPDX-License-Identifier: MIT */
/* What `info --group-by` adds: what is alive at the live peak, in groups. */
#pragma once

#include "app/cli/cli.h"

/* `device`'s "alive_at_peak": `grouping`, all rows with `name`, `buffers`, `bytes`, the largest first;
 * they sum to the live peak.  The study is prepared with the options' grouping. */
void tn_cli_add_groups(cJSON *device, const TnCommonOptions *options, TnStudy *study);

/* The same on standard output, the largest rows and the sum of the rest. */
void tn_cli_print_groups(const TnCommonOptions *options, TnStudy *study);
