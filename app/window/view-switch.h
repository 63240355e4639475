/* SPDX-License-Identifier: MIT */
/* A row of toggle buttons that becomes one button with a list where there is no room for them. */
#pragma once

#include <gtk/gtk.h>

/* `buttons`: a widget whose children are toggle buttons with labels, one of them active; those that are
 * not visible are left out of the list.  Show and hide `buttons`' children freely; to hide it all, hide
 * what is returned. */
GtkWidget *tn_view_switch_new(GtkWidget *buttons, const char *label);
