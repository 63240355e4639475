/* SPDX-License-Identifier: MIT */
/* What an order does to memory, step by step: what is alive while each op runs and after it, what
 * it frees, and the live set at any step. */
#pragma once

#include "analysis/order/model.h"

typedef struct {
  uint32_t op; /* row of the graph */
  tn_bytes during, after;
  uint32_t first_freed, n_freed; /* into `freed`: storages that end with this op */
} TnOrderStep;

typedef struct {
  uint32_t n;
  TnOrderStep *step;
  uint32_t *freed;  /* root tensors */
  uint32_t peak_at; /* the first step whose `during` is the peak; 0 where there is none */
  tn_bytes peak;
  TnOrderModel *model; /* private */
  uint32_t *place;     /* private: by op */
} TnOrderLog;

/* Of `lifetime->order` (NULL: the graph's own).  Errors: those of tn_graph_lives_new(). */
TnOrderLog *tn_order_log_new(const TnGraph *graph,
                             TnStrings *strings,
                             const TnGraphLifetimeParams *lifetime,
                             GError **error);
void tn_order_log_free(TnOrderLog *log);

/* Fills `tensors` (uint32_t, emptied first) with the root tensors alive while step `step` runs:
 * what was there before it and what it makes.  O(buffers). */
void tn_order_log_live(const TnOrderLog *log, uint32_t step, GArray *tensors);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(TnOrderLog, tn_order_log_free)
