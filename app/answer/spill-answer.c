/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/answer/spill-answer.h"

#include "app/answer/json.h"
#include "app/answer/time-limit.h"

#include "analysis/check.h"
#include "analysis/plan/streams-apart.h"
#include "analysis/stream-uses.h"
#include "data/graph-order.h"

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
  g_clear_pointer(&spill->holder, g_free);
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

static bool
runs_again(const TnSpillLives *lives)
{
  for (uint32_t step = 0; step < lives->n_steps; step++)
    if (lives->is_again[step])
      return true;
  return false;
}

/* What runs again is told by a later op of its stream: others wait longer than they need, so that only what lives at
 * once bounds all plans then. */
static void
limit_claim(TnSpillReport *spill, const TnStreamUses *uses)
{
  TnPlan *plan = spill->offsets;
  spill->apart = tn_streams_apart(spill->lives->buffers, plan->space_arena, plan->n_spaces, uses,
                                  plan->arena_bytes - spill->live_peak);
  if (!runs_again(spill->lives))
    return;
  plan->lower_bound_bytes = MIN(plan->lower_bound_bytes, spill->live_peak);
  plan->is_optimal = plan->arena_bytes == plan->lower_bound_bytes;
}

tn_bytes
tn_spill_report_fragmentation(const TnSpillReport *report)
{
  return report->offsets->arena_bytes - report->live_peak - report->apart;
}

static void
place(TnSpillReport *spill, tn_bytes alignment, const TnPlanParams *limits)
{
  spill->offsets =
      tn_plan_new_for_buffers(spill->lives->buffers, tn_strategies_find("best"), alignment, limits);
  if (spill->offsets->status == TN_PLAN_FAILED)
    g_clear_pointer(&spill->offsets, tn_plan_free);
}

/* No offsets at all where `check` would find that a stream overwrites what another one still reads. */
static void
place_streams(TnSpillReport *spill, tn_bytes alignment, TnPlanParams limits)
{
  g_autoptr(TnDocument) document = NULL;
  g_autoptr(TnStudy) study = tn_spill_build_study(spill, &document);
  g_autoptr(TnStreamUses) uses = study ? tn_stream_uses_new_for_study(study, NULL, NULL) : NULL;
  if (uses && uses->n == spill->lives->buffers->n) {
    limits.uses = uses;
    place(spill, alignment, &limits);
  }
  if (spill->offsets && !tn_spill_streams_hold(spill))
    g_clear_pointer(&spill->offsets, tn_plan_free);
  spill->is_refused = !spill->offsets;
  if (spill->offsets)
    limit_claim(spill, uses);
}

/* By tensor: the one whose row of the lives it lies in. */
static uint32_t *
build_holders(const TnGraph *graph, const TnGraphLives *lives)
{
  uint32_t *holder = g_new(uint32_t, (gsize)graph->tensors->len + 1);
  for (guint t = 0; t < graph->tensors->len; t++)
    holder[t] = lives->row_of[t] == TN_NONE ? TN_NONE : lives->buffers->tensor[lives->row_of[t]];
  return holder;
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
  spill->holder = build_holders(spill->document->graph, lives);
  limits.time_limit = tn_answer_offset_seconds(spill->time_limit, spill->answer->seconds);
  spill->live_peak = tn_graph_live_peak(spill->lives->buffers, spill->lives->axis_end, NULL);
  if (tn_graph_has_streams(spill->document->graph))
    place_streams(spill, lives->alignment, limits);
  else
    place(spill, lives->alignment, &limits);
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
