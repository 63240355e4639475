/* SPDX-License-Identifier: MIT */
/* exact against brute force that tries every offset, feasible and infeasible both, and its proofs
 * on the MiniMalloc instances. */
#include "config.h"

#include "analysis/plan/dive.h"
#include "analysis/plan/interlock.h"
#include "analysis/plan/plan.h"
#include "plan-support.h"

#define SPAN 64

typedef struct {
  const TnPlanProblem *problem;
  bool clashes[8][8][2 * SPAN]; /* by pair and difference of offsets + SPAN */
  int64_t at[8];
  int64_t capacity;
} Brute;

static void
fill_clashes(Brute *brute)
{
  uint32_t n = brute->problem->n;
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t j = 0; j < i; j++)
      for (int d = 0; d < 2 * SPAN; d++)
        brute->clashes[i][j][d] = clash(brute->problem, i, SPAN + d - SPAN, j, SPAN);
}

static bool
is_allowed(const Brute *brute, uint32_t i, int64_t x)
{
  const TnPlanProblem *p = brute->problem;
  if (p->alignment && x % p->alignment[i])
    return false;
  if (p->fixed && p->fixed[i] != TN_NOT_PLACED && p->fixed[i] != x)
    return false;
  for (uint32_t j = 0; j < i; j++)
    if (brute->clashes[i][j][x - brute->at[j] + SPAN])
      return false;
  for (uint32_t j = i; p->group && p->group[i] && j-- > 0;)
    if (p->group[j] == p->group[i])
      return x == brute->at[j] + p->size[j];
  return true;
}

static bool
place(Brute *brute, uint32_t i)
{
  if (i == brute->problem->n)
    return true;
  for (int64_t x = 0; x + brute->problem->size[i] <= brute->capacity; x++) {
    if (!is_allowed(brute, i, x))
      continue;
    brute->at[i] = x;
    if (place(brute, i + 1))
      return true;
  }
  return false;
}

/* The smallest arena; SPAN where there is none below. */
static int64_t
brute_force(const TnPlanProblem *problem, int64_t from)
{
  Brute brute = {.problem = problem, .capacity = from};
  fill_clashes(&brute);
  for (uint32_t i = 0; problem->fixed && i < problem->n; i++)
    for (uint32_t j = 0; j < i; j++)
      if (problem->fixed[i] >= 0 && problem->fixed[j] >= 0 &&
          brute.clashes[i][j][problem->fixed[i] - problem->fixed[j] + SPAN])
        return SPAN;
  while (brute.capacity < SPAN && !place(&brute, 0))
    brute.capacity++;
  return brute.capacity;
}

/* n rows of small size; every number a brute force can go through. */
static Case *
tiny_case(unsigned features, uint64_t *state)
{
  Case *c = case_new(2 + below(state, 5));
  for (uint32_t i = 0; i < c->problem.n; i++) {
    c->lower[i] = below(state, 8);
    c->upper[i] = c->lower[i] + 1 + below(state, 6);
    c->size[i] = 1 + below(state, 5);
  }
  add_features(c, features, state);
  for (uint32_t i = 0; i < c->problem.n; i++) {
    if (c->alignment)
      c->alignment[i] = 1 + below(state, 4);
    if (c->fixed)
      c->fixed[i] = below(state, 4) ? TN_NOT_PLACED : 12 * (tn_bytes)below(state, 2);
    c->flags[i] &= (uint8_t)~TN_BUFFER_GROUP_PADDED;
  }
  return c;
}

static TnPlanAnswer
run_exact(const TnPlanProblem *problem, tn_bytes capacity)
{
  TnPlanParams params = TN_PLAN_PARAMS_INIT;
  TnPlanAnswer answer = {0};
  params.capacity = capacity;
  params.time_limit = 20;
  tn_strategies_find("exact")->plan(problem, &params, &answer);
  return answer;
}

static void
check_at_capacity(const TnPlanProblem *problem, int64_t capacity, TnPlanStatus expected)
{
  TnPlanAnswer answer = run_exact(problem, capacity);
  g_assert_cmpint(answer.status, ==, expected);
  if (expected == TN_PLAN_FOUND) {
    g_assert_cmpint(answer.arena, <=, capacity);
    g_assert_null(broken(problem, answer.offset, answer.arena));
  }
  tn_plan_answer_clear(&answer);
}

static void
test_brute_force(void)
{
  uint64_t state = 2026;
  uint32_t n_feasible = 0, n_above_bound = 0;
  for (uint32_t round = 0; round < 2600; round++) {
    unsigned features = (unsigned)below(&state, ALL_FEATURES + 1);
    g_autoptr(Case) c = tiny_case(features, &state);
    TnPlanAnswer answer = run_exact(&c->problem, 0);
    /* What is feasible stays so in a larger arena: one below the answer is enough to look at. */
    int64_t best =
        brute_force(&c->problem, answer.status == TN_PLAN_FAILED ? SPAN - 1 : answer.arena - 1);
    if (answer.status == TN_PLAN_FAILED) {
      g_assert_cmpint(best, ==, SPAN);
      tn_plan_answer_clear(&answer);
      continue;
    }
    g_test_message("round %u features %u", round, features);
    g_assert_cmpint(answer.arena, ==, best);
    g_assert_true(answer.is_optimal);
    g_assert_cmpint(answer.proved_bound, ==, best);
    g_assert_null(broken(&c->problem, answer.offset, answer.arena));
    n_feasible++;
    if (best > answer.lower_bound) {
      check_at_capacity(&c->problem, best - 1, TN_PLAN_INFEASIBLE);
      n_above_bound++;
    }
    check_at_capacity(&c->problem, best, TN_PLAN_FOUND);
    tn_plan_answer_clear(&answer);
  }
  g_test_message("%u feasible, %u of them above the bound", n_feasible, n_above_bound);
  g_assert_cmpuint(n_feasible, >=, 2000);
  g_assert_cmpuint(n_above_bound, >=, 500);
}

static const struct {
  const char *name;
  tn_bytes capacity, optimum; /* optimum 0: not known, below the capacity is asked for */
} instances[] = {
    {"A", 0, 1048576}, {"B", 0, 1048576}, {"C", 0, 1039360}, {"D", 1048575, 0},
    {"E", 0, 1048576}, {"F", 0, 1048576}, {"G", 0, 1048576}, {"H", 0, 1048576},
    {"I", 0, 1048576}, {"J", 1048575, 0}, {"K", 0, 1048576},
};

static void
test_minimalloc(void)
{
  for (gsize i = 0; i < G_N_ELEMENTS(instances); i++) {
    g_autofree char *file = g_strdup_printf("minimalloc/%s.1048576.csv", instances[i].name);
    g_autoptr(Case) c = case_load(file);
    if (!c) {
      g_test_skip("no shared benchmarks");
      return;
    }
    TnPlanAnswer answer = run_exact(&c->problem, instances[i].capacity);
    g_test_message("%s: %" G_GINT64_FORMAT " in %.3f s", instances[i].name, answer.arena,
                   answer.seconds);
    g_assert_null(broken(&c->problem, answer.offset, answer.arena));
    g_assert_cmpint(answer.status, ==, TN_PLAN_FOUND);
    if (instances[i].optimum) {
      g_assert_cmpint(answer.arena, ==, instances[i].optimum);
      g_assert_true(answer.is_optimal);
    } else
      g_assert_cmpint(answer.arena, <, 1048576);
    tn_plan_answer_clear(&answer);
  }
}

static void
test_proves_infeasible(void)
{
  g_autoptr(Case) c = case_load("minimalloc/A.1048576.csv");
  if (!c) {
    g_test_skip("no shared benchmarks");
    return;
  }
  TnPlanAnswer answer = run_exact(&c->problem, 1048575);
  g_assert_cmpint(answer.status, ==, TN_PLAN_INFEASIBLE);
  g_assert_cmpint(answer.proved_bound, ==, 1048576);
  tn_plan_answer_clear(&answer);
}

/* The plan of the same problem is the same again: threads race, but do not decide. */
static void
test_repeats(void)
{
  g_autoptr(Case) c = case_load("minimalloc/F.1048576.csv");
  if (!c) {
    g_test_skip("no shared benchmarks");
    return;
  }
  TnPlanAnswer one = run_exact(&c->problem, 0), two = run_exact(&c->problem, 0);
  g_assert_cmpmem(one.offset, c->problem.n * sizeof *one.offset, two.offset,
                  c->problem.n * sizeof *two.offset);
  tn_plan_answer_clear(&one);
  tn_plan_answer_clear(&two);
}

static void
set_row(Case *c, uint32_t i, tn_tick lower, tn_tick upper, tn_bytes size)
{
  c->lower[i] = lower;
  c->upper[i] = upper;
  c->size[i] = size;
}

/* Steps 6060, 6059 … are fixed at 0, so that long bodies come to lie on them at 60 offsets.  Each of
 * them there would push the aligned one out of the capacity: one node passes over all 60, and each
 * changes 1000 sections. */
static Case *
steps_new(uint32_t n_long, uint32_t n_short)
{
  uint32_t n = 2 * n_long + n_short + 1;
  tn_tick end = n_long + n_short;
  Case *c = case_new(n);
  c->problem.alignment = c->alignment = g_new(tn_bytes, n);
  c->problem.fixed = c->fixed = g_new(tn_bytes, n);
  for (uint32_t i = 0; i < n; i++) {
    c->alignment[i] = 1;
    c->fixed[i] = i < n_long ? 0 : TN_NOT_PLACED;
  }
  for (uint32_t i = 0; i < n_long; i++) {
    set_row(c, i, i, i + 1, 6060 - i);
    set_row(c, n_long + i, i, end, 100);
  }
  for (uint32_t i = 0; i < n_short; i++)
    set_row(c, 2 * n_long + i, n_long + i, n_long + i + 1, 1);
  set_row(c, n - 1, n_long - 1, end, 1);
  c->alignment[n - 1] = 6100;
  return c;
}

static void
test_many_passed_over(void)
{
  g_autoptr(Case) c = steps_new(60, 1000);
  g_autofree char *message = NULL;
  g_autoptr(TnBodies) bodies = tn_bodies_new(&c->problem, &message);
  g_autofree uint32_t *ids = g_new(uint32_t, bodies->n);
  for (uint32_t b = 0; b < bodies->n; b++)
    ids[b] = b;
  g_autoptr(TnField) field = tn_field_new(bodies, ids, bodies->n, 12101);
  g_autoptr(TnDive) dive = tn_dive_new(field);
  g_autofree int32_t *offset = g_new(int32_t, field->n);
  TnDiveParams params = {
      .capacity = 12101, .n_nodes_max = 100000, .deadline = INT64_MAX, .order = "AWZ"};
  int32_t need;
  uint64_t nodes = 0;
  g_assert_cmpint(tn_dive_run(dive, &params, offset, &need, &nodes), ==, TN_DIVE_FOUND);
  g_assert_cmpint(offset[field->n - 1], ==, 6100);
}

/* A round starts dozens of searches: none of them begins once the time is over. */
static void
test_over_before_it_starts(void)
{
  g_autoptr(Case) c = case_new(1);
  set_row(c, 0, 0, 1, 5);
  g_autofree char *message = NULL;
  g_autoptr(TnBodies) bodies = tn_bodies_new(&c->problem, &message);
  uint32_t id = 0;
  g_autoptr(TnField) field = tn_field_new(bodies, &id, 1, 10);
  g_autoptr(TnDive) dive = tn_dive_new(field);
  TnDiveParams params = {.capacity = 10, .n_nodes_max = 10, .deadline = 1, .order = "AWZ"};
  int32_t offset, need;
  uint64_t nodes = 0;
  g_assert_cmpint(tn_dive_run(dive, &params, &offset, &need, &nodes), ==, TN_DIVE_ENDED);
  params.deadline = INT64_MAX;
  g_assert_cmpint(tn_dive_run(dive, &params, &offset, &need, &nodes), ==, TN_DIVE_FOUND);
  g_assert_cmpint(offset, ==, 0);
}

/* k >= i - 1, j >= k + 1, i >= j + 1: no offsets do, and a byte a round is long to 10^12.  Two large
 * ones keep the capacity there: their alignment lets no plan reach the bound. */
static void
test_endless_circle(void)
{
  g_autoptr(Case) c = case_new(7);
  c->problem.alignment = c->alignment = g_new(tn_bytes, 7);
  c->problem.group = c->group = g_new0(uint32_t, 7);
  for (uint32_t i = 0; i < 7; i++) {
    c->alignment[i] = i < 2 ? 2 : 1;
    c->group[i] = i >= 2 && i < 5;
  }
  set_row(c, 0, 0, 1, 500000000001);
  set_row(c, 1, 0, 1, 500000000001);
  set_row(c, 2, 2, 3, 1); /* k: with j */
  set_row(c, 3, 8, 9, 1);
  set_row(c, 4, 4, 5, 1); /* with i */
  set_row(c, 5, 4, 7, 1); /* i */
  set_row(c, 6, 2, 3, 1); /* j */
  c->upper[6] = 4;
  c->lower[5] = 3;
  g_autofree char *message = NULL;
  g_autoptr(TnBodies) bodies = tn_bodies_new(&c->problem, &message);
  g_autofree tn_bytes *offset = g_new0(tn_bytes, bodies->n);
  TnInterlock interlock = {
      .bodies = bodies, .capacity = 2000000000000, .deadline = INT64_MAX, .offset = offset};
  tn_interlock_run(&interlock);
  g_assert_true(interlock.has_found && interlock.is_exhausted);
  g_assert_cmpint(MAX(offset[0], offset[1]), ==, 500000000002);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/plan/exact/brute-force", test_brute_force);
  g_test_add_func("/plan/exact/minimalloc", test_minimalloc);
  g_test_add_func("/plan/exact/proves-infeasible", test_proves_infeasible);
  g_test_add_func("/plan/exact/repeats", test_repeats);
  g_test_add_func("/plan/exact/many-passed-over", test_many_passed_over);
  g_test_add_func("/plan/exact/over", test_over_before_it_starts);
  g_test_add_func("/plan/exact/endless-circle", test_endless_circle);
  return g_test_run();
}
