/* SPDX-License-Identifier: MIT */
/* Work in parts that know nothing of each other, on all processors. */
#pragma once

#include <glib.h>

typedef void (*TnPartFunc)(gpointer data, guint part);

/* Calls `func` once for each part of [0, n) and returns when all are done: the calling thread works
 * too, threads that have nothing else to do help it (a pool of the process, as many as there are
 * processors besides the caller's).  Any thread; never waits for a helper that has not begun.  The
 * order of the parts is not fixed. */
void tn_parts_run(guint n, TnPartFunc func, gpointer data);

/* Into how many parts to cut what has `n` pieces, each part at least `least` of them: some for each
 * processor, so that none waits long for the last; 1 where there is one processor. */
guint tn_parts_count(guint n, guint least);

/* Milliseconds of processor time that helpers have worked for the calling thread so far. */
double tn_parts_helped_ms(void);

/* The calling thread is a worker from now on: as much of the processors as before, but when it wakes it does not
 * push aside whoever runs (SCHED_BATCH).  Where processors are few, a worker that the user's click wakes
 * would take the main thread's for the 4 ms of a time slice. */
void tn_parts_give_way(void);
