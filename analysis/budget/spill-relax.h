/* SPDX-License-Identifier: MIT */
/* A relaxation of the search for a spill plan, with prices for room and weights for time: what it
 * is worth for any setting of them bounds the seconds that plans lose from below (spill-bound.h).
 */
#pragma once

#include "analysis/budget/spill-windows.h"

typedef struct TnSpillStretch TnSpillStretch;
typedef struct TnSpillUse TnSpillUse;

typedef struct {
  const TnSpillModel *model;
  tn_bytes budget;
  tn_bytes *most;            /* by place: all held, in the largest way that fits */
  double *before;            /* by place, n + 1: least seconds of the ops before it */
  double *least;             /* by op */
  double *need; /* by place: of `most` above the budget, in units of the scale; 0: within */
  double scale;              /* bytes */
  const GArray *windows;     /* TnSpillWindow; borrowed */
  uint32_t *inside;          /* by place: the window that its op lies in; TN_NONE */
  TnSpillStretch *stretches; /* by idle stretch */
  double *price;             /* by place, seconds for a unit */
  GArray *over;              /* uint32_t: places over the budget */
  double *weight;            /* by window */
  double *again;             /* by idle stretch: seconds to make it again */
  double *room;              /* by place: gradient of the price */
  double *slack;             /* by window: gradient of the weight */
  TnSpillUse *uses;          /* by idle stretch of one storage */
} TnSpillRelax;

/* Without windows and with all prices 0. */
void tn_spill_relax_init(TnSpillRelax *relax, const TnSpillModel *model, tn_bytes budget);
void tn_spill_relax_clear(TnSpillRelax *relax);

/* Other windows (TnSpillWindow, ascending, none over another; borrowed), all weights 1; prices
 * stay: they are a good guess. */
void tn_spill_relax_set_windows(TnSpillRelax *relax, const GArray *windows);

/* The bound for the prices and weights at hand, less what sums of such terms may be wrong by; fills
 * both gradients. */
double tn_spill_relax_value(TnSpillRelax *relax);
