/* SPDX-License-Identifier: MIT */
/* Tables with batch labels, fixed offsets and alignments: what planners claim of them, by brute force
 * over all offsets. */
#include "config.h"

#include "analysis/plan/plan.h"
#include "plan-optimum.h"
#include "plan-support.h"

static TnBuffers *
random_buffers(uint64_t *state)
{
  static const tn_bytes steps[] = {1, 1, 2, 3, 4};
  TnBuffers *buffers = tn_buffers_new();
  bool is_aligned = below(state, 2), has_fixed = below(state, 3) > 0;
  uint32_t n = 2 + below(state, MOST_ROWS - 1);
  tn_buffers_need(buffers, TN_COLUMN_BATCH | TN_COLUMN_ALIGNMENT);
  for (uint32_t i = 0; i < n; i++) {
    tn_tick start = below(state, 4);
    tn_buffers_add(buffers, start, start + 1 + below(state, 3), 1 + below(state, 4),
                   TN_KIND_ACTIVATION);
    buffers->alignment[i] = is_aligned ? steps[below(state, 5)] : 1;
    buffers->batch[i] = below(state, 3);
    if (has_fixed && below(state, 3) == 0) {
      buffers->offset[i] = buffers->alignment[i] * (tn_bytes)below(state, 4);
      buffers->flags[i] |= TN_BUFFER_FIXED;
    }
  }
  return buffers;
}

static void
check_claims(const TnBuffers *buffers, const TnStrategy *strategy, tn_bytes capacity, tn_bytes best)
{
  TnPlanParams params = {.capacity = capacity, .time_limit = 1, .n_threads = 1};
  g_autoptr(TnPlan) plan = tn_plan_new_for_buffers(buffers, strategy, 1, &params);
  if (best < 0) {
    g_assert_cmpint(plan->status, ==, TN_PLAN_FAILED);
    return;
  }
  g_assert_cmpint(plan->status, !=, TN_PLAN_FAILED);
  g_assert_cmpint(plan->arena_bytes, >=, best);
  g_assert_cmpint(plan->lower_bound_bytes, <=, best);
  g_assert_cmpint(plan->proved_bound_bytes, <=, best);
  g_assert_cmpint(plan->proved_bound_bytes, >=, plan->lower_bound_bytes);
  g_assert_true(!plan->is_optimal || plan->arena_bytes == best || capacity > best);
  g_assert_true(plan->status != TN_PLAN_INFEASIBLE || capacity < best);
  g_assert_true(plan->status != TN_PLAN_FOUND || capacity == 0 || plan->arena_bytes <= capacity);
}

/* Exact answers are the optimum, be one kind above the other or not. */
static void
check_exact(const TnBuffers *buffers, tn_bytes best)
{
  TnPlanParams params = {.capacity = best, .time_limit = 5, .n_threads = 1};
  g_autoptr(TnPlan) plan =
      tn_plan_new_for_buffers(buffers, tn_strategies_find("exact"), 1, &params);
  g_assert_cmpint(plan->arena_bytes, ==, best);
}

/* The other way round needs less: nothing is lost below what is aligned. */
static void
test_aligned_above(void)
{
  enum { MIB = 1 << 20 };
  static const char *const names[] = {"exact", "best", "greedy-size"};
  g_autoptr(TnBuffers) buffers = tn_buffers_new();
  tn_buffers_need(buffers, TN_COLUMN_BATCH | TN_COLUMN_ALIGNMENT);
  tn_buffers_add(buffers, 0, 4, 1, TN_KIND_ACTIVATION);
  tn_buffers_add(buffers, 0, 4, 2 * MIB, TN_KIND_ACTIVATION);
  buffers->alignment[0] = 1;
  buffers->alignment[1] = 2 * MIB;
  buffers->batch[1] = 1;
  for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
    TnPlanParams params = {.time_limit = 1, .n_threads = 1};
    g_autoptr(TnPlan) plan =
        tn_plan_new_for_buffers(buffers, tn_strategies_find(names[i]), 1, &params);
    g_assert_cmpint(plan->arena_bytes, ==, 2 * MIB + 1);
    g_assert_true(plan->is_optimal);
  }
}

static void
test_claims(void)
{
  static const char *const names[] = {"exact", "best", "greedy-size", "slots", "colour"};
  uint64_t state = 1;
  for (uint32_t round = 0; round < 1500; round++) {
    g_autoptr(TnBuffers) buffers = random_buffers(&state);
    tn_bytes best = optimum(buffers);
    const TnStrategy *strategy = tn_strategies_find(names[round % G_N_ELEMENTS(names)]);
    for (tn_bytes capacity = best - 1; capacity <= best + 1 && best > 1; capacity++)
      check_claims(buffers, strategy, capacity, best);
    check_claims(buffers, strategy, 0, best);
    if (best > 0)
      check_exact(buffers, best);
  }
}

/* An unlabelled row of no bytes heads a group of a labelled one, which may lie where another label does:
 * 15, as what is fixed ends there, and not 10 + 10 + 1. */
static void
test_empty_head(void)
{
  static const tn_bytes sizes[] = {0, 10, 10, 1};
  static const char *const names[] = {"exact", "best", "greedy-size", "colour"};
  g_autoptr(TnBuffers) buffers = tn_buffers_new();
  tn_buffers_need(buffers, TN_COLUMN_BATCH | TN_COLUMN_GROUP | TN_COLUMN_ALIGNMENT);
  for (gsize i = 0; i < G_N_ELEMENTS(sizes); i++) {
    tn_buffers_add(buffers, 0, 2, sizes[i], TN_KIND_ACTIVATION);
    buffers->alignment[i] = 1;
    buffers->group[i] = i < 2;
    buffers->batch[i] = i == 1 || i == 2 ? (uint32_t)i : 0;
  }
  buffers->flags[3] |= TN_BUFFER_FIXED;
  buffers->offset[3] = 14;
  for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
    const TnStrategy *strategy = tn_strategies_find(names[i]);
    for (tn_bytes capacity = 14; capacity <= 21; capacity++)
      check_claims(buffers, strategy, capacity, 15);
    check_claims(buffers, strategy, 0, 15);
  }
  check_exact(buffers, 15);
}

/* A first heuristic that fits by itself must not be kept where the labelled have no room above it. */
static void
test_capacity_of_both(void)
{
  static const int rows[][3] = {{0, 2, 2}, {5, 6, 5}, {4, 6, 1}, {2, 6, 7}, {5, 8, 8},
                                {4, 5, 1}, {5, 7, 6}, {6, 8, 9}, {2, 7, 3}, {0, 1, 2}};
  static const char *const names[] = {"best", "exact"};
  g_autoptr(TnBuffers) buffers = tn_buffers_new();
  tn_buffers_need(buffers, TN_COLUMN_BATCH);
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++)
    tn_buffers_add(buffers, rows[i][0], rows[i][1], rows[i][2], TN_KIND_ACTIVATION);
  buffers->batch[9] = 1;
  for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
    const TnStrategy *strategy = tn_strategies_find(names[i]);
    TnPlanParams params = {.capacity = 32};
    g_autoptr(TnPlan) plan = tn_plan_new_for_buffers(buffers, strategy, 1, &params);
    g_assert_cmpint(plan->status, ==, TN_PLAN_FOUND);
    g_assert_cmpint(plan->arena_bytes, ==, 32);
    params.capacity = 31;
    g_autoptr(TnPlan) none = tn_plan_new_for_buffers(buffers, strategy, 1, &params);
    g_assert_cmpint(none->status, ==, TN_PLAN_INFEASIBLE);
  }
}

/* Too many pairs to keep apart one by one: the labelled lie above what is fixed, and nobody says that
 * they must. */
static void
test_stacked(void)
{
  enum { EACH = 450, FIXED_AT = 10000 };
  g_autoptr(TnBuffers) buffers = tn_buffers_new();
  tn_buffers_need(buffers, TN_COLUMN_BATCH);
  for (uint32_t i = 0; i < 2 * EACH; i++) {
    tn_buffers_add(buffers, 0, 1, 1, TN_KIND_ACTIVATION);
    buffers->batch[i] = i < EACH ? 0 : 1;
  }
  buffers->flags[0] |= TN_BUFFER_FIXED;
  buffers->offset[0] = FIXED_AT;
  TnPlanParams params = {.capacity = FIXED_AT + 1};
  g_autoptr(TnPlan) plan =
      tn_plan_new_for_buffers(buffers, tn_strategies_find("greedy-size"), 1, &params);
  g_assert_cmpint(plan->arena_bytes, ==, FIXED_AT + 1 + EACH);
  g_assert_cmpint(plan->proved_bound_bytes, ==, FIXED_AT + 1);
  g_assert_cmpint(plan->lower_bound_bytes, ==, 2 * EACH);
  g_assert_cmpint(plan->status, ==, TN_PLAN_TOO_LARGE);
  g_assert_false(plan->is_optimal);
}

/* Kept apart pair by pair a search of these comes to no end; one kind above the other is at the bound. */
static void
test_smaller_of_both(void)
{
  enum { N = 120, FIXED_AT = 150 };
  static const char *const names[] = {"exact", "best"};
  uint64_t state = 1;
  g_autoptr(TnBuffers) buffers = tn_buffers_new();
  tn_buffers_need(buffers, TN_COLUMN_BATCH);
  for (uint32_t i = 0; i < N; i++) {
    tn_tick start = below(&state, N);
    tn_buffers_add(buffers, start, start + 1 + below(&state, 40), 1 + below(&state, 100),
                   TN_KIND_ACTIVATION);
    buffers->batch[i] = i % 2 ? 1 + below(&state, 2) : 0;
  }
  buffers->flags[0] |= TN_BUFFER_FIXED;
  buffers->offset[0] = FIXED_AT;
  for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
    TnPlanParams params = {.time_limit = 1, .n_threads = 1};
    g_autoptr(TnPlan) plan =
        tn_plan_new_for_buffers(buffers, tn_strategies_find(names[i]), 1, &params);
    g_assert_true(plan->is_optimal);
    g_assert_cmpint(plan->arena_bytes, ==, plan->lower_bound_bytes);
  }
}

/* What is easy needs few strategies, what is not needs more: none gave less than the plan has. */
static void
test_tries(void)
{
  uint64_t state = 5;
  g_autoptr(TnBuffers) buffers = tn_buffers_new();
  tn_buffers_need(buffers, TN_COLUMN_SPACE);
  for (uint32_t i = 0; i < 80; i++) {
    tn_tick start = below(&state, 40);
    tn_index row = tn_buffers_add(buffers, start, start + 1 + below(&state, 30),
                                  1 + below(&state, 100), TN_KIND_ACTIVATION);
    buffers->space[row] = i == 0 || i == 79 ? (i ? 2 : 0) : 1;
  }
  TnPlanParams params = {.time_limit = 0.05, .n_threads = 1};
  g_autoptr(TnPlan) plan =
      tn_plan_new_for_buffers(buffers, tn_strategies_find("best"), 1, &params);
  g_assert_cmpuint(plan->tried->len, >, 2);
  for (guint i = 0; i < plan->tried->len; i++)
    g_assert_cmpint(g_array_index(plan->tried, TnPlanTry, i).arena_bytes, >=, plan->arena_bytes);
}

/* What alignment leaves free between the kinds is in each strategy's sum, too. */
static void
test_tries_above(void)
{
  static const char *const names[] = {"best", "greedy-size", "best-fit"};
  uint64_t state = 7;
  for (uint32_t round = 0; round < 300; round++) {
    g_autoptr(TnBuffers) buffers = random_buffers(&state);
    TnPlanParams params = {.time_limit = 1, .n_threads = 1};
    g_autoptr(TnPlan) plan = tn_plan_new_for_buffers(
        buffers, tn_strategies_find(names[round % G_N_ELEMENTS(names)]), 1, &params);
    if (plan->status == TN_PLAN_FAILED)
      continue;
    for (guint i = 0; i < plan->tried->len; i++) {
      const TnPlanTry *try = &g_array_index(plan->tried, TnPlanTry, i);
      g_assert_true(try->arena_bytes < 0 || try->arena_bytes >= plan->arena_bytes);
    }
  }
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/plan-apart/claims", test_claims);
  g_test_add_func("/plan-apart/aligned-above", test_aligned_above);
  g_test_add_func("/plan-apart/empty-head", test_empty_head);
  g_test_add_func("/plan-apart/capacity", test_capacity_of_both);
  g_test_add_func("/plan-apart/stacked", test_stacked);
  g_test_add_func("/plan-apart/smaller", test_smaller_of_both);
  g_test_add_func("/plan-apart/tries", test_tries);
  g_test_add_func("/plan-apart/tries-above", test_tries_above);
  return g_test_run();
}
