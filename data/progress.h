/* SPDX-License-Identifier: MIT */
/* How long work says how far it is, and how it is told to stop.  `cancelled` may be set from any
 * thread; work looks at it at least every 100 ms and then ends with TN_DATA_ERROR_CANCELLED (or,
 * where a best-so-far answer exists, with that answer). */
#pragma once

#include <glib.h>
#include <stdbool.h>

typedef struct {
  gint cancelled; /* atomic */
  /* May be NULL.  Called from the working thread; `fraction` in [0, 1], < 0 where unknown. */
  void (*report)(double fraction, const char *stage, void *payload);
  void *payload;
} TnProgress;

static inline bool
tn_progress_is_cancelled(TnProgress *progress)
{
  return progress && g_atomic_int_get(&progress->cancelled);
}

static inline void
tn_progress_report(TnProgress *progress, double fraction, const char *stage)
{
  if (progress && progress->report)
    progress->report(fraction, stage, progress->payload);
}
