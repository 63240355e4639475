/* SPDX-License-Identifier: MIT */
/* Two sides of a command that compares: options of each side, and its study with offsets. */
#pragma once

#include "app/cli/cli.h"

#include "analysis/diff/diff.h"

/* What one side takes otherwise than the common options say. */
typedef struct {
  char *strategy, *order, *align, *preset, *lifetime_model, *device;
  char **bind;
} TnSideOptions;

typedef struct {
  const TnDocument *document; /* owned by the side that loaded it */
  TnDocument *owned_document; /* NULL: the other side's file, the same in all that reading asks */
  TnStudy *study;
  uint32_t *order;      /* of a graph's ops; NULL: the file's */
  const char *strategy; /* the planner of its offsets; NULL: the file's own, or none */
} TnCliSide;

typedef struct {
  TnSideOptions options_a, options_b;
  double time_limit; /* of the planners that search */
  char **matches;    /* of --match; may be NULL */
  TnCliSide a, b;
} TnCliTwo;

/* A command's own entries (NULL-terminated) with those for --a-…, --b-…, --match and --time-limit; valid as
 * long as `two`.  Owned by the caller. */
GOptionEntry *tn_cli_two_join_entries(TnCliTwo *two, const GOptionEntry *own);

/* Loads and studies both; what has no offsets gets them from --a-strategy and --b-strategy, else
 * from greedy-size.  False: printed, and *out_exit. */
bool tn_cli_two_load(TnCliTwo *two,
                     const char *path_a,
                     const char *path_b,
                     const TnCommonOptions *common,
                     TnExit *out_exit);
/* The diff of both, with the warnings of both on standard error; NULL: printed, and *out_exit. */
TnDiff *tn_cli_two_compare(const TnCliTwo *two, TnExit *out_exit);
/* "warnings": those of both, each with its "side": "a", "b", or "both" where that is one file. */
void tn_cli_two_add_warnings(cJSON *object, const TnCliTwo *two);
/* Appends the pairs of --match (tn_index[2], as TnDiffParams.fixed has them); false: printed. */
bool tn_cli_two_parse_matches(const TnCliTwo *two, GArray *out_pairs);
/* What tells a side apart from the other: its options and planner ("batch=4, exact"); owned by the
 * caller. */
char *tn_cli_side_dup_note(const TnCliSide *side, const TnSideOptions *options);
void tn_cli_two_clear(TnCliTwo *two);

/* "+12.0 MiB", "-3 B", "0 B"; owned by the caller. */
char *tn_cli_delta(const TnCommonOptions *options, tn_bytes bytes);
