/* SPDX-License-Identifier: MIT */
/* A recorded run beside a replayed one: reserved bytes over time, what the device has, where either
 * runs out. */
#pragma once

#include "analysis/replay/replay.h"
#include "render/view.h"

/* Draws the recorded curve (hatched area) and the replayed one (a line) on the view's time axis, the
 * limit as a dashed line, and a mark where the replay runs out.  `result`: with its curve; `limit`:
 * 0: none; `label`: what was changed, such as "expandable_segments=True". */
void tn_draw_what_if(const TnPaint *paint, const TnView *view, TnRect rect,
                     const TnReplayResult *result, tn_bytes limit, const char *label);
