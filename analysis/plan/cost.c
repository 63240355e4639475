/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/plan/cost.h"
#include "analysis/plan/holes.h"
#include "analysis/plan/order.h"

#include <string.h>

static uint64_t
tick_key(tn_tick tick)
{
  return (uint64_t)tick ^ (1ull << 63);
}

static uint32_t *
new_order_by_tick(const tn_tick *tick, uint32_t n)
{
  g_autofree uint64_t *key = g_new(uint64_t, MAX(n, 1u));
  uint32_t *order = g_new(uint32_t, MAX(n, 1u));
  for (uint32_t i = 0; i < n; i++)
    key[i] = tick_key(tick[i]);
  tn_order_by_key(key, n, order);
  return order;
}

/* ---- who follows whom -------------------------------------------------------------------------
 */

/* A stretch of addresses and the last buffer that held it. */
typedef struct {
  tn_bytes low, high;
  uint32_t tenant;
} Stretch;

/* First stretch that reaches beyond `low`: they are sorted and apart. */
static guint
find_stretch(const GArray *stretches, tn_bytes low)
{
  guint first = 0, last = stretches->len;
  while (first < last) {
    guint middle = first + (last - first) / 2;
    if (g_array_index(stretches, Stretch, middle).high > low)
      last = middle;
    else
      first = middle + 1;
  }
  return first;
}

/* Lets `tenant` hold [low, high); adds (former tenant, tenant) to `pairs` for each former one. */
static void
move_in(GArray *stretches, tn_bytes low, tn_bytes high, uint32_t tenant, GArray *pairs)
{
  guint first = find_stretch(stretches, low), last = first, n_new = 0;
  Stretch pieces[3];
  for (; last < stretches->len && g_array_index(stretches, Stretch, last).low < high; last++) {
    uint64_t pair = (uint64_t)g_array_index(stretches, Stretch, last).tenant << 32 | tenant;
    g_array_append_val(pairs, pair);
  }
  if (first < last && g_array_index(stretches, Stretch, first).low < low) {
    pieces[n_new] = g_array_index(stretches, Stretch, first);
    pieces[n_new++].high = low;
  }
  pieces[n_new++] = (Stretch){low, high, tenant};
  if (first < last && g_array_index(stretches, Stretch, last - 1).high > high) {
    pieces[n_new] = g_array_index(stretches, Stretch, last - 1);
    pieces[n_new++].low = high;
  }
  g_array_remove_range(stretches, first, last - first);
  g_array_insert_vals(stretches, first, pieces, n_new);
}

static int
compare_pairs(const void *left, const void *right)
{
  uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
  return (a > b) - (a < b);
}

static void
sort_unique(GArray *pairs)
{
  uint64_t *rows = (uint64_t *)(void *)pairs->data;
  guint kept = 0;
  if (pairs->len == 0)
    return;
  qsort(rows, pairs->len, sizeof *rows, compare_pairs);
  for (guint i = 0; i < pairs->len; i++)
    if (i == 0 || rows[i] != rows[i - 1])
      rows[kept++] = rows[i];
  g_array_set_size(pairs, kept);
}

/* (buffer << 32 | its next tenant), each once. */
static GArray *
new_reuses(const TnPlanProblem *problem, const tn_bytes *offset)
{
  g_autoptr(GArray) stretches = g_array_new(FALSE, FALSE, sizeof(Stretch));
  g_autofree uint32_t *order = new_order_by_tick(problem->lower, problem->n);
  GArray *pairs = g_array_new(FALSE, FALSE, sizeof(uint64_t));
  for (uint32_t k = 0; k < problem->n; k++) {
    uint32_t i = order[k];
    if (problem->size[i] > 0)
      move_in(stretches, offset[i], offset[i] + problem->size[i], i, pairs);
  }
  sort_unique(pairs);
  return pairs;
}

/* (producer << 32 | user that it has to wait for), each once, sorted by producer. */
static GArray *
new_op_pairs(const GArray *reuses, const TnPlanUses *uses)
{
  GArray *pairs = g_array_new(FALSE, FALSE, sizeof(uint64_t));
  for (guint i = 0; i < reuses->len; i++) {
    uint64_t reuse = g_array_index(reuses, uint64_t, i);
    uint32_t before = (uint32_t)(reuse >> 32), producer = uses->producer[(uint32_t)reuse];
    for (uint32_t k = uses->user_first[before]; k < uses->user_first[before + 1]; k++) {
      uint64_t pair = (uint64_t)producer << 32 | uses->user[k];
      if (producer != TN_NONE && uses->user[k] != producer)
        g_array_append_val(pairs, pair);
    }
  }
  sort_unique(pairs);
  return pairs;
}

/* Bit k of reach[op]: a path leads from op to producers[k]. */
static void
fill_reach(const TnPlanOps *ops, const uint32_t *producers, uint32_t n, uint64_t *reach)
{
  memset(reach, 0, ops->n * sizeof *reach);
  for (uint32_t k = 0; k < n; k++)
    reach[producers[k]] |= 1ull << k;
  for (uint32_t op = ops->n; op-- > 0;)
    for (uint32_t e = ops->edge_first[op]; e < ops->edge_first[op + 1]; e++)
      reach[op] |= reach[ops->edge[e]];
}

/* Those of pairs [from, to) without a path; together they have n <= 64 producers. */
static uint64_t
count_unordered(
    const uint64_t *pairs, guint from, guint to, const uint32_t *producers, const uint64_t *reach)
{
  uint64_t n_waits = 0;
  for (guint i = from, k = 0; i < to; i++) {
    while (producers[k] != (uint32_t)(pairs[i] >> 32))
      k++;
    n_waits += !((reach[(uint32_t)pairs[i]] >> k) & 1);
  }
  return n_waits;
}

TnPlanWaits
tn_plan_count_waits(const TnPlanProblem *problem,
                    const tn_bytes *offset,
                    const TnPlanOps *ops,
                    const TnPlanUses *uses)
{
  g_autoptr(GArray) reuses = new_reuses(problem, offset);
  g_autoptr(GArray) op_pairs = new_op_pairs(reuses, uses);
  g_autofree uint64_t *reach = g_new(uint64_t, MAX(ops->n, 1u));
  const uint64_t *pairs = (const uint64_t *)(const void *)op_pairs->data;
  TnPlanWaits waits = {.n_reuses = reuses->len};
  for (guint from = 0, to = 0; from < op_pairs->len; from = to) {
    uint32_t producers[64], n = 0;
    for (; to < op_pairs->len; to++) {
      uint32_t producer = (uint32_t)(pairs[to] >> 32);
      if (n > 0 && producers[n - 1] == producer)
        continue;
      if (n == G_N_ELEMENTS(producers))
        break;
      producers[n++] = producer;
    }
    fill_reach(ops, producers, n, reach);
    waits.n_waits += count_unordered(pairs, from, to, producers, reach);
  }
  return waits;
}

/* ---- the pool over time -----------------------------------------------------------------------
 */

double
tn_pool_fragmentation(const TnPoolMoment *moment)
{
  tn_bytes holes = moment->high_water - moment->live;
  return holes > 0 ? 1.0 - (double)moment->largest_hole / (double)holes : 0;
}

static bool
needs_place(const TnPlanProblem *problem, uint32_t i)
{
  return problem->size[i] > 0 && problem->lower[i] < problem->upper[i];
}

static void
add_moment(GArray *trace, const TnHoleTree *holes, TnPoolMoment now)
{
  tn_bytes above = now.high_water - tn_hole_tree_end(holes), inside = tn_hole_tree_largest(holes);
  now.largest_hole = MAX(above, inside);
  TnPoolMoment *last = trace->len ? &g_array_index(trace, TnPoolMoment, trace->len - 1) : NULL;
  if (last && last->tick == now.tick)
    *last = now;
  else
    g_array_append_val(trace, now);
}

GArray *
tn_pool_new_trace(const TnPlanProblem *problem, const tn_bytes *offset)
{
  g_autoptr(GArray) trace = g_array_new(FALSE, FALSE, sizeof(TnPoolMoment));
  g_autoptr(TnHoleTree) holes = tn_hole_tree_new(problem->n);
  g_autofree uint32_t *starts = new_order_by_tick(problem->lower, problem->n);
  g_autofree uint32_t *ends = new_order_by_tick(problem->upper, problem->n);
  TnPoolMoment now = {0};
  for (uint32_t i = 0, k = 0; i < problem->n; i++) {
    uint32_t b = starts[i];
    for (; k < problem->n && problem->upper[ends[k]] <= problem->lower[b]; k++)
      if (needs_place(problem, ends[k])) {
        tn_hole_tree_give(holes, offset[ends[k]], problem->size[ends[k]]);
        now.live -= problem->size[ends[k]];
      }
    if (!needs_place(problem, b))
      continue;
    if (!tn_hole_tree_are_free(holes, offset[b], problem->size[b]))
      return NULL;
    tn_hole_tree_take(holes, offset[b], problem->size[b]);
    now.tick = problem->lower[b];
    now.live += problem->size[b];
    now.high_water = MAX(now.high_water, offset[b] + problem->size[b]);
    add_moment(trace, holes, now);
  }
  return g_steal_pointer(&trace);
}

TnPoolCompaction
tn_pool_compact(const TnPlanProblem *problem, const tn_bytes *offset, tn_tick tick)
{
  TnPoolCompaction compaction = {0};
  tn_bytes top = 0, top_before = 0;
  g_autofree uint32_t *order = new_order_by_tick(offset, problem->n);
  for (uint32_t k = 0; k < problem->n; k++) {
    uint32_t i = order[k];
    if (!needs_place(problem, i) || tick < problem->lower[i] || tick >= problem->upper[i])
      continue;
    tn_bytes to = offset[i], step = problem->alignment ? MAX(problem->alignment[i], 1) : 1;
    bool is_fixed = problem->fixed && problem->fixed[i] != TN_NOT_PLACED;
    if (!is_fixed)
      to = MIN((top + step - 1) / step * step, offset[i]);
    compaction.moved += to != offset[i] ? problem->size[i] : 0;
    top = MAX(top, to + problem->size[i]);
    top_before = MAX(top_before, offset[i] + problem->size[i]);
  }
  compaction.won = top_before - top;
  return compaction;
}
