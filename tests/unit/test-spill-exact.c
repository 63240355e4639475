/* SPDX-License-Identifier: MIT */
/* Budgets of small random graphs against brute force over all plans: the search, the bound, the
 * least budget. */
#include "config.h"

#include "analysis/budget/spill-bound.h"
#include "spill-support.h"

typedef struct {
  const TnSpillModel *model;
  TnSpillRun run;
  TnSpillPlan plan;
  tn_bytes budget;
  double best;
  uint64_t n;
} Brute;

static uint32_t
n_ways(const TnSpillModel *model, uint32_t op)
{
  return model->way_first[op + 1] - model->way_first[op];
}

/* Every way of every op from `op` on. */
static void
brute_ways(Brute *brute, uint32_t op)
{
  const TnSpillModel *model = brute->model;
  if (op < model->n) {
    for (uint32_t w = 0; w < n_ways(model, op); w++) {
      brute->plan.way[op] = w;
      brute_ways(brute, op + 1);
    }
    brute->plan.way[op] = 0;
    return;
  }
  TnSpillOutcome outcome = tn_spill_run(&brute->run, &brute->plan, brute->budget, false);
  brute->n++;
  if (outcome.over_at == TN_NONE && outcome.seconds < brute->best)
    brute->best = outcome.seconds;
}

/* Every choice of every stretch: nothing pruned. */
static void
brute_go(Brute *brute, uint32_t i)
{
  const TnSpillModel *model = brute->model;
  if (i == model->idles->len) {
    brute_ways(brute, 0);
    return;
  }
  const TnIdle *idle = tn_spill_idle(model, i);
  brute->plan.choice[i] = (TnSpillChoice){0};
  brute_go(brute, i + 1);
  uint32_t first = (uint32_t)(idle->from + 1);
  for (uint32_t m = first; m < idle->to && idle->move == TN_IDLE_CANDIDATE; m++)
    for (uint32_t k = m + 1; k <= idle->to; k++)
      for (int early = 0; early < (idle->from > idle->made ? 2 : 1); early++) {
        brute->plan.choice[i] = (TnSpillChoice){TN_SPILL_MOVE, early, m, k};
        brute_go(brute, i + 1);
      }
  if (idle->recompute == TN_IDLE_CANDIDATE) {
    brute->plan.choice[i] = (TnSpillChoice){TN_SPILL_RECOMPUTE, false, first, idle->to};
    brute_go(brute, i + 1);
  }
  brute->plan.choice[i] = (TnSpillChoice){0};
}

static double
brute_plans(const TnSpillModel *model)
{
  double plans = 1;
  for (uint32_t i = 0; i < model->idles->len; i++) {
    const TnIdle *idle = tn_spill_idle(model, i);
    double length = (double)((int32_t)idle->to - idle->from - 1);
    plans *= 2 + (idle->move == TN_IDLE_CANDIDATE
                      ? length * (length + 1) / 2 * (idle->from > idle->made ? 2 : 1)
                      : 0);
  }
  for (uint32_t op = 0; op < model->n; op++)
    plans *= n_ways(model, op);
  return plans;
}

typedef struct {
  double gap; /* of the greedy plans' seconds to the optimum's, summed */
  uint32_t n_gaps;
  double lost, bound; /* seconds that optima lose, and that are proved */
  uint32_t n_lossy, n_tight;
} Quality;

/* No plan loses less than the bound says. */
static void
check_bound(const TnSpillModel *model,
            const TnSpillPlan *found,
            const Brute *brute,
            uint64_t seed,
            Quality *quality)
{
  double lost = brute->best - tn_spill_shortest(model, brute->budget);
  double bound = tn_spill_bound(model, found, brute->budget, 0);
  if (bound > lost + 1e-9)
    g_error("seed %" G_GUINT64_FORMAT ": the bound is %.9f s, but a plan loses %.9f s", seed, bound,
            lost);
  g_assert_cmpfloat(bound, >=, 0);
  quality->lost += lost;
  quality->bound += bound;
  quality->n_lossy += lost > 1e-9;
  quality->n_tight += lost > 1e-9 && bound > lost - 1e-9;
}

/* Other ways of ops: smaller or larger, slower or faster; also of ops without a workspace. */
static void
add_algorithms(RandomGraph *random, uint64_t seed)
{
  static const double times[] = {0.5, 1, 1.5, 3};
  for (uint32_t i = 0; i < random->graph->ops->len; i++) {
    TnOp *op = tn_graph_op(random->graph, i);
    op->first_algorithm = random->graph->algorithms->len;
    op->n_algorithms = op->workspace_bytes > 1 || below(&seed, 4) == 0 ? below(&seed, 3) : 0;
    for (uint32_t k = 0; k < op->n_algorithms; k++) {
      TnAlgorithm algorithm = {.name = tn_strings_intern(random->strings, k ? "b" : "a", -1),
                               .workspace_bytes =
                                   below(&seed, 2 * (uint32_t)op->workspace_bytes + 20),
                               .seconds = op->seconds * times[below(&seed, 4)]};
      g_array_append_val(random->graph->algorithms, algorithm);
    }
  }
}

/* Where the least budget is said to be exact there is a plan within it. */
static void
check_least(const RandomGraph *random,
            const TnGraphLifetimeParams *lifetime,
            const TnLink *link,
            uint64_t seed)
{
  TnSpillParams params = TN_SPILL_PARAMS_INIT;
  params.link = link;
  params.with_alternatives = false;
  params.budget = 1;
  params.limits.no_moves = seed % 2;
  params.limits.no_recompute = seed % 5 == 0;
  g_autoptr(TnSpillAnswer) none =
      tn_spill_new(random->graph, random->strings, lifetime, &params, NULL);
  if (!none->is_smallest_exact || none->smallest_budget == 0)
    return;
  params.budget = none->smallest_budget;
  g_autoptr(TnSpillAnswer) answer =
      tn_spill_new(random->graph, random->strings, lifetime, &params, NULL);
  g_assert_true(answer->found.is_found);
}

static bool
check_case(uint64_t seed, Quality *quality)
{
  RandomGraph random = random_graph_new(seed, 4 + (uint32_t)(seed % 5));
  if (seed % 3)
    add_algorithms(&random, seed);
  TnGraphLifetimeParams lifetime = {.model = (TnLifetimeModel)(seed % 2),
                                    .aliasing = TN_ALIASING_ALL};
  g_autoptr(TnLink) link = plain_link(2000 + (double)(seed % 7) * 1500, 0.0005);
  TnSpillLimits limits = TN_SPILL_LIMITS_INIT;
  g_autoptr(TnSpillModel) model =
      tn_spill_model_new(random.graph, random.strings, &lifetime, link, &limits, NULL);
  uint32_t place;
  tn_bytes least = tn_spill_smallest_budget(model, &place), peak = model->start_bytes;
  for (uint32_t p = 0; p < model->n; p++)
    peak = MAX(peak, tn_spill_held(model, p, 0));
  bool is_case = peak > least && brute_plans(model) < 60000;
  if (is_case) {
    Brute brute = {.model = model,
                   .best = HUGE_VAL,
                   .budget = least + (peak - least) * (tn_bytes)(seed % 4) / 4};
    TnSpillSearch search = {brute.budget, g_get_monotonic_time() + 20 * G_USEC_PER_SEC, false,
                            NULL};
    TnSpillSearch quick = search;
    TnSpillFound found, greedy;
    tn_spill_run_init(&brute.run, model);
    tn_spill_plan_init(&brute.plan, model);
    brute_go(&brute, 0);
    tn_spill_search(model, &search, NULL, &found);
    quick.is_quick = true;
    tn_spill_search(model, &quick, NULL, &greedy);
    if (!found.is_found || !found.is_optimal || fabs(found.outcome.seconds - brute.best) > 1e-9)
      g_error("seed %" G_GUINT64_FORMAT ": %.9f, expected %.9f of %" G_GUINT64_FORMAT " plans",
              seed, found.outcome.seconds, brute.best, brute.n);
    check_trace(model, &found.plan, brute.budget);
    check_lives(random.graph, random.strings, &lifetime, model, &found);
    g_assert_true(greedy.is_found);
    quality->gap += greedy.outcome.seconds / brute.best - 1;
    quality->n_gaps += greedy.outcome.seconds > brute.best + 1e-9;
    check_bound(model, &found.plan, &brute, seed, quality);
    /* One byte less than the least: nothing, and said so. */
    TnSpillFound none;
    search.budget = least - 1;
    tn_spill_search(model, &search, NULL, &none);
    g_assert_true(none.is_proved_impossible && !none.is_found);
    check_least(&random, &lifetime, link, seed);
    tn_spill_plan_clear(&none.plan);
    tn_spill_plan_clear(&found.plan);
    tn_spill_plan_clear(&greedy.plan);
    tn_spill_plan_clear(&brute.plan);
    tn_spill_run_clear(&brute.run);
  }
  random_graph_clear(&random);
  return is_case;
}

static void
test_brute_force(void)
{
  Quality quality = {0};
  uint32_t n = 0;
  for (uint64_t seed = 1; n < 300; seed++)
    n += check_case(seed, &quality);
  g_test_message("greedy: %u of %u above the optimum, mean gap %.3f %%", quality.n_gaps, n,
                 100 * quality.gap / n);
  g_test_message("bound: %.1f %% of what %u optima lose, met by %u",
                 100 * quality.bound / quality.lost, quality.n_lossy, quality.n_tight);
  g_assert_cmpfloat(quality.gap / n, <, 0.02);
  g_assert_cmpfloat(quality.bound, >, 0.8 * quality.lost);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/spill-exact/brute-force", test_brute_force);
  return g_test_run();
}
