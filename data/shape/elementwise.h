/* SPDX-License-Identifier: MIT */
/* Rules that other families share: same shape as an input, numpy broadcast, content moved along. */
#pragma once

#include "data/shape/rule.h"

/* Output 0 (only) has the shape and type of input 0. */
void tn_infer_same(TnRuleContext *context);
/* Output 0 is the broadcast of all inputs, with the type of input 0. */
void tn_infer_broadcast(TnRuleContext *context);
/* Output 0's content is input 0's, element by element (shape changed or type converted). */
void tn_evaluate_copy(TnRuleContext *context);
