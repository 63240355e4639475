/* SPDX-License-Identifier: MIT */
/* What plans cost: waits that reuse adds, the pool over time, compaction; and the pool itself. */
#include "config.h"

#include "analysis/plan/cost.h"
#include "analysis/plan/holes.h"
#include "plan-support.h"

/* Two branches 0 -> 1 -> 3 and 0 -> 2 -> 3: a buffer of op 1 whose place op 2's output takes. */
static void
test_waits(void)
{
  const uint32_t edge_first[] = {0, 2, 3, 4, 4}, edge[] = {1, 2, 3, 3};
  TnPlanOps ops = {.n = 4, .edge_first = edge_first, .edge = edge};
  tn_tick lower[] = {0, 3, 6, 9}, upper[] = {6, 6, 12, 12};
  tn_bytes size[] = {8, 8, 8, 4}, offset[] = {0, 8, 8, 0};
  const uint32_t producer[] = {0, 1, 2, 3}, user_first[] = {0, 3, 4, 6, 7};
  const uint32_t user[] = {0, 1, 2, 1, 2, 3, 3};
  TnPlanUses uses = {producer, user_first, user};
  TnPlanProblem problem = {.n = 4, .lower = lower, .upper = upper, .size = size};
  TnPlanWaits waits = tn_plan_count_waits(&problem, offset, &ops, &uses);
  /* Buffer 2 follows 1 (op 2 waits for op 1: no path), buffer 3 follows 0 (paths from all). */
  g_assert_cmpuint(waits.n_reuses, ==, 2);
  g_assert_cmpuint(waits.n_waits, ==, 1);
  tn_bytes apart[] = {0, 8, 16, 24};
  waits = tn_plan_count_waits(&problem, apart, &ops, &uses);
  g_assert_cmpuint(waits.n_reuses, ==, 0);
  g_assert_cmpuint(waits.n_waits, ==, 0);
}

/* A chain of 200 ops, each with one buffer, all in one place: every reuse has a path already. */
static void
test_waits_of_a_chain(void)
{
  enum { N = 200 };
  uint32_t edge_first[N + 1], edge[N], producer[N], user_first[N + 1], user[N];
  g_autoptr(Case) c = case_new(N);
  tn_bytes offset[N];
  for (uint32_t i = 0; i < N; i++) {
    edge_first[i] = i;
    edge[i] = i + 1;
    producer[i] = user[i] = user_first[i] = i;
    c->lower[i] = i;
    c->upper[i] = i + 1;
    c->size[i] = 16;
    offset[i] = 0;
  }
  edge_first[N - 1] = edge_first[N] = N - 1;
  user_first[N] = N;
  TnPlanOps ops = {N, edge_first, edge};
  TnPlanUses uses = {producer, user_first, user};
  TnPlanWaits waits = tn_plan_count_waits(&c->problem, offset, &ops, &uses);
  g_assert_cmpuint(waits.n_reuses, ==, N - 1);
  g_assert_cmpuint(waits.n_waits, ==, 0);
  /* Without the edges each waits for the one before. */
  memset(edge_first, 0, sizeof edge_first);
  waits = tn_plan_count_waits(&c->problem, offset, &ops, &uses);
  g_assert_cmpuint(waits.n_waits, ==, N - 1);
}

/*  24 |   cc        16-24 c over [2,6), 8-16 b over [0,2), 0-8 a over [0,6), 8-12 d over [3,6) */
static void
test_pool(void)
{
  tn_tick lower[] = {0, 0, 2, 3}, upper[] = {6, 2, 6, 6};
  tn_bytes size[] = {8, 8, 8, 4}, offset[] = {0, 8, 16, 8}, alignment[] = {1, 1, 16, 1};
  TnPlanProblem problem = {.n = 4, .lower = lower, .upper = upper, .size = size};
  g_autoptr(GArray) trace = tn_pool_new_trace(&problem, offset);
  g_assert_cmpuint(trace->len, ==, 3);
  const TnPoolMoment *moments = (const TnPoolMoment *)(const void *)trace->data;
  g_assert_cmpint(moments[0].live, ==, 16);
  g_assert_cmpint(moments[0].high_water, ==, 16);
  g_assert_cmpint(moments[0].largest_hole, ==, 0);
  g_assert_cmpint(moments[1].tick, ==, 2);
  g_assert_cmpint(moments[1].largest_hole, ==, 8);
  g_assert_cmpfloat(tn_pool_fragmentation(&moments[1]), ==, 0);
  g_assert_cmpint(moments[2].live, ==, 20);
  g_assert_cmpint(moments[2].largest_hole, ==, 4);
  TnPoolCompaction compaction = tn_pool_compact(&problem, offset, 2);
  g_assert_cmpint(compaction.moved, ==, 8);
  g_assert_cmpint(compaction.won, ==, 8);
  problem.alignment = alignment;
  compaction = tn_pool_compact(&problem, offset, 2);
  g_assert_cmpint(compaction.moved, ==, 0);
  g_assert_cmpint(compaction.won, ==, 0);
  offset[3] = 4;
  g_assert_null(tn_pool_new_trace(&problem, offset));
}

static void
test_fragmentation(void)
{
  TnPoolMoment moment = {.live = 60, .high_water = 100, .largest_hole = 10};
  g_assert_cmpfloat_with_epsilon(tn_pool_fragmentation(&moment), 0.75, 1e-12);
}

/* Holes against a map of single bytes. */
static void
test_holes(void)
{
  enum { SIZE = 400, N = 60 };
  bool is_used[SIZE + 200] = {false};
  tn_bytes at[N], size[N] = {0};
  uint64_t state = 5;
  g_autoptr(TnHoleTree) holes = tn_hole_tree_new(N);
  for (uint32_t round = 0; round < 20000; round++) {
    uint32_t k = below(&state, N);
    if (size[k]) {
      tn_hole_tree_give(holes, at[k], size[k]);
      memset(is_used + at[k], 0, (size_t)size[k]);
      size[k] = 0;
      continue;
    }
    size[k] = 1 + below(&state, 6);
    tn_bytes alignment = 1 + below(&state, 4), expected = 0;
    for (;; expected += alignment) {
      tn_bytes i = 0;
      while (i < size[k] && !is_used[expected + i])
        i++;
      if (i == size[k])
        break;
    }
    at[k] = tn_hole_tree_lowest(holes, size[k], alignment);
    g_assert_cmpint(at[k], ==, expected);
    g_assert_true(tn_hole_tree_are_free(holes, at[k], size[k]));
    if (below(&state, 2))
      at[k] = tn_hole_tree_tightest(holes, size[k], alignment);
    g_assert_true(at[k] % alignment == 0);
    tn_hole_tree_take(holes, at[k], size[k]);
    for (tn_bytes i = 0; i < size[k]; i++) {
      g_assert_false(is_used[at[k] + i]);
      is_used[at[k] + i] = true;
    }
  }
}

/* best-fit takes the tightest hole, and the last freed of the size where that is preferred.
 * a 8@0, b 4@8, c 8@12, d 4@20; a and d go at 1, then c at 2; e wants 8 at 3. */
static void
test_prefers_last_freed(void)
{
  tn_tick lower[] = {0, 0, 0, 0, 0, 3}, upper[] = {1, 9, 2, 9, 9, 9};
  tn_bytes size[] = {8, 4, 8, 4, 4, 8};
  TnPlanProblem problem = {.n = 6, .lower = lower, .upper = upper, .size = size};
  TnPlanParams params = TN_PLAN_PARAMS_INIT;
  TnPlanAnswer answer = {0};
  tn_strategies_find("best-fit")->plan(&problem, &params, &answer);
  g_assert_cmpint(answer.offset[5], ==, 0);
  tn_plan_answer_clear(&answer);
  params.prefers_last_freed = true;
  tn_strategies_find("best-fit")->plan(&problem, &params, &answer);
  g_assert_cmpint(answer.offset[5], ==, 12);
  tn_plan_answer_clear(&answer);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/plan/cost/waits", test_waits);
  g_test_add_func("/plan/cost/waits-of-a-chain", test_waits_of_a_chain);
  g_test_add_func("/plan/cost/pool", test_pool);
  g_test_add_func("/plan/cost/fragmentation", test_fragmentation);
  g_test_add_func("/plan/pool/holes", test_holes);
  g_test_add_func("/plan/pool/prefers-last-freed", test_prefers_last_freed);
  return g_test_run();
}
