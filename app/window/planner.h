/* SPDX-License-Identifier: MIT */
/* Planning in the window: choose a strategy and a time limit, watch the best-so-far, stop it. */
#pragma once

#include "app/window/session.h"

#include <gtk/gtk.h>

#define TN_TYPE_PLANNER (tn_planner_get_type())
G_DECLARE_FINAL_TYPE(TnPlanner, tn_planner, TN, PLANNER, GtkPopover)

GtkWidget *tn_planner_new(void);
/* The session whose buffers are planned; NULL: none.  What runs for another one goes on. */
void tn_planner_set_session(TnPlanner *planner, TnSession *session);
/* Its tab is closed: what runs for it stops, and nothing of it is shown. */
void tn_planner_forget(TnSession *session);
