/* SPDX-License-Identifier: MIT */
/* Big columns of a size known beforehand: room is reserved once (untouched room costs nothing) and
 * backed by large pages, since a page fault for each 4 KiB of a table of ten million rows costs
 * more than filling it. */
#pragma once

#include <glib.h>

/* g_malloc_n(), for g_free().  Growing it later by g_realloc() copies it. */
void *tn_reserve(gsize n, gsize width);
/* The same, all zeros. */
void *tn_reserve_zeros(gsize n, gsize width);
