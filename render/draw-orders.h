/* SPDX-License-Identifier: MIT */
/* Orders of a graph's ops beside each other: what is alive at each step, one line an order. */
#pragma once

#include "analysis/order/compare.h"
#include "data/units.h"
#include "render/paint.h"

typedef struct {
  const TnOrderComparison *comparison; /* borrowed */
  guint selected;                      /* row drawn above all others; TN_NONE: none */
  uint32_t step;                       /* marked; TN_NONE: none */
  TnUnits units;
} TnOrdersPicture;

/* The lines with their legend, the bound, the selected order's peak. */
void tn_draw_orders(const TnPaint *paint, const TnOrdersPicture *picture, TnRect rect);
/* The step under a point of that drawing; TN_NONE outside. */
uint32_t tn_orders_step_at(const TnOrdersPicture *picture, TnRect rect, double x);

/* A page of its own: `title`, the lines, a table of the orders, `note` (why none is lower) below.
 */
void tn_draw_orders_page(const TnPaint *paint,
                         const TnOrdersPicture *picture,
                         TnRect rect,
                         const char *title,
                         const char *note);

/* "−31.0 %" against the file's order, "0 %" where it is the same; owned. */
char *tn_orders_build_change(const TnOrderComparison *comparison, guint row);
