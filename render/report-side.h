/* SPDX-License-Identifier: MIT */
/* What stands beside the report's maps. */
#pragma once

#include "analysis/finding.h"
#include "render/view.h"

/* Whether there is anything to say there: of totals without a curve there is not. */
bool tn_report_has_side(const TnView *view, const TnFindings *findings);

/* The panel of key figures, what is alive at the peak (which is the legend) and findings, as far as
 * they have room in it.  `findings` may be NULL. */
void tn_draw_report_side(const TnPaint *paint, const TnView *view, TnRect panel,
                         const TnFindings *findings);
