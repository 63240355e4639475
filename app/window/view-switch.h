/* SPDX-License-Identifier: MIT */
/* A row of toggle buttons that becomes one button with a list where there is no room for them. */
#pragma once

#include <gtk/gtk.h>

/* `buttons`: a widget whose children are toggle buttons with labels, one of them active; those that are
 * not visible are left out of the list.  Show and hide `buttons`' children freely; to hide it all, hide
 * what is returned. */
GtkWidget *tn_view_switch_new(GtkWidget *buttons, const char *label);

/* In a window at least this wide the buttons of `view_switch` keep their room, and a title beside them
 * gives way; below, the list comes where the title needs the room. */
#define TN_VIEW_SWITCH_ROOMY 1200
void tn_view_switch_follow_width(GtkWidget *view_switch, int window_width);
