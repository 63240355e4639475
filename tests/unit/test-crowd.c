/* SPDX-License-Identifier: MIT */
/* Packing where very many are alive at once: the same offsets as by looking at all neighbours. */
#include "config.h"

#include "analysis/plan/crowd.h"
#include "analysis/plan/greedy.h"
#include "analysis/plan/pack.h"
#include "tests/unit/plan-support.h"

/* Each body where the list of all its neighbours leaves the lowest gap. */
static void
pack_plainly(const TnBodies *bodies, const uint32_t *order, tn_bytes *offset)
{
  g_autoptr(TnNeighbours) neighbours = tn_neighbours_new(bodies);
  for (uint32_t i = 0; i < bodies->n; i++) {
    uint32_t n;
    TnForbidden *forbidden = tn_neighbours_forbidden(neighbours, order[i], &n);
    offset[order[i]] = tn_fit_lowest(bodies, order[i], forbidden, n, 0);
    tn_neighbours_place(neighbours, order[i], offset[order[i]]);
  }
}

static void
assert_same(const TnBodies *bodies, const uint32_t *order)
{
  g_autofree tn_bytes *plain = g_new(tn_bytes, bodies->n);
  g_autoptr(TnCrowd) crowd = tn_crowd_new(bodies);
  pack_plainly(bodies, order, plain);
  for (uint32_t i = 0; i < bodies->n; i++) {
    tn_bytes offset = tn_crowd_lowest(crowd, order[i]);
    g_assert_cmpint(offset, ==, plain[order[i]]);
    tn_crowd_place(crowd, order[i], offset);
  }
}

static void
test_random(void)
{
  uint64_t state = 5;
  for (int k = 0; k < 6000; k++) {
    uint32_t n = 1 + below(&state, 60), axis = 1 + below(&state, 40), sizes = 1 + below(&state, 9);
    tn_bytes least = 1 + below(&state, 2) * below(&state, 7);
    g_autoptr(Case) c = case_new(n);
    if (k % 3 == 0)
      c->problem.alignment = c->alignment = g_new0(tn_bytes, n + 1);
    for (uint32_t i = 0; i < n; i++) {
      c->lower[i] = below(&state, axis);
      c->upper[i] = c->lower[i] + 1 + below(&state, axis);
      c->size[i] = least + below(&state, sizes);
      if (c->alignment)
        c->alignment[i] = (tn_bytes)1 << below(&state, 4);
    }
    g_autoptr(TnBodies) bodies = tn_bodies_new(&c->problem, NULL);
    g_assert_true(bodies->is_simple);
    g_autofree uint32_t *order = g_new(uint32_t, n);
    static const TnGreedy by[] = {TN_GREEDY_SIZE, TN_GREEDY_AREA, TN_GREEDY_START,
                                  TN_GREEDY_CONFLICTS};
    tn_greedy_order(bodies, by[k % 4], order);
    assert_same(bodies, order);
  }
}

/* All alive at once, and a stretch of them: what looking at all pairs would take minutes for. */
static void
test_many(void)
{
  enum { N = 300000 };
  for (int shape = 0; shape < 3; shape++) {
    g_autoptr(Case) c = case_new(N);
    for (uint32_t i = 0; i < N; i++) {
      c->lower[i] = shape == 1 ? i : 0;
      c->upper[i] = shape == 0 ? 1 + i : shape == 1 ? 2 * N - i : 1;
      c->size[i] = shape == 2 ? 1 + i % 4096 : 64;
    }
    TnPlanParams params = TN_PLAN_PARAMS_INIT;
    TnPlanAnswer answer = {0};
    gint64 begun = g_get_monotonic_time();
    tn_strategies_find("greedy-size")->plan(&c->problem, &params, &answer);
    g_assert_cmpint(answer.arena, ==, tn_plan_lower_bound(&c->problem));
    g_assert_cmpint(g_get_monotonic_time() - begun, <, 20 * G_TIME_SPAN_SECOND);
    tn_plan_answer_clear(&answer);
  }
}

/* As many alive as make tn_pack() change its way: the same offsets, in a fraction of the time. */
static void
test_pack(void)
{
  enum { N = 12000 };
  uint64_t state = 7;
  g_autoptr(Case) c = case_new(N);
  for (uint32_t i = 0; i < N; i++) {
    c->lower[i] = below(&state, N);
    c->upper[i] = c->lower[i] + 1 + below(&state, N);
    c->size[i] = 64 * (1 + below(&state, 4096));
  }
  g_autoptr(TnBodies) bodies = tn_bodies_new(&c->problem, NULL);
  g_autoptr(TnNeighbours) neighbours = tn_neighbours_new(bodies);
  g_autofree uint32_t *order = g_new(uint32_t, N);
  g_autofree tn_bytes *offset = g_new(tn_bytes, N), *plain = g_new(tn_bytes, N);
  tn_greedy_order(bodies, TN_GREEDY_SIZE, order);
  g_assert_cmpint(tn_pack(neighbours, bodies, order, TN_FIT_LOWEST, 0, NULL, offset, NULL), >, 0);
  pack_plainly(bodies, order, plain);
  for (uint32_t b = 0; b < N; b++)
    g_assert_cmpint(offset[b], ==, plain[b]);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/crowd/random", test_random);
  g_test_add_func("/crowd/many", test_many);
  g_test_add_func("/crowd/pack", test_pack);
  return g_test_run();
}
