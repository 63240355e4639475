/* SPDX-License-Identifier: MIT */
/* --memory-limit: who asks for more memory ends with a sentence and TN_EXIT_INPUT, before the system's
 * killer comes. */
#pragma once

#include <glib.h>

/* From now on the process may have `bytes` of memory of its own (0: three quarters of the machine's); what
 * it maps of files is not counted, for the system can take that back.  Once, before threads are started.
 * Does nothing in builds with a sanitizer, whose own memory is without bounds. */
void tn_cli_limit_memory(gsize bytes);

/* From now on it may have an `n`-th of that: so many share it.  Before it does anything else. */
void tn_cli_share_memory(guint n);
