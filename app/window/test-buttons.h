/* SPDX-License-Identifier: MIT */
#pragma once

#include <gtk/gtk.h>

/* Appends `, "buttons": {"Maps": [x, y, width, height], …}`: what can be pressed in a window, by its
 * text or, where it has none, its tooltip; for tests. */
void tn_test_buttons_append(GString *out, GtkWidget *root);
