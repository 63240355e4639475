/* SPDX-License-Identifier: MIT */
/* Budgets: the three-branch CNN, what is moved and what is computed again, larger graphs. */
#include "config.h"

#include "analysis/budget/spill-bound.h"
#include "spill-support.h"

/* ---- the three-branch CNN -------------------------------------------------------------- */

/* The shared graph, else our own sample: the same figures. */
static TnDocument *
load_branches(void)
{
  const char *root = g_getenv("TN_SHARED"), *source = g_getenv("TN_SOURCE_ROOT");
  g_autofree char *shared =
      g_build_filename(root ? root : "../shared", "graphs", "three_branch_cnn.json", NULL);
  g_autofree char *sample =
      g_build_filename(source ? source : ".", "data", "samples", "branches-graph.json", NULL);
  TnReadOptions options = TN_READ_OPTIONS_INIT;
  g_autoptr(GError) error = NULL;
  bool is_shared = g_file_test(shared, G_FILE_TEST_EXISTS);
  TnDocument *document = tn_document_load(is_shared ? shared : sample, &options, &error);
  g_assert_no_error(error);
  return document;
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
  g_autoptr(TnLink) link = plain_link(100, 0);
  g_autoptr(TnSpillAnswer) answer = spill_over(document, link, 205, 0);
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
    g_autoptr(TnLink) link = plain_link(100, 0);
    g_autoptr(TnSpillAnswer) answer = spill_over(document, link, 210, 0);
    g_assert_true(answer->found.is_optimal);
    g_assert_cmpint(answer->found.outcome.recomputed_bytes, ==, rows[i].recomputed);
    g_assert_cmpint(answer->found.outcome.moved_bytes, ==, 100 - rows[i].recomputed);
  }
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
  g_test_add_func("/spill/clean-copy", test_clean_copy);
  g_test_add_func("/spill/recompute", test_recompute);
  g_test_add_func("/spill/three-branches", test_three_branches);
  g_test_add_func("/spill/sweep", test_sweep);
  g_test_add_func("/spill/training", test_training);
  g_test_add_func("/spill/time-limit", test_time_limit);
  return g_test_run();
}
