/* SPDX-License-Identifier: MIT */
/* Output for a person.  What stands in a file may be anything: on a terminal an escape sequence in a
 * name would move the cursor or set the window's title, and a newline would forge a row. */
#pragma once

#include <glib.h>

/* As printf: on standard output.  In each %s tabs and breaks of lines become spaces; other control
 * characters, those that change the direction of writing, and bytes that are no UTF-8 become U+FFFD.
 * The format's own characters stay.  Conversions: d i u x c s e f g, with flags, width, precision and
 * the lengths l, ll and z. */
void tn_say(const char *format, ...) G_GNUC_PRINTF(1, 2);
/* The same on standard error. */
void tn_say_error(const char *format, ...) G_GNUC_PRINTF(1, 2);
