/* SPDX-License-Identifier: MIT */
/* Placing a body, and the checks that this may break. */
#include "config.h"

#include "analysis/plan/dive-private.h"

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
  int32_t floor = tn_dive_least_low(dive, s, MAX(known, dive->floor[s]));
  if (floor != dive->floor[s])
    tn_dive_set(dive, &dive->floor[s], floor);
  if (tn_dive_fits(dive, floor + dive->total[s]))
    return true;
  remember_killer(dive, s);
  return false;
}

/* What the killer sections would say if b lay at x: nothing is changed.  Only sections of the part:
 * elsewhere bodies may still lie below x. */
bool
tn_dive_is_killed(TnDive *dive, TnRange sections, uint32_t b, int32_t x)
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
    if (total > 0 && !tn_dive_fits(dive, MAX(floor, x) + total)) {
      remember_killer(dive, s);
      return true;
    }
  }
  return false;
}

/* ---- placing ------------------------------------------------------------------------------- */

static inline bool
is_out_of_reach(TnDive *dive, uint32_t b)
{
  const TnField *field = dive->field;
  if (field->fixed && field->fixed[b] >= 0 && dive->bodies[b].low > field->fixed[b])
    return true;
  return !tn_dive_fits(dive, dive->bodies[b].low + field->size[b]);
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
    tn_dive_set(dive, &body->real, real);
    if (real <= body->low)
      continue;
    tn_dive_set(dive, &body->low, real);
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

/* Swaps the member at `slot` behind those of section s that are left. */
static inline void
leave_section(TnDive *dive, uint32_t s, uint32_t b, uint32_t slot)
{
  uint32_t *member = dive->member + dive->field->member_first[s];
  uint32_t at = dive->place[slot], last = (uint32_t)dive->n_left[s] - 1, other = member[last];
  member[at] = other;
  member[last] = b;
  dive->place[tn_dive_slot(dive, other, s)] = at;
  dive->place[slot] = last;
  tn_dive_set(dive, &dive->n_left[s], (int32_t)last);
}

static void
take_out(TnDive *dive, uint32_t b, int32_t x)
{
  const TnField *field = dive->field;
  tn_dive_set(dive, &dive->bodies[b].at, x);
  tn_dive_set(dive, &dive->bodies[b].low, GONE);
  for (uint32_t k = field->range_first[b]; k < field->range_first[b + 1]; k++)
    for (uint32_t s = field->ranges[k].first; s < field->ranges[k].last; s++) {
      leave_section(dive, s, b, dive->slot_first[k] + s - field->ranges[k].first);
      tn_dive_set(dive, &dive->total[s], dive->total[s] - field->size[b]);
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

bool
tn_dive_place(TnDive *dive, uint32_t b, int32_t x)
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
bool
tn_dive_demand_hat(TnDive *dive, uint32_t b, int32_t x)
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
  tn_dive_set(dive, &dive->bodies[b].low, hat);
  return !is_out_of_reach(dive, b) && refresh_body(dive, b, from);
}
