/* SPDX-License-Identifier: MIT */
/* A graph in a given order as a planner of spills sees it: what each op takes, and the idle
 * stretches between two uses of a storage, in which it may be elsewhere.
 *
 *   uses of a storage    a . . . . . b        idle stretch (a, b)
 *   moved out            a . m _ _ k b        absent while the ops m … k - 1 run
 *
 * Copies go through two queues, out and in, each one copy after the other, beside compute.  A copy
 * out may begin once the storage is made (or after its use a); op m waits for its end, for only
 * then its bytes are free.  A reload takes its bytes at k, before it begins; op b waits for its
 * end.  What was copied out once and never written since needs no second copy out.  Dropping frees
 * at once; before b the op that made the storage runs again, and before it those whose results are
 * gone too.
 *
 * Source: the reference model of design/orders-and-budgets.md. */
#pragma once

#include "analysis/budget/link.h"
#include "analysis/budget/op-time.h"
#include "analysis/order/model.h"

/* Why a stretch is or is no candidate for a move or a recomputation. */
typedef enum {
  TN_IDLE_CANDIDATE,
  TN_IDLE_TOO_SHORT, /* no op runs in it, or fewer than asked for */
  TN_IDLE_TOO_SMALL,
  TN_IDLE_NO_COPY,      /* moves are switched off */
  TN_IDLE_NO_RECOMPUTE, /* recomputing is switched off */
  TN_IDLE_NO_MAKER,     /* a graph input: nothing can make it again */
  TN_IDLE_SIDE_EFFECT   /* its maker has a side effect or draws lots */
} TnIdleReason;

typedef struct {
  uint32_t buffer;   /* of the order model */
  int32_t from;      /* place of the last use before it; -1: there from the start, not used yet */
  uint32_t to;       /* place of the next use */
  int32_t made;      /* place of the maker; -1: there from the start */
  uint32_t previous; /* the storage's idle stretch before this one; TN_NONE */
  TnIdleReason move, recompute;
} TnIdle;

/* A way to run an op: the first is its own, each other takes less scratch or less time. */
typedef struct {
  uint32_t name;           /* string id; 0: the op's own */
  tn_bytes workspace;      /* all of it */
  tn_bytes scratch_change; /* against its own */
  double seconds;
  uint32_t tiles; /* > 1: the workspace in so many parts, one after the other */
} TnSpillWay;

typedef struct {
  TnOrderModel *order_model;
  uint32_t n;           /* ops */
  uint32_t *order;      /* op by place */
  uint32_t *place;      /* place by op */
  tn_bytes *held;       /* by place: while the op runs, all storages there … */
  tn_bytes *early;      /* … without the read tick; by place: in that, without a workspace */
  tn_bytes *before;     /* by place: alive before the op */
  tn_bytes *needed;     /* by place: what can't be elsewhere while it runs, smallest way */
  tn_bytes *away;       /* by place: what can be elsewhere while it runs */
  tn_bytes start_bytes; /* alive before the first op */
  double seconds;       /* of all ops, each in its own way */
  double *op_seconds;   /* by op, its own way */
  bool is_estimated;    /* some of them are */
  bool *is_pure;        /* by op: may run twice */
  uint32_t *way_first;  /* by op, n + 1, into ways */
  GArray *ways;         /* TnSpillWay */
  GArray *idles;        /* TnIdle, by buffer, then by place */
  uint32_t *idle_first; /* by buffer, n_buffers + 1 */
  double *out_seconds, *in_seconds; /* by buffer: one copy */
  uint32_t *tensor;                 /* by buffer: the graph's tensor */
} TnSpillModel;

typedef struct {
  tn_bytes least_bytes; /* smaller storages stay */
  uint32_t least_idle;  /* at least so many ops in between; 0: one */
  bool no_moves, no_recompute, no_ways;
  TnComputeRate rate;
} TnSpillLimits;

#define TN_SPILL_LIMITS_INIT                                                                       \
  {                                                                                                \
    .rate = TN_COMPUTE_RATE_INIT                                                                   \
  }

/* Errors: those of tn_graph_lives_new().  `lifetime->order` (NULL: the graph's own) is the order.
 */
TnSpillModel *tn_spill_model_new(const TnGraph *graph,
                                 TnStrings *strings,
                                 const TnGraphLifetimeParams *lifetime,
                                 const TnLink *link,
                                 const TnSpillLimits *limits,
                                 GError **error);
void tn_spill_model_free(TnSpillModel *model);

/* The smallest budget for which there is a plan: the largest working set of one op (its place, the
 * last one's of equals, or TN_NONE where it is what lies there at the start). */
tn_bytes tn_spill_smallest_budget(const TnSpillModel *model, uint32_t *out_place);

static inline const TnSpillWay *
tn_spill_way(const TnSpillModel *model, uint32_t op, uint32_t way)
{
  return &g_array_index(model->ways, TnSpillWay, model->way_first[op] + way);
}

/* All scratch of an op in one of its ways; no workspace is there in a read tick of its own. */
static inline tn_bytes
tn_spill_scratch(const TnSpillModel *model, uint32_t op, uint32_t way)
{
  return MAX(model->order_model->scratch[op] + tn_spill_way(model, op, way)->scratch_change,
             model->order_model->early_scratch[op]);
}

static inline uint32_t
tn_spill_n_ways(const TnSpillModel *model, uint32_t op)
{
  return model->way_first[op + 1] - model->way_first[op];
}

/* All that is there while the op at place p runs, with so much more scratch than in its own way. */
static inline tn_bytes
tn_spill_held(const TnSpillModel *model, uint32_t p, tn_bytes change)
{
  return MAX(model->held[p] + change, model->early[p]);
}

/* With all elsewhere that can be: no plan for less has the op run in this way. */
static inline bool
tn_spill_way_fits(const TnSpillModel *model, uint32_t op, uint32_t way, tn_bytes budget)
{
  uint32_t p = model->place[op];
  return tn_spill_held(model, p, tn_spill_way(model, op, way)->scratch_change) - model->away[p] <=
         budget;
}

/* The fastest of the ways that fit, the smallest of equals; 0 where none does. */
uint32_t tn_spill_first_way(const TnSpillModel *model, uint32_t op, tn_bytes budget);

#define tn_spill_idle(model, i) (&g_array_index((model)->idles, TnIdle, (i)))

G_DEFINE_AUTOPTR_CLEANUP_FUNC(TnSpillModel, tn_spill_model_free)
