/* SPDX-License-Identifier: MIT */
/* The preferences: how sizes are written, colours, contrast, motion, the view that files open in.  What
 * is chosen holds at once, in all windows, and is kept. */
#pragma once

#include <adwaita.h>

/* Puts what is kept in place; once, at the start. */
void tn_preferences_apply(GtkApplication *application);
void tn_preferences_show(GtkWindow *window);
