/* SPDX-License-Identifier: MIT */
/* The live set as a treemap, or call stacks as a flame graph, at the session's moment. */
#pragma once

#include "app/window/box-layout.h"

#include <gtk/gtk.h>

typedef enum { TN_BOX_VIEW_LIVE_SET, TN_BOX_VIEW_FLAME } TnBoxViewMode;

#define TN_TYPE_BOX_VIEW (tn_box_view_get_type())
G_DECLARE_FINAL_TYPE(TnBoxView, tn_box_view, TN, BOX_VIEW, GtkBox)

GtkWidget *tn_box_view_new(TnSession *session, TnBoxViewMode mode);

/* What the live set is grouped by; NULL: as it is coloured.  Borrowed, until the study changes. */
TnBoxGroups *tn_box_view_get_groups(TnBoxView *view);
/* Of call stacks. */
TnFlameWeight tn_box_view_get_weight(TnBoxView *view);
bool tn_box_view_has_framework(TnBoxView *view);
