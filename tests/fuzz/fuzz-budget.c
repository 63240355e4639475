/* SPDX-License-Identifier: MIT */
/* Orders and spilling of small graphs: legal orders, peaks above their bounds, lives that are what a plan counts. */
#include "config.h"

#include "analysis/budget/spill-lives.h"
#include "analysis/budget/spill.h"
#include "analysis/order/order.h"
#include "data/graph-order.h"
#include "data/reader.h"

#define MOST_OPS 12

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check_order(const TnDocument *document, const char *name)
{
  TnOrderParams params = TN_ORDER_PARAMS_INIT;
  TnGraphLifetimeParams lifetime = TN_GRAPH_LIFETIME_PARAMS_INIT;
  params.time_limit = 0.02;
  g_autoptr(TnOrderAnswer) answer =
      tn_order_new(document->graph, document->strings, &lifetime, tn_order_methods_find(name), &params, NULL);
  if (!answer)
    return;
  g_assert_true(tn_graph_order_is_legal(document->graph, answer->order, answer->n));
  g_assert_cmpint(answer->bound, <=, answer->peak);
  g_assert_cmpint(tn_order_peak(document->graph, document->strings, &lifetime, answer->order, NULL), ==,
                  answer->peak);
}

/* What is written is what was counted. */
static void
check_lives(const TnDocument *document, const TnGraphLifetimeParams *lifetime, const TnSpillAnswer *answer)
{
  TnSpillRun run;
  g_autoptr(TnGraphLives) lives = tn_graph_lives_new(document->graph, document->strings, lifetime, NULL);
  g_autoptr(TnSpillLives) cut =
      tn_spill_lives_new(answer->model, &answer->found.plan, document->graph, document->strings, lives);
  g_assert_cmpint(answer->found.outcome.peak, <=, answer->budget);
  tn_spill_run_init(&run, answer->model);
  tn_spill_run(&run, &answer->found.plan, answer->budget, false);
  g_assert_true(tn_spill_lives_hold(cut, &run));
  tn_spill_run_clear(&run);
}

static void
check_spill(const TnDocument *document)
{
  TnSpillParams params = TN_SPILL_PARAMS_INIT;
  TnGraphLifetimeParams lifetime = TN_GRAPH_LIFETIME_PARAMS_INIT;
  g_autoptr(TnLink) link = tn_link_new_for_preset(tn_link_presets());
  params.time_limit = 0.02;
  params.with_alternatives = false;
  params.link = link;
  g_autoptr(TnSpillAnswer) answer =
      tn_spill_new(document->graph, document->strings, &lifetime, &params, NULL);
  if (!answer)
    return;
  g_assert_cmpint(answer->smallest_budget, <=, MAX(answer->baseline_peak, (tn_bytes)0));
  if (answer->found.is_found)
    check_lives(document, &lifetime, answer);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  TnReadOptions options = {.format = "tenure-graph"};
  g_autoptr(TnSource) source = tn_source_new_for_bytes("graph", data, size);
  g_autoptr(TnDocument) document = tn_document_load_source(source, &options, NULL);
  if (!document || document->graph->ops->len > MOST_OPS)
    return 0;
  check_order(document, "greedy");
  check_order(document, "exact");
  check_spill(document);
  return 0;
}
