/* SPDX-License-Identifier: MIT */
/* A legend that flows over lines: a swatch and words each, as many as have room; those that don't are
 * counted. */
#pragma once

#include "render/paint.h"

#define TN_LEGEND_LINE 17.0

typedef struct {
  const TnPaint *paint;
  double x, y, right, bottom; /* y: of the line that is being filled */
  double at;                  /* where the next one goes */
} TnLegend;

/* It fills `rect` from its top; its first line stands even where that is too low. */
void tn_legend_init(TnLegend *legend, const TnPaint *paint, TnRect rect);

/* Paints the words of the next; *out_swatch: where the caller paints its swatch.  False where it has
 * no room, then nothing is painted.  `is_last`: none follows that would have to be counted. */
bool tn_legend_put(TnLegend *legend, const char *words, bool is_last, TnRect *out_swatch);

/* Says how many were left out, if any.  Returns where the legend ends. */
double tn_legend_finish(TnLegend *legend, guint n_left);
