/* SPDX-License-Identifier: MIT */
/* Who is placed at the same time: an index of spans over sections that enumerates the placed
 * neighbours of a body without a stored list of pairs.
 *
 * Spans lie sorted by their first section; at some sections a checkpoint lists the spans that are
 * alive there.  The neighbours of [a, b) are those of the checkpoint before a that reach beyond a,
 * those that begin between it and a and reach beyond a, and all that begin in (a, b). */
#pragma once

#include "analysis/plan/bodies.h"

typedef struct TnNeighbours TnNeighbours;

/* Offsets that a body cannot have: all x with low < x < high. */
typedef struct {
  tn_bytes low, high;
} TnForbidden;

/* Nothing placed.  O(n + sections) time and memory.  `bodies` borrowed for its life. */
TnNeighbours *tn_neighbours_new(const TnBodies *bodies);
void tn_neighbours_free(TnNeighbours *neighbours);

/* Places body `b` at `offset`, or takes it away again. */
void tn_neighbours_place(TnNeighbours *neighbours, uint32_t b, tn_bytes offset);
void tn_neighbours_remove(TnNeighbours *neighbours, uint32_t b);
/* Takes all away. */
void tn_neighbours_reset(TnNeighbours *neighbours);

/* The offsets that placed bodies forbid to body `b` (not placed itself), unsorted, maybe several
 * for one neighbour.  Borrowed, valid until the next call. */
TnForbidden *tn_neighbours_forbidden(TnNeighbours *neighbours, uint32_t b, uint32_t *out_n);

/* The same, and which body forbids each: *out_owner, parallel to the result. */
const TnForbidden *tn_neighbours_owned(TnNeighbours *neighbours, uint32_t b,
                                       const uint32_t **out_owner, uint32_t *out_n);

/* The placed bodies that meet body `b` in time, windows left out of account, maybe several times.
 * Borrowed, valid until the next call. */
const uint32_t *tn_neighbours_bodies(TnNeighbours *neighbours, uint32_t b, uint32_t *out_n);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(TnNeighbours, tn_neighbours_free)
