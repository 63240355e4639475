/* SPDX-License-Identifier: MIT */
/* What the tests of budgets share: a link, answers, and what holds for every
 * plan. */
#pragma once

#include "analysis/budget/spill-lives.h"
#include "analysis/budget/spill-waits.h"
#include "analysis/budget/spill.h"
#include "analysis/check.h"
#include "analysis/plan/plan.h"
#include "graph-support.h"

#include <math.h>
#include <string.h>

/* The same both ways. */
static inline TnLink *
plain_link(double bytes_per_second, double latency)
{
  g_autoptr(GArray) points = g_array_new(FALSE, FALSE, sizeof(TnLinkPoint));
  TnLinkPoint a = {1, latency + 1 / bytes_per_second},
              b = {1000, latency + 1000 / bytes_per_second};
  g_array_append_val(points, a);
  g_array_append_val(points, b);
  return tn_link_new("test", "test", points, points);
}

/* With lives of the default kind and nothing else asked for. */
static inline TnSpillAnswer *
spill_over(const TnDocument *document, const TnLink *link, tn_bytes budget, uint32_t n_sweep)
{
  TnGraphLifetimeParams lifetime = TN_GRAPH_LIFETIME_PARAMS_INIT;
  TnSpillParams params = TN_SPILL_PARAMS_INIT;
  g_autoptr(GError) error = NULL;
  params.budget = budget;
  params.link = link;
  params.sweep = n_sweep;
  TnSpillAnswer *answer =
      tn_spill_new(document->graph, document->strings, &lifetime, &params, &error);
  g_assert_no_error(error);
  return answer;
}

/* Over the link that the graph brings along, else over one of 1 GB/s. */
static inline TnSpillAnswer *
spill(const TnDocument *document, tn_bytes budget, uint32_t n_sweep)
{
  g_autoptr(TnLink) link = tn_link_new_for_graph(document->graph);
  if (!link)
    link = plain_link(1e9, 1e-5);
  return spill_over(document, link, budget, n_sweep);
}

/* ---- what holds for every plan --------------------------------------------------------- */

/* The waits are what the run counted, and each lies within a copy that compute waits for. */
static inline void
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
static inline void
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
static inline void
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
