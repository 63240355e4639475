/* SPDX-License-Identifier: MIT */
/* What the commands of tenure-cli share: options, loading, output.  cli.md is the contract. */
#pragma once

#include "analysis/plan/plan.h"
#include "analysis/study.h"
#include "app/answer/json.h"
#include "app/cli/print.h"
#include "data/reader.h"
#include "data/write.h"

typedef enum { TN_EXIT_DONE, TN_EXIT_NO, TN_EXIT_USAGE, TN_EXIT_INPUT } TnExit;

typedef struct {
  const char *name;
  const char *arguments; /* "FILE", for the usage line */
  const char *summary;
  TnExit (*run)(int argc, char **argv); /* argv[0] is the command's name */
} TnCommand;

/* Options that every command which reads a file takes. */
typedef struct {
  gboolean is_json, is_bytes, is_partial;
  char *format;
  char *align;
  char **bind, **value;
  char *preset, *lifetime_model, *aliasing, *edits;
  gboolean no_workspace;
  char *group_by;
  char *device;
  char *memory_limit;
  const uint32_t *order; /* borrowed: of a graph's ops, set by a command; NULL: the file's */
} TnCommonOptions;

void tn_common_options_clear(TnCommonOptions *options);

/* Parses argv into `common`, the command's own `entries` (may be NULL) and the files that remain.
 * Prints what is wrong and returns false; --help prints and exits 0.  `out_files`: NULL-terminated,
 * at least `min_files` and at most `max_files` of them, owned by the caller. */
bool tn_cli_parse(const TnCommand *command, int argc, char **argv, TnCommonOptions *common,
                  const GOptionEntry *entries, int min_files, int max_files, char ***out_files);

/* Loads the file and prints its problem where it can't; NULL then, and *out_exit. */
TnDocument *tn_cli_load(const char *path, const TnCommonOptions *options, TnExit *out_exit);
/* The row of the device that --device names, else the first to show.  TN_NONE: printed. */
uint32_t tn_cli_device_row(const TnDocument *document, const TnCommonOptions *options);
/* The study of the device that --device names, else the first to show.  NULL: printed. */
TnStudy *tn_cli_study(const TnDocument *document, const TnCommonOptions *options,
                      TnExit *out_exit);
TnStudy *tn_cli_study_device(const TnDocument *document, uint32_t device_row,
                             const TnCommonOptions *options, TnExit *out_exit);

/* What the options say of a graph's lives; false: printed. */
bool tn_cli_lifetime_params(const TnCommonOptions *options, TnGraphLifetimeParams *out_params);

/* The order that --order names, owned: "file", a method of analysis/order/, or a JSON file with an
 * "order" of op ids (as `schedule -o` writes it).  `*in_out_limit`: the seconds (<= 0: no limit) that the
 * search shares with what comes after it; what is left.  NULL: printed, and *out_exit. */
uint32_t *tn_cli_build_order(const TnDocument *document, const TnCommonOptions *options,
                             const char *name, double *in_out_limit, TnExit *out_exit);
/* Whether the document has a graph; says so where it has none. */
bool tn_cli_need_graph(const TnDocument *document);

/* "tenure-cli: …" on standard error. */
void tn_cli_complain(const char *format, ...) G_GNUC_PRINTF(1, 2);
/* Warnings of a reading on standard error, one line each. */
void tn_cli_print_warnings(const TnDiagnostics *diagnostics);
/* The same of one of several files: `whose` stands before each. */
void tn_cli_print_warnings_of(const char *whose, const TnDiagnostics *diagnostics);

/* Adds to the document's diagnostics what the study left out or had to assume. */
void tn_cli_add_study_warnings(const TnDocument *document, const TnStudy *study);
/* What of the rules a plan of the document does not use. */
void tn_cli_add_plan_warnings(const TnDocument *document, const TnPlan *plan);
/* Adds that other devices of the file have something, too, where none was named. */
void tn_cli_add_other_devices(const TnStudy *study, const TnCommonOptions *options);
/* Adds what of a plan written as CSV has no column there; false: nothing. */
bool tn_cli_add_csv_losses(const TnDocument *document, const TnPlanOutput *plan);
/* Whether residents of both mean the same: a format that has none says 0, too. */
bool tn_cli_both_tell_residents(const TnStudy *a, const TnStudy *b);

/* Sizes as the options want them (units, or exact with --bytes); owned by the caller. */
char *tn_cli_size(const TnCommonOptions *options, tn_bytes bytes);
/* No less than the bytes: what is told to be enough is, typed as it stands. */
char *tn_cli_size_up(const TnCommonOptions *options, tn_bytes bytes);
bool tn_cli_parse_size(const char *option, const char *text, tn_bytes *out_bytes);
/* The same for what must be more than 0; 0 where `text` is NULL. */
bool tn_cli_parse_budget(const char *option, const char *text, tn_bytes *out_bytes);
/* Whether --time-limit makes sense; complains where not. */
bool tn_cli_check_time_limit(double seconds);
/* Whether -o names a .json or .csv file, or - without --json; complains where not.  NULL is fine. */
bool tn_cli_check_output(const TnCommand *command, const char *path,
                         const TnCommonOptions *options);
/* The same whatever its ending: standard output takes one document. */
bool tn_cli_check_stdout(const TnCommand *command, const char *path,
                         const TnCommonOptions *options);
/* Whether -o is -: then the file alone goes there, and nothing for a person. */
bool tn_cli_is_stdout(const char *path);

/* ---- JSON ---------------------------------------------------------------------------------- */

/* Whether objects are printed as one line each (a fleet's) or indented. */
void tn_json_set_lines(bool is_lines);
/* Prints the object on standard output and frees it.  Ends the program with status 3 where it is too large
 * to be printed. */
void tn_json_print(cJSON *object);
/* Writes it to a file, - for standard output; complains where it can't. */
bool tn_json_write(const cJSON *object, const char *path);

/* ---- commands, one file each --------------------------------------------------------------- */

extern const TnCommand tn_command_info;
extern const TnCommand tn_command_plan;
extern const TnCommand tn_command_check;
extern const TnCommand tn_command_diff;
extern const TnCommand tn_command_draw;
extern const TnCommand tn_command_replay;
extern const TnCommand tn_command_convert;
extern const TnCommand tn_command_formats;
extern const TnCommand tn_command_strategies;
extern const TnCommand tn_command_schedule;
extern const TnCommand tn_command_spill;
extern const TnCommand tn_command_bisect;
extern const TnCommand tn_command_calibrate;
