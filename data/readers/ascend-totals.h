/* SPDX-License-Identifier: MIT */
/* Totals over time by component or driver module: an account of each, and a curve. */
#pragma once

#include "data/document.h"

typedef struct TnAscendTotals TnAscendTotals;

TnAscendTotals *tn_ascend_totals_new(void);
void tn_ascend_totals_free(TnAscendTotals *totals);

/* A row of the file: texts need no NUL; `time` in nanoseconds, sizes TN_BYTES_UNKNOWN where the row
 * has none. */
typedef struct {
  const char *device, *component;
  gsize device_length, component_length;
  uint32_t line;
  int64_t time;
  tn_bytes allocated, reserved;
} TnAscendRow;

void tn_ascend_totals_add(TnAscendTotals *totals, const TnAscendRow *row);

/* Components are accounts of their own; modules add up, and their sum has a curve too.  Each that ever
 * held anything is a device with samples, on one axis of microseconds from the first row on. */
void tn_ascend_totals_finish(TnAscendTotals *totals, TnDocument *document, bool are_modules);
