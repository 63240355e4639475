/* SPDX-License-Identifier: MIT */
/* A spill plan as lives for the planner of offsets: each life is cut in two where its storage is
 * elsewhere (the second part may lie at another place), and ops that run again get steps of their
 * own, with what they make.
 *
 *   op      0   1   2   [again]  3
 *   x      |-------|           |------|     x, then "x (back)" */
#pragma once

#include "analysis/budget/spill-run.h"

typedef struct {
  TnBuffers *buffers; /* owned */
  tn_tick axis_end;
  uint32_t n_steps;  /* ops and ops that run again */
  uint32_t *step_op; /* by step: row of the op; owned */
  bool *is_again;    /* by step; owned */
} TnSpillLives;

/* `lives` are those of the model's order.  `strings` gains names.  O(buffers · cuts). */
TnSpillLives *tn_spill_lives_new(const TnSpillModel *model,
                                 const TnSpillPlan *plan,
                                 const TnGraph *graph,
                                 TnStrings *strings,
                                 const TnGraphLives *lives);
/* Whether at every op as much is alive as `run`, which ran the plan, counts there. */
bool tn_spill_lives_hold(const TnSpillLives *lives, const TnSpillRun *run);
void tn_spill_lives_free(TnSpillLives *lives);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(TnSpillLives, tn_spill_lives_free)
