/* SPDX-License-Identifier: MIT */
/* What a plan leaves on the table: the one that is shown, or GE's, beside the best on the same lives
 * and constraints; by cause, and buffer by buffer. */
#pragma once

#include "app/window/session.h"

#include <gtk/gtk.h>

/* Presents it and starts to plan in the background; a row that is activated is selected in the session.
 * Closing stops the planners. */
void tn_left_dialog_show(GtkWindow *window, TnSession *session);
