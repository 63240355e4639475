/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/plan/dive-private.h"

#include <string.h>

/* Room for whatever one candidate may change; the only place that allocates while searching. */
static void
reserve(TnDive *dive)
{
  gsize changes = dive->n_changes + dive->field->n * 4 + dive->field->n_sections * 4 + 64;
  if (changes > dive->n_changes_max) {
    dive->n_changes_max = changes * 2;
    dive->changes = g_renew(Change, dive->changes, dive->n_changes_max);
  }
  gsize candidates = dive->n_candidates + dive->field->n;
  if (candidates > dive->n_candidates_max) {
    dive->n_candidates_max = candidates * 2;
    dive->candidates = g_renew(Candidate, dive->candidates, dive->n_candidates_max);
  }
}

static TnDiveResult search(TnDive *dive, Part part);

/* NULL where the stack is full: the search ends without a proof. */
static uint32_t *
push_ids(TnDive *dive, uint32_t n)
{
  if (dive->n_ids + n > dive->n_ids_max) {
    dive->is_ended = true;
    return NULL;
  }
  uint32_t *ids = dive->ids + dive->n_ids;
  dive->n_ids += n;
  return ids;
}

/* The bodies of `part` not placed whose hulls lie in `sections`, ranked anew, searched. */
static TnDiveResult
search_component(TnDive *dive, Part part, TnRange sections)
{
  gsize mark = dive->n_ids;
  uint32_t *ids = push_ids(dive, part.n), n = 0;
  if (!ids)
    return TN_DIVE_ENDED;
  for (uint32_t i = 0; i < part.n; i++) {
    uint32_t b = part.ids[i];
    if (dive->bodies[b].at < 0 && dive->field->hull[b].first >= sections.first &&
        dive->field->hull[b].last <= sections.last)
      ids[n++] = b;
  }
  dive->n_ids = mark + n;
  tn_dive_rank(dive, ids, n);
  TnDiveResult result = n ? search(dive, (Part){ids, n, sections}) : TN_DIVE_FOUND;
  dive->n_ids = mark;
  return result;
}

/* Goes on after b was placed: where no hull is left across some border, the sides are searched
 * one by one, and the first without a plan ends all. */
static TnDiveResult
search_rest(TnDive *dive, Part part, uint32_t b)
{
  TnRange hull = dive->field->hull[b];
  bool is_cut = false;
  for (uint32_t s = hull.first; s + 1 < hull.last; s++)
    is_cut |= --dive->cut[s] == 0;
  TnDiveResult result = TN_DIVE_FOUND;
  if (!is_cut)
    result = search(dive, part);
  else
    for (uint32_t s = part.sections.first, from = s; s < part.sections.last; s++) {
      bool is_border = s + 1 == part.sections.last ||
                       (dive->cut[s] == 0 && s >= hull.first && s + 1 < hull.last);
      if (!is_border)
        continue;
      result = search_component(dive, part, (TnRange){from, s + 1});
      from = s + 1;
      if (result != TN_DIVE_FOUND)
        break;
    }
  for (uint32_t s = hull.first; s + 1 < hull.last; s++)
    dive->cut[s]++;
  return result;
}

static bool
is_stopped(const TnDive *dive)
{
  const TnDiveParams *params = dive->params;
  return (params->stop && g_atomic_int_get(params->stop)) ||
         tn_progress_is_cancelled(params->progress) || g_get_monotonic_time() >= params->deadline;
}

static bool
is_over(TnDive *dive)
{
  const TnDiveParams *params = dive->params;
  if (dive->n_nodes >= params->n_nodes_max || dive->depth > DEPTH_MAX)
    dive->is_ended = true;
  if (++dive->n_nodes % 64 == 0 || dive->field->n > FEW)
    dive->is_ended |= is_stopped(dive);
  return dive->is_ended;
}

/* Takes the first by (offset, rank) out of `n` candidates, which are in order of rank; false where
 * none is left.  Mostly the first few are all that is ever asked for: not worth sorting. */
static bool
take_first(Candidate *candidates, uint32_t n, Candidate *out)
{
  uint32_t first = 0;
  for (uint32_t i = 1; i < n; i++)
    if (candidates[i].x < candidates[first].x)
      first = i;
  if (n == 0 || candidates[first].x == GONE)
    return false;
  *out = candidates[first];
  candidates[first].x = GONE;
  return true;
}

/* The lowest top that a body not placed could have: nothing else may lie at or above it first.
 * *out_left is how many are not placed. */
static int32_t
find_lowest_top(const TnDive *dive, Part part, uint32_t *out_left)
{
  int32_t lowest = GONE;
  uint32_t left = 0;
  for (uint32_t i = 0; i < part.n; i++) {
    uint32_t b = part.ids[i];
    const Body *body = &dive->bodies[b];
    bool is_left = body->at < 0;
    int32_t top = is_left ? body->real + body->size : GONE;
    lowest = MIN(lowest, top);
    left += is_left;
  }
  *out_left = left;
  return lowest;
}

/* Those of the part that may be next, by rank.  Returns how many. */
static uint32_t
gather(TnDive *dive, Part part, Candidate *candidates, int32_t lowest_top)
{
  int32_t ceiling = dive->capacity - tn_dive_largest_total(dive, part.sections);
  uint32_t n = 0;
  for (uint32_t i = 0; i < part.n; i++) {
    uint32_t b = part.ids[i];
    const Body *body = &dive->bodies[b];
    int32_t x = body->real;
    if (x >= lowest_top || x != body->low || body->at >= 0)
      continue;
    if (x > ceiling)
      tn_dive_fits(dive, x + dive->capacity - ceiling);
    else
      candidates[n++] = (Candidate){x, b};
  }
  return n;
}

/* Many of a long list are placed: goes on with a list of the others. */
static Part
shorten(TnDive *dive, Part part, uint32_t left)
{
  if (part.n <= FEW || left > part.n / 4 * 3)
    return part;
  uint32_t *ids = push_ids(dive, left), n = 0;
  if (!ids)
    return part;
  for (uint32_t i = 0; i < part.n; i++)
    if (dive->bodies[part.ids[i]].at < 0)
      ids[n++] = part.ids[i];
  return (Part){ids, n, part.sections};
}

static TnDiveResult
try_candidate(TnDive *dive, Part part, Candidate candidate)
{
  if (tn_dive_is_killed(dive, part.sections, candidate.b, candidate.x))
    return TN_DIVE_NONE;
  gsize mark = dive->n_changes;
  TnDiveResult result = TN_DIVE_NONE;
  dive->depth++;
  if (tn_dive_place(dive, candidate.b, candidate.x))
    result = search_rest(dive, part, candidate.b);
  dive->depth--;
  if (result == TN_DIVE_FOUND)
    return result;
  tn_dive_undo(dive, mark);
  return result;
}

static TnDiveResult
search(TnDive *dive, Part part)
{
  uint32_t left;
  if (is_over(dive))
    return TN_DIVE_ENDED;
  reserve(dive);
  gsize first = dive->n_candidates, mark = dive->n_changes, mark_ids = dive->n_ids;
  int32_t lowest_top = find_lowest_top(dive, part, &left);
  if (left == 0)
    return TN_DIVE_FOUND;
  uint32_t n = gather(dive, part, dive->candidates + first, lowest_top);
  dive->n_candidates += n;
  part = shorten(dive, part, left);
  TnDiveResult result = TN_DIVE_NONE;
  for (Candidate candidate; take_first(dive->candidates + first, n, &candidate);) {
    reserve(dive); /* those passed over leave their hats' changes */
    result = try_candidate(dive, part, candidate);
    if (result != TN_DIVE_NONE || !tn_dive_demand_hat(dive, candidate.b, candidate.x))
      break;
  }
  dive->n_candidates = first;
  dive->n_ids = mark_ids;
  if (result != TN_DIVE_FOUND)
    tn_dive_undo(dive, mark);
  dive->is_ended |= result == TN_DIVE_NONE && ++dive->n_fails == dive->params->n_fails_max;
  return result;
}

TnDiveResult
tn_dive_run(TnDive *dive,
            const TnDiveParams *params,
            int32_t *offset,
            int32_t *out_need,
            uint64_t *out_nodes)
{
  const TnField *field = dive->field;
  dive->params = params;
  *out_need = INT32_MAX;
  /* A start takes its time, too, and a round has many. */
  if (is_stopped(dive))
    return TN_DIVE_ENDED;
  dive->capacity = params->capacity;
  dive->n_nodes = dive->n_fails = dive->n_changes = dive->n_ids = dive->n_candidates = 0;
  dive->need = INT32_MAX;
  dive->depth = 0;
  dive->is_ended = false;
  memset(dive->killer, 0, sizeof dive->killer);
  TnDiveResult result = TN_DIVE_NONE;
  if (tn_dive_start(dive)) {
    uint32_t *ids = push_ids(dive, field->n);
    for (uint32_t b = 0; b < field->n; b++)
      ids[b] = b;
    tn_dive_rank(dive, ids, field->n);
    result = search(dive, (Part){ids, field->n, {0, field->n_sections}});
  }
  if (result == TN_DIVE_FOUND)
    for (uint32_t b = 0; b < field->n; b++)
      offset[b] = dive->bodies[b].at;
  *out_need = dive->need;
  *out_nodes += dive->n_nodes;
  return result;
}
