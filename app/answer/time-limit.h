/* SPDX-License-Identifier: MIT */
/* One time limit for a search and for the offsets of what it finds. */
#pragma once

#include <glib.h>

/* Of the limit, for the search: what is left is for the offsets. */
#define TN_ANSWER_SEARCH_PART 0.7

/* Seconds for the offsets under a limit (<= 0: none) of which the search took `passed`; a second at
 * most: heuristics find most of them at once. */
static inline double
tn_answer_offset_seconds(double limit, double passed)
{
  return limit > 0 ? CLAMP(limit - passed, 0.01, 1.0) : 1.0;
}

/* What is left of a limit (<= 0: none, and stays so) since `begun` (g_get_monotonic_time()). */
static inline double
tn_answer_seconds_left(double limit, gint64 begun)
{
  double passed = (double)(g_get_monotonic_time() - begun) / G_USEC_PER_SEC;
  return limit > 0 ? MAX(limit - passed, 0.01) : limit;
}
