/* SPDX-License-Identifier: MIT */
/* Lives that a file gives by times (allocated at, released at) and without addresses, put on an
 * axis of events: each allocation and each release is a tick, releases first where times are the
 * same, so that sums at each tick are right whatever the clock's step. */
#pragma once

#include "data/document.h"

#define TN_TIME_UNKNOWN INT64_MIN

typedef struct TnEventLives TnEventLives;

TnEventLives *tn_event_lives_new(void);
void tn_event_lives_free(TnEventLives *lives);

/* A buffer of the device of this ordinal; `start` unknown: from before the recording; `end`
 * unknown: never released in it.  Times in any one unit. */
void tn_event_lives_add(TnEventLives *lives,
                        int32_t ordinal,
                        uint32_t name,
                        int64_t start,
                        int64_t end,
                        tn_bytes bytes,
                        TnBufferKind kind);

/* Makes the document's devices (a plan without offsets), with the clock of their ticks: `per_us` of
 * the times' unit are a microsecond.  O(n log n). */
void tn_event_lives_finish(TnEventLives *lives, TnDocument *document, int64_t per_us);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(TnEventLives, tn_event_lives_free)
