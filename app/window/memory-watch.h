/* SPDX-License-Identifier: MIT */
/* A file that needs more memory than there is ends as an error of its tab, not of the machine. */
#pragma once

#include "data/progress.h"

#include <gio/gio.h>

typedef struct {
  TnProgress *progress; /* of the work; borrowed, as long as the task lives */
  gsize limit;          /* bytes of the process; 0: three quarters of the machine */
  gint is_over;         /* atomic: the work was told to stop for this */
} TnMemoryWatch;

/* From now until the task is done looks every 100 ms at what the process has; above the limit the work is
 * cancelled and watch->is_over set.  `watch` is the task's own data.  Main thread. */
void tn_memory_watch_start(TnMemoryWatch *watch, GTask *task);

/* Puts the reason in the place of a "cancelled" that was the watch's doing. */
void tn_memory_watch_explain(const TnMemoryWatch *watch, const char *name, GError **error);
