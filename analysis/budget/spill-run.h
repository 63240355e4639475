/* SPDX-License-Identifier: MIT */
/* Runs a spill plan: memory at every op, and time on three lanes.
 *
 *   compute   |op0|op1|op2|~~|op3|op4|      ~~ waits for a copy
 *   out           [== x ==]
 *   in                        [== x ==]
 */
#pragma once

#include "analysis/budget/spill-model.h"

typedef enum { TN_SPILL_KEEP, TN_SPILL_MOVE, TN_SPILL_RECOMPUTE } TnSpillKind;

/* What becomes of one idle stretch. */
typedef struct {
  uint8_t kind;    /* TnSpillKind */
  bool is_early;   /* the copy out may start as soon as the storage is made; else after its use */
  uint32_t absent; /* gone from this op's place on … */
  uint32_t back;   /* … up to before this one's */
} TnSpillChoice;

typedef struct {
  TnSpillChoice *choice; /* by idle stretch */
  uint32_t *way;         /* by op: which of its ways */
} TnSpillPlan;

void tn_spill_plan_init(TnSpillPlan *plan, const TnSpillModel *model);
void tn_spill_plan_clear(TnSpillPlan *plan);
void tn_spill_plan_copy(TnSpillPlan *to, const TnSpillPlan *from, const TnSpillModel *model);

typedef struct {
  double seconds; /* from the first op's start to the last one's end; HUGE_VAL: impossible */
  tn_bytes peak;
  uint32_t over_at; /* the first place that takes more than the budget; TN_NONE */
  tn_bytes moved_bytes, back_bytes, recomputed_bytes;
  double copy_seconds;                   /* of all copies, both ways */
  double wait_seconds;                   /* of compute for copies */
  double recompute_seconds, way_seconds; /* what recomputing and other ways add */
} TnSpillOutcome;

/* Working memory of runs, and the times of the last one. */
typedef struct {
  const TnSpillModel *model;
  tn_bytes *absent;    /* by place: change of what is elsewhere */
  tn_bytes *memory;    /* by place */
  double *start, *end; /* by place */
  double *redo;        /* by place: seconds of ops run again before it */
  uint32_t *head[5];   /* by place: idle stretches that … (see spill-run.c) */
  uint32_t *next[5];   /* by idle stretch */
  double *out_start, *out_end, *in_start, *in_end; /* by idle stretch; out_end < 0: no copy out */
  uint32_t *redo_first;                            /* by place: its first in redo_ops; n + 1 */
  GArray *redo_ops;                                /* ops run again, in their order, by place */
  uint32_t *stamp;                                 /* by op */
  uint32_t n_stamps;
} TnSpillRun;

void tn_spill_run_init(TnSpillRun *run, const TnSpillModel *model);
void tn_spill_run_clear(TnSpillRun *run);

/* Simulates `plan` under `budget` (0: none).  With `is_bound`, an upper estimate of nothing and a
 * lower one of time: copies out that a later choice may make needless count nothing.  O(n + choices
 * + ops run again). */
TnSpillOutcome
tn_spill_run(TnSpillRun *run, const TnSpillPlan *plan, tn_bytes budget, bool is_bound);
