/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/diff-filter.h"

bool
tn_diff_filter_is_all(const TnDiffFilter *filter)
{
  return filter->sides == TN_SHOW_ALL_SIDES && !filter->changes && filter->cause >= TN_N_CAUSES;
}

unsigned
tn_diff_filter_side_of(const TnDiff *diff, uint32_t pair)
{
  const TnDiffPair *p = &diff->pairs[pair];
  return p->b == TN_NONE ? TN_SHOW_ONLY_A : p->a == TN_NONE ? TN_SHOW_ONLY_B : TN_SHOW_BOTH;
}

unsigned
tn_diff_filter_changes_of(const TnDiff *diff, uint32_t pair)
{
  return diff->pairs[pair].changes ? diff->pairs[pair].changes : TN_SHOW_SAME;
}

static bool
fits(const TnDiffFilter *filter, const TnDiff *diff, uint32_t pair)
{
  return (filter->sides & tn_diff_filter_side_of(diff, pair)) &&
         (!filter->changes || (filter->changes & tn_diff_filter_changes_of(diff, pair))) &&
         (filter->cause >= TN_N_CAUSES || (diff->pair_causes[pair] & 1u << filter->cause));
}

GBytes *
tn_diff_filter_run(const TnDiffFilter *filter, const TnDiff *diff, uint32_t *out_n)
{
  *out_n = diff->n;
  if (tn_diff_filter_is_all(filter))
    return NULL;
  uint8_t *shown = g_malloc(MAX(diff->n, 1u));
  *out_n = 0;
  for (uint32_t i = 0; i < diff->n; i++) {
    shown[i] = fits(filter, diff, i);
    *out_n += shown[i];
  }
  return g_bytes_new_take(shown, MAX(diff->n, 1u));
}

GBytes *
tn_diff_filter_side(const TnDiff *diff, GBytes *shown, TnDiffSide side)
{
  const uint32_t *pair_of = side == TN_DIFF_A ? diff->pair_of_a : diff->pair_of_b;
  uint32_t n = (side == TN_DIFF_A ? diff->a : diff->b)->buffers->n;
  if (!shown)
    return NULL;
  const uint8_t *by_pair = g_bytes_get_data(shown, NULL);
  uint8_t *match = g_malloc0(MAX(n, 1u));
  for (uint32_t i = 0; i < n; i++)
    match[i] = by_pair[pair_of[i]];
  return g_bytes_new_take(match, MAX(n, 1u));
}
