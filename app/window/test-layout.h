/* SPDX-License-Identifier: MIT */
#pragma once

/* For tests: where TENURE_LAYOUT_FILE names a file, each SIGUSR1 writes there what is shown:
 *   {"windows": [{"title": …, "size": [w, h], "least": [w, h], "widgets": [
 *      {"type": "GtkLabel", "rect": [x, y, w, h], "text": …, "tip": …, "is_cut": true,
 *       "can_focus": true, "has_focus": true}, …]}]}
 * `least`: what the window can't be smaller than.  `is_cut`: a label that shows only a part of its
 * text.  `rect` is in the window's widget, whose shadow begins at (0, 0) of its surface. */
void tn_test_layout_start(void);
