/* SPDX-License-Identifier: MIT */
/* The longest strictly increasing subsequence. */
#pragma once

#include "data/types.h"

/* Sets keep[i] (shape n, owned by the caller) to 1 for the rows of one longest strictly increasing
 * subsequence of `values` (shape n), to 0 for the others; returns its length.  O(n log n), O(n)
 * where the values grow anyway.  Method: patience sorting (Fredman 1975). */
uint32_t tn_increasing_mark(const int64_t *values, uint32_t n, uint8_t *keep);
