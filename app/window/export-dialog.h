/* SPDX-License-Identifier: MIT */
#pragma once

#include "app/window/session.h"

#include <adwaita.h>

/* Asks where to, then writes the report of what is shown (PNG, SVG or PDF by the name's ending) off
 * the main thread; a toast says that it is done, a dialog that it failed. */
void tn_export_dialog_show(GtkWindow *window, TnSession *session, AdwToastOverlay *toasts);
