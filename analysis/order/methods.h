/* SPDX-License-Identifier: MIT */
/* What the methods of analysis/order/ share: the task at hand with the best order so far. */
#pragma once

#include "analysis/order/bound.h"
#include "analysis/order/order.h"

struct TnOrderTask {
  const TnOrderModel *model;
  const TnReach *reach; /* may be NULL */
  const uint32_t *file; /* the baseline order */
  const TnOrderParams *params;
  gint64 deadline;       /* of g_get_monotonic_time() */
  tn_bytes bound;        /* proved */
  tn_bytes mandatory;    /* the bound of the mandatory live sets alone … */
  uint32_t mandatory_op; /* … and the first op of the file that it is at; TN_NONE */
  uint32_t *best;        /* shape n, filled where has_best */
  tn_bytes peak;         /* of `best`; INT64_MAX before */
  const char *method;    /* of `best` */
  bool has_best, is_cancelled;
  uint64_t n_states;
  GArray *tried; /* TnOrderTry */
};

/* Takes part in the comparison: the order is kept where it is better. */
void
tn_order_task_offer(TnOrderTask *task, const char *method, const uint32_t *order, gint64 since);
/* Whether nothing better can come, or time is over, or somebody cancelled. */
bool tn_order_task_is_done(TnOrderTask *task);
bool tn_order_task_is_late(TnOrderTask *task);

extern const TnOrderMethod tn_order_method_file;
extern const TnOrderMethod tn_order_method_level;
extern const TnOrderMethod tn_order_method_depth_first;
extern const TnOrderMethod tn_order_method_greedy;
extern const TnOrderMethod tn_order_method_lookahead;
extern const TnOrderMethod tn_order_method_beam;
extern const TnOrderMethod tn_order_method_windows;
extern const TnOrderMethod tn_order_method_exact;
extern const TnOrderMethod tn_order_method_best;
