/* SPDX-License-Identifier: MIT */
/* Everything that can be said about one device, the gravest first. */
#pragma once

#include "analysis/finding.h"
#include "analysis/study.h"

typedef struct {
  tn_bytes budget;    /* `over-budget` where the peak is above it; 0: none */
  tn_bytes alignment; /* the least that offsets must keep; 0: none */
  tn_bytes device_bytes; /* the device's memory; 0: as the file says */
  bool without_replay; /* no figures that need the log to be replayed */
} TnFindParams;

/* Appends the findings: the checker's on every placed buffer of a plan or a graph with recorded
 * offsets, `over-budget`, `long-tail`, `padding`, `dynamic-size`; of a log `oom` for each failed
 * request, `leak`, `late-free`, `fragmentation`, `cross-stream`, `repeated-allocation`, and notes on
 * the order of events (findings-order.h); of a graph
 * or a plan `reuse-off`, `resident-in-arena`, `workspace-not-shared`, `late-free`.
 * Sorted by severity, then by what they would save, then by bytes. */
void tn_find_all(const TnStudy *study, const TnFindParams *params, TnFindings *findings);
