/* SPDX-License-Identifier: MIT */
/* Findings: what an analysis has to say about a file, in a form that scripts and people read. */
#pragma once

#include "data/document.h"

typedef enum { TN_SEVERITY_NOTE, TN_SEVERITY_WARNING, TN_SEVERITY_ERROR } TnSeverity;

typedef struct {
  const char *code; /* stable: "overlap", "misaligned", "long-tail", … */
  TnSeverity severity;
  char *message; /* one sentence in plain words, with names, ticks and bytes */
  char *hint;    /* what to do next; may be NULL */
  GArray *buffers; /* uint32_t ids, the most important first */
  tn_tick at;      /* where it first shows; -1: nowhere in particular */
  tn_bytes bytes;  /* at stake; -1: no figure */
  tn_bytes saving_bytes; /* computed by planning again without it; -1: not computed */
  const char *saving_of; /* what it is a part of; NULL: as the code has it */
} TnFinding;

typedef struct TnFindings {
  GArray *rows; /* TnFinding */
} TnFindings;

TnFindings *tn_findings_new(void);
void tn_findings_free(TnFindings *findings);
/* Appends one finding with no buffers; `message` formatted.  The row is borrowed until the next. */
TnFinding *tn_findings_add(TnFindings *findings, const char *code, TnSeverity severity,
                           const char *format, ...) G_GNUC_PRINTF(4, 5);
void tn_finding_add_buffer(TnFinding *finding, tn_index buffer);
uint32_t tn_findings_count(const TnFindings *findings, TnSeverity severity);
const char *tn_severity_name(TnSeverity severity);
/* What saving_bytes is a part of: "live peak", "reserved peak" or "arena". */
const char *tn_finding_saving_of(const TnFinding *finding);

static inline const TnFinding *
tn_findings_get(const TnFindings *findings, uint32_t i)
{
  return &g_array_index(findings->rows, TnFinding, i);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC(TnFindings, tn_findings_free)
