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

/* On a machine of 64 bits a type is a pointer's worth. */
static gpointer
key_of(int64_t type)
{
  return GSIZE_TO_POINTER((gsize)type);
}

GHashTable *
tn_ge_types_new(void)
{
  return g_hash_table_new(tn_direct64_hash, NULL);
}

bool
tn_ge_find_space(GHashTable *types, int64_t type, uint32_t *out_space)
{
  gpointer space;
  if (!g_hash_table_lookup_extended(types, key_of(type), NULL, &space))
    return false;
  *out_space = GPOINTER_TO_UINT(space);
  return true;
}

uint32_t
tn_ge_space(TnDevice *device, GHashTable *types, int64_t type)
{
  uint32_t space;
  if (tn_ge_find_space(types, type, &space))
    return space;
  space = device->space_names->len;
  g_hash_table_insert(types, key_of(type), GUINT_TO_POINTER(space));
  g_ptr_array_add(device->space_names, dup_name(type));
  return space;
}
