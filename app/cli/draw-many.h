/* SPDX-License-Identifier: MIT */
/* draw FILE FILE…: many files in one picture. */
#pragma once

#include "app/cli/cli.h"

#include "render/export.h"

/* Writes the overview of the files (NULL-terminated); prints what it did, or what is wrong. */
TnExit tn_cli_draw_many(char **files,
                        const TnCommonOptions *options,
                        const TnExportParams *params,
                        const char *output);
