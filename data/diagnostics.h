/* SPDX-License-Identifier: MIT */
/* What a reading or an analysis left out: how much, and why.  One row per code; adding to a code
 * that is there already adds to its count and keeps the first message. */
#pragma once

#include "data/types.h"

typedef struct {
  char *code;    /* stable, `kebab-case` */
  int64_t count; /* how many rows of the file it concerns */
  char *message; /* one sentence for a person */
} TnWarning;

typedef struct TnDiagnostics {
  GArray *rows; /* TnWarning */
} TnDiagnostics;

TnDiagnostics *tn_diagnostics_new(void);
void tn_diagnostics_free(TnDiagnostics *diagnostics);
void tn_diagnostics_add(TnDiagnostics *diagnostics, const char *code, int64_t count,
                        const char *format, ...) G_GNUC_PRINTF(4, 5);
/* Counts one more row under `code`; the message is formatted only the first time, so that a
 * million bad rows cost a million increments. */
void tn_diagnostics_count(TnDiagnostics *diagnostics, const char *code, const char *message);

static inline uint32_t
tn_diagnostics_length(const TnDiagnostics *diagnostics)
{
  return diagnostics->rows->len;
}

static inline const TnWarning *
tn_diagnostics_get(const TnDiagnostics *diagnostics, uint32_t i)
{
  return &g_array_index(diagnostics->rows, TnWarning, i);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC(TnDiagnostics, tn_diagnostics_free)
