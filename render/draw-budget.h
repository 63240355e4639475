/* SPDX-License-Identifier: MIT */
/* A spill plan: what each budget costs, and the chosen one's lanes of compute and copies.  Hidden
 * copies are solid, what compute waits for is hatched. */
#pragma once

#include "analysis/budget/spill-run.h"
#include "analysis/budget/spill.h"
#include "data/units.h"
#include "render/paint.h"

typedef struct {
  const TnGraph *graph; /* names of ops and storages; borrowed, as is all here */
  const TnStrings *strings;
  const TnSpillAnswer *answer; /* the plan of the budget at hand; NULL: none yet */
  const TnSpillRun *run;       /* of it; NULL where there is no plan */
  const GArray *sweep;         /* TnSpillPoint, budgets ascending, as far as they are known */
  bool is_swept;               /* all of them are */
  double seconds;              /* of all ops without a plan */
  tn_bytes budget, smallest, largest; /* at hand; the ends of the curve */
  uint32_t smallest_op; /* TN_NONE: what is there at the start */
  tn_bytes order_peak;  /* of the best order alone; 0: unknown */
  bool adds_batches;    /* as the answer: nothing is proved */
  TnUnits units;
} TnBudgetPicture;

/* Of an answer with its sweep and its plan's run; binary units. */
void tn_budget_picture_init(TnBudgetPicture *picture,
                            const TnGraph *graph,
                            const TnStrings *strings,
                            const TnSpillAnswer *answer,
                            const TnSpillRun *run);

/* Overhead against budget. */
void tn_draw_sweep(const TnPaint *paint, const TnBudgetPicture *picture, TnRect rect);
/* The budget under a point of that drawing, between the smallest and the largest; -1 outside. */
tn_bytes tn_sweep_budget_at(const TnBudgetPicture *picture, TnRect rect, double x);

/* Memory over time with the budget; below it compute, copies out, copies in. */
void tn_draw_lanes(const TnPaint *paint, const TnBudgetPicture *picture, TnRect rect);
/* What is at a point of that drawing, its times, and how much of a copy compute waits for; NULL:
 * nothing.  Owned by the caller. */
char *tn_lanes_build_text_at(const TnBudgetPicture *picture, TnRect rect, double x, double y);

/* A page of its own: `title`, both drawings, `note` below. */
void tn_draw_budget_page(const TnPaint *paint,
                         const TnBudgetPicture *picture,
                         TnRect rect,
                         const char *title,
                         const char *note);
