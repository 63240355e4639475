/* SPDX-License-Identifier: MIT */
/* Rims around every bar and block that has room for one, where the theme has outlines. */
#pragma once

#include "render/view.h"

void tn_draw_outlines_offsets(const TnPaint *paint, const TnView *view, TnRect plot);
void tn_draw_outlines_lanes(const TnPaint *paint, const TnView *view, TnRect plot);
