/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/answer/words.h"

#include "app/answer/order-answer.h"

#include <math.h>
#include <string.h>

static char *
dup_unsized(uint32_t n_unsized)
{
  return g_strdup_printf(
      "%u %s as 0 bytes in all of this: give their dimensions values first", n_unsized,
      tn_plural(n_unsized, "tensor is of unknown size and counts", "tensors are of unknown size and count"));
}

/* ---- orders -------------------------------------------------------------------------------- */

char *
tn_answer_build_orders_sentence(const TnOrderComparison *comparison, TnUnits units)
{
  guint best = tn_order_comparison_best(comparison);
  if (best == TN_NONE)
    return g_strdup("");
  const TnOrderAnswer *answer = tn_order_comparison_get(comparison, best)->answer;
  g_autofree char *peak = tn_format_bytes(answer->peak, units);
  g_autofree char *file = tn_format_bytes(answer->baseline, units);
  const char *proof = answer->adds_batches ? "batches added up, nothing proved"
                      : answer->is_optimal ? "optimal, proved"
                                           : "not proved optimal";
  if (answer->peak == answer->baseline)
    return g_strdup_printf("No order found is better than the file’s: peak %s (%s)", file, proof);
  return g_strdup_printf("The best order peaks at %s instead of %s, %.1f %% less (%s)", peak, file,
                         100.0 * (1.0 - (double)answer->peak / (double)answer->baseline), proof);
}

char *
tn_answer_build_orders_reason(const TnOrderComparison *comparison,
                              const TnDocument *document,
                              uint32_t n_unsized,
                              TnUnits units)
{
  guint best = tn_order_comparison_best(comparison);
  if (best == TN_NONE)
    return g_strdup("");
  TnOrderReport report = {.document = document,
                          .answer = tn_order_comparison_get(comparison, best)->answer,
                          .units = units};
  g_autofree char *reason = tn_order_report_build_reason(&report);
  reason[0] = g_ascii_toupper(reason[0]);
  return n_unsized > 0 ? dup_unsized(n_unsized) : g_steal_pointer(&reason);
}

/* ---- residents ----------------------------------------------------------------------------- */

char *
tn_answer_build_residents_sum(tn_bytes peak, tn_bytes residents, tn_bytes budget, TnUnits units)
{
  tn_bytes sum = tn_add_saturated(peak, residents);
  g_autofree char *size = tn_format_bytes(sum, units);
  return g_strdup_printf("%s in all, %s", size,
                         sum <= budget ? "within the budget" : "more than the budget");
}

/* ---- arenas -------------------------------------------------------------------------------- */

char *
tn_answer_build_added(tn_bytes live_peak, tn_bytes lost, tn_bytes apart)
{
  double percent = 100.0 / (double)MAX(live_peak, (tn_bytes)1);
  g_autofree char *fragmentation =
      lost == 0 ? g_strdup("fragmentation adds nothing")
                : g_strdup_printf("fragmentation adds %.2f %%", percent * (double)lost);
  if (apart == 0)
    return g_steal_pointer(&fragmentation);
  return g_strdup_printf("%s, streams that share nothing %.2f %%", fragmentation, percent * (double)apart);
}

/* ---- budgets ------------------------------------------------------------------------------- */

static char *
build_no_plan(const TnSpillReport *report, TnUnits units)
{
  const TnSpillAnswer *answer = report->answer;
  g_autofree char *budget = tn_format_bytes(answer->budget, units);
  g_autofree char *least = tn_format_bytes(answer->smallest_budget, units);
  g_autofree char *op = answer->smallest_op == TN_NONE
                            ? g_strdup("what is there at the start")
                            : tn_spill_build_op_name(report, answer->smallest_op);
  if (answer->budget < answer->smallest_budget && !answer->adds_batches)
    return g_strdup_printf("No plan keeps within %s (proved): %s needs %s by itself", budget, op,
                           least);
  return g_strdup_printf("No plan was found within %s%s", budget,
                         answer->found.is_proved_impossible ? " (proved: there is none)" : "");
}

static char *
build_seconds(double seconds)
{
  return seconds >= 1      ? g_strdup_printf("%.4g s", seconds)
         : seconds >= 1e-3 ? g_strdup_printf("%.4g ms", 1e3 * seconds)
                           : g_strdup_printf("%.4g µs", 1e6 * seconds);
}

char *
tn_answer_build_spill_sentence(const TnSpillReport *report, TnUnits units)
{
  const TnSpillAnswer *answer = report->answer;
  const TnSpillOutcome *outcome = &answer->found.outcome;
  if (!answer->found.is_found)
    return build_no_plan(report, units);
  double compute = MAX(answer->model->seconds, 1e-12);
  double overhead = 100 * tn_spill_overhead(answer->model, outcome->seconds) / compute;
  double bound = 100 * tn_spill_overhead(answer->model, answer->bound_seconds) / compute;
  g_autofree char *seconds = build_seconds(outcome->seconds);
  g_autofree char *budget = tn_format_bytes(answer->budget, units);
  g_autofree char *near = answer->adds_batches       ? g_strdup("batches added up, nothing proved")
                          : answer->found.is_optimal ? g_strdup("the least in this order, proved")
                          : bound < 0 ? g_strdup_printf("proved: at most %.2f %% shorter", -bound)
                                      : g_strdup_printf("proved: at least %.2f %%", bound);
  return g_strdup_printf("Within %s: %s, %.2f %% %s (%s)", budget, seconds, fabs(overhead),
                         overhead < 0 ? "shorter" : "longer", near);
}

static void
append_moved(GString *text, const TnSpillOutcome *outcome, TnUnits units)
{
  char size[48];
  if (outcome->moved_bytes > 0)
    g_string_append_printf(text, "%s moved out · ",
                           tn_print_bytes(size, sizeof size, outcome->moved_bytes, units));
  if (outcome->recomputed_bytes > 0)
    g_string_append_printf(text, "%s recomputed · ",
                           tn_print_bytes(size, sizeof size, outcome->recomputed_bytes, units));
  if (outcome->copy_seconds > 0)
    g_string_append_printf(text, "%.0f %% of the copies hidden · ",
                           100 * MAX(1 - outcome->wait_seconds / outcome->copy_seconds, 0.0));
}

static void
append_residents(GString *text, const TnSpillReport *report, TnUnits units)
{
  char size[48];
  const TnSpillAnswer *answer = report->answer;
  g_autofree char *sum = tn_answer_build_residents_sum(answer->found.outcome.peak, report->resident,
                                                       answer->budget, units);
  g_string_append_printf(text, " · %s of weights and the like beside it%s%s",
                         tn_print_bytes(size, sizeof size, report->resident, units),
                         answer->found.is_found ? ": " : "", answer->found.is_found ? sum : "");
}

static void
append_offsets(GString *text, const TnSpillReport *report, TnUnits units)
{
  char arena[48], apart[48];
  g_string_append_printf(text, " · offsets take %s",
                         tn_print_bytes(arena, sizeof arena, report->offsets->arena_bytes, units));
  if (report->offsets->arena_bytes > report->answer->budget)
    g_string_append(text, ", more than the budget");
  if (tn_spill_report_fragmentation(report) == 0 && !report->answer->adds_batches)
    g_string_append(text, ", nothing lost to fragmentation");
  if (report->apart > 0)
    g_string_append_printf(text, ", %s for streams that share nothing",
                           tn_print_bytes(apart, sizeof apart, report->apart, units));
}

char *
tn_answer_build_spill_note(const TnSpillReport *report, TnUnits units)
{
  g_autoptr(GString) text = g_string_new(NULL);
  g_autofree char *unsized = dup_unsized(report->n_unsized);
  bool is_own = strcmp(report->link->name, "graph") == 0;
  if (report->n_unsized > 0)
    g_string_append_printf(text, "%s · ", unsized);
  if (report->answer->found.is_found)
    append_moved(text, &report->answer->found.outcome, units);
  g_string_append_printf(text, "Link%s%s: %s", is_own ? "" : " ", is_own ? "" : report->link->name,
                         report->link->source);
  if (report->answer->model->is_estimated)
    g_string_append_printf(text, " · op times estimated at %.3g TFLOP/s and %.3g GB/s",
                           report->rate.flops_per_second / 1e12,
                           report->rate.bytes_per_second / 1e9);
  if (report->offsets)
    append_offsets(text, report, units);
  if (report->resident > 0)
    append_residents(text, report, units);
  return g_string_free(g_steal_pointer(&text), FALSE);
}
