/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "data/readers/ge-memory.h"

#include "data/hash.h"

#define SESSION_SCOPE ((int64_t)1 << 32)

static char *
dup_name(int64_t type)
{
  static const struct {
    int64_t type;
    const char *name;
  } known[] = {{TN_GE_MEMORY_HBM, "HBM"},
               {0x10, "P2P HBM"},
               {0x11, "P2P DDR"},
               {0x40, "TS"},
               {0x80, "host"},
               {0x8000, "UB"},
               {0x10000, "L1"}};
  int64_t plain = type & ~SESSION_SCOPE;
  const char *scope = type & SESSION_SCOPE ? ", session" : "";
  for (gsize i = 0; i < G_N_ELEMENTS(known); i++)
    if (known[i].type == plain)
      return g_strconcat(known[i].name, scope, NULL);
  return g_strdup_printf("memory type 0x%" G_GINT64_MODIFIER "x%s", plain, scope);
}

GHashTable *
tn_ge_types_new(void)
{
  return g_hash_table_new_full(tn_int64_hash, g_int64_equal, g_free, NULL);
}

uint32_t
tn_ge_space(TnDevice *device, GHashTable *types, int64_t type)
{
  gint64 key = type;
  gpointer had = g_hash_table_lookup(types, &key);
  if (had)
    return GPOINTER_TO_UINT(had) - 1;
  g_ptr_array_add(device->space_names, dup_name(type));
  g_hash_table_insert(types, g_memdup2(&key, sizeof key), GUINT_TO_POINTER(device->space_names->len));
  return device->space_names->len - 1;
}
