/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/plan/plan-space.h"

void
tn_plan_space_clear(TnPlanSpace *space)
{
  g_free(space->lower);
  g_free(space->upper);
  g_free(space->size);
  g_free(space->alignment);
  g_free(space->fixed);
  g_free(space->batch);
  g_free(space->group);
  g_free(space->stream);
  g_free(space->traits);
  g_free(space->requested);
  g_free(space->gap_first);
  g_free(space->flags);
  g_free(space->kind);
  if (space->gaps)
    g_array_unref(space->gaps);
}

tn_bytes
tn_plan_common_multiple(tn_bytes a, tn_bytes b)
{
  tn_bytes product;
  return tn_mul(a / tn_gcd(a, b), b, &product) ? product : INT64_MAX;
}

static void
fill_optional(
    TnPlanSpace *space, const TnBuffers *buffers, const uint32_t *rows, uint32_t n, tn_bytes least)
{
  bool has_fixed = false;
  for (uint32_t i = 0; i < n; i++)
    has_fixed |= (buffers->flags[rows[i]] & TN_BUFFER_FIXED) && buffers->offset[rows[i]] >= 0;
  space->alignment = buffers->alignment || least > 1 ? g_new(tn_bytes, n) : NULL;
  space->fixed = has_fixed ? g_new(tn_bytes, n) : NULL;
  space->batch = buffers->batch ? g_new(uint32_t, n) : NULL;
  space->group = buffers->group ? g_new(uint32_t, n) : NULL;
  space->stream = buffers->stream ? g_new(uint32_t, n) : NULL;
  space->traits = buffers->traits ? g_new(uint32_t, n) : NULL;
  space->requested = buffers->requested ? g_new(tn_bytes, n) : NULL;
  for (uint32_t i = 0; i < n; i++) {
    uint32_t row = rows[i];
    bool is_fixed = buffers->flags[row] & TN_BUFFER_FIXED;
    if (space->alignment)
      space->alignment[i] =
          tn_plan_common_multiple(MAX(tn_buffers_alignment(buffers, row), 1), MAX(least, 1));
    if (space->fixed)
      space->fixed[i] =
          is_fixed && buffers->offset[row] >= 0 ? buffers->offset[row] : TN_NOT_PLACED;
    if (space->batch)
      space->batch[i] = buffers->batch[row];
    if (space->group)
      space->group[i] = buffers->group[row];
    if (space->stream)
      space->stream[i] = buffers->stream[row];
    if (space->traits)
      space->traits[i] = buffers->traits[row];
    if (space->requested)
      space->requested[i] = buffers->requested[row];
  }
}

static void
fill_gaps(TnPlanSpace *space, const TnBuffers *buffers, const uint32_t *rows, uint32_t n)
{
  if (!buffers->gap_first)
    return;
  space->gap_first = g_new0(uint32_t, (gsize)n + 1);
  space->gaps = g_array_new(FALSE, FALSE, sizeof(TnGap));
  for (uint32_t i = 0; i < n; i++) {
    uint32_t n_gaps;
    const TnGap *gaps = tn_buffers_gaps(buffers, rows[i], &n_gaps);
    g_array_append_vals(space->gaps, gaps, n_gaps);
    space->gap_first[i + 1] = space->gaps->len;
  }
}

void
tn_plan_space_fill(
    TnPlanSpace *space, const TnBuffers *buffers, const uint32_t *rows, uint32_t n, tn_bytes least)
{
  space->lower = g_new(tn_tick, MAX(n, 1u));
  space->upper = g_new(tn_tick, MAX(n, 1u));
  space->size = g_new(tn_bytes, MAX(n, 1u));
  space->flags = g_new(uint8_t, MAX(n, 1u));
  space->kind = g_new(uint8_t, MAX(n, 1u));
  for (uint32_t i = 0; i < n; i++) {
    space->lower[i] = buffers->start[rows[i]];
    space->upper[i] = buffers->end[rows[i]];
    space->size[i] = buffers->bytes[rows[i]];
    space->flags[i] = buffers->flags[rows[i]];
    space->kind[i] = buffers->kind[rows[i]];
  }
  fill_optional(space, buffers, rows, n, least);
  fill_gaps(space, buffers, rows, n);
  space->problem = (TnPlanProblem){
      .n = n,
      .lower = space->lower,
      .upper = space->upper,
      .size = space->size,
      .alignment = space->alignment,
      .fixed = space->fixed,
      .batch = space->batch,
      .stream = space->stream,
      .traits = space->traits,
      .kind = space->kind,
      .requested = space->requested,
      .use_row = rows,
      .group = space->group,
      .flags = space->flags,
      .gap_first = space->gap_first,
      .gaps = space->gaps ? (const TnGap *)(const void *)space->gaps->data : NULL,
  };
}
