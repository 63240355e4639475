/* SPDX-License-Identifier: MIT */
/* Answers about orders and budgets, in a sentence each; owned by the caller. */
#pragma once

#include "analysis/graph-lifetime.h"
#include "analysis/order/compare.h"
#include "app/answer/spill-answer.h"
#include "data/units.h"

/* What the best of the orders gains, and whether that is proved; "" without rows. */
char *tn_answer_build_orders_sentence(const TnOrderComparison *comparison, TnUnits units);
/* Why there is no lower one, or how much is open, or (where there are tensors of unknown size) that
 * the figures are not worth much; "" without rows. */
char *tn_answer_build_orders_reason(const TnOrderComparison *comparison,
                                    const TnDocument *document,
                                    uint32_t n_unsized,
                                    TnUnits units);

/* What a plan or an order takes with the residents beside it: "863.1 MiB in all, more than the
 * budget". A budget is for what these can change: where weights lie, on the device or in flash, no
 * graph says. */
char *
tn_answer_build_residents_sum(tn_bytes peak, tn_bytes residents, tn_bytes budget, TnUnits units);

/* What an arena has beyond the live peak: "fragmentation adds 1.20 %, streams that share nothing 90.08 %"; owned
 * by the caller. */
char *tn_answer_build_added(tn_bytes live_peak, tn_bytes lost, tn_bytes apart);

/* What a plan costs and moves, or why there is none.  `report` has been run. */
char *tn_answer_build_spill_sentence(const TnSpillReport *report, TnUnits units);
/* What is said beside it: that sizes are unknown, what is moved, the link, whether times are
 * estimates, what offsets add, what lies beside them. */
char *tn_answer_build_spill_note(const TnSpillReport *report, TnUnits units);
