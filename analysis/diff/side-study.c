/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/diff/side-study.h"

#include "analysis/segment-lives.h"

TnDelta
tn_delta_of(unsigned changes)
{
  if (changes & TN_CHANGE_NEW)
    return TN_DELTA_NEW;
  if (changes & TN_CHANGE_GONE)
    return TN_DELTA_GONE;
  if (changes & TN_CHANGE_GREW)
    return TN_DELTA_LARGER;
  if (changes & TN_CHANGE_SHRANK)
    return TN_DELTA_SMALLER;
  if (changes & TN_CHANGE_LONGER)
    return TN_DELTA_LONGER;
  if (changes & TN_CHANGE_SHORTER)
    return TN_DELTA_SHORTER;
  return changes ? TN_DELTA_MOVED : TN_DELTA_SAME;
}

const char *
tn_delta_title(TnDelta delta)
{
  static const char *const titles[TN_N_DELTAS] = {
      "the same",     "moved",     "larger in B",       "only in B",
      "smaller in B", "only in A", "lives longer in B", "lives shorter in B"};
  return titles[delta];
}

/* A life goes from its first to its last tick: after it the other side may have more. */
static void
map_lives(const TnDiffAxis *axis, TnDiffSide side, TnBuffers *b)
{
  for (uint32_t i = 0; i < b->n; i++) {
    b->start[i] = tn_diff_axis_to_common(axis, side, b->start[i]);
    b->end[i] = tn_diff_axis_to_common(axis, side, b->end[i] - 1) + 1;
  }
  for (uint32_t i = 0; b->gap_first && i < b->gap_first[b->n]; i++) {
    b->gaps[i].start = tn_diff_axis_to_common(axis, side, b->gaps[i].start);
    b->gaps[i].end = tn_diff_axis_to_common(axis, side, b->gaps[i].end - 1) + 1;
  }
}

static TnCurve *
build_reserved(const TnDiffAxis *axis, TnDiffSide side, const TnCurve *from)
{
  if (!from)
    return NULL;
  g_autofree tn_tick *tick = g_new(tn_tick, from->n);
  for (uint32_t i = 0; i < from->n; i++)
    tick[i] = i ? tn_diff_axis_to_common(axis, side, from->tick[i]) : 0;
  return tn_curve_new(tick, from->value, from->n, axis->end);
}

static TnCategories *
build_categories(const TnDiff *diff, TnDiffSide side, uint32_t n)
{
  TnCategories *categories = g_new0(TnCategories, 1);
  const uint32_t *pair_of = side == TN_DIFF_A ? diff->pair_of_a : diff->pair_of_b;
  categories->grouping = TN_GROUP_KIND;
  categories->groups = g_array_new(FALSE, FALSE, sizeof(TnGroup));
  categories->category = g_new0(uint8_t, MAX(n, 1u));
  categories->group = g_new0(uint32_t, MAX(n, 1u));
  for (unsigned i = 0; i < TN_N_DELTAS; i++)
    g_array_append_val(categories->groups, ((TnGroup){.name = g_strdup(tn_delta_title((TnDelta)i)),
                                                      .category = (uint8_t)i}));
  for (uint32_t i = 0; i < n; i++) {
    uint8_t delta = (uint8_t)tn_delta_of(diff->pairs[pair_of[i]].changes);
    categories->category[i] = delta;
    categories->group[i] = delta;
    g_array_index(categories->groups, TnGroup, delta).n_all++;
  }
  return categories;
}

static void
prepare_segments(TnStudy *study, const TnDiffAxis *axis, TnDiffSide side)
{
  study->segments = tn_segment_lives_new(study->device);
  map_lives(axis, side, study->segments);
  study->segment_index = tn_live_index_new(study->segments);
  study->segment_place = tn_address_map_places_new(study->map, study->segments);
}

static void
copy_figures(TnStudy *study, const TnStudy *from)
{
  study->references = 1;
  study->document = from->document;
  study->device = from->device;
  study->device_row = from->device_row;
  study->is_log = from->is_log;
  study->before_bytes = from->before_bytes;
  study->no_reuse_bytes = from->no_reuse_bytes;
  study->resident_bytes = from->resident_bytes;
  study->arena_bytes = from->arena_bytes;
  study->n_spaces = from->n_spaces;
  study->n_before = from->n_before;
  study->n_unsized = from->n_unsized;
  if (from->space_arena)
    study->space_arena = g_memdup2(from->space_arena, sizeof *from->space_arena * from->n_spaces);
}

static void
prepare(TnStudy *study, const TnDiff *diff, TnDiffSide side)
{
  study->map = study->is_log
                   ? tn_address_map_new_for_log(study->device, study->buffers)
                   : tn_address_map_new_for_plan(study->buffers, study->offset, study->n_spaces);
  study->index = tn_live_index_new(study->buffers);
  if (study->is_log)
    prepare_segments(study, diff->axis, side);
  study->lanes = tn_lanes_new(study->buffers);
  study->sites = tn_call_sites_new(study->document);
  study->categories = build_categories(diff, side, study->buffers->n);
  study->is_prepared = true;
}

TnStudy *
tn_diff_build_side_study(const TnDiff *diff, TnDiffSide side)
{
  const TnStudy *from = side == TN_DIFF_A ? diff->a : diff->b;
  TnStudy *study = g_new0(TnStudy, 1);
  copy_figures(study, from);
  study->owned_buffers = tn_buffers_copy(from->buffers);
  map_lives(diff->axis, side, study->owned_buffers);
  study->buffers = study->owned_buffers;
  study->owned_offset = g_memdup2(from->offset, sizeof *from->offset * MAX(from->buffers->n, 1u));
  study->offset = study->owned_offset;
  study->axis_end = MAX(diff->axis->end, (tn_tick)1);
  study->live = tn_curve_new_for_buffers(study->buffers, study->axis_end);
  study->reserved = build_reserved(diff->axis, side, from->reserved);
  prepare(study, diff, side);
  return study;
}
