/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/findings-all.h"

#include "analysis/batch-sum.h"
#include "analysis/check.h"
#include "analysis/findings-ge.h"
#include "analysis/findings-log.h"
#include "analysis/findings-order.h"
#include "analysis/findings-plan.h"
#include "analysis/long-tail.h"
#include "analysis/oom-report.h"
#include "analysis/oom.h"
#include "analysis/replay/suggest.h"
#include "data/units.h"

#define MOST_REPLAYED 500000 /* events: what is replayed some twenty times stays below a second */

/* What offsets must stay within, by space: what the file itself says of it, else there is nothing to pass. */
static tn_bytes *
dup_arenas(const TnStudy *study)
{
  const GArray *said = study->device->space_arena;
  tn_bytes *arenas = g_memdup2(study->space_arena, sizeof *arenas * study->n_spaces);
  if (study->device->arena_bytes != TN_BYTES_UNKNOWN && study->n_spaces == 1)
    arenas[0] = study->device->arena_bytes; /* of the file; the space's own, below, is nearer */
  for (uint32_t s = 0; said && s < MIN(said->len, study->n_spaces); s++)
    if (g_array_index(said, tn_bytes, s) != TN_BYTES_UNKNOWN)
      arenas[s] = g_array_index(said, tn_bytes, s);
  return arenas;
}

static void
check_plan(const TnStudy *study, tn_bytes alignment, TnFindings *findings)
{
  if (study->is_log || study->arena_bytes == TN_BYTES_UNKNOWN)
    return;
  g_autofree tn_bytes *arenas = dup_arenas(study);
  TnCheckParams params = {.document = study->document,
                          .device = study->device,
                          .buffers = study->buffers,
                          .offset = study->offset,
                          .alignment = alignment,
                          .space_arena = arenas,
                          .n_spaces = study->n_spaces};
  tn_check_offsets(&params, findings);
}

/* The advice of the first failed request ends with what a replay of other settings proved. */
static char *
dup_hint(const TnOom *oom, const TnReplayLog *log)
{
  if (!log || log->limit_at_oom <= 0)
    return g_strdup(oom->advice);
  g_autoptr(TnSuggestions) suggestions = tn_suggestions_new(log, log->limit_at_oom, false, NULL);
  return g_strconcat(oom->advice, " ", suggestions->sentence, NULL);
}

/* Between the first and the last ones that are told. */
static void
count_untold(const TnDevice *device, const GArray *told, TnFindings *findings)
{
  uint32_t n = tn_oom_count(device) - told->len, last = TN_OOM_MOST_TOLD / 2 - 1;
  if (n == 0)
    return;
  const TnMark *marks = (const TnMark *)(void *)device->marks->data;
  tn_tick from = marks[g_array_index(told, uint32_t, last)].tick;
  tn_tick to = marks[g_array_index(told, uint32_t, last + 1)].tick;
  TnFinding *finding = tn_findings_add(
      findings, "oom", TN_SEVERITY_ERROR,
      "%u more requests failed between the events %" G_GINT64_FORMAT " and %" G_GINT64_FORMAT
      "; the first %u and the last %u are explained each",
      n, from, to, last + 1, TN_OOM_MOST_TOLD / 2);
  finding->hint = g_strdup("Look at the first one: the others repeat it, or follow from it.");
  finding->at = from;
}

static void
find_ooms(const TnStudy *study, const TnReplayLog *log, tn_bytes device_bytes,
          TnFindings *findings)
{
  g_autoptr(GArray) told = tn_oom_find_told(study->device);
  count_untold(study->device, told, findings);
  for (guint k = 0; k < told->len; k++) {
    g_autoptr(TnOom) oom = tn_oom_new(study, g_array_index(told, uint32_t, k), device_bytes);
    TnFinding *finding = tn_findings_add(findings, "oom", TN_SEVERITY_ERROR, "%s. %s",
                                         oom->sentence, oom->cause);
    finding->hint = k == 0 ? dup_hint(oom, log) : g_strdup(oom->advice);
    finding->at = oom->tick;
    finding->bytes = oom->requested;
    for (guint i = 0; i < oom->room.buffers->len; i++)
      tn_finding_add_buffer(finding, g_array_index(oom->room.buffers, uint32_t, i));
  }
}

/* What only a log has. */
static void
find_in_log(const TnStudy *study, const TnFindParams *params, TnFindings *findings)
{
  bool is_replayed = !params->without_replay && study->reserved &&
                     study->device->events.n <= MOST_REPLAYED;
  g_autoptr(TnReplayLog) log = is_replayed ? tn_replay_log_new(study) : NULL;
  /* What led up to it is known of a recording only; a report has its one moment. */
  if (study->device->events.n > 0)
    find_ooms(study, log, params->device_bytes, findings);
  else
    tn_find_reported_ooms(study, findings);
  tn_find_leaks(study, findings);
  tn_find_late_frees(study, findings);
  tn_find_fragmentation(study, log, findings);
  tn_find_split_pools(study, log, findings);
  tn_find_repeats(study, findings);
  tn_find_shared_allocators(study, findings);
  tn_find_early_frees(study, findings);
  tn_find_pending_frees(study, findings);
  tn_find_device_fallbacks(study, findings);
  tn_find_unfinished_allocators(study, findings);
}

static void
find_over_budget(const TnStudy *study, tn_bytes budget, TnFindings *findings)
{
  tn_bytes peak = study->arena_bytes != TN_BYTES_UNKNOWN ? study->arena_bytes : study->live->peak;
  char have[48], above[48], want[48];
  if (budget <= 0 || peak <= budget)
    return;
  tn_print_bytes(have, sizeof have, peak, TN_UNITS_IEC);
  tn_print_bytes(above, sizeof above, peak - budget, TN_UNITS_IEC);
  tn_print_bytes(want, sizeof want, budget, TN_UNITS_IEC);
  TnFinding *finding = tn_findings_add(
      findings, "over-budget", TN_SEVERITY_ERROR, "The %s is %s, %s above the budget of %s",
      study->arena_bytes != TN_BYTES_UNKNOWN ? "arena" : "live peak", have, above, want);
  finding->at = study->live->peak_at;
  finding->bytes = peak - budget;
}

/* Rounding of what is alive at the peak: it sums to a figure that a person can take off. */
static void
find_padding(const TnStudy *study, TnFindings *findings)
{
  const TnBuffers *b = study->buffers;
  tn_bytes lost = 0;
  if (!b->requested)
    return;
  g_autoptr(GArray) alive = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  tn_live_index_at(study->index, study->live->peak_at, alive);
  tn_batch_sum_keep(b, alive, study->live->peak_at);
  for (guint i = 0; i < alive->len; i++) {
    uint32_t row = g_array_index(alive, uint32_t, i);
    lost += b->bytes[row] - b->requested[row];
  }
  if (lost <= 0)
    return;
  char size[48];
  TnFinding *finding = tn_findings_add(findings, "padding", TN_SEVERITY_NOTE,
                                       "%s of the live peak are lost to rounding sizes up",
                                       tn_print_bytes(size, sizeof size, lost, TN_UNITS_IEC));
  finding->at = study->live->peak_at;
  finding->bytes = lost;
}

static void
find_unsized(const TnStudy *study, TnFindings *findings)
{
  if (!study->n_unsized)
    return;
  TnFinding *finding = tn_findings_add(findings, "dynamic-size", TN_SEVERITY_WARNING,
                                       "%u %s of unknown size and %s as 0 bytes", study->n_unsized,
                                       tn_plural(study->n_unsized, "tensor is", "tensors are"),
                                       tn_plural(study->n_unsized, "counts", "count"));
  finding->hint = g_strdup("Give the free dimensions values with --bind NAME=N.");
}

/* What the file says outright; the weights are those of findings. */
static void
find_statements(const TnDocument *document, TnFindings *findings)
{
  static const TnSeverity severities[] = {[TN_STATEMENT_NOTE] = TN_SEVERITY_NOTE,
                                          [TN_STATEMENT_WARNING] = TN_SEVERITY_WARNING,
                                          [TN_STATEMENT_ERROR] = TN_SEVERITY_ERROR};
  for (guint i = 0; i < document->statements->len; i++) {
    const TnStatement *said = &g_array_index(document->statements, TnStatement, i);
    g_autofree char *place = said->line ? g_strdup_printf("Line %u: ", said->line) : g_strdup("");
    TnFinding *finding = tn_findings_add(findings, said->code, severities[said->weight], "%s%s",
                                         place, said->text);
    finding->hint = g_strdup(said->hint);
  }
}

static int
compare_findings(gconstpointer a, gconstpointer b)
{
  const TnFinding *x = a, *y = b;
  if (x->severity != y->severity)
    return x->severity > y->severity ? -1 : 1;
  if (x->saving_bytes != y->saving_bytes)
    return x->saving_bytes > y->saving_bytes ? -1 : 1;
  if (x->bytes != y->bytes)
    return x->bytes > y->bytes ? -1 : 1;
  return x->at < y->at ? -1 : x->at > y->at;
}

void
tn_find_all(const TnStudy *study, const TnFindParams *params, TnFindings *findings)
{
  check_plan(study, params->alignment, findings);
  if (study->is_log) {
    find_in_log(study, params, findings);
  } else {
    tn_find_reuse_off(study, findings);
    tn_find_residents(study, findings);
    tn_find_workspaces(study, findings);
    tn_find_late_places(study, findings);
    tn_find_ge(study, findings);
    tn_find_stream_sharing(study, findings);
  }
  find_statements(study->document, findings);
  find_over_budget(study, params->budget, findings);
  find_unsized(study, findings);
  tn_find_long_tails(study->document, study->device, study->buffers, findings);
  if (study->is_prepared)
    find_padding(study, findings);
  g_array_sort(findings->rows, compare_findings);
}
