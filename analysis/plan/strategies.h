/* SPDX-License-Identifier: MIT */
/* The strategies, each defined in a file of its own; tn_strategies() in plan.c lists them. */
#pragma once

#include "analysis/plan/plan.h"

extern const TnStrategy tn_strategy_greedy_size;
extern const TnStrategy tn_strategy_greedy_area;
extern const TnStrategy tn_strategy_greedy_start;
extern const TnStrategy tn_strategy_greedy_conflicts;
extern const TnStrategy tn_strategy_first_fit;
extern const TnStrategy tn_strategy_best_fit;
extern const TnStrategy tn_strategy_colour;
extern const TnStrategy tn_strategy_slots;
extern const TnStrategy tn_strategy_ge;
extern const TnStrategy tn_strategy_search;
extern const TnStrategy tn_strategy_exact;
extern const TnStrategy tn_strategy_best;
