/* SPDX-License-Identifier: MIT */
/* The name and the size on a bar or a block. */
#pragma once

#include "render/view.h"

/* Writes on `room`, what the bar has for it, in one line at its middle: name and size, or a name cut
 * in its middle and the size, or the size, or nothing.  The name gives way first, the size never; `sign`
 * ("": none), or its first word, stands before whichever of them is first.  `fill`: the colour below; painted behind the letters where they are to have calm ground. */
void tn_draw_name_and_size(const TnPaint *paint, const char *sign, const char *name, const char *size,
                           uint32_t fill, bool has_ground, TnRect room);

/* The same of a buffer, on its own colour. */
void tn_draw_label(const TnPaint *paint, const TnView *view, tn_index buffer, TnRect room);
