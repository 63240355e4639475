/* SPDX-License-Identifier: MIT */
/* Many files beside each other: the ranks of a job, the commits of a compiler, buckets of shapes.
 * One live curve each, all at one height scale; the one that does not belong is marked. */
#pragma once

#include "render/draw.h"

typedef struct {
  const TnStudy *const *studies; /* shape n; borrowed */
  uint32_t n;
  uint32_t outlier;     /* TN_NONE: none; tn_multiples_init() finds it by live peak */
  uint32_t selected[2]; /* picked for a comparison, A and B; TN_NONE */
  TnUnits units;
} TnMultiples;

void
tn_multiples_init(TnMultiples *multiples, const TnStudy *const *studies, uint32_t n, TnUnits units);

/* The cell of a study when all are drawn into `rect`; and the study at a point, TN_NONE. */
TnRect tn_multiples_cell(const TnMultiples *multiples, TnRect rect, uint32_t i);
uint32_t tn_multiples_hit(const TnMultiples *multiples, TnRect rect, double x, double y);

void tn_draw_multiples(const TnPaint *paint, const TnMultiples *multiples, TnRect rect);
