/* SPDX-License-Identifier: MIT */
/* Why a request failed, and which settings would have served it: computed off the main thread when
 * the view is first looked at. */
#pragma once

#include "app/window/session.h"

#include <gtk/gtk.h>

#define TN_TYPE_OOM_VIEW (tn_oom_view_get_type())
G_DECLARE_FINAL_TYPE(TnOomView, tn_oom_view, TN, OOM_VIEW, GtkBox)

GtkWidget *tn_oom_view_new(TnSession *session);

/* Which failed request of the device is shown, from 0. */
uint32_t tn_oom_view_get_request(TnOomView *view);
