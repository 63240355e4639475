/* SPDX-License-Identifier: MIT */
/* The parts of draw-oom.c; each paints below `top` and returns the height it took. */
#pragma once

#include "render/draw-oom.h"

#define TN_OOM_STRIP 34.0 /* height of the address strip */

typedef struct {
  const TnPaint *paint;
  const TnView *view;
  const TnOom *oom;
  const TnSuggestions *suggestions;
  GArray *hits; /* TnOomHit; may be NULL */
} TnOomPage;

static inline void
tn_oom_add_hit(const TnOomPage *page, TnRect rect, tn_index buffer)
{
  TnOomHit hit = {rect, buffer};
  if (page->hits)
    g_array_append_val(page->hits, hit);
}

/* A part's title, 22 pixels high. */
double tn_oom_heading(const TnOomPage *page, double x, double top, double width, const char *text);

/* oom-ledger.c */
double tn_oom_paint_ledger(const TnOomPage *page, double x, double top, double width);
/* oom-strip.c: title, strip, the request and the pinning blocks at its scale */
double tn_oom_paint_strip(const TnOomPage *page, double x, double top, double width);
/* oom-holes.c: the request, the largest holes that it might use, the best place, on one scale */
void tn_oom_paint_holes(const TnOomPage *page, TnRect rect);
/* oom-live.c: alive by call site, with growth */
void tn_oom_paint_live(const TnOomPage *page, TnRect rect);
