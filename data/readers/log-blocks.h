/* SPDX-License-Identifier: MIT */
/* Logs that name segments as events only, and end without a snapshot: what is held and in use at
 * the end follows from the events. */
#pragma once

#include "data/document.h"

/* Fills device->segments and device->blocks from its events, and says that reserved is known.
 * Does nothing where there is no segment event.  Segments that are freed without an alloc lived
 * before.  O(n log n). */
void tn_log_fill_segments(TnDevice *device);
