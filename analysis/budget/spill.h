/* SPDX-License-Identifier: MIT */
/* What to move out, bring back and run again so that a graph fits into a budget; beside it the
 * other answers (nothing, another order alone or with a plan, moves alone, recomputing alone), and
 * a sweep over budgets. */
#pragma once

#include "analysis/budget/spill-search.h"

/* One point of a sweep, or another answer. */
typedef struct {
  const char *name; /* "none", "order", "order+plan", "move", "recompute"; NULL in a sweep */
  tn_bytes budget;
  bool is_feasible, is_optimal;
  tn_bytes peak;           /* -1: no plan was found, and the rest says nothing */
  double overhead_seconds; /* < 0: faster than the ops as they are */
  tn_bytes moved_bytes, recomputed_bytes;
  tn_bytes workspace;   /* the largest of one op */
  double bound_seconds; /* of a sweep: proved, no plan loses less */
} TnSpillPoint;

typedef struct {
  tn_bytes budget;        /* <= 0: half way between the smallest possible and the peak */
  double time_limit;      /* seconds for all of it; <= 0: 2 for the plan asked for, in proportion for
                             the rest */
  uint32_t sweep;         /* budgets from the smallest possible to the largest; 0: none */
  bool with_alternatives; /* the other answers too */
  TnSpillLimits limits;
  const TnLink *link;
  TnProgress *progress; /* may be NULL */
  /* May be NULL.  From the working thread, with each point of the sweep. */
  void (*swept)(const TnSpillPoint *point, void *payload);
  void *payload;
} TnSpillParams;

#define TN_SPILL_PARAMS_INIT                                                                       \
  {                                                                                                \
    .with_alternatives = true, .limits = TN_SPILL_LIMITS_INIT                                      \
  }

typedef struct {
  TnSpillModel *model;
  TnSpillFound found;   /* the plan, and what it comes to */
  double bound_seconds; /* proved: no plan for this budget takes less time; the plan's own where it
                           is optimal */
  tn_bytes budget, baseline_peak;
  tn_bytes largest_budget; /* the peak; more where algorithms with more workspace are faster: beyond
                              it nothing is gained */
  tn_bytes smallest_budget; /* proved: below it there is no plan … */
  bool adds_batches;        /* batches are counted together that never run so: nothing is proved */
  bool is_smallest_exact;   /* within it there is one; else what runs again may need more */
  uint32_t
      smallest_op; /* … because of this op's working set; TN_NONE: what is there at the start */
  tn_bytes order_peak, order_bound; /* the best order's, without any spilling; alternatives only */
  GArray *others;                   /* TnSpillPoint */
  GArray *sweep;                    /* TnSpillPoint, budgets ascending, overheads never growing */
  double seconds;
} TnSpillAnswer;

/* `lifetime->order` (NULL: the graph's own) is the order.  Errors: those of tn_graph_lives_new().
 */
TnSpillAnswer *tn_spill_new(const TnGraph *graph,
                            TnStrings *strings,
                            const TnGraphLifetimeParams *lifetime,
                            const TnSpillParams *params,
                            GError **error);
void tn_spill_free(TnSpillAnswer *answer);

/* What a plan of so many seconds loses against the ops as they are: < 0 where it gains, 0 where
 * only rounding tells them apart. */
double tn_spill_overhead(const TnSpillModel *model, double seconds);

/* By which part of its time the plan may be slower than the fastest one: 0 where it is optimal. */
double tn_spill_gap(const TnSpillAnswer *answer);

/* The largest workspace of one op under a plan. */
tn_bytes tn_spill_plan_workspace(const TnSpillModel *model, const TnSpillPlan *plan);

/* Why an idle stretch is where it is, in few words; owned. */
char *tn_spill_build_reason(const TnSpillAnswer *answer, uint32_t idle);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(TnSpillAnswer, tn_spill_free)
