/* SPDX-License-Identifier: MIT */
/* The view of a failed request: one sentence, the account as a bar that adds up, the addresses at the
 * failure with the request drawn to scale, the largest holes, what was alive by call site. */
#pragma once

#include "analysis/oom.h"
#include "analysis/replay/suggest.h"
#include "render/view.h"

/* Draws all of it into `rect` (logical pixels; at least 320 x 300 says something).  `view`: of the
 * study that `oom` was made from, prepared; only its study, units and selection matter.
 * `suggestions` may be NULL. */
void tn_draw_oom(const TnPaint *paint, const TnView *view, TnRect rect, const TnOom *oom,
                 const TnSuggestions *suggestions);

/* What to draw for a study without a failed request: one sentence that says so. */
void tn_draw_no_oom(const TnPaint *paint, TnRect rect);
