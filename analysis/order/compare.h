/* SPDX-License-Identifier: MIT */
/* Orders of several methods beside each other, each with its steps.  A bound that one of them
 * proves holds for all, so an order is called optimal where its peak meets the greatest bound. */
#pragma once

#include "analysis/order/log.h"
#include "analysis/order/order.h"

typedef struct {
  const TnOrderMethod *method;
  TnOrderAnswer *answer; /* owned */
  TnOrderLog *log;       /* owned: of the answer's order */
} TnOrderRow;

typedef struct {
  GArray *rows;      /* TnOrderRow, in the order of tn_order_methods() */
  tn_bytes bound;    /* no order has a smaller peak; 0 where nothing is known */
  tn_bytes baseline; /* of the file's order */
  tn_bytes lowest;   /* peak of the rows; INT64_MAX before the first */
} TnOrderComparison;

TnOrderComparison *tn_order_comparison_new(void);
void tn_order_comparison_free(TnOrderComparison *comparison);

/* One row; false with the errors of tn_graph_lives_new(). */
bool tn_order_row_init(TnOrderRow *row,
                       const TnGraph *graph,
                       TnStrings *strings,
                       const TnGraphLifetimeParams *lifetime,
                       const TnOrderMethod *method,
                       const TnOrderParams *params,
                       GError **error);
void tn_order_row_clear(TnOrderRow *row);

/* Takes the row's contents.  Bounds and proofs of all answers follow. */
void tn_order_comparison_add(TnOrderComparison *comparison, TnOrderRow *row);
/* All methods, one after the other, `params->time_limit` for each.  Cancelled: those until then. */
TnOrderComparison *tn_order_compare(const TnGraph *graph,
                                    TnStrings *strings,
                                    const TnGraphLifetimeParams *lifetime,
                                    const TnOrderParams *params,
                                    GError **error);

static inline const TnOrderRow *
tn_order_comparison_get(const TnOrderComparison *comparison, guint i)
{
  return &g_array_index(comparison->rows, TnOrderRow, i);
}

/* The row of the lowest peak: of equals `best`, else the first one.  TN_NONE: no rows. */
guint tn_order_comparison_best(const TnOrderComparison *comparison);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(TnOrderComparison, tn_order_comparison_free)
