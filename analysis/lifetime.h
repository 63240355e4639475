/* SPDX-License-Identifier: MIT */
/* Lives of a log's allocations, as formats/pytorch.md "How Tenure reads it" says. */
#pragma once

#include "data/document.h"
#include "data/progress.h"

typedef struct {
  TnBuffers *buffers; /* sorted by start; offset = address; owned */
  tn_bytes before_bytes;   /* of buffers that lived before the recording */
  uint32_t n_before;
  uint32_t n_not_in_segments; /* live at the end of the trace but not in its snapshot */
} TnLogLives;

/* Buffers of `device`'s events and blocks.  Ticks are event indexes, lives half-open:
 *   alloc at event i … free at event j       → [i, j)
 *   free at event j without an alloc         → [0, j) (j = 0: [0, 1)), flagged TN_BUFFER_BEFORE
 *   active block that the trace never saw    → [0, axis_end), flagged BEFORE and TO_END
 *   either, the address last freed at event i → [i, …), no longer BEFORE: the recording lost the alloc
 *   never freed                              → [i, axis_end), flagged TO_END
 * Where a device has no events the axis is [0, 1): tick 0 is the snapshot.
 * bytes: the active block's own size, else the requested size rounded up to the device's
 * granularity (at least one).  O(events + blocks), one hash table of the live set.
 * Returns NULL only where `progress` was cancelled.  Free with tn_log_lives_free(). */
TnLogLives *tn_log_lives_new(const TnDevice *device, TnProgress *progress);
void tn_log_lives_free(TnLogLives *lives);

/* The end of the axis on which those lives are: axis_end, at least 1. */
tn_tick tn_log_axis_end(const TnDevice *device);
