/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/answer/spill-answer.h"

#include "app/answer/json.h"
#include "app/answer/time-limit.h"

#include "analysis/check.h"

void
tn_spill_report_run(TnSpillReport *spill)
{
  tn_spill_run_init(&spill->run, spill->answer->model);
  tn_spill_run(&spill->run, &spill->answer->found.plan, spill->answer->budget, false);
}

void
tn_spill_report_clear(TnSpillReport *spill)
{
  if (spill->run.model)
    tn_spill_run_clear(&spill->run);
  g_clear_pointer(&spill->lives, tn_spill_lives_free);
  g_clear_pointer(&spill->offsets, tn_plan_free);
}

/* ---- offsets ------------------------------------------------------------------------------- */

static bool
has_errors(const TnSpillReport *spill)
{
  const TnPlan *plan = spill->offsets;
  g_autofree char *broken =
      tn_check_dup_plan_error(spill->document, spill->lives->buffers, plan->offset,
                              spill->lifetime.alignment, plan->space_arena, plan->n_spaces);
  return broken != NULL;
}

/* Each stream has a space of its own here, which plans need not do: only what lives at once bounds them. */
static void
limit_claim(TnSpillReport *spill)
{
  TnPlan *plan = spill->offsets;
  const TnBuffers *buffers = spill->lives->buffers;
  bool has_many = false;
  for (uint32_t i = 1; i < buffers->n; i++)
    has_many |= tn_buffers_space(buffers, i) != tn_buffers_space(buffers, 0);
  if (!has_many)
    return;
  spill->apart = MAX(plan->lower_bound_bytes - spill->live_peak, (tn_bytes)0);
  plan->lower_bound_bytes = MIN(plan->lower_bound_bytes, spill->live_peak);
  plan->is_optimal = plan->arena_bytes <= plan->lower_bound_bytes;
}

tn_bytes
tn_spill_report_fragmentation(const TnSpillReport *report)
{
  return report->offsets->arena_bytes - report->live_peak - report->apart;
}

/* Buffers whose place another stream takes too soon get one of their own, and all is placed anew; no offsets at all
 * where that doesn't end soon. */
static void
find_offsets(TnSpillReport *spill, tn_bytes alignment, TnPlanParams limits)
{
  enum { MOST_ROUNDS = 16 };
  double seconds = limits.time_limit;
  gint64 since = g_get_monotonic_time();
  for (int round = 0; round < MOST_ROUNDS; round++) {
    g_autoptr(GArray) rows = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    spill->offsets = tn_plan_new_for_buffers(spill->lives->buffers, tn_strategies_find("best"), alignment, &limits);
    if (spill->offsets->status == TN_PLAN_FAILED)
      g_clear_pointer(&spill->offsets, tn_plan_free);
    if (tn_spill_streams_hold(spill, rows))
      return;
    g_clear_pointer(&spill->offsets, tn_plan_free);
    if (rows->len == 0)
      break;
    tn_spill_streams_split(spill, rows);
    limits.time_limit = MAX(seconds - (double)(g_get_monotonic_time() - since) / G_USEC_PER_SEC, seconds / MOST_ROUNDS);
  }
  spill->is_shared = true;
}

/* The lives, cut where storages are elsewhere, given offsets and checked. */
void
tn_spill_report_plan_offsets(TnSpillReport *spill)
{
  g_autoptr(TnGraphLives) lives =
      tn_graph_lives_new(spill->document->graph, spill->document->strings, &spill->lifetime, NULL);
  TnPlanParams limits = TN_PLAN_PARAMS_INIT;
  if (!lives)
    return;
  spill->n_unsized = lives->n_unsized;
  spill->resident = lives->resident_bytes;
  if (!spill->answer->found.is_found)
    return;
  spill->lives = tn_spill_lives_new(spill->answer->model, &spill->answer->found.plan,
                                    spill->document->graph, spill->document->strings, lives);
  limits.time_limit = tn_answer_offset_seconds(spill->time_limit, spill->answer->seconds);
  spill->live_peak = tn_graph_live_peak(spill->lives->buffers, spill->lives->axis_end, NULL);
  find_offsets(spill, lives->alignment, limits);
  if (spill->offsets)
    limit_claim(spill);
  spill->is_sound = spill->offsets && !has_errors(spill) &&
                    (!spill->run.model || tn_spill_lives_hold(spill->lives, &spill->run));
}

char *
tn_spill_build_file(const TnSpillReport *spill)
{
  char *plan = tn_spill_build_plan(spill);
  if (plan)
    return plan;
  cJSON *object = tn_spill_build_json(spill);
  char *text = tn_json_dup_text(object, false);
  cJSON_Delete(object);
  return text;
}
