/* SPDX-License-Identifier: MIT */
/* Blocks in the order of the second level, in a tree that passes over stretches in which none can go
 * into a parent: all too large, none short enough for its idle times or beyond its ends. */
#pragma once

#include "analysis/plan/ge.h"

typedef struct TnGeCandidates TnGeCandidates;

/* When and how large a block may be to go into a parent. */
typedef struct {
  tn_bytes room;
  tn_tick first_start, last_end, longest_gap;
} TnGeIdle;

TnGeCandidates *tn_ge_candidates_new(const TnGePlan *plan, const uint32_t *order, uint32_t n);
void tn_ge_candidates_free(TnGeCandidates *candidates);

/* Puts a block behind all others, or takes the one at a place away. */
void tn_ge_candidates_append(TnGeCandidates *candidates, uint32_t block);
void tn_ge_candidates_remove(TnGeCandidates *candidates, uint32_t place);

uint32_t tn_ge_candidates_n(const TnGeCandidates *candidates);
uint32_t tn_ge_candidates_at(const TnGeCandidates *candidates, uint32_t place);

/* The first place from `from` on whose block might go into the parent; TN_NONE. */
uint32_t tn_ge_candidates_next(const TnGeCandidates *candidates, uint32_t from, const TnGeIdle *idle);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(TnGeCandidates, tn_ge_candidates_free)
