/* SPDX-License-Identifier: MIT */
/* What spill-greedy.c and spill-improve.c share: a plan at hand that is made choice by choice. */
#pragma once

#include "analysis/budget/spill-search.h"

typedef struct {
  uint32_t idle;
  double guess; /* seconds for a byte of relief */
} TnSpillGuess;

typedef struct {
  const TnSpillModel *model;
  const TnSpillSearch *search;
  TnSpillRun run;
  TnSpillPlan plan;
  tn_bytes *memory; /* by place, of `plan` */
  uint32_t *n_over; /* by place, n + 1: places before it that are over the budget */
  double *ends_at;  /* by place, n + 1: seconds of the ops before it */
  TnSpillGuess *guesses;
  TnSpillFound *found;
  double weight; /* of relief at later places against that at the first one */
  bool is_fine;  /* rates all stretches in all variants, not the best looking in the usual ones */
  gint64 until;  /* the plan at hand must be complete by then */
} TnSpillChooser;

/* Whether time is over or somebody cancelled. */
bool tn_spill_chooser_is_late(const TnSpillChooser *greedy);
/* Keeps the plan at hand where it is within the budget and faster than the best so far. */
void tn_spill_chooser_note(TnSpillChooser *greedy, const TnSpillOutcome *outcome);
/* Chooses until the plan at hand, as far as it stands, keeps within the budget. */
bool tn_spill_chooser_complete(TnSpillChooser *greedy);

/* Makes the best plan better, choice by choice, until nothing helps or `until` is over. */
void tn_spill_improve(TnSpillChooser *greedy, gint64 until);
/* Takes parts of the best plan back and fills the holes anew, until `until`: large neighbourhood
 * search (Shaw 1998). */
void tn_spill_shake(TnSpillChooser *greedy, gint64 until);
