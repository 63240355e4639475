/* SPDX-License-Identifier: MIT */
/* Steps that can be taken at once because no order gains by waiting with them.
 *
 * Let S have run, with `key` the largest peak so far, and let S' follow from S so that every step
 * stays within `key`, live(S') <= live(S), and live(S') is the smallest of all sets in between.
 * Then running up to S' now is optimal: for every set T of the best continuation live() being
 * submodular gives live(T + S') <= live(T) + live(S') - live(T ∩ S') <= live(T), and in-place
 * writes only get more likely the more has run.
 *
 * Two cheap cases: one op that fits and frees at least what it makes; and a path of ops each of
 * which became ready only by the one before (the sets in between are its prefixes), up to the first
 * prefix that is no larger than the start.
 *
 * Source: Liu 1987 (hills and valleys of trees), made safe on DAGs in orders-and-budgets.md. */
#pragma once

#include "analysis/order/walker.h"
#include "data/progress.h"

/* Runs all such steps from where the walker stands, or those until the deadline (of
 * g_get_monotonic_time(), 0: none) or a cancel; appends the ops to `ops` (uint32_t).  `progress` may be
 * NULL. */
void tn_order_commit(
    TnWalker *walker, tn_bytes key, gint64 deadline, TnProgress *progress, GArray *ops);
