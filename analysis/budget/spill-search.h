/* SPDX-License-Identifier: MIT */
/* The cheapest spill plan of a model within a budget.
 *
 * First a plan by repeated choice (at the first op that takes too much, the stretch that costs
 * least per byte of relief), made better by taking back and changing its choices one by one; then
 * branch and bound over all plans: at the first op that takes too much, one of the stretches that
 * lie over it must be elsewhere from there on (no sooner: what is absent later never costs more),
 * or the op, in its fastest way that can fit so far, must run in a smaller one.  More choices never
 * make a plan faster, since each queue keeps its order and every start is the maximum of ends; so
 * the time of a part of a plan is a bound. */
#pragma once

#include "analysis/budget/spill-run.h"
#include "data/progress.h"

typedef struct {
  tn_bytes budget;
  gint64 deadline;      /* of g_get_monotonic_time() */
  bool is_quick;        /* no branch and bound */
  TnProgress *progress; /* may be NULL */
} TnSpillSearch;

typedef struct {
  TnSpillPlan plan;
  TnSpillOutcome outcome;
  bool is_found;   /* `plan` keeps within the budget */
  bool is_optimal; /* proved: no other plan of this kind is faster */
  bool is_proved_impossible;
  uint64_t n_plans;
} TnSpillFound;

/* Fills `out_found` (plan initialised here; clear it with tn_spill_plan_clear()).  A `hint` (may be
 * NULL) that keeps within the budget is a first answer. */
void tn_spill_search(const TnSpillModel *model,
                     const TnSpillSearch *search,
                     const TnSpillPlan *hint,
                     TnSpillFound *out_found);
