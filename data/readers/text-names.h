/* SPDX-License-Identifier: MIT */
/* What a text speaks of by name (a device, a graph, an arena, a memory), in the order of their first lines, found
 * by name in the time of one look: a log may have hundreds of thousands.  Zeroed it is empty. */
#pragma once

#include <glib.h>

typedef struct {
  GPtrArray *items;    /* of the caller's type, the caller's; NULL: none yet */
  GHashTable *by_name; /* name (the item's own) → item */
} TnTextNames;

/* The item of the `length` bytes at `name`.  NULL where there is none: *out_name is its name then, to be freed or
 * given to the item that tn_text_names_add() takes. */
gpointer tn_text_names_find(TnTextNames *names, const char *name, gsize length, char **out_name);
/* `name` stays the item's and lives as long as it does. */
void tn_text_names_add(TnTextNames *names, const char *name, gpointer item);

static inline guint
tn_text_names_count(const TnTextNames *names)
{
  return names->items ? names->items->len : 0;
}

static inline gpointer
tn_text_names_get(const TnTextNames *names, guint i)
{
  return g_ptr_array_index(names->items, i);
}

/* Empty again; the items are the caller's, and may be gone. */
void tn_text_names_clear(TnTextNames *names);
