/* SPDX-License-Identifier: MIT */
#pragma once

#include "app/window/report-content.h"

#include <adwaita.h>

/* Shows the report's first sheet as it will be, asks for format, colours and notes, then for a
 * name; writes it off the main thread.  A toast says that it is done, a dialog that it failed.
 * Takes the content. */
void tn_report_dialog_show(GtkWindow *window, TnReportContent *content, AdwToastOverlay *toasts);
