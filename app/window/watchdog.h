/* SPDX-License-Identifier: MIT */
/* How long the main thread is kept from its loop, and how long frames and pictures take: for tests and
 * measurements only. */
#pragma once

#include <gtk/gtk.h>

/* Where the environment names a file in TENURE_WATCHDOG: appends a line to it for each stretch of more
 * than 20 ms in which the main loop did not turn, "when wall cpu" in milliseconds (`when` since the
 * start; `cpu` is what the main thread itself computed meanwhile: the rest it waited).  Else nothing. */
void tn_watchdog_start(void);

/* With TENURE_WATCHDOG_FRAMES=1 besides: a line "frame MS CPU" for each frame of the widget's window,
 * from before its layout until it is painted, and ... */
void tn_watchdog_watch_frames(GtkWidget *widget);
/* ... "NAME MS CPU" for what the user did: from its begin, where it comes in, to its end, where it has been dealt
 * with, and the whole of the next frame (between them the screen's next turn is waited for), and ... */
void tn_watchdog_begin_input(const char *name);
void tn_watchdog_end_input(void);
/* ... "picture MS CPU" for a picture that was asked for at `since` (monotonic µs) and is here now; its
 * thread worked for `cpu` ms. */
void tn_watchdog_note_picture(gint64 since, double cpu);
/* Milliseconds that the calling thread has worked so far. */
double tn_watchdog_thread_ms(void);
