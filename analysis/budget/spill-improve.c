/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/budget/spill-chooser.h"

/* Keeps the plan where it is feasible and faster; otherwise the best one stands again. */
static bool
keep_if_better(TnSpillChooser *greedy)
{
  double had = greedy->found->outcome.seconds;
  TnSpillOutcome outcome = tn_spill_run(&greedy->run, &greedy->plan, greedy->search->budget, false);
  greedy->found->n_plans++;
  tn_spill_chooser_note(greedy, &outcome);
  return greedy->found->outcome.seconds < had - 1e-12;
}

static bool
try_choice(TnSpillChooser *greedy, uint32_t i, TnSpillChoice choice)
{
  TnSpillChoice had = greedy->plan.choice[i];
  greedy->plan.choice[i] = choice;
  if (keep_if_better(greedy))
    return true;
  greedy->plan.choice[i] = had;
  return false;
}

/* One stretch: not at all, later, back sooner, at the other time, made again instead. */
static bool
improve_idle(TnSpillChooser *greedy, uint32_t i)
{
  const TnIdle *idle = tn_spill_idle(greedy->model, i);
  TnSpillChoice choice = greedy->plan.choice[i];
  bool is_better = try_choice(greedy, i, (TnSpillChoice){0});
  if (is_better)
    return true;
  if (idle->move == TN_IDLE_CANDIDATE) {
    uint32_t first = (uint32_t)(idle->from + 1);
    uint32_t absent = choice.kind == TN_SPILL_MOVE ? choice.absent : first;
    for (uint32_t m = first; m < idle->to && !tn_spill_chooser_is_late(greedy);
         m += MAX((idle->to - first) / 12, 1u))
      is_better |=
          try_choice(greedy, i,
                     (TnSpillChoice){TN_SPILL_MOVE, false, m, MAX(choice.back, m + 1)}) ||
          try_choice(greedy, i, (TnSpillChoice){TN_SPILL_MOVE, true, m, MAX(choice.back, m + 1)});
    if (greedy->plan.choice[i].kind == TN_SPILL_MOVE)
      absent = greedy->plan.choice[i].absent;
    for (uint32_t k = absent + 1; k <= idle->to && !tn_spill_chooser_is_late(greedy);
         k += MAX((idle->to - absent) / 12, 1u))
      is_better |= try_choice(greedy, i, (TnSpillChoice){TN_SPILL_MOVE, true, absent, k});
  }
  if (idle->recompute == TN_IDLE_CANDIDATE)
    is_better |= try_choice(
        greedy, i,
        (TnSpillChoice){TN_SPILL_RECOMPUTE, false, (uint32_t)(idle->from + 1), idle->to});
  return is_better;
}

/* Takes one choice out for good and lets the rule fill the hole. */
static bool
replace_idle(TnSpillChooser *greedy, uint32_t i)
{
  double had = greedy->found->outcome.seconds;
  greedy->plan.choice[i] = (TnSpillChoice){0};
  /* The rule may pick it again: then nothing changes. */
  tn_spill_chooser_complete(greedy);
  bool is_better = greedy->found->outcome.seconds < had - 1e-12;
  tn_spill_plan_copy(&greedy->plan, &greedy->found->plan, greedy->model);
  return is_better;
}

/* All that are faster: one between the smallest and the fastest may be what there is room for. */
static bool
improve_way(TnSpillChooser *greedy, uint32_t op)
{
  const TnSpillModel *model = greedy->model;
  bool is_better = false;
  for (uint32_t w = 0; w < tn_spill_n_ways(model, op) && !tn_spill_chooser_is_late(greedy); w++) {
    uint32_t had = greedy->plan.way[op];
    if (tn_spill_way(model, op, w)->seconds >= tn_spill_way(model, op, had)->seconds ||
        !tn_spill_way_fits(model, op, w, greedy->search->budget))
      continue;
    greedy->plan.way[op] = w;
    if (keep_if_better(greedy))
      is_better = true;
    else
      greedy->plan.way[op] = had;
  }
  return is_better;
}

void
tn_spill_improve(TnSpillChooser *greedy, gint64 until)
{
  const TnSpillModel *model = greedy->model;
  bool is_better = greedy->found->is_found;
  tn_spill_plan_copy(&greedy->plan, &greedy->found->plan, model);
  while (is_better && !tn_spill_chooser_is_late(greedy) && g_get_monotonic_time() < until) {
    is_better = false;
    for (uint32_t op = 0; op < model->n && !tn_spill_chooser_is_late(greedy); op++)
      is_better |= improve_way(greedy, op);
    for (uint32_t i = model->idles->len; i-- > 0 && !tn_spill_chooser_is_late(greedy);)
      if (greedy->plan.choice[i].kind)
        is_better |= improve_idle(greedy, i);
    for (uint32_t i = 0; i < model->idles->len && !is_better && !tn_spill_chooser_is_late(greedy);
         i++)
      if (greedy->plan.choice[i].kind)
        is_better |= replace_idle(greedy, i);
  }
}

/* Takes a part of the choices back (those that lie over one place, or a few anywhere) and fills the
 * hole anew, again and again: large neighbourhood search (Shaw 1998). */
void
tn_spill_shake(TnSpillChooser *greedy, gint64 until)
{
  const TnSpillModel *model = greedy->model;
  uint64_t state = 1;
  while (g_get_monotonic_time() < until && !tn_spill_chooser_is_late(greedy)) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    uint32_t place = (uint32_t)(state >> 33) % MAX(model->n, 1u);
    uint32_t one_in = 2 + (uint32_t)(state >> 20) % 6;
    double had = greedy->found->outcome.seconds;
    tn_spill_plan_copy(&greedy->plan, &greedy->found->plan, model);
    for (uint32_t i = 0; i < model->idles->len; i++) {
      const TnIdle *idle = tn_spill_idle(model, i);
      bool is_over = idle->from < (int32_t)place && idle->to > place;
      state = state * 6364136223846793005ull + 1442695040888963407ull;
      if (greedy->plan.choice[i].kind && (state >> 40) % one_in == 0 &&
          (is_over || (state >> 30) % 4 == 0))
        greedy->plan.choice[i] = (TnSpillChoice){0};
    }
    greedy->weight = (double)((state >> 50) % 5) / 4;
    tn_spill_chooser_complete(greedy);
    if (greedy->found->outcome.seconds < had - 1e-12)
      tn_spill_improve(greedy, until);
  }
}
