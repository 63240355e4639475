/* SPDX-License-Identifier: MIT */
/* The file of the command line, read while GTK still starts: a fifth of a second that is not waited for. */
#pragma once

#include <gio/gio.h>
#include <stdbool.h>

/* Begins with the one file among the arguments, where there is one and nothing else; else does nothing.  Main
 * thread, before GTK. */
void tn_early_load_start(int argc, char **argv);

/* The result of the file `path`, if it was begun early and not yet taken, goes to `callback` on the main
 * thread, as that of tn_load_async(), and `cancellable` (may be NULL) ends it; false: read it. */
bool tn_early_load_take(const char *path, GCancellable *cancellable,
                        void (*progress)(double fraction, const char *stage, void *payload), void *payload,
                        GAsyncReadyCallback callback, gpointer user_data);

/* Ends what nobody took. */
void tn_early_load_drop(void);
