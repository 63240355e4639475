/* SPDX-License-Identifier: MIT */
/* check --baseline: what is worse than in an older file. */
#pragma once

#include "app/cli/cli.h"

#include "analysis/findings-all.h"

typedef struct {
  TnDocument *document;
  TnStudy *study;
  TnFindings *findings;
} TnCliBaseline;

/* Loads the older file and its findings, asked for as the new one's; false: printed, and *out_exit. */
bool tn_cli_baseline_load(TnCliBaseline *baseline,
                          const char *path,
                          const TnCommonOptions *options,
                          const TnFindParams *find,
                          TnExit *out_exit);
void tn_cli_baseline_clear(TnCliBaseline *baseline);

/* Appends `worse-than-baseline` (an error) for each figure, live peak, arena, reserved peak or residents,
 * that is more than `tolerance` bytes above the older one's. */
void tn_cli_baseline_compare(const TnCliBaseline *baseline,
                             const TnStudy *study,
                             tn_bytes tolerance,
                             TnFindings *findings);

/* Whether a finding was there before: no more findings of its code than the older file has. */
bool tn_cli_baseline_knows(const TnCliBaseline *baseline,
                           const TnFindings *findings,
                           const TnFinding *finding);

/* "baseline": {"file", "live_peak_bytes", "live_peak_delta_bytes", …} */
void tn_cli_baseline_add_json(const TnCliBaseline *baseline, const TnStudy *study, cJSON *object);
