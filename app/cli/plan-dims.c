/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/cli/plan-dims.h"

#include "app/cli/cli.h"

#include <string.h>

/* False where it is no NAME=N.  A name may have an '=' of its own, a number has none. */
static bool
add_dim(GHashTable *dims, char *text)
{
  gint64 value;
  char *equals = strrchr(g_strstrip(text), '=');
  if (!equals || !g_ascii_string_to_signed(g_strchug(equals + 1), 10, 1, G_MAXINT64, &value, NULL))
    return false;
  g_autofree char *name = g_strchomp(g_strndup(text, (gsize)(equals - text)));
  if (name[0])
    g_hash_table_insert(dims, g_strdup(name), g_memdup2(&value, sizeof value));
  return name[0] != '\0';
}

GHashTable *
tn_cli_dims_parse(const char *option, const char *text)
{
  g_autoptr(GHashTable) dims = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
  g_auto(GStrv) words = g_strsplit(text, ",", -1);
  bool is_good = words[0] != NULL;
  for (gsize i = 0; is_good && words[i]; i++)
    is_good = add_dim(dims, words[i]);
  if (is_good)
    return g_steal_pointer(&dims);
  tn_cli_complain("%s %s: expected DIM=N,… with whole numbers from 1 on", option, text);
  return NULL;
}

GHashTable *
tn_cli_dims_bound(char **bind, const char *bucket)
{
  GHashTable *dims = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
  g_auto(GStrv) words = g_strsplit(bucket, ",", -1);
  for (gsize i = 0; bind && bind[i]; i++) {
    g_autofree char *text = g_strdup(bind[i]);
    add_dim(dims, text); /* what is no number from 1 on serves nobody */
  }
  for (gsize i = 0; words[i]; i++)
    add_dim(dims, words[i]);
  return dims;
}

bool
tn_cli_dims_serve(GHashTable *bucket, GHashTable *wanted)
{
  GHashTableIter at;
  gpointer name, value;
  g_hash_table_iter_init(&at, wanted);
  while (g_hash_table_iter_next(&at, &name, &value)) {
    const gint64 *given = g_hash_table_lookup(bucket, name);
    if (!given || *given < *(const gint64 *)value)
      return false;
  }
  return true;
}
