/* SPDX-License-Identifier: MIT */
/* The state of the search, for the files dive*.c. */
#pragma once

#include "analysis/plan/dive.h"

#define GONE (INT32_MAX / 2) /* floor of a placed body: never the smallest */
#define N_KILLERS 6u
#define FEW 512u /* so many bodies are sorted by insertion, and seldom looked at the clock for */
#define DEPTH_MAX 20000u /* bodies placed one inside the other's search: some 320 bytes of stack each */
#define N_IDS_MAX (32u << 20)

typedef struct {
  int32_t *cell, before;
} Change;

/* What changes of a body, together in memory: nodes read it all of many bodies. */
typedef struct {
  int32_t real; /* lowest offset the placed leave it */
  int32_t low;  /* lowest offset it can end up at, >= real; GONE where placed */
  int32_t at;   /* its offset, -1 */
  int32_t size;
} Body;

/* Bodies of a part by rank, some placed already; its sections. */
typedef struct {
  const uint32_t *ids;
  uint32_t n;
  TnRange sections;
} Part;

typedef struct {
  int32_t x; /* GONE: taken */
  uint32_t b;
} Candidate;

struct TnDive {
  const TnField *field;
  const TnDiveParams *params;
  int32_t capacity;
  Body *bodies;
  int32_t *floor; /* by section: least `low` of its members not placed */
  int32_t *total; /* by section: sizes of its members not placed */
  /* Members of sections, those not placed first: placing swaps a body behind them, undoing only
   * counts it in again. */
  uint32_t *member;
  int32_t *n_left;      /* by section */
  uint32_t *slot_first; /* by range of a body: where its sections' slots begin */
  uint32_t *place;      /* by slot: index among the section's members */
  uint32_t *cut;        /* by section s: hulls of bodies not placed that go from s into s + 1 */
  uint32_t *stamp;      /* by section: seen in this step */
  uint32_t now;
  uint32_t killer[N_KILLERS];
  Change *changes;
  gsize n_changes, n_changes_max;
  uint32_t *ids; /* stack of part lists */
  gsize n_ids, n_ids_max;
  Candidate *candidates; /* stack */
  gsize n_candidates, n_candidates_max;
  uint64_t *key; /* for ranking */
  uint64_t n_nodes, n_fails;
  uint32_t depth;
  int32_t need;
  bool is_ended;
};

/* ---- undoing ------------------------------------------------------------------------------- */

static inline void
tn_dive_set(TnDive *dive, int32_t *cell, int32_t value)
{
  dive->changes[dive->n_changes++] = (Change){cell, *cell};
  *cell = value;
}

static inline void
tn_dive_undo(TnDive *dive, gsize mark)
{
  while (dive->n_changes > mark) {
    Change change = dive->changes[--dive->n_changes];
    *change.cell = change.before;
  }
}

/* ---- checks -------------------------------------------------------------------------------- */

/* False, and `needed` remembered, where that is above the capacity. */
static inline bool
tn_dive_fits(TnDive *dive, int32_t needed)
{
  if (needed <= dive->capacity)
    return true;
  if (needed < dive->need)
    dive->need = needed;
  return false;
}

/* The least floor of the members not placed; none is below `known`, so one at it ends the look. */
static inline int32_t
tn_dive_least_low(const TnDive *dive, uint32_t s, int32_t known)
{
  const uint32_t *member = dive->member + dive->field->member_first[s];
  const Body *bodies = dive->bodies;
  int32_t least = GONE;
  for (int32_t k = 0; k < dive->n_left[s]; k++) {
    int32_t low = bodies[member[k]].low;
    if (low <= known)
      return low;
    least = MIN(least, low);
  }
  return least;
}

/* The slot of body b in section s. */
static inline uint32_t
tn_dive_slot(const TnDive *dive, uint32_t b, uint32_t s)
{
  const TnField *field = dive->field;
  uint32_t k = field->range_first[b];
  while (s >= field->ranges[k].last)
    k++;
  return dive->slot_first[k] + s - field->ranges[k].first;
}

/* dive-start.c: all bodies not placed; false where they can't all be. */
bool tn_dive_start(TnDive *dive);

/* dive-place.c.  What the killer sections would say if b lay at x: nothing is changed. */
bool tn_dive_is_killed(TnDive *dive, TnRange sections, uint32_t b, int32_t x);
/* False where a check fails: what was changed until then must be undone. */
bool tn_dive_place(TnDive *dive, uint32_t b, int32_t x);
/* Body b is passed over at x.  False where the node has no plan then. */
bool tn_dive_demand_hat(TnDive *dive, uint32_t b, int32_t x);

/* dive-rank.c.  Sorts ids by the letters of the order. */
void tn_dive_rank(TnDive *dive, uint32_t *ids, uint32_t n);
int32_t tn_dive_largest_total(const TnDive *dive, TnRange sections);
