/* SPDX-License-Identifier: MIT */
/* Budgets: the three-branch CNN, brute force over all plans of small graphs, traces of memory and
 * time, lives cut in two, transfer times. */
#include "config.h"

#include "analysis/budget/calibrate.h"
#include "analysis/budget/spill-bound.h"
#include "analysis/budget/spill-lives.h"
#include "analysis/budget/spill-waits.h"
#include "analysis/budget/spill.h"
#include "analysis/check.h"
#include "analysis/plan/plan.h"
#include "data/error.h"
#include "data/link-file.h"
#include "data/reader.h"
#include "graph-support.h"

#include <math.h>
#include <string.h>

/* 12 GB/s and 20 µs, both ways. */
static TnLink *
plain_link(double bytes_per_second, double latency)
{
  g_autoptr(GArray) points = g_array_new(FALSE, FALSE, sizeof(TnLinkPoint));
  TnLinkPoint a = {1, latency + 1 / bytes_per_second},
              b = {1000, latency + 1000 / bytes_per_second};
  g_array_append_val(points, a);
  g_array_append_val(points, b);
  return tn_link_new("test", "test", points, points);
}

static TnDocument *
load_text(const char *text)
{
  g_autoptr(TnSource) source = tn_source_new_for_bytes("test.json", text, strlen(text));
  TnReadOptions options = TN_READ_OPTIONS_INIT;
  g_autoptr(GError) error = NULL;
  TnDocument *document = tn_document_load_source(source, &options, &error);
  g_assert_no_error(error);
  return document;
}

/* ---- what holds for every plan --------------------------------------------------------- */

/* The waits are what the run counted, and each lies within a copy that compute waits for. */
static void
check_waits(const TnSpillRun *run, const TnSpillPlan *plan, const TnSpillOutcome *outcome)
{
  g_autoptr(GArray) waits = tn_spill_waits_new(run);
  double sum = 0, exposed = 0;
  for (guint k = 0; k < waits->len; k++) {
    const TnSpillWait *wait = &g_array_index(waits, TnSpillWait, k);
    sum += wait->end - wait->start;
    g_assert_cmpfloat(tn_spill_exposed(waits, wait->start, wait->end), <=,
                      wait->end - wait->start + 1e-12);
  }
  for (uint32_t i = 0; i < run->model->idles->len; i++) {
    if (plan->choice[i].kind != TN_SPILL_MOVE)
      continue;
    if (run->out_end[i] >= 0)
      exposed += tn_spill_exposed(waits, run->out_start[i], run->out_end[i]);
    exposed += tn_spill_exposed(waits, run->in_start[i], run->in_end[i]);
  }
  g_assert_cmpfloat(fabs(sum - outcome->wait_seconds), <, 1e-9);
  g_assert_cmpfloat(exposed, >=, sum - 1e-9);
  g_assert_cmpfloat(exposed, <=, outcome->copy_seconds + 1e-9);
}

/* The lanes: no copy overlaps another one of its lane, each ends before what waits for it, a copy
 * out begins after its storage is made, memory keeps within the budget at every op. */
static void
check_trace(const TnSpillModel *model, const TnSpillPlan *plan, tn_bytes budget)
{
  TnSpillRun run;
  tn_spill_run_init(&run, model);
  TnSpillOutcome outcome = tn_spill_run(&run, plan, budget, false);
  double in_use[2] = {0, 0};
  g_assert_cmpint(outcome.peak, <=, budget);
  for (uint32_t p = 0; p < model->n; p++) {
    g_assert_cmpint(run.memory[p], <=, budget);
    g_assert_true(p == 0 || run.start[p] - run.redo[p] >= run.end[p - 1] - 1e-12);
  }
  for (uint32_t i = 0; i < model->idles->len; i++) {
    const TnIdle *idle = tn_spill_idle(model, i);
    TnSpillChoice choice = plan->choice[i];
    if (choice.kind == TN_SPILL_KEEP)
      continue;
    g_assert_cmpint((int64_t)choice.absent, >, idle->from);
    g_assert_cmpuint(choice.absent, <, choice.back);
    g_assert_cmpuint(choice.back, <=, idle->to);
    if (choice.kind == TN_SPILL_RECOMPUTE)
      continue;
    if (run.out_end[i] >= 0) {
      g_assert_true(run.out_end[i] <= run.start[choice.absent] + 1e-12);
      g_assert_true(idle->made < 0 || run.out_start[i] >= run.end[idle->made] - 1e-12);
      in_use[0] += run.out_end[i] - run.out_start[i];
    }
    g_assert_true(run.in_end[i] <= run.start[idle->to] + 1e-12);
    g_assert_true(choice.back == 0 || run.in_start[i] >= run.end[choice.back - 1] - 1e-12);
    in_use[1] += run.in_end[i] - run.in_start[i];
  }
  g_assert_true(in_use[0] + in_use[1] <= outcome.copy_seconds + 1e-9);
  check_waits(&run, plan, &outcome);
  tn_spill_run_clear(&run);
}

/* The lives, cut, sum to what the plan counts at each op and to no more than the plan's peak, and a
 * planner's offsets of them are sound. */
static void
check_lives(const TnGraph *graph,
            TnStrings *strings,
            const TnGraphLifetimeParams *lifetime,
            const TnSpillModel *model,
            const TnSpillFound *found)
{
  g_autoptr(TnGraphLives) lives = tn_graph_lives_new(graph, strings, lifetime, NULL);
  g_autoptr(TnSpillLives) cut = tn_spill_lives_new(model, &found->plan, graph, strings, lives);
  g_autoptr(TnDocument) document = tn_document_new("test");
  TnSpillRun run;
  tn_spill_run_init(&run, model);
  tn_spill_run(&run, &found->plan, 0, false);
  g_assert_true(tn_spill_lives_hold(cut, &run));
  tn_spill_run_clear(&run);
  tn_bytes live = tn_graph_live_peak(cut->buffers, cut->axis_end, NULL);
  g_assert_cmpint(live, <=, found->outcome.peak);
  TnPlanParams params = TN_PLAN_PARAMS_INIT;
  g_autoptr(TnPlan) plan =
      tn_plan_new_for_buffers(cut->buffers, tn_strategies_find("greedy-size"), 1, &params);
  g_assert_cmpint(plan->arena_bytes, >=, live);
  g_autoptr(TnFindings) findings = tn_findings_new();
  TnCheckParams check = {.document = document,
                         .buffers = cut->buffers,
                         .offset = plan->offset,
                         .alignment = 1,
                         .space_arena = plan->space_arena,
                         .n_spaces = plan->n_spaces,
                         .limit = 10};
  tn_check_offsets(&check, findings);
  for (guint i = 0; i < findings->rows->len; i++)
    g_assert_cmpint(tn_findings_get(findings, i)->severity, !=, TN_SEVERITY_ERROR);
}

/* ---- brute force ----------------------------------------------------------------------- */

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

/* ---- the three-branch CNN -------------------------------------------------------------- */

/* The shared graph, else our own sample: the same figures. */
static TnDocument *
load_branches(void)
{
  const char *root = g_getenv("TN_SHARED"), *source = g_getenv("TN_SOURCE_ROOT");
  g_autofree char *shared =
      g_build_filename(root ? root : "../shared", "graphs", "three_branch_cnn.json", NULL);
  g_autofree char *sample = g_build_filename(source ? source : ".", "data", "samples",
                                             "branches-graph.json", NULL);
  TnReadOptions options = TN_READ_OPTIONS_INIT;
  g_autoptr(GError) error = NULL;
  bool is_shared = g_file_test(shared, G_FILE_TEST_EXISTS);
  TnDocument *document = tn_document_load(is_shared ? shared : sample, &options, &error);
  g_assert_no_error(error);
  return document;
}

static TnSpillAnswer *
spill(const TnDocument *document, tn_bytes budget, uint32_t n_sweep)
{
  TnGraphLifetimeParams lifetime = TN_GRAPH_LIFETIME_PARAMS_INIT;
  TnSpillParams params = TN_SPILL_PARAMS_INIT;
  g_autoptr(TnLink) link = tn_link_new_for_graph(document->graph);
  g_autoptr(GError) error = NULL;
  if (!link)
    link = plain_link(1e9, 1e-5);
  params.budget = budget;
  params.link = link;
  params.sweep = n_sweep;
  TnSpillAnswer *answer =
      tn_spill_new(document->graph, document->strings, &lifetime, &params, &error);
  g_assert_no_error(error);
  return answer;
}

static void
test_three_branches(void)
{
  static const struct {
    tn_bytes budget;
    double most;
  } rows[] = {{2100, 0.0},    {1800, 0.0292}, {1600, 0.0345}, {1400, 0.0571},
              {1200, 0.1099}, {1000, 0.1735}, {800, 0.2901},  {750, 0.2901}};
  g_autoptr(TnDocument) document = load_branches();
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autoptr(TnSpillAnswer) answer = spill(document, rows[i].budget * 1000000, 0);
    TnGraphLifetimeParams lifetime = TN_GRAPH_LIFETIME_PARAMS_INIT;
    g_assert_true(answer->found.is_found && answer->found.is_optimal);
    g_assert_cmpint(answer->baseline_peak, ==, 2100000000);
    g_assert_cmpint(answer->order_peak, ==, 1450000000);
    g_assert_cmpint(answer->smallest_budget, ==, 750000000);
    double overhead = answer->found.outcome.seconds / answer->model->seconds - 1;
    g_test_message("%4d MB: %.2f %%, moved %d MB, workspace %d MB", (int)rows[i].budget,
                   100 * overhead, (int)(answer->found.outcome.moved_bytes / 1000000),
                   (int)(tn_spill_plan_workspace(answer->model, &answer->found.plan) / 1000000));
    g_assert_cmpfloat(overhead, <=, rows[i].most + 1e-9);
    double bound = tn_spill_bound(answer->model, &answer->found.plan, answer->budget, 0);
    g_test_message("proved by the relaxation: %.2f %%", 100 * bound / answer->model->seconds);
    g_assert_cmpfloat(bound, <=,
                      answer->found.outcome.seconds -
                          tn_spill_shortest(answer->model, answer->budget) + 1e-9);
    g_assert_cmpfloat(tn_spill_gap(answer), ==, 0);
    check_trace(answer->model, &answer->found.plan, rows[i].budget * 1000000);
    check_lives(document->graph, document->strings, &lifetime, answer->model, &answer->found);
  }
  g_autoptr(TnSpillAnswer) none = spill(document, 700000000, 0);
  g_assert_true(none->found.is_proved_impossible);
  g_assert_cmpstr(
      tn_strings_get(document->strings, tn_graph_op(document->graph, none->smallest_op)->name), ==,
      "add_skip");
}

/* What fits needs no slower way, and more room never costs more. */
static void
test_ways_that_fit(void)
{
  static const char text[] =
      "{\"format\":\"tenure-graph\",\"version\":1,\"name\":\"g\",\"tensors\":["
      "{\"id\":0,\"name\":\"x\",\"bytes\":50,\"kind\":\"input\"},"
      "{\"id\":1,\"name\":\"y\",\"bytes\":50},{\"id\":2,\"name\":\"z\",\"bytes\":50}],"
      "\"ops\":[{\"id\":0,\"name\":\"conv\",\"inputs\":[0],\"outputs\":[1],"
      "\"workspace_bytes\":500,\"seconds\":0.001,\"algorithms\":["
      "{\"name\":\"fast\",\"workspace_bytes\":500,\"seconds\":0.001},"
      "{\"name\":\"slow\",\"workspace_bytes\":100,\"seconds\":0.01}]},"
      "{\"id\":1,\"name\":\"relu\",\"inputs\":[1],\"outputs\":[2],\"seconds\":0.001}],"
      "\"outputs\":[2]}";
  g_autoptr(TnDocument) document = load_text(text);
  for (tn_bytes budget = 200; budget <= 1300; budget += 50) {
    g_autoptr(TnSpillAnswer) answer = spill(document, budget, 0);
    double overhead = answer->found.outcome.seconds - answer->model->seconds;
    g_assert_true(answer->found.is_optimal);
    g_assert_cmpfloat(fabs(overhead - (budget < 600 ? 0.009 : 0)), <, 1e-12);
  }
}

/* A way that is smaller and faster is taken whatever the budget. */
static void
test_faster_way(void)
{
  static const char text[] =
      "{\"format\":\"tenure-graph\",\"version\":1,\"name\":\"g\",\"tensors\":["
      "{\"id\":0,\"name\":\"t0\",\"bytes\":100},{\"id\":1,\"name\":\"t1\",\"bytes\":100},"
      "{\"id\":2,\"name\":\"t2\",\"bytes\":100},{\"id\":3,\"name\":\"t3\",\"bytes\":100}],"
      "\"ops\":[{\"id\":0,\"name\":\"a\",\"outputs\":[0],\"seconds\":0.01},"
      "{\"id\":1,\"name\":\"b\",\"inputs\":[0],\"outputs\":[1],\"seconds\":0.1,"
      "\"workspace_bytes\":50},"
      "{\"id\":2,\"name\":\"c\",\"inputs\":[1],\"outputs\":[2],\"seconds\":0.01,"
      "\"workspace_bytes\":40,\"algorithms\":["
      "{\"name\":\"im2col\",\"workspace_bytes\":40,\"seconds\":0.01},"
      "{\"name\":\"winograd\",\"workspace_bytes\":10,\"seconds\":0.004}]},"
      "{\"id\":3,\"name\":\"d\",\"inputs\":[2,0],\"outputs\":[3],\"seconds\":0.01}],"
      "\"outputs\":[3]}";
  g_autoptr(TnDocument) document = load_text(text);
  for (tn_bytes budget = 310; budget <= 400; budget += 5) {
    g_autoptr(TnSpillAnswer) answer = spill(document, budget, 0);
    g_assert_true(answer->found.is_optimal);
    g_assert_cmpfloat(fabs(answer->found.outcome.seconds - 0.124), <, 1e-12);
    g_assert_cmpint(tn_spill_way(answer->model, 2, answer->found.plan.way[2])->workspace, ==, 10);
  }
}

static void
test_sweep(void)
{
  g_autoptr(TnDocument) document = load_branches();
  g_autoptr(TnSpillAnswer) answer = spill(document, 1000000000, 12);
  double before = HUGE_VAL;
  g_assert_cmpuint(answer->sweep->len, ==, 12);
  for (guint i = 0; i < answer->sweep->len; i++) {
    const TnSpillPoint *point = &g_array_index(answer->sweep, TnSpillPoint, i);
    g_assert_true(point->is_feasible);
    g_assert_cmpint(point->peak, <=, point->budget);
    g_assert_cmpfloat(point->overhead_seconds, <=, before + 1e-12);
    before = point->overhead_seconds;
  }
  g_assert_cmpfloat(before, ==, 0);
  const TnSpillPoint *order = &g_array_index(answer->others, TnSpillPoint, 1);
  g_assert_cmpstr(order->name, ==, "order");
  g_assert_cmpint(order->peak, ==, 1450000000);
  g_assert_false(order->is_feasible);
  /* In the best order a plan costs less than in the file's. */
  const TnSpillPoint *both = order + 1;
  g_assert_cmpstr(both->name, ==, "order+plan");
  g_assert_true(both->is_feasible && both->is_optimal);
  g_assert_cmpfloat(both->overhead_seconds, <,
                    answer->found.outcome.seconds - answer->model->seconds);
}

/* ---- single rules ---------------------------------------------------------------------- */

/* t (100) is read at 1, 4 and 7; between them others need the room: one copy out, two back. */
static const char twice[] =
    "{\"format\":\"tenure-graph\",\"version\":1,\"tensors\":[{\"id\":0,\"bytes\":100},"
    "{\"id\":1,\"bytes\":1},{\"id\":2,\"bytes\":200},{\"id\":3,\"bytes\":1},{\"id\":4,\"bytes\":1},"
    "{\"id\":5,\"bytes\":200},{\"id\":6,\"bytes\":1},{\"id\":7,\"bytes\":1}],\"ops\":["
    "{\"id\":0,\"outputs\":[0],\"seconds\":1,\"side_effect\":true},"
    "{\"id\":1,\"inputs\":[0],\"outputs\":[1],\"seconds\":1},"
    "{\"id\":2,\"inputs\":[1],\"outputs\":[2],\"seconds\":1},"
    "{\"id\":3,\"inputs\":[2],\"outputs\":[3],\"seconds\":1},"
    "{\"id\":4,\"inputs\":[0,3],\"outputs\":[4],\"seconds\":1},"
    "{\"id\":5,\"inputs\":[4],\"outputs\":[5],\"seconds\":1},"
    "{\"id\":6,\"inputs\":[5],\"outputs\":[6],\"seconds\":1},"
    "{\"id\":7,\"inputs\":[0,6],\"outputs\":[7],\"seconds\":1}]}";

static void
test_clean_copy(void)
{
  g_autoptr(TnDocument) document = load_text(twice);
  TnGraphLifetimeParams lifetime = TN_GRAPH_LIFETIME_PARAMS_INIT;
  TnSpillParams params = TN_SPILL_PARAMS_INIT;
  g_autoptr(TnLink) link = plain_link(100, 0);
  params.budget = 205;
  params.link = link;
  g_autoptr(TnSpillAnswer) answer =
      tn_spill_new(document->graph, document->strings, &lifetime, &params, NULL);
  g_assert_true(answer->found.is_optimal);
  g_assert_cmpint(answer->found.outcome.moved_bytes, ==, 100);
  g_assert_cmpint(answer->found.outcome.back_bytes, ==, 200);
  /* Copied out while op 1 runs; each time back (1 s) nothing else may run: the room is taken. */
  g_assert_cmpfloat_with_epsilon(answer->found.outcome.seconds, 10, 1e-9);
}

/* A cheap op is made again, a dear one moved; what draws lots is never run twice. */
static void
test_recompute(void)
{
  static const char form[] =
      "{\"format\":\"tenure-graph\",\"version\":1,\"tensors\":[{\"id\":0,\"bytes\":1,\"kind\":"
      "\"input\"},{\"id\":1,\"bytes\":100},{\"id\":2,\"bytes\":1},{\"id\":3,\"bytes\":200},"
      "{\"id\":4,\"bytes\":1},{\"id\":5,\"bytes\":1}],\"keep_inputs\":true,\"ops\":["
      "{\"id\":0,\"type\":\"%s\",\"inputs\":[0],\"outputs\":[1],\"seconds\":%g},"
      "{\"id\":1,\"inputs\":[1],\"outputs\":[2],\"seconds\":1},"
      "{\"id\":2,\"inputs\":[2],\"outputs\":[3],\"seconds\":1},"
      "{\"id\":3,\"inputs\":[3],\"outputs\":[4],\"seconds\":1},"
      "{\"id\":4,\"inputs\":[1,4],\"outputs\":[5],\"seconds\":1}]}";
  static const struct {
    const char *type;
    double seconds;
    tn_bytes recomputed;
  } rows[] = {{"Relu", 0.1, 100}, {"Conv", 5, 0}, {"Dropout", 0.1, 0}};
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autofree char *text = g_strdup_printf(form, rows[i].type, rows[i].seconds);
    g_autoptr(TnDocument) document = load_text(text);
    TnGraphLifetimeParams lifetime = TN_GRAPH_LIFETIME_PARAMS_INIT;
    TnSpillParams params = TN_SPILL_PARAMS_INIT;
    g_autoptr(TnLink) link = plain_link(100, 0);
    params.budget = 210;
    params.link = link;
    g_autoptr(TnSpillAnswer) answer =
        tn_spill_new(document->graph, document->strings, &lifetime, &params, NULL);
    g_assert_true(answer->found.is_optimal);
    g_assert_cmpint(answer->found.outcome.recomputed_bytes, ==, rows[i].recomputed);
    g_assert_cmpint(answer->found.outcome.moved_bytes, ==, 100 - rows[i].recomputed);
  }
}

/* im2col's matrix (800) alone breaks the budget: in parts it fits, each part for one more launch.
 */
static void
test_tiles(void)
{
  static const char text[] =
      "{\"format\":\"tenure-graph\",\"version\":1,\"tensors\":[{\"id\":0,\"bytes\":100,\"kind\":"
      "\"input\"},{\"id\":1,\"bytes\":100}],\"ops\":[{\"id\":0,\"type\":\"Conv\",\"inputs\":[0],"
      "\"outputs\":[1],\"workspace_bytes\":800,\"seconds\":1,\"algorithms\":[{\"name\":\"im2col\","
      "\"workspace_bytes\":800,\"seconds\":1}]}]}";
  g_autoptr(TnDocument) document = load_text(text);
  TnGraphLifetimeParams lifetime = TN_GRAPH_LIFETIME_PARAMS_INIT;
  TnSpillParams params = TN_SPILL_PARAMS_INIT;
  g_autoptr(TnLink) link = plain_link(100, 0);
  params.budget = 450;
  params.link = link;
  g_autoptr(TnSpillAnswer) answer =
      tn_spill_new(document->graph, document->strings, &lifetime, &params, NULL);
  g_assert_true(answer->found.is_optimal);
  g_assert_cmpint(answer->baseline_peak, ==, 1000);
  g_assert_cmpint(answer->smallest_budget, ==, 250);
  g_assert_cmpint(tn_spill_plan_workspace(answer->model, &answer->found.plan), ==, 200);
  g_assert_cmpuint(tn_spill_way(answer->model, 0, answer->found.plan.way[0])->tiles, ==, 4);
  g_assert_cmpfloat_with_epsilon(answer->found.outcome.seconds, 1 + 3 * 5e-6, 1e-12);
  check_lives(document->graph, document->strings, &lifetime, answer->model, &answer->found);
}

/* Seconds that the only plan worth proving takes. */
static void
check_seconds(const char *text, const char *preset, tn_bytes budget, double seconds)
{
  g_autoptr(TnDocument) document = load_text(text);
  TnGraphLifetimeParams lifetime = TN_GRAPH_LIFETIME_PARAMS_INIT;
  TnSpillParams params = TN_SPILL_PARAMS_INIT;
  g_autoptr(TnLink) link = plain_link(100, 0);
  lifetime.preset = preset;
  params.budget = budget;
  params.link = link;
  g_autoptr(TnSpillAnswer) answer =
      tn_spill_new(document->graph, document->strings, &lifetime, &params, NULL);
  g_assert_true(answer->found.is_optimal && !answer->model->is_estimated);
  g_assert_cmpfloat_with_epsilon(answer->found.outcome.seconds, seconds, 1e-9);
}

#define ONE_OP(rest)                                                                               \
  "{\"format\":\"tenure-graph\",\"version\":1,\"tensors\":[{\"id\":0,\"bytes\":100,\"kind\":"             \
  "\"input\"},{\"id\":1,\"bytes\":100}],\"outputs\":[1],\"ops\":[{\"id\":0,\"inputs\":[0],"              \
  "\"outputs\":[1]," rest "}]}"

/* Times that are known are used: of the algorithm in force where the op has none, of an im2col that takes as much as
 * the op as it is, of the last of many. */
static void
test_times_of_ways(void)
{
  check_seconds(ONE_OP("\"workspace_bytes\":0,\"algorithms\":[{\"name\":\"tflm\",\"workspace_bytes\":0,"
                       "\"seconds\":1},{\"name\":\"fast\",\"workspace_bytes\":500,\"seconds\":0.1}]"),
                "tflm", 10000, 0.1);
  static const char slow[] = ONE_OP("\"workspace_bytes\":800,\"seconds\":1,\"algorithms\":[{\"name\":\"im2col\","
                                    "\"workspace_bytes\":800,\"seconds\":50}]");
  check_seconds(slow, NULL, 1000, 1);
  check_seconds(slow, NULL, 600, 50 + 5e-6);
  /* Another one is in force: of im2col no time is known, so that it is no way, and its half none that fits. */
  check_seconds(ONE_OP("\"workspace_bytes\":800,\"seconds\":1,\"algorithms\":[{\"name\":\"im2col\","
                       "\"workspace_bytes\":800},{\"name\":\"tflm\",\"workspace_bytes\":800,\"seconds\":1},"
                       "{\"name\":\"small\",\"workspace_bytes\":100,\"seconds\":3}]"),
                "tflm", 600, 3);
  GString *many = g_string_new("\"workspace_bytes\":0,\"seconds\":1,\"algorithms\":[");
  for (int i = 0; i < 400; i++)
    g_string_append_printf(many, "%s{\"name\":\"f%d\",\"workspace_bytes\":%d,\"seconds\":0.%03d}", i ? "," : "", i, i + 1,
                           900 - i);
  g_autofree char *text = g_strdup_printf(ONE_OP("%s]"), many->str);
  check_seconds(text, NULL, 1000, 0.501);
  check_seconds(text, NULL, 500, 0.601);
  g_string_free(many, TRUE);
}

/* Scratch inside the op that is as large as its workspace stays as it is when the workspace
 * shrinks. */
static void
test_internal_scratch(void)
{
  static const char text[] =
      "{\"format\":\"tenure-graph\",\"version\":1,\"tensors\":[{\"id\":0,\"bytes\":5},"
      "{\"id\":1,\"bytes\":2}],\"ops\":[{\"id\":0,\"name\":\"conv\",\"inputs\":[0],\"outputs\":[1],"
      "\"workspace_bytes\":8,\"seconds\":1,\"internal\":[{\"name\":\"acc\",\"bytes\":8,\"phases\":["
      "\"read\","
      "\"compute\",\"write\"]}],\"algorithms\":[{\"name\":\"small\",\"workspace_bytes\":1,"
      "\"seconds\":2}]}]}";
  g_autoptr(TnDocument) document = load_text(text);
  TnGraphLifetimeParams lifetime = TN_GRAPH_LIFETIME_PARAMS_INIT;
  g_autoptr(TnSpillAnswer) answer = spill(document, 17, 0);
  g_assert_cmpint(answer->found.outcome.peak, ==, 16);
  check_lives(document->graph, document->strings, &lifetime, answer->model, &answer->found);
  g_autoptr(TnGraphLives) lives =
      tn_graph_lives_new(document->graph, document->strings, &lifetime, NULL);
  g_autoptr(TnSpillLives) cut = tn_spill_lives_new(answer->model, &answer->found.plan,
                                                   document->graph, document->strings, lives);
  for (uint32_t i = 0; i < cut->buffers->n; i++) {
    const char *name = tn_strings_get(document->strings, tn_buffers_name(cut->buffers, i));
    if (cut->buffers->kind[i] == TN_KIND_WORKSPACE)
      g_assert_cmpint(cut->buffers->bytes[i], ==, strcmp(name, "conv: acc") == 0 ? 8 : 1);
  }
}

/* An op that runs again in a smaller way takes all of what its read tick takes: 60 beside 102. */
static void
test_early_scratch(void)
{
  static const char text[] =
      "{\"format\":\"tenure-graph\",\"version\":1,\"tensors\":[{\"id\":0,\"bytes\":1,\"kind\":"
      "\"input\"},"
      "{\"id\":1,\"bytes\":100},{\"id\":2,\"bytes\":1},{\"id\":3,\"bytes\":1},{\"id\":4,\"bytes\":"
      "1}],"
      "\"keep_inputs\":true,\"ops\":[{\"id\":0,\"inputs\":[0],\"outputs\":[1],\"seconds\":1,"
      "\"workspace_bytes\":50,\"internal\":[{\"name\":\"acc\",\"bytes\":60,\"phases\":[\"read\"]}],"
      "\"algorithms\":[{\"name\":\"small\",\"workspace_bytes\":10,\"seconds\":2}]},"
      "{\"id\":1,\"inputs\":[1],\"outputs\":[2],\"seconds\":1},"
      "{\"id\":2,\"inputs\":[2],\"outputs\":[3],\"seconds\":1},"
      "{\"id\":3,\"inputs\":[1,3],\"outputs\":[4],\"seconds\":1}]}";
  g_autoptr(TnDocument) document = load_text(text);
  TnGraphLifetimeParams lifetime = {.model = TN_LIFETIME_RELEASE_FIRST,
                                    .aliasing = TN_ALIASING_ALL};
  TnSpillLimits limits = TN_SPILL_LIMITS_INIT;
  g_autoptr(TnLink) link = plain_link(100, 0);
  g_autoptr(TnSpillModel) model =
      tn_spill_model_new(document->graph, document->strings, &lifetime, link, &limits, NULL);
  TnSpillFound found = {0};
  TnSpillRun run;
  tn_spill_run_init(&run, model);
  tn_spill_plan_init(&found.plan, model);
  for (uint32_t i = 0; i < model->idles->len; i++)
    if (tn_spill_idle(model, i)->recompute == TN_IDLE_CANDIDATE)
      found.plan.choice[i] = (TnSpillChoice){TN_SPILL_RECOMPUTE, false, 2, 3};
  found.plan.way[0] = 1;
  found.outcome = tn_spill_run(&run, &found.plan, 0, false);
  g_assert_cmpint(found.outcome.recomputed_bytes, ==, 100);
  g_assert_cmpint(run.memory[3], ==, 162);
  check_lives(document->graph, document->strings, &lifetime, model, &found);
  g_autoptr(TnGraphLives) lives =
      tn_graph_lives_new(document->graph, document->strings, &lifetime, NULL);
  g_autoptr(TnSpillLives) cut =
      tn_spill_lives_new(model, &found.plan, document->graph, document->strings, lives);
  g_assert_cmpint(tn_graph_live_peak(cut->buffers, cut->axis_end, NULL), ==, 162);
  tn_spill_run_clear(&run);
  tn_spill_plan_clear(&found.plan);
}

/* A product of [2, 3] and [3, 5]: 2 * 10 * 3 FLOPs; without shapes its bytes alone count. */
static void
test_op_time(void)
{
  static const char text[] =
      "{\"format\":\"tenure-graph\",\"version\":1,\"tensors\":["
      "{\"id\":0,\"shape\":[2,3],\"dtype\":\"float32\"},{\"id\":1,\"shape\":[3,5],\"dtype\":"
      "\"float32\"},{\"id\":2,\"shape\":[2,5],\"dtype\":\"float32\"},{\"id\":3,\"bytes\":1000}],"
      "\"ops\":[{\"id\":0,\"type\":\"MatMul\",\"inputs\":[0,1],\"outputs\":[2]},"
      "{\"id\":1,\"type\":\"Relu\",\"inputs\":[2],\"outputs\":[3]}]}";
  g_autoptr(TnDocument) document = load_text(text);
  TnComputeRate rate = {1, 100, 7};
  bool is_estimate;
  g_assert_cmpfloat(tn_op_flops(document->graph, document->strings, 0), ==, 60);
  g_assert_cmpfloat_with_epsilon(
      tn_op_seconds(document->graph, document->strings, 0, &rate, &is_estimate), 67, 1e-9);
  g_assert_true(is_estimate);
  g_assert_cmpfloat_with_epsilon(tn_op_seconds(document->graph, document->strings, 1, &rate, NULL),
                                 7 + 10.4, 1e-9);
}

/* ---- transfer times -------------------------------------------------------------------- */

static void
test_link(void)
{
  g_autoptr(TnLink) link = tn_link_new_for_preset(&tn_link_presets()[0]);
  static const double near = 1e-9;
  g_assert_cmpfloat_with_epsilon(tn_link_seconds(link->out, 1000000), 78.1e-6, near);
  g_assert_cmpfloat_with_epsilon(tn_link_seconds(link->out, 5500000), (78.1e-6 + 763.4e-6) / 2,
                                 near);
  g_assert_cmpfloat_with_epsilon(tn_link_seconds(link->out, 1), 30.5e-6, near);
  g_assert_cmpfloat(tn_link_seconds(link->out, 0), ==, 0);
  g_assert_cmpfloat_with_epsilon(tn_link_seconds(link->out, 2000000000), 0.152672, 1e-5);
}

static void
add_measured(GArray *points, tn_bytes bytes, double latency, double per_second)
{
  TnLinkPoint point = {bytes, latency + (double)bytes / per_second};
  g_array_append_val(points, point);
}

static void
test_fit(void)
{
  g_autoptr(GArray) one = g_array_new(FALSE, FALSE, sizeof(TnLinkPoint));
  g_autoptr(GArray) two = g_array_new(FALSE, FALSE, sizeof(TnLinkPoint));
  for (tn_bytes bytes = 262144; bytes <= 268435456; bytes *= 2) {
    add_measured(one, bytes, 20e-6, 12e9);
    if (bytes <= 4194304)
      add_measured(two, bytes, 10e-6, 6e9);
    else
      add_measured(two, bytes, 350e-6, 12e9);
  }
  g_autoptr(TnLinkFit) line = tn_link_fit_new(one), bent = tn_link_fit_new(two);
  g_assert_cmpuint(line->segments->len, ==, 1);
  g_assert_cmpfloat(line->max_error, <, 1e-6);
  const TnLinkSegment *segment = &g_array_index(line->segments, TnLinkSegment, 0);
  g_assert_cmpfloat_with_epsilon(segment->latency_seconds, 20e-6, 1e-9);
  g_assert_cmpfloat_with_epsilon(segment->bytes_per_second, 12e9, 1e5);
  g_assert_cmpuint(bent->segments->len, ==, 2);
  g_assert_cmpint(g_array_index(bent->segments, TnLinkSegment, 1).from, ==, 8388608);
  g_assert_cmpfloat(bent->max_error, <, 1e-6);
}

static void
test_measurements(void)
{
  static const char bandwidth_test[] =
      "[CUDA Bandwidth Test] - Starting...\nRunning on...\n\n Device 0: Tesla T4\n Quick Mode\n\n"
      " Host to Device Bandwidth, 1 Device(s)\n PINNED Memory Transfers\n"
      "   Transfer Size (Bytes)\tBandwidth(GB/s)\n   32000000\t\t\t6.2\n\n"
      " Device to Host Bandwidth, 1 Device(s)\n PINNED Memory Transfers\n"
      "   Transfer Size (Bytes)\tBandwidth(GB/s)\n   32000000\t\t\t6.5\n\n"
      " Device to Device Bandwidth, 1 Device(s)\n PINNED Memory Transfers\n"
      "   Transfer Size (Bytes)\tBandwidth(GB/s)\n   32000000\t\t\t239.4\n\nResult = PASS\n";
  static const char nvbandwidth[] =
      "nvbandwidth Version: v0.4\n\nRunning host_to_device_memcpy_ce.\n"
      "memcpy CE CPU(row) -> GPU(column) bandwidth (GB/s)\n           0\n 0     55.64\n\n"
      "SUM host_to_device_memcpy_ce 55.64\n\nRunning device_to_host_memcpy_ce.\n"
      "memcpy CE CPU(row) <- GPU(column) bandwidth (GB/s)\n           0\n 0     55.07\n\n"
      "SUM device_to_host_memcpy_ce 55.07\n";
  static const char pairs[] = "bytes,us,way\n# a comment\n1000,10,in\n2000,15,in\n1000,12,out\n";
  static const char csv[] =
      "bandwidthTest-H2D-Pinned, Bandwidth = 12.4 GB/s, Time = 0.00270 s, Size = 33554432 bytes, "
      "NumDevsUsed = 1\n";
  TnLinkFile file;
  g_assert_true(tn_link_file_read("a", bandwidth_test, sizeof bandwidth_test - 1, &file, NULL));
  g_assert_cmpstr(file.format, ==, "bandwidthTest");
  g_assert_cmpuint(file.in->len, ==, 1);
  g_assert_cmpuint(file.out->len, ==, 1);
  g_assert_cmpfloat_with_epsilon(g_array_index(file.in, TnLinkPoint, 0).seconds, 32e6 / 6.2e9,
                                 1e-9);
  tn_link_file_clear(&file);
  g_assert_true(tn_link_file_read("b", nvbandwidth, sizeof nvbandwidth - 1, &file, NULL));
  g_assert_cmpfloat_with_epsilon(g_array_index(file.out, TnLinkPoint, 0).seconds,
                                 536870912.0 / 55.07e9, 1e-9);
  tn_link_file_clear(&file);
  g_assert_true(tn_link_file_read("c", pairs, sizeof pairs - 1, &file, NULL));
  g_assert_cmpuint(file.in->len, ==, 2);
  g_assert_cmpuint(file.out->len, ==, 1);
  g_assert_cmpfloat_with_epsilon(g_array_index(file.out, TnLinkPoint, 0).seconds, 12e-6, 1e-12);
  tn_link_file_clear(&file);
  g_assert_true(tn_link_file_read("d", csv, sizeof csv - 1, &file, NULL));
  g_assert_cmpint(g_array_index(file.in, TnLinkPoint, 0).bytes, ==, 33554432);
  tn_link_file_clear(&file);
  g_autoptr(GError) error = NULL;
  g_assert_false(tn_link_file_read("e", "1000,10\nnonsense\n", 17, &file, &error));
  g_assert_error(error, TN_DATA_ERROR, TN_DATA_ERROR_MALFORMED);
  g_assert_nonnull(strstr(error->message, "e:2"));
}

/* ---- larger graphs --------------------------------------------------------------------- */

/* Forward n layers, then back: each backward op reads its layer's activation, as training does. */
static RandomGraph
training_graph(uint32_t n)
{
  RandomGraph random = {tn_graph_new(), tn_strings_new()};
  TnGraph *graph = random.graph;
  g_autofree uint32_t *made = g_new(uint32_t, n + 1);
  uint64_t state = 7;
  made[0] = tn_graph_add_tensor(graph, 0, TN_TENSOR_INPUT);
  tn_graph_tensor(graph, made[0])->bytes = 40000000;
  uint32_t gradient = TN_NONE;
  for (uint32_t i = 0; i < 2 * n; i++) {
    bool is_forward = i < n;
    uint32_t layer = is_forward ? i : 2 * n - 1 - i;
    tn_graph_add_op(graph, 0, 0);
    tn_graph_op_add_input(graph, made[layer]);
    if (!is_forward && gradient != TN_NONE)
      tn_graph_op_add_input(graph, gradient);
    uint32_t output = tn_graph_add_tensor(graph, 0, TN_TENSOR_ACTIVATION);
    tn_graph_tensor(graph, output)->bytes = 5000000 + below(&state, 45000000);
    tn_graph_op_add_output(graph, output);
    if (is_forward)
      made[layer + 1] = output;
    else
      gradient = output;
    tn_graph_op(graph, i)->seconds = 0.0005 + 0.0001 * below(&state, 20);
    g_array_append_val(graph->order, i);
  }
  return random;
}

/* The limit is for all that is asked for. */
static void
test_time_limit(void)
{
  RandomGraph random = training_graph(160);
  TnGraphLifetimeParams lifetime = TN_GRAPH_LIFETIME_PARAMS_INIT;
  TnSpillParams params = TN_SPILL_PARAMS_INIT;
  g_autoptr(TnLink) link = tn_link_new_for_preset(&tn_link_presets()[0]);
  params.link = link;
  params.budget = 1500000000;
  params.sweep = 4;
  params.time_limit = 1;
  g_autoptr(TnSpillAnswer) answer =
      tn_spill_new(random.graph, random.strings, &lifetime, &params, NULL);
  g_assert_true(answer->found.is_found);
  g_assert_cmpuint(answer->others->len, ==, 5);
  g_assert_cmpuint(answer->sweep->len, ==, 4);
  g_assert_cmpfloat(answer->seconds, <, 2);
  random_graph_clear(&random);
}

/* `n_skips` results wait for the end of a chain of `n` ops, each of which lists a faster algorithm that has no room
 * unless some of them are elsewhere; a copy takes ten times as long as an op. */
static char *
build_skips(uint32_t n, uint32_t n_skips)
{
  GString *ops = g_string_new(NULL), *tensors = g_string_new("{\"id\":0,\"bytes\":100,\"kind\":\"input\"}");
  uint32_t n_ops = 2 * n_skips + n;
  for (uint32_t op = 0; op < n_ops; op++) {
    bool is_chain = op >= n_skips && op < n_skips + n;
    g_string_append_printf(tensors, ",{\"id\":%u,\"bytes\":100}", op + 1);
    g_string_append_printf(ops, "%s{\"id\":%u,\"inputs\":[%u", op ? "," : "", op, op <= n_skips ? 0 : op);
    if (op >= n_skips + n)
      g_string_append_printf(ops, ",%u", op - n_skips - n + 1);
    g_string_append_printf(ops, "],\"outputs\":[%u],\"seconds\":0.001,\"workspace_bytes\":0%s}", op + 1,
                           is_chain ? ",\"algorithms\":[{\"name\":\"fast\",\"workspace_bytes\":1000,"
                                      "\"seconds\":0.0009}]"
                                    : "");
  }
  char *text = g_strdup_printf("{\"format\":\"tenure-graph\",\"version\":1,\"tensors\":[%s],\"ops\":[%s],"
                               "\"outputs\":[%u]}",
                               tensors->str, ops->str, n_ops);
  g_string_free(ops, TRUE);
  g_string_free(tensors, TRUE);
  return text;
}

/* Where all is within the budget already no plan is slower than none, however little time there is; just below it,
 * little is moved. */
static void
test_many_faster_ways(void)
{
  static const struct {
    uint32_t n;
    tn_bytes budget;
    double time_limit, most;
  } rows[] = {{300, 10200, 0.1, 0}, {1500, 10200, 0.5, 0}, {500, 10100, 1, 0.05}, {500, 11200, 1, -0.05}};
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autofree char *text = build_skips(rows[i].n, 100);
    g_autoptr(TnDocument) document = load_text(text);
    g_autoptr(TnLink) link = plain_link(1e4, 0);
    TnGraphLifetimeParams lifetime = TN_GRAPH_LIFETIME_PARAMS_INIT;
    TnSpillParams params = TN_SPILL_PARAMS_INIT;
    params.link = link;
    params.budget = rows[i].budget;
    params.time_limit = rows[i].time_limit;
    params.with_alternatives = false;
    g_autoptr(TnSpillAnswer) answer =
        tn_spill_new(document->graph, document->strings, &lifetime, &params, NULL);
    double overhead = answer->found.outcome.seconds / answer->model->seconds - 1;
    g_test_message("%u ops, %d B: %.2f %%", rows[i].n, (int)rows[i].budget, 100 * overhead);
    g_assert_cmpint(answer->baseline_peak, ==, 10200);
    g_assert_true(answer->found.is_found);
    g_assert_cmpfloat(overhead, <=, rows[i].most + 1e-9);
  }
}

static void
test_training(void)
{
  RandomGraph random = training_graph(160);
  TnGraphLifetimeParams lifetime = TN_GRAPH_LIFETIME_PARAMS_INIT;
  TnSpillParams params = TN_SPILL_PARAMS_INIT;
  g_autoptr(TnLink) link = tn_link_new_for_preset(&tn_link_presets()[0]);
  params.link = link;
  params.with_alternatives = false;
  params.budget = 2000000000;
  g_autoptr(TnSpillAnswer) answer =
      tn_spill_new(random.graph, random.strings, &lifetime, &params, NULL);
  g_assert_true(answer->found.is_found);
  /* How near it is says itself: no plan takes less than the bound. */
  g_assert_cmpfloat(answer->bound_seconds, <=, answer->found.outcome.seconds);
  g_assert_cmpfloat(answer->bound_seconds, >=, tn_spill_shortest(answer->model, answer->budget));
  g_test_message("%.4f s, at least %.4f s: within %.2f %%", answer->found.outcome.seconds,
                 answer->bound_seconds, 100 * tn_spill_gap(answer));
  g_assert_cmpfloat(tn_spill_gap(answer), <, 0.05);
  check_trace(answer->model, &answer->found.plan, params.budget);
  check_lives(random.graph, random.strings, &lifetime, answer->model, &answer->found);
  TnSpillRun run;
  tn_spill_run_init(&run, answer->model);
  gint64 best = G_MAXINT64;
  for (int i = 0; i < 100; i++) {
    gint64 since = g_get_monotonic_time();
    tn_spill_run(&run, &answer->found.plan, params.budget, false);
    best = MIN(best, g_get_monotonic_time() - since);
  }
  g_test_message("%u ops: peak %.0f to %.0f MB, overhead %.1f %%, %" G_GUINT64_FORMAT
                 " plans in %.2f s; one simulation %d us",
                 answer->model->n, (double)answer->baseline_peak / 1e6,
                 (double)answer->found.outcome.peak / 1e6,
                 100 * (answer->found.outcome.seconds / answer->model->seconds - 1),
                 answer->found.n_plans, answer->seconds, (int)best);
  g_assert_cmpint(best, <, 100);
  tn_spill_run_clear(&run);
  random_graph_clear(&random);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/spill/link", test_link);
  g_test_add_func("/spill/fit", test_fit);
  g_test_add_func("/spill/measurements", test_measurements);
  g_test_add_func("/spill/clean-copy", test_clean_copy);
  g_test_add_func("/spill/recompute", test_recompute);
  g_test_add_func("/spill/tiles", test_tiles);
  g_test_add_func("/spill/times-of-ways", test_times_of_ways);
  g_test_add_func("/spill/internal-scratch", test_internal_scratch);
  g_test_add_func("/spill/early-scratch", test_early_scratch);
  g_test_add_func("/spill/op-time", test_op_time);
  g_test_add_func("/spill/three-branches", test_three_branches);
  g_test_add_func("/spill/sweep", test_sweep);
  g_test_add_func("/spill/ways-that-fit", test_ways_that_fit);
  g_test_add_func("/spill/faster-way", test_faster_way);
  g_test_add_func("/spill/many-faster-ways", test_many_faster_ways);
  g_test_add_func("/spill/training", test_training);
  g_test_add_func("/spill/time-limit", test_time_limit);
  g_test_add_func("/spill/brute-force", test_brute_force);
  return g_test_run();
}
