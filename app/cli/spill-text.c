/* SPDX-License-Identifier: MIT */
/* tenure-cli spill, for a person. */
#include "config.h"

#include "app/cli/spill.h"

#include "app/answer/words.h"

#include <math.h>
#include <stdio.h>

/* ---- text ---------------------------------------------------------------------------------- */

static void
print_size(const Spill *spill, const char *what, tn_bytes bytes, const char *note)
{
  g_autofree char *text = tn_cli_size(spill->common, bytes);
  tn_say("%-16s %14s%s%s\n", what, text, note[0] ? "  " : "", note);
}

static void
print_points(const Spill *spill, const GArray *points, bool is_sweep)
{
  for (guint i = 0; i < points->len; i++) {
    const TnSpillPoint *point = &g_array_index(points, TnSpillPoint, i);
    g_autofree char *budget = tn_cli_size(spill->common, point->budget);
    g_autofree char *peak = tn_cli_size(spill->common, point->peak);
    g_autofree char *moved = tn_cli_size(spill->common, point->moved_bytes);
    double ratio = 100 * point->overhead_seconds / MAX(spill->report.answer->model->seconds, 1e-12);
    const char *name = is_sweep ? budget : point->name;
    if (point->peak < 0)
      tn_say("  %-14s %14s  no plan found\n", name, "-");
    else
      tn_say("  %-14s %14s  %s, overhead %6.2f %%, moved out %s%s\n", name, peak,
             point->is_feasible ? "fits" : "too large", ratio, moved,
             point->is_optimal ? ", optimal" : "");
  }
}

static void
print_choices(const Spill *spill, bool with_candidates)
{
  const TnSpillModel *model = spill->report.answer->model;
  for (uint32_t i = 0; i < model->idles->len; i++) {
    const TnIdle *idle = tn_spill_idle(model, i);
    if (!with_candidates && spill->report.answer->found.plan.choice[i].kind == TN_SPILL_KEEP)
      continue;
    g_autofree char *reason = tn_spill_build_reason(spill->report.answer, i);
    g_autofree char *from = tn_spill_build_place_name(&spill->report, idle->from);
    g_autofree char *to = tn_spill_build_place_name(&spill->report, (int32_t)idle->to);
    g_autofree char *size = tn_cli_size(spill->common, model->order_model->bytes[idle->buffer]);
    tn_say("  %-9s %12s  %s, idle from %s to %s: %s\n", tn_spill_verdict(&spill->report, i), size,
           tn_spill_storage_name(&spill->report, idle->buffer), from, to, reason);
  }
  for (uint32_t op = 0; op < model->n; op++) {
    uint32_t w = spill->report.answer->found.plan.way[op];
    if (w == 0)
      continue;
    g_autofree char *name = tn_spill_build_op_name(&spill->report, op);
    g_autofree char *size = tn_cli_size(spill->common, tn_spill_way(model, op, w)->workspace);
    double more = tn_spill_way(model, op, w)->seconds - model->op_seconds[op];
    tn_say("  %-9s %12s  %s runs as '%s'%s, %.3g ms %s\n", "algorithm", size, name,
           tn_strings_get(spill->report.document->strings, tn_spill_way(model, op, w)->name),
           tn_spill_way(model, op, w)->tiles > 1 ? " in tiles" : "", 1e3 * fabs(more),
           more < 0 ? "shorter" : "longer");
  }
}

static void
print_infeasible(const Spill *spill)
{
  const TnSpillAnswer *answer = spill->report.answer;
  g_autofree char *least = tn_cli_size(spill->common, answer->smallest_budget);
  g_autofree char *op = answer->smallest_op == TN_NONE
                            ? g_strdup("what is there at the start")
                            : tn_spill_build_op_name(&spill->report, answer->smallest_op);
  if (answer->budget < answer->smallest_budget && !answer->adds_batches)
    tn_say("%-16s infeasible (proved): %s needs %s by itself\n", "Answer", op, least);
  else
    tn_say("%-16s %s\n", "Answer",
           answer->found.is_proved_impossible ? "infeasible (proved)" : "no plan was found");
}

/* What the arena has beyond the live peak; a plan keeps within the budget by that. */
static char *
dup_added(const TnSpillReport *report)
{
  g_autofree char *added =
      tn_answer_build_added(report->live_peak, tn_spill_report_fragmentation(report), report->apart);
  bool is_above = report->offsets->arena_bytes > report->answer->budget;
  return g_strdup_printf("%s%s", added, is_above ? ": more than the budget, which the peak keeps" : "");
}

static void
print_plan(const Spill *spill)
{
  const TnSpillOutcome *outcome = &spill->report.answer->found.outcome;
  double overhead = tn_spill_overhead(spill->report.answer->model, outcome->seconds);
  g_autofree char *note = g_strdup_printf(
      "%.2f %% of compute, %s", 100 * overhead / MAX(spill->report.answer->model->seconds, 1e-12),
      spill->report.answer->found.is_optimal ? "optimal in this order (proved)"
                                               : "not proved optimal");
  print_size(spill, "Peak", outcome->peak, "with the plan");
  tn_say("%-16s %12.4f s  %s\n", "Overhead", overhead, note);
  if (!spill->report.answer->found.is_optimal && !spill->report.answer->adds_batches)
    tn_say("%-16s %12.4f s  no plan loses less (proved); this one is within %.2f %% of the "
           "fastest\n",
           "At least",
           tn_spill_overhead(spill->report.answer->model, spill->report.answer->bound_seconds),
           100 * tn_spill_gap(spill->report.answer));
  print_size(spill, "Moved out", outcome->moved_bytes, "");
  print_size(spill, "Brought back", outcome->back_bytes, "");
  print_size(spill, "Recomputed", outcome->recomputed_bytes, "");
  if (outcome->copy_seconds > 0)
    tn_say("%-16s %12.1f %%  of %.4f s of copies\n", "Hidden",
           100 * MAX(1 - outcome->wait_seconds / outcome->copy_seconds, 0.0),
           outcome->copy_seconds);
  if (!spill->report.offsets)
    return;
  g_autofree char *added = dup_added(&spill->report);
  print_size(spill, "Arena", spill->report.offsets->arena_bytes, added);
}

static void
print_residents(const Spill *spill)
{
  const TnSpillAnswer *answer = spill->report.answer;
  TnUnits units = spill->common->is_bytes ? TN_UNITS_BYTES : TN_UNITS_IEC;
  g_autofree char *sum = tn_answer_build_residents_sum(
      answer->found.outcome.peak, spill->report.resident, answer->budget, units);
  g_autofree char *note =
      g_strdup_printf("weights and the like, beside it%s%s", answer->found.is_found ? ": " : "",
                      answer->found.is_found ? sum : "");
  print_size(spill, "Residents", spill->report.resident, note);
}

void
tn_spill_print(const Spill *spill, bool with_candidates)
{
  const TnSpillAnswer *answer = spill->report.answer;
  tn_say("%-16s %s: %s\n", "Link", spill->report.link->name, spill->report.link->source);
  print_size(spill, "Budget", answer->budget, "");
  print_size(spill, "Without a plan", answer->baseline_peak, "live peak");
  print_size(spill, "Least possible", answer->smallest_budget,
             answer->adds_batches        ? "with batches added up"
             : answer->is_smallest_exact ? "the largest working set"
                                         : "at least: what runs again needs room of its own");
  if (answer->adds_batches)
    tn_say("%-16s batches, of which one runs at a time, are added up in all of this\n", "Batches");
  if (spill->report.n_unsized > 0)
    tn_say("%-16s %14u  %s as 0 bytes in all of this: --bind gives dimensions values\n", "Unknown sizes",
           spill->report.n_unsized, tn_plural(spill->report.n_unsized, "tensor counts", "tensors count"));
  g_autofree char *rate = g_strdup_printf("  (estimated: %.3g TFLOP/s, %.3g GB/s, %.3g µs an op)",
                                          spill->report.rate.flops_per_second / 1e12,
                                          spill->report.rate.bytes_per_second / 1e9,
                                          spill->report.rate.launch_seconds * 1e6);
  tn_say("%-16s %12.4f s%s\n", "Compute", answer->model->seconds,
         answer->model->is_estimated ? rate : "");
  if (answer->found.is_found)
    print_plan(spill);
  else
    print_infeasible(spill);
  if (spill->report.resident > 0)
    print_residents(spill);
  if (answer->others->len > 0)
    puts("Other answers");
  print_points(spill, answer->others, false);
  if (answer->sweep->len > 0)
    puts("Budgets");
  print_points(spill, answer->sweep, true);
  if (answer->found.is_found)
    puts("Choices");
  print_choices(spill, with_candidates);
}
