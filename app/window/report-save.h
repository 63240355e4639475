/* SPDX-License-Identifier: MIT */
#pragma once

#include "app/window/report-content.h"

#include <adwaita.h>

/* Asks for a name, then writes the report off the main thread.  A toast says that it is done, a
 * dialog that it failed. */
void tn_report_save(GtkWindow *window,
                    TnReportContent *content,
                    TnReportFormat format,
                    const char *notes,
                    bool is_dark,
                    AdwToastOverlay *toasts);
