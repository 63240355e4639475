/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/plan/dive.h"
#include "analysis/plan/order.h"

#include <string.h>

#define GONE (INT32_MAX / 2) /* floor of a placed body: never the smallest */
#define N_KILLERS 6u
#define FEW 512u /* so many bodies are sorted by insertion, and seldom looked at the clock for */
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
  int32_t need;
  bool is_ended;
};

/* ---- undoing ----------------------------------------------------------------------------------
 */

static inline void
set(TnDive *dive, int32_t *cell, int32_t value)
{
  dive->changes[dive->n_changes++] = (Change){cell, *cell};
  *cell = value;
}

static inline void
undo(TnDive *dive, gsize mark)
{
  while (dive->n_changes > mark) {
    Change change = dive->changes[--dive->n_changes];
    *change.cell = change.before;
  }
}

/* Room for whatever one node may change; the only place that allocates while searching. */
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

/* ---- checks -----------------------------------------------------------------------------------
 */

/* False, and `needed` remembered, where that is above the capacity. */
static inline bool
fits(TnDive *dive, int32_t needed)
{
  if (needed <= dive->capacity)
    return true;
  if (needed < dive->need)
    dive->need = needed;
  return false;
}

/* The least floor of the members not placed; none is below `known`, so one at it ends the look. */
static inline int32_t
least_low(const TnDive *dive, uint32_t s, int32_t known)
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

static void
remember_killer(TnDive *dive, uint32_t s)
{
  uint32_t k = 0;
  while (k < N_KILLERS - 1 && dive->killer[k] != s)
    k++;
  for (; k > 0; k--)
    dive->killer[k] = dive->killer[k - 1];
  dive->killer[0] = s;
}

/* `known`: no member not placed is below. */
static inline bool
refresh_section(TnDive *dive, uint32_t s, int32_t known)
{
  if (dive->stamp[s] == dive->now)
    return true;
  dive->stamp[s] = dive->now;
  if (dive->total[s] == 0)
    return true;
  int32_t floor = least_low(dive, s, MAX(known, dive->floor[s]));
  if (floor != dive->floor[s])
    set(dive, &dive->floor[s], floor);
  if (fits(dive, floor + dive->total[s]))
    return true;
  remember_killer(dive, s);
  return false;
}

/* What the killer sections would say if b lay at x: nothing is changed.  Only sections of the part:
 * elsewhere bodies may still lie below x. */
static bool
is_killed(TnDive *dive, TnRange sections, uint32_t b, int32_t x)
{
  const TnField *field = dive->field;
  int32_t top = x + field->size[b];
  for (uint32_t i = 0; i < N_KILLERS; i++) {
    uint32_t s = dive->killer[i];
    int32_t total = dive->total[s], floor = GONE;
    if (total == 0 || s < sections.first || s >= sections.last)
      continue;
    const uint32_t *member = dive->member + field->member_first[s];
    for (int32_t k = 0; k < dive->n_left[s]; k++) {
      uint32_t c = member[k];
      if (c == b) {
        total -= field->size[b];
        continue;
      }
      int32_t low = dive->bodies[c].low;
      if (low < top && tn_field_are_near(field, b, c))
        low = top;
      floor = MIN(floor, low);
    }
    if (total > 0 && !fits(dive, MAX(floor, x) + total)) {
      remember_killer(dive, s);
      return true;
    }
  }
  return false;
}

/* ---- placing ----------------------------------------------------------------------------------
 */

static inline bool
is_out_of_reach(TnDive *dive, uint32_t b)
{
  const TnField *field = dive->field;
  if (field->fixed && field->fixed[b] >= 0 && dive->bodies[b].low > field->fixed[b])
    return true;
  return !fits(dive, dive->bodies[b].low + field->size[b]);
}

/* Raises the neighbours of b to its top.  *out_raised reaches over all whose floor rose; false
 * where one cannot. */
static bool
raise_neighbours(TnDive *dive, uint32_t b, int32_t top, TnRange *out_raised)
{
  const TnField *field = dive->field;
  TnRange raised = {UINT32_MAX, 0};
  for (uint32_t k = field->near_first[b]; k < field->near_first[b + 1]; k++) {
    uint32_t c = field->near[k];
    Body *body = &dive->bodies[c];
    if (body->at >= 0 || body->real >= top)
      continue;
    int32_t real = tn_field_align(field, c, top);
    set(dive, &body->real, real);
    if (real <= body->low)
      continue;
    set(dive, &body->low, real);
    if (is_out_of_reach(dive, c))
      return false;
    raised.first = MIN(raised.first, field->hull[c].first);
    raised.last = MAX(raised.last, field->hull[c].last);
  }
  *out_raised = raised;
  return true;
}

/* Refreshes the sections of b whose floor may have been b's: those at `from`. */
static bool
refresh_body(TnDive *dive, uint32_t b, int32_t from)
{
  const TnField *field = dive->field;
  for (uint32_t k = field->range_first[b]; k < field->range_first[b + 1]; k++)
    for (uint32_t s = field->ranges[k].first; s < field->ranges[k].last; s++)
      if (dive->floor[s] == from && !refresh_section(dive, s, from))
        return false;
  return true;
}

/* The slot of body b in section s. */
static inline uint32_t
slot_of(const TnDive *dive, uint32_t b, uint32_t s)
{
  const TnField *field = dive->field;
  uint32_t k = field->range_first[b];
  while (s >= field->ranges[k].last)
    k++;
  return dive->slot_first[k] + s - field->ranges[k].first;
}

/* Swaps the member at `slot` behind those of section s that are left. */
static inline void
leave_section(TnDive *dive, uint32_t s, uint32_t b, uint32_t slot)
{
  uint32_t *member = dive->member + dive->field->member_first[s];
  uint32_t at = dive->place[slot], last = (uint32_t)dive->n_left[s] - 1, other = member[last];
  member[at] = other;
  member[last] = b;
  dive->place[slot_of(dive, other, s)] = at;
  dive->place[slot] = last;
  set(dive, &dive->n_left[s], (int32_t)last);
}

static void
take_out(TnDive *dive, uint32_t b, int32_t x)
{
  const TnField *field = dive->field;
  set(dive, &dive->bodies[b].at, x);
  set(dive, &dive->bodies[b].low, GONE);
  for (uint32_t k = field->range_first[b]; k < field->range_first[b + 1]; k++)
    for (uint32_t s = field->ranges[k].first; s < field->ranges[k].last; s++) {
      leave_section(dive, s, b, dive->slot_first[k] + s - field->ranges[k].first);
      set(dive, &dive->total[s], dive->total[s] - field->size[b]);
    }
}

/* Refreshes the sections whose floor may have been that of a body raised to `top`. */
static bool
refresh_raised(TnDive *dive, TnRange raised, int32_t top)
{
  for (uint32_t s = raised.first; s < raised.last; s++)
    if (dive->floor[s] < top && !refresh_section(dive, s, dive->floor[s]))
      return false;
  return true;
}

static bool
place(TnDive *dive, uint32_t b, int32_t x)
{
  const TnField *field = dive->field;
  int32_t top = x + field->size[b];
  TnRange raised;
  dive->now++;
  take_out(dive, b, x);
  if (!raise_neighbours(dive, b, top, &raised))
    return false;
  for (uint32_t k = field->range_first[b]; k < field->range_first[b + 1]; k++)
    for (uint32_t s = field->ranges[k].first; s < field->ranges[k].last; s++)
      if (!refresh_section(dive, s, top))
        return false;
  return refresh_raised(dive, raised, top);
}

/* Body b is passed over at x: only a neighbour placed later can push it up.  False where none can,
 * or where what it then needs breaks a check: the node has no plan. */
static bool
demand_hat(TnDive *dive, uint32_t b, int32_t x)
{
  const TnField *field = dive->field;
  int32_t hat = GONE, from = dive->bodies[b].low;
  for (uint32_t k = field->near_first[b]; k < field->near_first[b + 1]; k++) {
    uint32_t c = field->near[k];
    if (dive->bodies[c].at < 0)
      hat = MIN(hat, MAX(dive->bodies[c].low, x) + field->size[c]);
  }
  if (hat == GONE)
    return false;
  hat = tn_field_align(field, b, hat);
  if (hat <= from)
    return true;
  dive->now++;
  set(dive, &dive->bodies[b].low, hat);
  return !is_out_of_reach(dive, b) && refresh_body(dive, b, from);
}

/* ---- ranks ------------------------------------------------------------------------------------
 */

static int32_t
largest_total(const TnDive *dive, TnRange sections)
{
  int32_t largest = 0;
  for (uint32_t s = sections.first; s < sections.last; s++)
    largest = MAX(largest, dive->total[s]);
  return largest;
}

static uint64_t
trait(const TnDive *dive, uint32_t b, char letter)
{
  const TnField *field = dive->field;
  uint64_t life = (uint64_t)field->end[b] - (uint64_t)field->start[b];
  switch (letter) {
  case 'A':
    return life * (uint64_t)field->size[b];
  case 'C':
    return field->hull[b].last - field->hull[b].first;
  case 'L':
    return (uint64_t)field->start[b] ^ (1ull << 63);
  case 'O':
    return field->near_first[b + 1] - field->near_first[b];
  case 'T':
    return (uint64_t)largest_total(dive, field->hull[b]);
  case 'U':
    return (uint64_t)field->end[b] ^ (1ull << 63);
  case 'W':
    return life;
  default:
    return (uint64_t)field->size[b];
  }
}

static void
sort_by_key(const uint64_t *key, uint32_t *ids, uint32_t n)
{
  for (uint32_t i = 1; i < n; i++) {
    uint32_t b = ids[i], j = i;
    for (; j > 0 && key[ids[j - 1]] > key[b]; j--)
      ids[j] = ids[j - 1];
    ids[j] = b;
  }
}

/* Stable sort by one letter, from the last letter to the first. */
static void
rank(TnDive *dive, uint32_t *ids, uint32_t n)
{
  for (gsize letter = strlen(dive->params->order); letter-- > 0;) {
    for (uint32_t i = 0; i < n; i++)
      dive->key[ids[i]] = ~trait(dive, ids[i], dive->params->order[letter]);
    if (n <= FEW)
      sort_by_key(dive->key, ids, n);
    else
      tn_order_again(dive->key, n, ids);
  }
}

/* ---- the search -------------------------------------------------------------------------------
 */

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
  rank(dive, ids, n);
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
is_over(TnDive *dive)
{
  const TnDiveParams *params = dive->params;
  if (dive->n_nodes >= params->n_nodes_max)
    dive->is_ended = true;
  if (++dive->n_nodes % 64 == 0 || dive->field->n > FEW)
    dive->is_ended |= (params->stop && g_atomic_int_get(params->stop)) ||
                      tn_progress_is_cancelled(params->progress) ||
                      g_get_monotonic_time() >= params->deadline;
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
  int32_t ceiling = dive->capacity - largest_total(dive, part.sections);
  uint32_t n = 0;
  for (uint32_t i = 0; i < part.n; i++) {
    uint32_t b = part.ids[i];
    const Body *body = &dive->bodies[b];
    int32_t x = body->real;
    if (x >= lowest_top || x != body->low || body->at >= 0)
      continue;
    if (x > ceiling)
      fits(dive, x + dive->capacity - ceiling);
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
  if (is_killed(dive, part.sections, candidate.b, candidate.x))
    return TN_DIVE_NONE;
  gsize mark = dive->n_changes;
  TnDiveResult result = TN_DIVE_NONE;
  if (place(dive, candidate.b, candidate.x))
    result = search_rest(dive, part, candidate.b);
  if (result == TN_DIVE_FOUND)
    return result;
  undo(dive, mark);
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
    result = try_candidate(dive, part, candidate);
    if (result != TN_DIVE_NONE || !demand_hat(dive, candidate.b, candidate.x))
      break;
  }
  dive->n_candidates = first;
  dive->n_ids = mark_ids;
  if (result != TN_DIVE_FOUND)
    undo(dive, mark);
  dive->is_ended |= result == TN_DIVE_NONE && ++dive->n_fails == dive->params->n_fails_max;
  return result;
}

/* ---- the whole --------------------------------------------------------------------------------
 */

TnDive *
tn_dive_new(const TnField *field)
{
  TnDive *dive = g_new0(TnDive, 1);
  dive->field = field;
  dive->bodies = g_new(Body, field->n);
  uint32_t n_members = field->member_first[field->n_sections],
           n_ranges = field->range_first[field->n];
  dive->member = g_new(uint32_t, n_members);
  dive->place = g_new(uint32_t, n_members);
  dive->n_left = g_new(int32_t, field->n_sections);
  dive->slot_first = g_new(uint32_t, n_ranges);
  for (uint32_t k = 0, slot = 0; k < n_ranges; k++) {
    dive->slot_first[k] = slot;
    slot += field->ranges[k].last - field->ranges[k].first;
  }
  dive->floor = g_new(int32_t, field->n_sections);
  dive->total = g_new(int32_t, field->n_sections);
  dive->cut = g_new(uint32_t, field->n_sections);
  dive->stamp = g_new0(uint32_t, field->n_sections);
  dive->key = g_new(uint64_t, field->n);
  /* Lists of parts inside one another shrink by a body at least. */
  dive->n_ids_max = MIN((gsize)field->n * ((gsize)field->n + 3) / 2 + 1, N_IDS_MAX);
  dive->ids = g_new(uint32_t, dive->n_ids_max);
  return dive;
}

void
tn_dive_free(TnDive *dive)
{
  if (!dive)
    return;
  g_free(dive->bodies);
  g_free(dive->member);
  g_free(dive->place);
  g_free(dive->n_left);
  g_free(dive->slot_first);
  g_free(dive->floor);
  g_free(dive->total);
  g_free(dive->cut);
  g_free(dive->stamp);
  g_free(dive->key);
  g_free(dive->changes);
  g_free(dive->candidates);
  g_free(dive->ids);
  g_free(dive);
}

static void
start_bodies(TnDive *dive)
{
  const TnField *field = dive->field;
  memset(dive->cut, 0, field->n_sections * sizeof *dive->cut);
  for (uint32_t b = 0; b < field->n; b++) {
    dive->bodies[b].at = -1;
    dive->bodies[b].size = field->size[b];
    dive->bodies[b].real = tn_field_align(field, b, 0);
    if (field->fixed && field->fixed[b] >= 0)
      dive->bodies[b].real = field->fixed[b];
    dive->bodies[b].low = dive->bodies[b].real;
    for (uint32_t s = field->hull[b].first; s + 1 < field->hull[b].last; s++)
      dive->cut[s]++;
  }
}

static void
start_members(TnDive *dive)
{
  const TnField *field = dive->field;
  memcpy(dive->member, field->member, field->member_first[field->n_sections] * sizeof(uint32_t));
  for (uint32_t s = 0; s < field->n_sections; s++) {
    dive->n_left[s] = (int32_t)(field->member_first[s + 1] - field->member_first[s]);
    for (uint32_t k = field->member_first[s]; k < field->member_first[s + 1]; k++)
      dive->place[slot_of(dive, field->member[k], s)] = k - field->member_first[s];
  }
}

static bool
start_sections(TnDive *dive)
{
  const TnField *field = dive->field;
  bool is_good = true;
  start_members(dive);
  for (uint32_t s = 0; s < field->n_sections; s++) {
    dive->total[s] = 0;
    for (uint32_t k = field->member_first[s]; k < field->member_first[s + 1]; k++)
      dive->total[s] += field->size[field->member[k]];
    dive->floor[s] = least_low(dive, s, -1);
    is_good &= dive->total[s] == 0 || fits(dive, dive->floor[s] + dive->total[s]);
  }
  for (uint32_t b = 0; b < field->n; b++)
    is_good &= fits(dive, dive->bodies[b].low + field->size[b]);
  return is_good;
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
  dive->capacity = params->capacity;
  dive->n_nodes = dive->n_fails = dive->n_changes = dive->n_ids = dive->n_candidates = 0;
  dive->need = INT32_MAX;
  dive->is_ended = false;
  memset(dive->killer, 0, sizeof dive->killer);
  start_bodies(dive);
  TnDiveResult result = TN_DIVE_NONE;
  if (start_sections(dive)) {
    uint32_t *ids = push_ids(dive, field->n);
    for (uint32_t b = 0; b < field->n; b++)
      ids[b] = b;
    rank(dive, ids, field->n);
    result = search(dive, (Part){ids, field->n, {0, field->n_sections}});
  }
  if (result == TN_DIVE_FOUND)
    for (uint32_t b = 0; b < field->n; b++)
      offset[b] = dive->bodies[b].at;
  *out_need = dive->need;
  *out_nodes += dive->n_nodes;
  return result;
}
