/* SPDX-License-Identifier: MIT */
/* Rims around bars and blocks that have room for one: around all where the theme has outlines, around the
 * hits of a search otherwise. */
#pragma once

#include "render/view.h"

void tn_draw_outlines_offsets(const TnPaint *paint, const TnView *view, TnRect plot);
void tn_draw_outlines_lanes(const TnPaint *paint, const TnView *view, TnRect plot);
