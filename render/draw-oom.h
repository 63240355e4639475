/* SPDX-License-Identifier: MIT */
/* The view of a failed request: one sentence, the account as a bar that adds up, the addresses at the
 * failure with the request drawn to scale, the largest holes, what was alive by call site. */
#pragma once

#include "analysis/oom.h"
#include "analysis/replay/suggest.h"
#include "render/view.h"

/* A place of the drawing that stands for a buffer. */
typedef struct {
  TnRect rect;
  tn_index buffer;
} TnOomHit;

/* Draws all of it into `rect` (logical pixels; at least 320 x 300 says something).  `view`: of the
 * study that `oom` was made from, prepared; only its study, units and selection matter.
 * `suggestions` may be NULL. */
void tn_draw_oom(const TnPaint *paint, const TnView *view, TnRect rect, const TnOom *oom,
                 const TnSuggestions *suggestions);

/* The same; clears `out_hits` (TnOomHit, may be NULL) and fills it with what can be pointed at, the
 * topmost last. */
void tn_draw_oom_with_hits(const TnPaint *paint, const TnView *view, TnRect rect, const TnOom *oom,
                           const TnSuggestions *suggestions, GArray *out_hits);

/* The buffer at a point, or TN_NONE.  O(hits). */
tn_index tn_oom_hit(const GArray *hits, double x, double y);

/* What to draw for a study without a failed request: a sentence that says so, or what can be done. */
void tn_draw_no_oom(const TnPaint *paint, TnRect rect, const char *sentence);
