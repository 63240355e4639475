/* SPDX-License-Identifier: MIT */
/* Asks where to, makes a file's bytes off the main thread and writes them there; a toast says that
 * it is done, a dialog why not. */
#pragma once

#include <adwaita.h>

typedef struct {
  const char *title;         /* N_("Save Report"), translated when it is shown */
  const char *name;          /* of the file, at first */
  const char *filters[4][2]; /* name and pattern; ended by NULL */
} TnSaveDialog;

/* Runs in a worker; bytes for the path (its ending says which kind), owned by the caller. */
typedef GBytes *(*TnBuildBytes)(gpointer data, const char *path, GError **error);

/* `data` is freed with `free_data` in any case, on the main thread. */
void tn_save_dialog_show(GtkWindow *window,
                         AdwToastOverlay *toasts,
                         const TnSaveDialog *dialog,
                         TnBuildBytes build,
                         gpointer data,
                         GDestroyNotify free_data);
/* The same of the window that a widget is in. */
void tn_save_dialog_show_at(GtkWidget *widget,
                            const TnSaveDialog *dialog,
                            TnBuildBytes build,
                            gpointer data,
                            GDestroyNotify free_data);
