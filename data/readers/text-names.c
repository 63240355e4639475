/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "data/readers/text-names.h"

#include "data/hash.h"

gpointer
tn_text_names_find(TnTextNames *names, const char *name, gsize length, char **out_name)
{
  g_autofree char *key = g_strndup(name, length);
  gpointer had = names->by_name ? g_hash_table_lookup(names->by_name, key) : NULL;
  *out_name = had ? NULL : g_steal_pointer(&key);
  return had;
}

void
tn_text_names_add(TnTextNames *names, const char *name, gpointer item)
{
  if (!names->items) {
    names->items = g_ptr_array_new();
    names->by_name = g_hash_table_new(tn_text_hash, g_str_equal);
  }
  g_ptr_array_add(names->items, item);
  g_hash_table_insert(names->by_name, (gpointer)name, item);
}

void
tn_text_names_clear(TnTextNames *names)
{
  g_clear_pointer(&names->by_name, g_hash_table_unref);
  g_clear_pointer(&names->items, g_ptr_array_unref);
}
