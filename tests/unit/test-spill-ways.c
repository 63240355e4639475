/* SPDX-License-Identifier: MIT */
/* Budgets with several ways to run an op: faster and smaller algorithms, parts, scratch inside the op. */
#include "config.h"

#include "spill-support.h"

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
  g_autoptr(TnLink) link = plain_link(100, 0);
  g_autoptr(TnSpillAnswer) answer = spill_over(document, link, 450, 0);
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

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/spill-ways/that-fit", test_ways_that_fit);
  g_test_add_func("/spill-ways/faster", test_faster_way);
  g_test_add_func("/spill-ways/tiles", test_tiles);
  g_test_add_func("/spill-ways/times", test_times_of_ways);
  g_test_add_func("/spill-ways/internal-scratch", test_internal_scratch);
  g_test_add_func("/spill-ways/early-scratch", test_early_scratch);
  g_test_add_func("/spill-ways/many-faster", test_many_faster_ways);
  return g_test_run();
}
