/* SPDX-License-Identifier: MIT */
/* What the allocator held from the device over time. */
#pragma once

#include "analysis/curve.h"
#include "data/document.h"

/* Whether an event takes its bytes from the device (1), gives them back (−1) or neither (0). */
int tn_reserved_sign(uint8_t action);

/* Reserved bytes over the log's axis, counted backwards from the segments at its end by
 * segment_alloc/map and segment_free/unmap.  NULL where the device has no segments or the sum
 * overflows.  What event 0 gave back still counts at tick 0.  O(events). */
TnCurve *tn_reserved_curve_new(const TnDevice *device);
