/* SPDX-License-Identifier: MIT */
/* Keys that mean something to an entry (P, O, 1, /; Ctrl + V): they act in the whole window, but
   never while a text is typed.  An application's accelerators can't do that: GTK takes them before
   the focused entry. */
#pragma once

#include <adwaita.h>

/* Whether an entry would take the accelerator: a character, with Shift or
 * without, or Ctrl + V. */
bool tn_plain_keys_has(const char *accelerator);
/* Binds the plain ones among tn_application_accelerators() to the window's actions. */
void tn_plain_keys_add(GtkWidget *window);
