/* SPDX-License-Identifier: MIT */
/* What can be done with the selected buffer, as one menu in every view: at the pointer with the right
 * button, at the selection with the Menu key or Shift + F10.  The items are actions of the window. */
#pragma once

#include <gtk/gtk.h>
#include <stdbool.h>

/* Attaches the menu to `widget`, which must have a layout manager and lie in a window: a right click
 * anywhere in it that nothing inside has taken opens it. */
void tn_context_menu_attach(GtkWidget *widget);
/* Opens it at a rectangle of `over`, a widget inside. */
void tn_context_menu_open(GtkWidget *widget, GtkWidget *over, const GdkRectangle *at);
/* Whether it is on screen. */
bool tn_context_menu_is_open(GtkWidget *widget);
