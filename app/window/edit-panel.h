/* SPDX-License-Identifier: MIT */
/* The what-if edits of a graph, each with a button that removes it, and the peak and the arena with
 * them beside those without. */
#pragma once

#include "app/window/edits.h"

#include <gtk/gtk.h>

#define TN_TYPE_EDIT_PANEL (tn_edit_panel_get_type())
G_DECLARE_FINAL_TYPE(TnEditPanel, tn_edit_panel, TN, EDIT_PANEL, GtkBox)

/* Of a session that has a graph. */
GtkWidget *tn_edit_panel_new(TnSession *session);
/* Says why something was not done; NULL or the next change: nothing. */
void tn_edit_panel_set_message(TnEditPanel *panel, const char *message);
const char *tn_edit_panel_get_message(TnEditPanel *panel);
