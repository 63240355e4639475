/* SPDX-License-Identifier: MIT */
/* Orders with a low peak: a graph and a lifetime model in, an order out, with its peak, a bound
 * that no order can beat, and whether the two have met.  One interface, one file per method.
 *
 * Every order obeys data edges, control edges (`after`) and the chain of ops with side effects.  An
 * op that may write in place does so where it is the last reader of what it writes over; where a
 * reader comes later it is counted with memory of its own, so no reader can see what was
 * overwritten. For a runtime that overwrites in any case, `keeps_in_place` adds write-after-read
 * edges. The peak of every order is the one that analysis/graph-lifetime computes. */
#pragma once

#include "analysis/graph-lifetime.h"
#include "data/progress.h"

typedef struct {
  double memory_weight; /* greedy: of the net change against the remaining path, [0, 1]; 1: the path
                           only decides between equals */
  double time_limit;    /* seconds; <= 0: the method's own default */
  uint64_t seed;        /* for methods that draw lots; none of today's does */
  tn_bytes budget;      /* > 0: is there an order within this? */
  uint32_t beam_width;  /* 0: the default */
  bool keeps_in_place; /* what the baseline writes in place stays so: readers keep before writers */
  TnProgress *progress; /* may be NULL */
} TnOrderParams;

#define TN_ORDER_PARAMS_INIT                                                                       \
  {                                                                                                \
    .memory_weight = 1                                                                             \
  }

typedef enum {
  TN_ORDER_NOT_ASKED,
  TN_ORDER_FITS,       /* the answer's order stays within the budget */
  TN_ORDER_IMPOSSIBLE, /* proved: no order does */
  TN_ORDER_UNKNOWN
} TnOrderVerdict;

typedef struct {
  const char *method;
  tn_bytes peak;
  double seconds;
} TnOrderTry;

typedef struct {
  uint32_t n;
  uint32_t *order;   /* shape n: rows of the graph's ops */
  tn_bytes peak;     /* of this order */
  tn_bytes baseline; /* of the order given, else of the graph's own */
  tn_bytes bound;    /* no order has a smaller peak */
  bool is_optimal;   /* proved: peak == bound */
  bool adds_batches; /* peaks and bound count batches together that never run so: nothing is proved */
  bool is_cancelled; /* the best found until then */
  TnOrderVerdict verdict;
  tn_bytes mandatory; /* what no order avoids at one op, by the ops before and after it alone … */
  uint32_t mandatory_op; /* … and that op; TN_NONE: before the first one */
  bool is_only_order;    /* the edges allow no other order */
  const char *method;    /* whose order this is */
  GArray *tried;         /* TnOrderTry */
  uint64_t n_states;     /* sets of ops that the exact search saw */
  double seconds;
} TnOrderAnswer;

typedef struct TnOrderTask TnOrderTask;

typedef struct {
  const char *name;  /* --method NAME */
  const char *title; /* one line for a person */
  void (*find)(TnOrderTask *task);
} TnOrderMethod;

/* All methods, NULL-terminated. */
const TnOrderMethod *const *tn_order_methods(void);
const TnOrderMethod *tn_order_methods_find(const char *name);

/* Finds an order of the graph's ops.  `lifetime->order` (may be NULL) is the baseline.  Errors:
 * those of tn_graph_lives_new().  The same for the same seed, unless time runs out. */
TnOrderAnswer *tn_order_new(const TnGraph *graph,
                            TnStrings *strings,
                            const TnGraphLifetimeParams *lifetime,
                            const TnOrderMethod *method,
                            const TnOrderParams *params,
                            GError **error);
void tn_order_free(TnOrderAnswer *answer);

/* "fits", "impossible", "unknown"; NULL where it was not asked. */
const char *tn_order_verdict_name(TnOrderVerdict verdict);

/* The peak of an order, by analysis/graph-lifetime; -1 and an error where it is not legal. */
tn_bytes tn_order_peak(const TnGraph *graph,
                       TnStrings *strings,
                       const TnGraphLifetimeParams *lifetime,
                       const uint32_t *order,
                       GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(TnOrderAnswer, tn_order_free)
