/* SPDX-License-Identifier: MIT */
/* Leaks: call sites whose memory grows with every iteration and is never freed. */
#pragma once

#include "analysis/callsite.h"
#include "analysis/study.h"

typedef struct {
  uint32_t site;
  GArray *buffers; /* uint32_t, never freed, by start */
  tn_bytes bytes;  /* all of them */
  tn_bytes per_iteration; /* bytes that the last whole iteration added */
  tn_bytes saving; /* live peak less the live peak without them; TN_BYTES_UNKNOWN: beyond the most */
} TnLeak;

typedef struct {
  GArray *rows; /* TnLeak, largest saving first */
  uint32_t n_iterations; /* whole ones that were looked at */
  bool is_by_marks; /* else the recording was cut into equal parts */
} TnLeaks;

/* Call sites with buffers that the log never frees, some of them from every whole iteration (between
 * two iteration marks, at least two; without marks: from each eighth of the recording).
 * `sites`: of the study's document.  O(buffers), and again for each of the first 8 leaks. */
TnLeaks *tn_leaks_new(const TnStudy *study, const TnCallSites *sites);
void tn_leaks_free(TnLeaks *leaks);

/* The live peak without the buffers of `without` (uint32_t rows). */
tn_bytes tn_live_peak_without(const TnStudy *study, const GArray *without);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(TnLeaks, tn_leaks_free)
