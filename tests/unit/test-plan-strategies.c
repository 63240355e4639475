/* SPDX-License-Identifier: MIT */
/* Every strategy on random problems with all constraints, through a validator of the test's own. */
#include "config.h"

#include "analysis/check.h"
#include "analysis/plan/plan.h"
#include "plan-support.h"

/* The largest sum of sizes alive, tick by tick: of the unlabelled and one batch, no-reuse always.
 */
static tn_bytes
naive_bound(const TnPlanProblem *p)
{
  tn_bytes bound = 0;
  for (tn_tick t = -5; t < 30; t++)
    for (uint32_t label = 0; label <= 14; label += 7) {
      tn_bytes sum = 0, low, high;
      for (uint32_t i = 0; i < p->n; i++) {
        bool is_kept = p->flags && (p->flags[i] & TN_BUFFER_NO_REUSE);
        if ((is_kept || !p->batch || !p->batch[i] || p->batch[i] == label) &&
            window_at(p, i, t, &low, &high))
          sum += high - low;
      }
      bound = MAX(bound, sum);
    }
  return bound;
}

static void
test_constraints(gconstpointer data)
{
  const TnStrategy *strategy = data;
  uint64_t state = 42;
  uint32_t n_failed = 0;
  for (uint32_t round = 0; round < 1500; round++) {
    unsigned features = round < 200 ? 0 : (unsigned)below(&state, ALL_FEATURES + 1);
    g_autoptr(Case) c = small_case(1 + below(&state, 14), features, &state);
    TnPlanParams params = TN_PLAN_PARAMS_INIT;
    TnPlanAnswer answer = {0};
    params.time_limit = 0.002;
    strategy->plan(&c->problem, &params, &answer);
    if (answer.status != TN_PLAN_FAILED)
      g_assert_cmpint(answer.lower_bound, ==, naive_bound(&c->problem));
    if (answer.status == TN_PLAN_FAILED) {
      g_assert_true(features & (WITH_FIXED | WITH_GROUP));
      g_assert_nonnull(answer.message);
      n_failed++;
    } else {
      const char *what = broken(&c->problem, answer.offset, answer.arena);
      if (what)
        g_test_message("round %u, features %u: %s", round, features, what);
      g_assert_null(what);
      g_assert_cmpint(answer.arena, >=, answer.proved_bound);
      g_assert_cmpint(answer.proved_bound, >=, answer.lower_bound);
      g_assert_true(answer.is_optimal == (answer.arena == answer.proved_bound));
    }
    tn_plan_answer_clear(&answer);
  }
  g_assert_cmpuint(n_failed, <, 900);
}

/* Sizes by hand: a 4 for [0,4), a 3 for [2,6), a 4 for [4,8), alignment 8; in units of the blocks
 * that GE's planner has. */
#define BLOCK 512
static void
test_by_hand(void)
{
  tn_tick lower[] = {0, 2, 4}, upper[] = {4, 6, 8};
  tn_bytes size[] = {4 * BLOCK, 3 * BLOCK, 4 * BLOCK};
  tn_bytes alignment[] = {8 * BLOCK, 8 * BLOCK, 8 * BLOCK};
  TnPlanProblem problem = {.n = 3, .lower = lower, .upper = upper, .size = size};
  TnPlanParams params = TN_PLAN_PARAMS_INIT;
  for (const TnStrategy *const *s = tn_strategies(); *s; s++) {
    TnPlanAnswer answer = {0};
    problem.alignment = NULL;
    (*s)->plan(&problem, &params, &answer);
    g_assert_cmpint(answer.status, ==, TN_PLAN_FOUND);
    g_assert_cmpint(answer.lower_bound, ==, 7 * BLOCK);
    g_assert_cmpint(answer.arena, ==, 7 * BLOCK);
    g_assert_true(answer.is_optimal);
    tn_plan_answer_clear(&answer);
    problem.alignment = alignment;
    (*s)->plan(&problem, &params, &answer);
    g_assert_cmpint(answer.arena, >=, 11 * BLOCK);
    g_assert_cmpint(answer.arena, <=, 12 * BLOCK);
    tn_plan_answer_clear(&answer);
  }
}

static void
test_empty_and_capacity(void)
{
  tn_tick lower[] = {0, 0}, upper[] = {4, 4};
  tn_bytes size[] = {10 * BLOCK, 20 * BLOCK};
  TnPlanProblem problem = {.n = 0, .lower = lower, .upper = upper, .size = size};
  TnPlanParams params = TN_PLAN_PARAMS_INIT;
  for (const TnStrategy *const *s = tn_strategies(); *s; s++) {
    TnPlanAnswer answer = {0};
    problem.n = 0;
    (*s)->plan(&problem, &params, &answer);
    g_assert_cmpint(answer.status, ==, TN_PLAN_FOUND);
    g_assert_cmpint(answer.arena, ==, 0);
    tn_plan_answer_clear(&answer);
    problem.n = 2;
    params.capacity = 29 * BLOCK;
    (*s)->plan(&problem, &params, &answer);
    g_assert_cmpint(answer.status, ==, TN_PLAN_INFEASIBLE);
    tn_plan_answer_clear(&answer);
    params.capacity = 30 * BLOCK;
    (*s)->plan(&problem, &params, &answer);
    g_assert_cmpint(answer.status, ==, TN_PLAN_FOUND);
    tn_plan_answer_clear(&answer);
    params.capacity = 0;
  }
}

/* A tiling's best arena is known.  One that any plan keeps, or none, does not end the search for it. */
static void
test_best_is_smallest_with_a_capacity(void)
{
  const tn_bytes least = 1 << 12;
  const struct {
    tn_bytes capacity;
    TnPlanStatus status;
  } rows[] = {{2 * least, TN_PLAN_FOUND}, {least, TN_PLAN_FOUND}, {least - 1, TN_PLAN_INFEASIBLE}};
  g_autoptr(Case) c = case_tiling(40, 100, least, 7);
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    TnPlanParams params = TN_PLAN_PARAMS_INIT;
    TnPlanAnswer answer = {0};
    params.capacity = rows[i].capacity;
    tn_strategies_find("best")->plan(&c->problem, &params, &answer);
    g_assert_cmpint(answer.arena, ==, least);
    g_assert_cmpint(answer.status, ==, rows[i].status);
    g_assert_null(broken(&c->problem, answer.offset, answer.arena));
    tn_plan_answer_clear(&answer);
  }
}

static void
test_contradictions(void)
{
  tn_tick lower[] = {0, 0}, upper[] = {4, 4};
  tn_bytes size[] = {10, 20}, fixed[] = {0, 5}, huge[] = {INT64_MAX, INT64_MAX};
  TnPlanProblem problem = {.n = 2, .lower = lower, .upper = upper, .size = size, .fixed = fixed};
  TnPlanParams params = TN_PLAN_PARAMS_INIT;
  for (const TnStrategy *const *s = tn_strategies(); *s; s++) {
    TnPlanAnswer answer = {0};
    problem.size = size;
    problem.fixed = fixed;
    (*s)->plan(&problem, &params, &answer);
    g_assert_cmpint(answer.status, ==, TN_PLAN_FAILED);
    g_assert_nonnull(answer.message);
    tn_plan_answer_clear(&answer);
    problem.size = huge;
    problem.fixed = NULL;
    (*s)->plan(&problem, &params, &answer);
    g_assert_cmpint(answer.status, ==, TN_PLAN_FAILED);
    tn_plan_answer_clear(&answer);
  }
  g_assert_cmpint(tn_plan_lower_bound(&problem), ==, -1);
}

static void
test_table_of_buffers(void)
{
  g_autoptr(TnBuffers) buffers = tn_buffers_new();
  tn_buffers_need(buffers, TN_COLUMN_SPACE);
  for (uint32_t i = 0; i < 6; i++) {
    tn_buffers_add(buffers, i, i + 3, 10, TN_KIND_ACTIVATION);
    buffers->space[i] = i % 2;
  }
  TnPlanParams params = TN_PLAN_PARAMS_INIT;
  g_autoptr(TnPlan) plan =
      tn_plan_new_for_buffers(buffers, tn_strategies_find("best"), 16, &params);
  g_assert_cmpint(plan->status, ==, TN_PLAN_FOUND);
  g_assert_cmpuint(plan->n_spaces, ==, 2);
  g_assert_cmpint(plan->space_arena[0], ==, 26);
  g_assert_cmpint(plan->arena_bytes, ==, 52);
  g_assert_cmpint(plan->lower_bound_bytes, ==, 40);
  g_assert_cmpint(plan->no_reuse_bytes, ==, 60);
  g_assert_cmpuint(plan->tried->len, >=, 1);
  g_assert_null(tn_strategies_find("no such"));
}

/* As many stretches of life as buffers, and yet not one each: two that are dead in their gaps all their life stand beside
 * two that the caller's memory may stand in for, which never share (200 B); a gap at the beginning of a life (375 B). */
static void
test_as_many_spans(void)
{
  static const tn_tick lower[] = {0, 5, 8, 8}, upper[] = {2, 7, 9, 9};
  static const tn_bytes size[] = {100, 100, 10, 10};
  static const uint32_t traits[] = {TN_TRAIT_ZERO_COPY, TN_TRAIT_ZERO_COPY, 0, 0}, first[] = {0, 0, 0, 1, 2};
  static const TnGap dead[] = {{8, 9, 0, 0}, {8, 9, 0, 0}}, late[] = {{1, 10, 0, 0}};
  static const tn_tick edge_lower[] = {0, 2, 0}, edge_upper[] = {10, 10, 4};
  static const tn_bytes edge_size[] = {300, 300, 75};
  static const uint32_t edge_first[] = {0, 1, 1, 1};
  const TnPlanProblem problems[] = {
      {.n = 4, .lower = lower, .upper = upper, .size = size, .traits = traits, .gap_first = first, .gaps = dead},
      {.n = 3, .lower = edge_lower, .upper = edge_upper, .size = edge_size, .gap_first = edge_first, .gaps = late}};
  static const tn_bytes arena[] = {200, 375};
  for (guint i = 0; i < G_N_ELEMENTS(problems); i++)
    for (const char *const *name = (const char *const[]){"first-fit", "best-fit", "exact", NULL}; *name; name++) {
      TnPlanParams params = TN_PLAN_PARAMS_INIT;
      TnPlanAnswer answer = {0};
      tn_strategies_find(*name)->plan(&problems[i], &params, &answer);
      g_assert_cmpint(answer.arena, ==, arena[i]);
      g_assert_true(answer.is_optimal);
      tn_plan_answer_clear(&answer);
    }
}

/* What has no bytes needs no place, but stays where it is fixed, beyond the arena, too; alignment binds it. */
static void
test_fixed_without_bytes(void)
{
  g_autoptr(TnBuffers) buffers = tn_buffers_new();
  tn_buffers_need(buffers, TN_COLUMN_ALIGNMENT);
  for (uint32_t i = 0; i < 3; i++)
    tn_buffers_add(buffers, 0, 4, i == 1 ? 100 : 0, TN_KIND_ACTIVATION);
  buffers->flags[0] |= TN_BUFFER_FIXED;
  buffers->offset[0] = 4096;
  TnPlanParams params = TN_PLAN_PARAMS_INIT;
  for (const TnStrategy *const *s = tn_strategies(); *s; s++) {
    buffers->alignment[0] = 512;
    g_autoptr(TnPlan) plan = tn_plan_new_for_buffers(buffers, *s, 1, &params);
    g_assert_cmpint(plan->status, ==, TN_PLAN_FOUND);
    g_assert_cmpint(plan->offset[0], ==, 4096);
    g_assert_cmpint(plan->offset[1], ==, 0);
    g_assert_cmpint(plan->offset[2], ==, 0);
    g_assert_cmpint(plan->arena_bytes, >=, 100);
    g_assert_cmpint(plan->arena_bytes, <=, 1024); /* of whole blocks */
    buffers->alignment[0] = 8192;
    g_autoptr(TnPlan) none = tn_plan_new_for_buffers(buffers, *s, 1, &params);
    g_assert_cmpint(none->status, ==, TN_PLAN_FAILED);
    g_assert_nonnull(none->message);
  }
}

static void
test_greedy_values(void)
{
  g_autoptr(Case) a = case_load("minimalloc/A.1048576.csv");
  if (!a) {
    g_test_skip("no shared benchmarks");
    return;
  }
  TnPlanParams params = TN_PLAN_PARAMS_INIT;
  TnPlanAnswer answer = {0};
  tn_strategies_find("greedy-size")->plan(&a->problem, &params, &answer);
  g_assert_cmpint(answer.lower_bound, ==, 1048576);
  g_assert_cmpint(answer.arena * 1000 / 1048576, ==, 1290); /* 29.0 % over, as measured elsewhere */
  tn_plan_answer_clear(&answer);
}

/* Cancelled before it began: no answer or the best so far, but an answer at once. */
static void
test_cancelled(void)
{
  g_autoptr(Case) c = case_random(20000, 3);
  for (const TnStrategy *const *s = tn_strategies(); *s; s++) {
    TnProgress progress = {.cancelled = 1};
    TnPlanParams params = TN_PLAN_PARAMS_INIT;
    TnPlanAnswer answer = {0};
    params.progress = &progress;
    (*s)->plan(&c->problem, &params, &answer);
    g_assert_cmpint(answer.status, ==, TN_PLAN_FAILED);
    g_assert_nonnull(answer.message);
    g_assert_cmpfloat(answer.seconds, <, 1.0);
    tn_plan_answer_clear(&answer);
  }
}

/* A searching strategy reports only better answers, each a plan, and ends with the last of them. */
typedef struct {
  const TnPlanProblem *problem;
  tn_bytes last;
  uint32_t n;
} Improvements;

static void
on_improved(const tn_bytes *offset, uint32_t n, tn_bytes arena, void *payload)
{
  Improvements *improvements = payload;
  g_assert_cmpuint(n, ==, improvements->problem->n);
  g_assert_true(improvements->n == 0 || arena < improvements->last);
  g_assert_null(broken(improvements->problem, offset, arena));
  improvements->last = arena;
  improvements->n++;
}

static void
test_improves(void)
{
  static const char *const names[] = {"search", "exact", "best"};
  g_autoptr(Case) c = case_tiling(120, 400, 1 << 16, 7);
  for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
    Improvements improvements = {.problem = &c->problem};
    TnPlanParams params = TN_PLAN_PARAMS_INIT;
    TnPlanAnswer answer = {0};
    params.improved = on_improved;
    params.improved_payload = &improvements;
    params.time_limit = 1;
    tn_strategies_find(names[i])->plan(&c->problem, &params, &answer);
    g_assert_cmpint(answer.arena, ==, improvements.last);
    g_assert_cmpuint(improvements.n, >, 1);
    tn_plan_answer_clear(&answer);
  }
}

/* engine.md: different batches may share a place, a batch and the unlabelled may not; the checker,
 * which knows nothing of the planners, agrees with every strategy. */
static void
test_batches_apart(void)
{
  for (gsize k = 0; tn_strategies()[k]; k++) {
    g_autoptr(TnDocument) document = tn_document_new("batches");
    g_autoptr(TnBuffers) buffers = tn_buffers_new();
    uint32_t a = tn_strings_intern(document->strings, "a", -1);
    uint32_t b = tn_strings_intern(document->strings, "b", -1);
    const uint32_t labels[] = {0, 0, a, b, a, b, 0};
    const tn_bytes sizes[] = {64, 32, 48, 80, 16, 8, 64};
    tn_buffers_need(buffers, TN_COLUMN_BATCH);
    for (int i = 0; i < 7; i++) {
      tn_index row = tn_buffers_add(buffers, i % 3, i % 3 + 2, sizes[i], TN_KIND_ACTIVATION);
      buffers->batch[row] = labels[i];
    }
    TnPlanParams params = TN_PLAN_PARAMS_INIT;
    params.time_limit = 1.0;
    g_autoptr(TnPlan) plan =
        tn_plan_new_for_buffers(buffers, tn_strategies()[k], 0, &params);
    g_assert_cmpint(plan->status, ==, TN_PLAN_FOUND);
    g_autoptr(TnFindings) findings = tn_findings_new();
    TnCheckParams check = {.document = document,
                           .buffers = buffers,
                           .offset = plan->offset,
                           .space_arena = plan->space_arena,
                           .n_spaces = plan->n_spaces};
    tn_check_offsets(&check, findings);
    g_assert_cmpuint(tn_findings_count(findings, TN_SEVERITY_ERROR), ==, 0);
    /* At tick 1 or 2 the unlabelled 64 + 32 + 64 overlap in part, batch b needs 80: never less. */
    g_assert_cmpint(plan->arena_bytes, >=, plan->lower_bound_bytes);
    g_assert_cmpint(plan->space_arena[0], ==, plan->arena_bytes);
  }
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  for (const TnStrategy *const *s = tn_strategies(); *s; s++) {
    g_autofree char *path = g_strdup_printf("/plan/constraints/%s", (*s)->name);
    g_test_add_data_func(path, *s, test_constraints);
  }
  g_test_add_func("/plan/by-hand", test_by_hand);
  g_test_add_func("/plan/empty-and-capacity", test_empty_and_capacity);
  g_test_add_func("/plan/best-with-a-capacity", test_best_is_smallest_with_a_capacity);
  g_test_add_func("/plan/contradictions", test_contradictions);
  g_test_add_func("/plan/cancelled", test_cancelled);
  g_test_add_func("/plan/improves", test_improves);
  g_test_add_func("/plan/table", test_table_of_buffers);
  g_test_add_func("/plan/as-many-spans", test_as_many_spans);
  g_test_add_func("/plan/fixed-without-bytes", test_fixed_without_bytes);
  g_test_add_func("/plan/greedy-values", test_greedy_values);
  g_test_add_func("/plan/batches-apart", test_batches_apart);
  return g_test_run();
}
