/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/plan/group-layout.h"

typedef struct {
  const TnPlanProblem *problem;
  const uint32_t *rows;
  uint32_t n;
  tn_bytes strictest;
} Group;

static tn_bytes
size_of(const Group *group, uint32_t i)
{
  return group->problem->size[group->rows[i]];
}

static tn_bytes
alignment_of(const Group *group, uint32_t i)
{
  return group->problem->alignment ? MAX(group->problem->alignment[group->rows[i]], 1) : 1;
}

static tn_bytes
fixed_of(const Group *group, uint32_t i)
{
  return group->problem->fixed ? group->problem->fixed[group->rows[i]] : TN_NOT_PLACED;
}

/* The highest place of each below the next fixed one; above the last: INT64_MAX. */
static bool
find_highest(const Group *group, tn_bytes *highest)
{
  tn_bytes above = INT64_MAX;
  for (uint32_t i = group->n; i-- > 0;) {
    if (size_of(group, i) == 0)
      continue;
    tn_bytes size = size_of(group, i);
    if (fixed_of(group, i) != TN_NOT_PLACED)
      above = fixed_of(group, i);
    else if (above < size)
      return false;
    else if (above != INT64_MAX)
      above -= size + (above - size) % alignment_of(group, i);
    highest[i] = above;
  }
  return true;
}

/* Above `top`, the end of the member below. */
static bool
find_next(const Group *group, uint32_t i, tn_bytes highest, tn_bytes top, tn_bytes *out_at)
{
  tn_bytes last;
  if (fixed_of(group, i) != TN_NOT_PLACED)
    *out_at = fixed_of(group, i);
  else if (highest == INT64_MAX)
    return tn_round_up(top, alignment_of(group, i), out_at);
  else if (!tn_add(top, group->strictest - 1, &last))
    *out_at = highest;
  else
    *out_at = MIN(highest, last - last % alignment_of(group, i));
  return *out_at >= top && *out_at - top < group->strictest;
}

bool
tn_group_layout_around(const TnPlanProblem *problem, const uint32_t *rows, uint32_t n, tn_bytes *at)
{
  Group group = {problem, rows, n, 1};
  tn_bytes top = -1;
  for (uint32_t i = 0; i < n; i++)
    group.strictest = MAX(group.strictest, alignment_of(&group, i));
  if (!find_highest(&group, at))
    return false;
  for (uint32_t i = 0; i < n; i++) {
    if (size_of(&group, i) == 0)
      continue;
    if ((top >= 0 && !find_next(&group, i, at[i], top, &at[i])) ||
        at[i] % alignment_of(&group, i) != 0 || !tn_add(at[i], size_of(&group, i), &top))
      return false;
  }
  return true;
}
