/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/plan/streams-apart.h"

#include "analysis/plan/order.h"
#include "analysis/plan/plan-space.h"

#define MOST_ROWS 10000u
#define MOST_LOOKS 50000000u
#define MOST_STREAMS 256u

/* ---- rows that all keep each other apart ------------------------------------------------------- */

typedef struct {
  const TnPlanProblem *problem;
  GArray *rows; /* uint32_t: of which each two may not share */
  bool *is_in;
  tn_bytes sum;
  uint32_t n_looks;
} Clique;

/* What has gaps may have others in them. */
static bool
is_whole(const TnPlanProblem *problem, uint32_t row)
{
  return problem->size[row] > 0 &&
         !(problem->gap_first && problem->gap_first[row] < problem->gap_first[row + 1]);
}

static bool
are_apart(const TnPlanProblem *problem, uint32_t a, uint32_t b)
{
  if (problem->batch && problem->batch[a] && problem->batch[b] && problem->batch[a] != problem->batch[b])
    return false;
  if (MAX(problem->lower[a], problem->lower[b]) < MIN(problem->upper[a], problem->upper[b]))
    return true;
  uint32_t earlier = problem->lower[a] < problem->lower[b] ? a : b, later = earlier == a ? b : a;
  return !tn_stream_uses_follows(problem->uses, tn_plan_use_row(problem, earlier),
                                 tn_plan_use_row(problem, later));
}

static void
try_row(Clique *clique, uint32_t row)
{
  if (clique->is_in[row] || !is_whole(clique->problem, row))
    return;
  for (guint i = 0; i < clique->rows->len; i++)
    if (++clique->n_looks > MOST_LOOKS ||
        !are_apart(clique->problem, row, g_array_index(clique->rows, uint32_t, i)))
      return;
  clique->is_in[row] = true;
  clique->sum = tn_add_saturated(clique->sum, clique->problem->size[row]);
  g_array_append_val(clique->rows, row);
}

static uint32_t
stream_of(const TnPlanProblem *problem, uint32_t row)
{
  return tn_stream_uses_stream(problem->uses, tn_plan_use_row(problem, row));
}

/* When most of a stream is alive (TN_NONE: of all): at some row's begin.  `order`: rows by begin, `ends` by end. */
static tn_tick
peak_tick(const TnPlanProblem *problem, const uint32_t *order, const uint32_t *ends, uint32_t stream)
{
  tn_bytes live = 0, peak = -1;
  tn_tick at = 0;
  for (uint32_t k = 0, e = 0; k < problem->n; k++) {
    uint32_t row = order[k];
    if (stream != TN_NONE && stream_of(problem, row) != stream)
      continue;
    for (; e < problem->n && problem->upper[ends[e]] <= problem->lower[row]; e++)
      live -= stream == TN_NONE || stream_of(problem, ends[e]) == stream ? problem->size[ends[e]] : 0;
    live = tn_add_saturated(live, problem->size[row]);
    if (live > peak) {
      peak = live;
      at = problem->lower[row];
    }
  }
  return at;
}

static void
add_alive(Clique *clique, tn_tick at, uint32_t stream)
{
  const TnPlanProblem *problem = clique->problem;
  for (uint32_t i = 0; i < problem->n; i++)
    if (problem->lower[i] <= at && at < problem->upper[i] &&
        (stream == TN_NONE || stream_of(problem, i) == stream))
      try_row(clique, i);
}

static tn_bytes
clique_sum(const TnPlanProblem *problem)
{
  uint32_t n = problem->n, n_streams = MIN(tn_stream_clock_n_streams(problem->uses->clock), MOST_STREAMS);
  Clique clique = {
      .problem = problem, .rows = g_array_new(FALSE, FALSE, sizeof(uint32_t)), .is_in = g_new0(bool, n)};
  g_autofree uint32_t *order = tn_order_by_tick(problem->lower, n), *ends = tn_order_by_tick(problem->upper, n);
  g_autofree uint64_t *key = g_new(uint64_t, n);
  add_alive(&clique, peak_tick(problem, order, ends, TN_NONE), TN_NONE);
  for (uint32_t s = 0; s < n_streams; s++)
    add_alive(&clique, peak_tick(problem, order, ends, s), s);
  for (uint32_t i = 0; i < n; i++)
    key[i] = (uint64_t)problem->size[i];
  tn_order_by_key_descending(key, n, order);
  for (uint32_t i = 0; i < n; i++)
    try_row(&clique, order[i]);
  g_array_unref(clique.rows);
  g_free(clique.is_in);
  return clique.sum;
}

/* ---- spaces ------------------------------------------------------------------------------------ */

/* What holds of every plan: with streams, but for gaps, which may be open to more than is known. */
static tn_bytes
space_apart(const TnBuffers *buffers, const uint32_t *rows, uint32_t n, tn_bytes arena, const TnStreamUses *uses)
{
  TnPlanSpace space = {0};
  tn_plan_space_fill(&space, buffers, rows, n, 0);
  space.problem.has_loose_gaps = true;
  tn_bytes without = tn_plan_lower_bound(&space.problem);
  space.problem.uses = uses;
  tn_bytes with = MAX(tn_plan_lower_bound(&space.problem), clique_sum(&space.problem));
  tn_plan_space_clear(&space);
  return without >= 0 && with > without && arena >= with ? with - without : 0;
}

tn_bytes
tn_streams_apart(const TnBuffers *buffers, const tn_bytes *space_arena, uint32_t n_spaces,
                 const TnStreamUses *uses, tn_bytes most)
{
  tn_bytes sum = 0;
  if (most <= 0 || !uses || uses->is_coarse || buffers->n > MOST_ROWS)
    return 0;
  g_autofree uint32_t *rows = g_new(uint32_t, MAX(buffers->n, 1u));
  for (uint32_t s = 0; s < n_spaces; s++) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < buffers->n; i++)
      if (MIN(tn_buffers_space(buffers, i), n_spaces - 1) == s)
        rows[n++] = i;
    if (n > 1)
      sum = tn_add_saturated(sum, space_apart(buffers, rows, n, space_arena[s], uses));
  }
  return MIN(sum, most);
}

tn_bytes
tn_streams_apart_in_study(const TnStudy *study, const uint32_t *order, tn_bytes most)
{
  g_autoptr(TnStreamUses) uses =
      most > 0 && !study->is_log ? tn_stream_uses_new_for_study(study, order, NULL) : NULL;
  return tn_streams_apart(study->buffers, study->space_arena, study->n_spaces, uses, most);
}
