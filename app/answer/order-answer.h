/* SPDX-License-Identifier: MIT */
/* An order that was found, with all that is said of it: offsets, the reason, JSON. */
#pragma once

#include "analysis/order/log.h"
#include "analysis/order/order.h"
#include "data/document.h"
#include "data/units.h"

#include <cjson/cJSON.h>

typedef struct {
  const TnDocument *document;
  const TnOrderAnswer *answer;
  TnGraphLifetimeParams lifetime;
  double time_limit;        /* seconds for the answer and the offsets; 0: a second for these */
  const TnOrderLog *log;    /* of the answer's order: lists its steps; NULL: they are left out */
  tn_bytes budget;          /* that was asked about; 0: none */
  tn_bytes resident, arena; /* arena: of the offsets; -1: none */
  tn_bytes apart;           /* what streams that share nothing need of it beyond the peak */
  uint32_t n_unsized;
  TnUnits units; /* of the reason */
} TnOrderReport;

/* Fills arena, apart, resident and n_unsized: what a planner makes of the order within a second or so. */
void tn_order_report_plan_offsets(TnOrderReport *report);

/* What of the arena nobody holds when most is alive; there is one. */
tn_bytes tn_order_report_fragmentation(const TnOrderReport *report);

/* Why no order is smaller, or how much is open; owned. */
char *tn_order_report_build_reason(const TnOrderReport *report);

/* A `tenure-order`, which --order reads; owned. */
cJSON *tn_order_report_build_json(const TnOrderReport *report);
