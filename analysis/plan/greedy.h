/* SPDX-License-Identifier: MIT */
/* Greedy: bodies in a fixed order, each into the lowest gap among its placed neighbours.
 * Method: Pisarchyk & Lee (arXiv 2001.03288), "greedy by size" and its kin. */
#pragma once

#include "analysis/plan/neighbours.h"

typedef enum {
  TN_GREEDY_SIZE,      /* large first; ties early first */
  TN_GREEDY_AREA,      /* size x life first */
  TN_GREEDY_START,     /* early first; ties large first */
  TN_GREEDY_CONFLICTS, /* many neighbours first; ties large first */
  TN_GREEDY_SIZE_LIFE, /* large first; ties long-lived first */
  TN_N_GREEDY
} TnGreedy;

/* Fills order[0..n) with the bodies in that order.  O(n log n); conflicts are counted without
 * listing them (those that begin before the life's end less those that end before its start). */
void tn_greedy_order(const TnBodies *bodies, TnGreedy by, uint32_t *order);

/* A plan to begin a search with: the best of several orders, of fewer where there are many bodies
 * or the deadline (of g_get_monotonic_time()) is near.  Fills `offset` (shape n), returns the arena,
 * or -1 with *out_message as tn_pack() does. */
tn_bytes tn_greedy_begin(TnNeighbours *neighbours, const TnBodies *bodies, TnProgress *progress,
                         gint64 deadline, tn_bytes *offset, char **out_message);
