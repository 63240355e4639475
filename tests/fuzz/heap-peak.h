/* SPDX-License-Identifier: MIT */
/* How much of the heap was in use at most: by the allocator's own count of what was asked for, so that
 * one run is measured apart from those before it in the same process. */
#pragma once

#include <stddef.h>

void tn_heap_peak_start(void);
/* Bytes above what was in use at the start. */
size_t tn_heap_peak(void);
