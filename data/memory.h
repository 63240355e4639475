/* SPDX-License-Identifier: MIT */
/* How much memory there is, and big columns of it. */
#pragma once

#include <glib.h>

/* Three quarters of the machine's memory, or of what the control group of the process may have. */
gsize tn_memory_default_limit(void);
/* What the process has of its own just now (not counting what it maps of files); 0 where the system
 * does not say. */
gsize tn_memory_in_use(void);

/* Columns of a size known beforehand: room is reserved once (untouched room costs nothing) and backed by
 * large pages, since a page fault for each 4 KiB of a table of ten million rows costs more than filling
 * it.  g_malloc_n(), for g_free().  Growing it later by g_realloc() copies it. */
void *tn_reserve(gsize n, gsize width);
/* The same, all zeros. */
void *tn_reserve_zeros(gsize n, gsize width);
