/* SPDX-License-Identifier: MIT */
/* The report as a file of its own. */
#pragma once

#include "app/cli/cli.h"

#include "render/report-file.h"

bool tn_cli_is_html(const char *path);

/* The command as it was called, less -o and the notes, quoted for a shell; owned by the caller. */
char *tn_cli_dup_options_line(int argc, char **argv);

/* Of --notes TEXT, or @FILE: *out_notes is owned by the caller (NULL: none).  False: printed. */
bool tn_cli_read_notes(const char *text, char **out_notes);

/* Fills in hashes and version and writes the report in the format of the path's ending; false:
 * printed. */
bool tn_cli_write_report(TnReportParams *params, const char *path);
