/* SPDX-License-Identifier: MIT */
/* The groups of the lifetime bars, where they have any. */
#pragma once

#include "render/view.h"

/* Names beside the lanes of each group, in the colour that it has, and hairlines between them. */
void tn_draw_lane_groups(const TnPaint *paint, const TnView *view, TnRect plot);
