/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/module.h"

#include <string.h>

char *
tn_module_of_name(const char *name)
{
  const char *slash = strrchr(name, '/'), *dot = strrchr(name, '.');
  const char *cut = slash ? slash : dot;
  return cut && cut > name ? g_strndup(name, (gsize)(cut - name)) : NULL;
}

typedef struct {
  TnModules *modules;
  GHashTable *rows; /* name → row */
} Interner;

/* Takes the name; NULL is module 0. */
static uint32_t
intern(Interner *interner, char *name)
{
  if (!name)
    return 0;
  gpointer had = g_hash_table_lookup(interner->rows, name);
  if (had) {
    g_free(name);
    return GPOINTER_TO_UINT(had);
  }
  uint32_t row = interner->modules->names->len;
  g_ptr_array_add(interner->modules->names, name);
  g_hash_table_insert(interner->rows, name, GUINT_TO_POINTER(row));
  return row;
}

static char *
dup_module_of_site(const TnDocument *document, const TnCallSites *sites, uint32_t site)
{
  uint32_t id = g_array_index(sites->frames, uint32_t, site);
  if (id == TN_NONE)
    return NULL;
  TnFrame frame = tn_stacks_frame(document->stacks, id);
  const char *function = tn_strings_get(document->strings, frame.name);
  const char *dot = strrchr(function, '.');
  if (dot && dot > function)
    return g_strndup(function, (gsize)(dot - function));
  return g_path_get_basename(tn_strings_get(document->strings, frame.file));
}

#define UNKNOWN UINT32_MAX

static uint32_t
module_of_site(Interner *interner, const TnDocument *document, const TnCallSites *sites,
               uint32_t *known, uint32_t site)
{
  if (known[site] == UNKNOWN)
    known[site] = intern(interner, dup_module_of_site(document, sites, site));
  return known[site];
}

static uint32_t *
unknown_new(uint32_t n)
{
  return memset(g_new(uint32_t, MAX(n, 1u)), 0xff, sizeof(uint32_t) * MAX(n, 1u));
}

TnModules *
tn_modules_new(const TnDocument *document, const TnBuffers *buffers, const TnCallSites *sites)
{
  TnModules *modules = g_new0(TnModules, 1);
  g_autoptr(GHashTable) rows = g_hash_table_new(g_str_hash, g_str_equal);
  Interner interner = {modules, rows};
  uint32_t n_names = tn_strings_count(document->strings);
  g_autofree uint32_t *by_name = unknown_new(n_names);
  g_autofree uint32_t *by_site = unknown_new(sites ? sites->n : 0);
  modules->names = g_ptr_array_new_with_free_func(g_free);
  modules->module = g_new0(uint32_t, MAX(buffers->n, 1u));
  g_ptr_array_add(modules->names, g_strdup("no module"));
  for (uint32_t i = 0; i < buffers->n; i++) {
    uint32_t name = tn_buffers_name(buffers, i);
    uint32_t site = sites ? tn_call_sites_of(sites, tn_buffers_stack(buffers, i)) : 0;
    if (name && by_name[name] == UNKNOWN)
      by_name[name] = intern(
          &interner, tn_module_of_name(tn_strings_get(document->strings, name)));
    if (name)
      modules->module[i] = by_name[name];
    else if (site)
      modules->module[i] = module_of_site(&interner, document, sites, by_site, site);
  }
  return modules;
}

void
tn_modules_free(TnModules *modules)
{
  if (!modules)
    return;
  g_ptr_array_unref(modules->names);
  g_free(modules->module);
  g_free(modules);
}
