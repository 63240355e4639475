/* SPDX-License-Identifier: MIT */
/* All methods of ordering, one after the other in a worker; each order is handed over when it is
 * found.  Main thread only. */
#pragma once

#include "analysis/order/compare.h"
#include "app/window/session.h"

typedef struct {
  /* `row` may be taken (and is cleared else); then `next` (NULL: that was the last) is searched. */
  void (*found)(TnOrderRow *row, const TnOrderMethod *next, gpointer data);
  /* The graph has no order that can be worked on; nothing follows. */
  void (*failed)(const GError *error, gpointer data);
} TnOrdersJobCalls;

typedef struct TnOrdersJob TnOrdersJob;

/* Of the session's graph as it is shown, by the rules of its study's runtime, `seconds` for each method; what they
 * are compared with is the order of the file (or as the edits made it), whichever is shown.
 * Owned by the caller; `data` is used until tn_orders_job_drop(). */
TnOrdersJob *tn_orders_job_start(TnSession *session,
                                 double seconds,
                                 const TnOrdersJobCalls *calls,
                                 gpointer data);
/* Ends the method that runs with the best it has, which is handed over; no other is begun. */
void tn_orders_job_stop(TnOrdersJob *job);
/* Nothing is handed over from now on; frees the job. */
void tn_orders_job_drop(TnOrdersJob *job);
