/* SPDX-License-Identifier: MIT */
/* The report as a page of its own. */
#pragma once

#include "app/cli/cli.h"

#include "render/report-html.h"

bool tn_cli_is_html(const char *path);

/* The command as it was called, less -o, quoted for a shell; owned by the caller. */
char *tn_cli_dup_options_line(int argc, char **argv);

/* Fills in hashes and version and writes the page; false: printed. */
bool tn_cli_write_html(TnReportParams *params, const char *path);
