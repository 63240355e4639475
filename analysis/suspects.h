/* SPDX-License-Identifier: MIT */
/* The usual suspects, answered one by one for a file: is it this?  Yes with bytes, no, or why it can't
 * be told from this file. */
#pragma once

#include "analysis/finding.h"
#include "analysis/study.h"

typedef enum { TN_SUSPECT_YES, TN_SUSPECT_NO, TN_SUSPECT_UNKNOWN } TnSuspectAnswer;

typedef struct {
  const char *code;     /* of the finding that says more: "reuse-off", … */
  const char *question; /* "Is reuse switched off?" */
  TnSuspectAnswer answer;
  tn_bytes bytes; /* what it costs: the saving where it was computed, else what is at stake; -1 */
  char *sentence; /* why */
} TnSuspect;

/* One row for each suspect, in a fixed order (TnSuspect, owned by the caller, g_array_unref()).
 * `findings`: of tn_find_all() on a prepared study. */
GArray *tn_suspects_new(const TnStudy *study, const TnFindings *findings);

/* "yes", "no", "can't be told". */
const char *tn_suspect_answer_name(TnSuspectAnswer answer);
