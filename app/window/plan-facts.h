/* SPDX-License-Identifier: MIT */
/* Of a plan's buffer, for the side pane: stream, batch, block, kind of place; and whether it could share
 * memory with the buffer that was selected before it. */
#pragma once

#include "app/window/session.h"

#include <gtk/gtk.h>

/* Of the session's study.  `before`: TN_NONE for none.  A box, possibly empty; whether the two may share
 * is found in the background, and stands there when it is. */
GtkWidget *tn_plan_facts_new(TnSession *session, tn_index buffer, tn_index before);
/* That sentence, borrowed; NULL: not asked for, or not found yet. */
const char *tn_plan_facts_get_sharing(GtkWidget *facts);
