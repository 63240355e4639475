/* SPDX-License-Identifier: MIT */
/* Everything that can be said about one device, the gravest first. */
#pragma once

#include "analysis/finding.h"
#include "analysis/study.h"

typedef struct {
  tn_bytes budget;    /* `over-budget` where the peak is above it; 0: none */
  tn_bytes alignment; /* the least that offsets must keep; 0: none */
  tn_bytes device_bytes; /* the device's memory; 0: as the file says */
} TnFindParams;

/* Appends the findings: the checker's on every placed buffer of a plan or a graph with recorded
 * offsets, `oom` for each failed request, `over-budget`, `long-tail`, `padding`, `dynamic-size`.
 * Sorted by severity, then by what they would save, then by bytes. */
void tn_find_all(const TnStudy *study, const TnFindParams *params, TnFindings *findings);
