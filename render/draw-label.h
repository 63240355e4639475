/* SPDX-License-Identifier: MIT */
/* The name and the size on a bar or a block. */
#pragma once

#include "render/view.h"

/* Writes on `room`, what the bar has for it, in one line at its middle: name and size, or a name cut
 * in its middle and the size, or the size, or nothing.  The name gives way first, the size never. */
void tn_draw_label(const TnPaint *paint, const TnView *view, tn_index buffer, TnRect room);
