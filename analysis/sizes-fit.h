/* SPDX-License-Identifier: MIT */
/* Whether what a log says of sizes can be summed up at all. */
#pragma once

#include "data/document.h"

/* The most that all sizes of a log's device may add up to, 2 EiB: a few sums of them still are numbers. */
#define TN_SIZES_MOST (INT64_MAX / 4)

/* The device's own size, what its buffers take and requested, and every segment at the log's end or in its events:
 * at most TN_SIZES_MOST together.  O(buffers + events). */
bool tn_sizes_fit(const TnDevice *device, const TnBuffers *buffers);
