/* SPDX-License-Identifier: MIT */
/* How long work says how far it is, and how it is told to stop.  `cancelled` may be set from any
 * thread; work looks at it at least every 100 ms and then ends with TN_DATA_ERROR_CANCELLED (or,
 * where a best-so-far answer exists, with that answer). */
#pragma once

#include <glib.h>
#include <stdbool.h>

typedef struct TnProgress TnProgress;
struct TnProgress {
  gint cancelled; /* atomic */
  /* May be NULL.  Called from the working thread; `fraction` in [0, 1], < 0 where unknown. */
  void (*report)(double fraction, const char *stage, void *payload);
  void *payload;
  gint64 deadline;    /* of g_get_monotonic_time(): cancelled from then on; 0: none */
  TnProgress *within; /* cancelled with this one; may be NULL */
};

static inline bool
tn_progress_is_cancelled(TnProgress *progress)
{
  if (!progress)
    return false;
  return g_atomic_int_get(&progress->cancelled) || tn_progress_is_cancelled(progress->within) ||
         (progress->deadline > 0 && g_get_monotonic_time() >= progress->deadline);
}

static inline void
tn_progress_report(TnProgress *progress, double fraction, const char *stage)
{
  if (progress && progress->report)
    progress->report(fraction, stage, progress->payload);
}
