/* SPDX-License-Identifier: MIT */
/* Words beside a resting pointer that cost nothing until it rests: gtk_widget_set_tooltip_text() asks the X server
 * four times for where the pointer is, each time and for each widget, shown or not (GTK 4.8). */
#pragma once

#include <gtk/gtk.h>

/* NULL: none any more.  The words are copied, and are the description for assistive technology. */
void tn_tip_set(GtkWidget *widget, const char *text);
/* All of a label's text where it gives way; returns the label. */
GtkWidget *tn_tip_whole(GtkWidget *label);
/* What a pointer that rests there would be told; NULL: nothing.  Borrowed. */
const char *tn_tip_get(GtkWidget *widget);
