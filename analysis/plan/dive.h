/* SPDX-License-Identifier: MIT */
/* Depth-first search for a plan of one field within a capacity; exhaustive, so that failing proves.
 *
 * Source of the search tree: MiniMalloc (Moffitt, ASPLOS 2023).  Bodies are placed in the order of
 * (offset, rank), each at the lowest offset that the placed leave it: every plan can be pushed down
 * into one of that form.  What this adds:
 *
 *   ceiling   a body at x > capacity - (largest load left in a section) cannot lead to a plan
 *   killers   the sections that failed last are asked first, before anything is changed
 *   hats      a body that is passed over must be pushed up by a neighbour placed later, so it
 *             ends up at least at the lowest top a neighbour can still get: its floor rises while
 *             its younger siblings are tried, and the node ends as soon as that breaks a section
 *   need      the smallest capacity at which any of the failed checks would have passed: a proved
 *             bound that may be far above capacity + 1
 */
#pragma once

#include "analysis/plan/field.h"

typedef enum {
  TN_DIVE_FOUND,
  TN_DIVE_NONE,   /* proved: no plan within the capacity */
  TN_DIVE_ENDED   /* node limit, time limit or told to stop */
} TnDiveResult;

typedef struct {
  int32_t capacity;     /* units of the field */
  uint64_t n_nodes_max; /* ends after so many */
  uint64_t n_fails_max; /* ends after so many nodes without a plan; 0: no limit */
  gint64 deadline;      /* of g_get_monotonic_time(); INT64_MAX: none */
  gint *stop;           /* atomic, ends when not 0; may be NULL */
  TnProgress *progress; /* may be NULL */
  const char *order;    /* ranks of equals: letters, each descending: A area, C sections,
                           L start, O neighbours, T largest load met, U end, W life, Z size */
} TnDiveParams;

typedef struct TnDive TnDive;

/* A searcher for `field` (borrowed for its life) with all its memory.  One per thread. */
TnDive *tn_dive_new(const TnField *field);
void tn_dive_free(TnDive *dive);

/* Searches.  TN_DIVE_FOUND: offset (shape field->n, units) is filled.  TN_DIVE_NONE: *out_need is the
 * proved bound in units, INT32_MAX where no capacity would do.  *out_nodes is added to. */
TnDiveResult tn_dive_run(TnDive *dive, const TnDiveParams *params, int32_t *offset,
                         int32_t *out_need, uint64_t *out_nodes);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(TnDive, tn_dive_free)
