/* SPDX-License-Identifier: MIT */
/* A hash of 64 bits for GHashTable, whose own takes the lower half alone (GLib 2.74): keys of a file that differ in the
 * upper half only, as a pair of numbers does, would all fall together, and a million of them take hours.  The mixing
 * is the end of splitmix64 (Steele, Lea, Flood, 2014). */
#pragma once

#include <glib.h>

static inline guint64
tn_mix64(guint64 z)
{
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

/* `key`: a gint64 or guint64; with g_int64_equal(). */
static inline guint
tn_int64_hash(gconstpointer key)
{
  return (guint)(tn_mix64(*(const guint64 *)key) >> 16);
}

/* `key`: a number of 64 bits in a pointer's place, as GSIZE_TO_POINTER() gives; with no equal of its own (NULL). */
static inline guint
tn_direct64_hash(gconstpointer key)
{
  return (guint)(tn_mix64((guint64)GPOINTER_TO_SIZE(key)) >> 16);
}

/* `key`: text with its NUL; with g_str_equal().  g_str_hash() adds 33 times what came before, so that texts of "Ez" and
 * "FY" in any order all fall together; this is FNV-1a of 64 bits (Fowler, Noll, Vo), mixed. */
static inline guint
tn_text_hash(gconstpointer key)
{
  guint64 h = 0xcbf29ce484222325ull;
  for (const guchar *at = key; *at; at++)
    h = (h ^ *at) * 0x100000001b3ull;
  return (guint)(tn_mix64(h) >> 16);
}
