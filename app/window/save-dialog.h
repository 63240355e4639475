/* SPDX-License-Identifier: MIT */
/* Asks where to, makes a text off the main thread and writes it there; a toast says that it is done,
 * a dialog why not. */
#pragma once

#include <adwaita.h>

/* Runs in a worker; the text is owned by the caller. */
typedef char *(*TnBuildText)(gpointer data);

/* `widget`: any of the window that asks.  `data` is freed with `free_data` in any case. */
void tn_save_dialog_show(GtkWidget *widget,
                         const char *title,
                         const char *name,
                         TnBuildText build,
                         gpointer data,
                         GDestroyNotify free_data);

/* "Report saved as …" with a button that shows it; "The report can’t be saved" and why. */
void tn_save_dialog_say_saved(AdwToastOverlay *toasts, const char *what, const char *path);
void tn_save_dialog_say_failed(GtkWindow *window, const char *what, const GError *error);
