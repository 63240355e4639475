/* SPDX-License-Identifier: MIT */
/* Which addresses the allocator held from the device, and when. */
#pragma once

#include "data/document.h"

/* One row for each stretch of address held over one stretch of time: start, end (ticks, half-open),
 * bytes, offset = address, space; sorted by start; owned by the caller.
 * Found from the segments at the log's end and the events, pieces cut where only a part of a mapping
 * went away.  O(events + segments log segments).  Empty where nothing is known of segments. */
TnBuffers *tn_segment_lives_new(const TnDevice *device);
