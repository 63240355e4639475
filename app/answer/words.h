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

/* What a plan costs and moves, or why there is none.  `report` has been run. */
char *tn_answer_build_spill_sentence(const TnSpillReport *report, TnUnits units);
/* What is said beside it: that sizes are unknown, what is moved, the link, whether times are
 * estimates, what offsets add. */
char *tn_answer_build_spill_note(const TnSpillReport *report, TnUnits units);
