/* SPDX-License-Identifier: MIT */
/* Many files through one command: a process for each, so that a file which brings its reader down
 * takes no other with it; one JSON object a line (NDJSON), in the order of the arguments. */
#pragma once

#include "app/cli/cli.h"

/* Answers for one file, in the process of its own; prints its object with tn_json_print(). */
typedef TnExit (*TnFleetOne)(const char *path, const void *payload);

/* Runs `one` for each of `files` (NULL-terminated), `n_jobs` at once (< 1: one a processor).  A
 * file that gives no object gives {"file", "error", "exit_status"}.  Returns the gravest exit
 * status: an input that can't be read before a "no" before done.  Nothing is printed for a person.
 */
TnExit tn_cli_fleet_run(char **files, int n_jobs, TnFleetOne one, const void *payload);

/* Whether the arguments ask for a fleet; complains where that lacks --json (*out_is_wrong). */
bool tn_cli_is_fleet(
    const TnCommand *command, char **files, int n_jobs, bool is_json, bool *out_is_wrong);
