/* SPDX-License-Identifier: MIT */
/* draw --view orders, --view budget: what a graph's ops could do. */
#pragma once

#include "app/cli/cli.h"

#include "render/export.h"

bool tn_cli_is_graph_view(const char *view);

/* Loads the file and writes the picture; prints what it did, or what is wrong.  `budget` (NULL:
 * half way between the least possible and the peak) is of --view budget. */
TnExit tn_cli_draw_graph_view(const char *path,
                              const TnCommonOptions *options,
                              const TnExportParams *params,
                              const char *view,
                              const char *budget,
                              const char *output);
