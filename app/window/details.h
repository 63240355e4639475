/* SPDX-License-Identifier: MIT */
/* The side pane: the selected buffer, or else the device's figures, what is alive at the peak (the
 * legend of all views) and the findings. */
#pragma once

#include "app/window/session.h"

#include <gtk/gtk.h>

#define TN_TYPE_DETAILS (tn_details_get_type())
G_DECLARE_FINAL_TYPE(TnDetails, tn_details, TN, DETAILS, GtkBox)

GtkWidget *tn_details_new(TnSession *session);
/* The buffer that is shown, TN_NONE where it is the device. */
tn_index tn_details_get_shown(TnDetails *details);
/* Whether the buffer shown may share memory with the one shown before it; NULL where that is not
 * said.  Borrowed. */
const char *tn_details_get_sharing(TnDetails *details);
