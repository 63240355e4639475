/* SPDX-License-Identifier: MIT */
/* A planning problem in the one form that every strategy works on.
 *
 * All constraints but alignment and fixed offsets become *shape*: a body is a rigid thing that is
 * moved up and down as a whole, made of spans (a stretch of time, a window of the body's height).
 *
 *   gap        a buffer with a gap has a span before and one after it; a window is a lower span
 *   group      a contiguous group is one body, its members are spans on top of each other
 *   no reuse   the span is the whole axis; what has gaps or windows all its life meets it once more, whole
 *   batch      every label has a copy of the axis of its own: a labelled buffer has a span in its
 *              label's copy, an unlabelled one has spans in all copies it can meet somebody in
 *   conflict   two rows that must not share whatever their lives (streams that did not wait, zero
 *              copy) both have a span in a copy of the axis that is there for them alone
 *
 * Time is cut into sections: the fewest stretches with the same overlaps as the ticks (one for each
 * set of lives that no other contains).  Two spans meet exactly when they share a section. */
#pragma once

#include "analysis/plan/plan.h"

typedef struct {
  uint32_t first, last; /* sections, half-open */
  tn_bytes low, high;   /* the window of the body's height, half-open */
} TnSpan;

typedef struct {
  uint32_t n, n_spans, n_sections, n_rows;
  uint32_t *span_first; /* n + 1 */
  TnSpan *spans;
  tn_bytes *size;       /* height of the body */
  tn_tick *start, *end; /* hull of its life in ticks (copies of the axis left out) */
  tn_bytes *alignment;  /* the offset is `residue` modulo this; NULL: all 1 */
  tn_bytes *residue;    /* NULL where `alignment` is */
  tn_bytes *fixed;      /* TN_NOT_PLACED where free; NULL: none is fixed */
  uint32_t *body;       /* by row of the problem: its body, TN_NONE for a row that needs no place */
  tn_bytes *within;     /* by row: its offset inside the body; NULL: all 0 */
  tn_bytes *empty_at;   /* by row: where one without a body is fixed, else 0; NULL: none is */
  uint32_t *row;        /* by body: its first row */
  tn_bytes lower_bound; /* largest sum of window heights in one section; of what is kept apart, both
                           parts' together */
  tn_bytes fixed_bound; /* >= lower_bound: the tops of fixed and of large aligned bodies too */
  bool is_convex;       /* every span is as high as its body: no windows, no groups */
  bool is_simple;       /* boxes of one span, none fixed, no batches: time is one axis */
  bool is_loose;        /* members of a padded group could lie otherwise, which might need less */
} TnBodies;

/* Brings a problem into this form.  NULL where its constraints contradict each other, its sizes
 * overflow or its conflicts are too many; then *out_message (owned by the caller) says why.  O(n log n), O(n) where the ticks are
 * dense.  Free with tn_bodies_free(). */
TnBodies *tn_bodies_new(const TnPlanProblem *problem, char **out_message);
void tn_bodies_free(TnBodies *bodies);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(TnBodies, tn_bodies_free)

/* The lowest offset >= `from` (>= 0) that the alignment of body `b` allows. */
static inline tn_bytes
tn_bodies_align(const TnBodies *bodies, uint32_t b, tn_bytes from)
{
  if (!bodies->alignment)
    return from;
  tn_bytes step = bodies->alignment[b], over = (from - bodies->residue[b]) % step;
  if (over < 0)
    over += step;
  return over ? from + step - over : from;
}

static inline bool
tn_bodies_is_fixed(const TnBodies *bodies, uint32_t b)
{
  return bodies->fixed && bodies->fixed[b] != TN_NOT_PLACED;
}
