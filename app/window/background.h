/* SPDX-License-Identifier: MIT */
/* Work on another thread whose job is freed on the main thread, always.  With a plain GTask the
 * thread may drop the last reference, and with it a widget or a session, where neither may end. */
#pragma once

#include <glib.h>

typedef void (*TnBackgroundFunc)(gpointer job);

/* `work` runs on another thread, then `done` and `free_job` on the main thread; the job is taken. */
void tn_background_run(gpointer job, TnBackgroundFunc work, TnBackgroundFunc done,
                       GDestroyNotify free_job);

/* The same for long work that nobody waits for, at a low priority. */
void tn_background_run_quietly(gpointer job, TnBackgroundFunc work, TnBackgroundFunc done,
                               GDestroyNotify free_job);
