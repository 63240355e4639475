/* SPDX-License-Identifier: MIT */
/* The best order of a model, proved: best-first search over the sets of ops that may have run.
 *
 * A set's key is the smallest peak with which it was reached; the open set with the smallest key is
 * settled first (most ops done, then least alive, among equals), as in Dijkstra's algorithm with
 * max for +.  The first time the full set is settled its key is the optimum; stopped early, the
 * smallest open key is still a bound that no order can beat.
 *
 * Source: the lattice of down-sets is Serenity's (Ahn et al., MLSys 2020) and Liberis & Lane's
 * (2019); the bottleneck search, safe commits and start key are those of orders-and-budgets.md. */
#pragma once

#include "analysis/order/model.h"
#include "data/progress.h"

typedef struct {
  tn_bytes start;       /* a proved bound of the model: no key is smaller */
  tn_bytes limit;       /* only orders of a peak below this are wanted; INT64_MAX: any */
  gint64 deadline;      /* of g_get_monotonic_time(); 0: none */
  gsize most_bytes;     /* of memory for states */
  TnProgress *progress; /* may be NULL */
} TnOrderSearch;

typedef enum {
  TN_ORDER_SOLVED,    /* `order` is optimal: the bound is its peak */
  TN_ORDER_EXHAUSTED, /* proved: no order has a peak below the limit */
  TN_ORDER_STOPPED    /* out of time or memory, or cancelled: the bound holds */
} TnOrderSearchStatus;

/* `out_order`: shape n, filled where solved.  `out_bound`: no order is below it.  `out_states`: how
 * many sets were seen. */
TnOrderSearchStatus tn_order_search(const TnOrderModel *model,
                                    const TnOrderSearch *search,
                                    uint32_t *out_order,
                                    tn_bytes *out_bound,
                                    uint64_t *out_states);
