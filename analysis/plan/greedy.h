/* SPDX-License-Identifier: MIT */
/* Greedy: bodies in a fixed order, each into the lowest gap among its placed neighbours.
 * Method: Pisarchyk & Lee (arXiv 2001.03288), "greedy by size" and its kin. */
#pragma once

#include "analysis/plan/bodies.h"

typedef enum {
  TN_GREEDY_SIZE,      /* large first; ties by life length, then row */
  TN_GREEDY_AREA,      /* size x life first */
  TN_GREEDY_START,     /* early first; ties large first */
  TN_GREEDY_CONFLICTS, /* many neighbours first; ties large first */
  TN_N_GREEDY
} TnGreedy;

/* Fills order[0..n) with the bodies in that order.  O(n log n); conflicts are counted without
 * listing them (those that begin before the life's end less those that end before its start). */
void tn_greedy_order(const TnBodies *bodies, TnGreedy by, uint32_t *order);
