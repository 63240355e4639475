/* SPDX-License-Identifier: MIT */
/* Of a plan's buffer, for the side pane: stream, batch, block, kind of place; and whether it could share
 * memory with the buffer that was selected before it. */
#pragma once

#include "analysis/study.h"

#include <gtk/gtk.h>

/* `before`: TN_NONE for none.  A box, possibly empty; *out_sentence (owned by the caller) says whether
 * the two may share, NULL without `before`. */
GtkWidget *tn_plan_facts_new(const TnStudy *study, tn_index buffer, tn_index before,
                             char **out_sentence);
