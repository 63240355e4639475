/* SPDX-License-Identifier: MIT */
#pragma once

#include "app/window/report-content.h"

#include <adwaita.h>

/* Whether what the view shows is there to be drawn: orders and budgets are searched first. */
bool tn_picture_dialog_is_possible(const TnReportContent *content, const char *view);

/* Shows the picture as it will be, asks what of it, how large, in which colours and format, then
 * for a name; writes it off the main thread.  `view`: of the page (tn_page_get_view()), NULL of a
 * comparison. Takes the content. */
void tn_picture_dialog_show(GtkWindow *window,
                            TnReportContent *content,
                            const char *view,
                            AdwToastOverlay *toasts);
