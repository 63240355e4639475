/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/category.h"

#include "analysis/module.h"
#include "data/hash.h"
#include "data/units.h"

#include <stdlib.h>
#include <string.h>

static const char *const grouping_names[] = {"auto", "call-site", "kind",  "op-type",
                                             "size", "space",     "module", "batch",
                                             "stream"};

const char *
tn_grouping_title(TnGrouping grouping)
{
  static const char *const titles[] = {"",     "call site", "kind",  "op type", "size",
                                       "pool", "module",    "batch", "stream"};
  return titles[grouping];
}

const char *
tn_grouping_name(TnGrouping grouping)
{
  return grouping_names[grouping];
}

bool
tn_grouping_from_name(const char *name, TnGrouping *out_grouping)
{
  for (gsize i = 0; i < G_N_ELEMENTS(grouping_names); i++)
    if (g_strcmp0(name, grouping_names[i]) == 0) {
      *out_grouping = (TnGrouping)i;
      return true;
    }
  return false;
}

typedef struct {
  const TnDocument *document;
  const TnDevice *device;
  const TnBuffers *buffers;
  const TnCallSites *sites;
  TnGrouping grouping;
  TnModules *modules; /* TN_GROUP_MODULE only */
} Context;

static bool
has_several_kinds(const TnBuffers *buffers)
{
  for (uint32_t i = 1; i < buffers->n; i++)
    if (buffers->kind[i] != buffers->kind[0])
      return true;
  return false;
}

/* Whether the ops have types that tell them apart at all. */
static bool
has_op_types(const Context *c)
{
  const TnGraph *graph = c->document->graph;
  for (uint32_t i = 0; graph && c->buffers->op && i < graph->ops->len; i++)
    if (tn_graph_op(graph, i)->type != 0)
      return true;
  return false;
}

static TnGrouping
choose(const Context *c)
{
  if (has_op_types(c))
    return TN_GROUP_OP_TYPE;
  if (c->document->kind == TN_DOCUMENT_LOG && c->buffers->stack &&
      tn_stacks_count(c->document->stacks) > 1)
    return TN_GROUP_CALL_SITE;
  return has_several_kinds(c->buffers) && c->document->kind != TN_DOCUMENT_LOG ? TN_GROUP_KIND
                                                                               : TN_GROUP_SIZE;
}

#define KEY_BEFORE (1ull << 40)

/* What two buffers of one group have in common. */
static uint64_t
key_of(const Context *c, uint32_t i)
{
  const TnBuffers *b = c->buffers;
  switch (c->grouping) {
  case TN_GROUP_CALL_SITE: {
    uint32_t site = tn_call_sites_of(c->sites, tn_buffers_stack(b, i));
    return site == 0 && b->kind[i] == TN_KIND_BEFORE ? KEY_BEFORE : site;
  }
  case TN_GROUP_OP_TYPE: {
    uint32_t op = tn_buffers_op(b, i);
    if (b->kind[i] == TN_KIND_WORKSPACE || !c->document->graph ||
        op >= c->document->graph->ops->len)
      return (1ull << 41) + b->kind[i];
    return tn_graph_op(c->document->graph, op)->type;
  }
  case TN_GROUP_SIZE:
    return b->bytes[i] > 0 ? 63u - (uint32_t)__builtin_clzll((unsigned long long)b->bytes[i]) : 0;
  case TN_GROUP_SPACE:
    return tn_buffers_space(b, i);
  case TN_GROUP_MODULE: {
    uint32_t module = c->modules->module[i];
    return module == 0 && b->kind[i] == TN_KIND_BEFORE ? KEY_BEFORE : module;
  }
  case TN_GROUP_BATCH:
    return b->batch ? b->batch[i] : 0;
  case TN_GROUP_STREAM:
    return tn_buffers_stream(b, i);
  default:
    return b->kind[i] == TN_KIND_BEFORE ? KEY_BEFORE : b->kind[i];
  }
}

static char *
name_of_space(const Context *c, uint32_t space)
{
  if (c->device->space_names && space < c->device->space_names->len)
    return g_strdup(g_ptr_array_index(c->device->space_names, space));
  if (space >= c->device->spaces->len)
    return g_strdup("memory");
  const TnSpace *s = &g_array_index(c->device->spaces, TnSpace, space);
  if (s->pool[0] || s->pool[1])
    return g_strdup_printf("stream %" G_GUINT64_FORMAT ", private pool (%d, %d)", s->stream,
                           (int)s->pool[0], (int)s->pool[1]);
  return g_strdup_printf("stream %" G_GUINT64_FORMAT, s->stream);
}

static char *
name_of(const Context *c, uint64_t key)
{
  if (key == KEY_BEFORE)
    return g_strdup("before recording");
  if (key > KEY_BEFORE)
    return g_strdup(tn_kind_name((TnBufferKind)(key & 0xff)));
  switch (c->grouping) {
  case TN_GROUP_CALL_SITE:
    return g_strdup(tn_call_sites_name(c->sites, (uint32_t)key));
  case TN_GROUP_OP_TYPE:
    return g_strdup(key ? tn_strings_get(c->document->strings, (uint32_t)key)
                        : "ops without a type");
  case TN_GROUP_SIZE: {
    char low[48], high[48];
    tn_print_bytes(low, sizeof low, 1ll << key, TN_UNITS_IEC);
    tn_print_bytes(high, sizeof high, key < 62 ? 1ll << (key + 1) : INT64_MAX, TN_UNITS_IEC);
    return g_strdup_printf("%s to %s", low, high);
  }
  case TN_GROUP_SPACE:
    return name_of_space(c, (uint32_t)key);
  case TN_GROUP_MODULE:
    return g_strdup(tn_modules_name(c->modules, (uint32_t)key));
  case TN_GROUP_BATCH:
    return key ? g_strdup(tn_strings_get(c->document->strings, (uint32_t)key)) : g_strdup("no batch");
  case TN_GROUP_STREAM:
    return key == TN_NONE ? g_strdup("stream not said") : g_strdup_printf("stream %u", (uint32_t)key);
  default:
    return g_strdup(tn_kind_name((TnBufferKind)key));
  }
}

static void
clear_group(gpointer data)
{
  g_free(((TnGroup *)data)->name);
}

/* Gives every buffer its group, in the order in which groups are met. */
static void
collect(const Context *c, TnCategories *out)
{
  g_autoptr(GHashTable) rows = g_hash_table_new(tn_int64_hash, g_int64_equal);
  g_autoptr(GPtrArray) keys = g_ptr_array_new_with_free_func(g_free);
  uint64_t last_key = UINT64_MAX;
  uint32_t last_row = 0;
  for (uint32_t i = 0; i < c->buffers->n; i++) {
    uint64_t key = key_of(c, i);
    if (key != last_key) {
      gpointer had;
      if (g_hash_table_lookup_extended(rows, &key, NULL, &had)) {
        last_row = GPOINTER_TO_UINT(had);
      } else {
        TnGroup group = {.name = name_of(c, key),
                         .category = key == KEY_BEFORE ? TN_CATEGORY_BEFORE : TN_CATEGORY_OTHER};
        g_array_append_val(out->groups, group);
        last_row = out->groups->len - 1;
        uint64_t *copy = g_memdup2(&key, sizeof key);
        g_ptr_array_add(keys, copy);
        g_hash_table_insert(rows, copy, GUINT_TO_POINTER(last_row));
      }
      last_key = key;
    }
    out->group[i] = last_row;
    g_array_index(out->groups, TnGroup, last_row).n_all++;
  }
}

typedef struct {
  tn_bytes bytes;
  uint32_t n_all, row;
} Rank;

static int
compare_ranks(const void *a, const void *b)
{
  const Rank *x = a, *y = b;
  if (x->bytes != y->bytes)
    return x->bytes > y->bytes ? -1 : 1;
  if (x->n_all != y->n_all)
    return x->n_all > y->n_all ? -1 : 1;
  return x->row < y->row ? -1 : x->row > y->row;
}

/* Sorts the groups by their bytes and renumbers the buffers; returns nothing but order. */
static void
sort_groups(TnCategories *out, uint32_t n_buffers)
{
  uint32_t n = out->groups->len;
  g_autofree Rank *ranks = g_new(Rank, MAX(n, 1u));
  g_autofree uint32_t *new_row = g_new(uint32_t, MAX(n, 1u));
  for (uint32_t i = 0; i < n; i++) {
    const TnGroup *group = &g_array_index(out->groups, TnGroup, i);
    ranks[i] = (Rank){group->bytes, group->n_all, i};
  }
  qsort(ranks, n, sizeof *ranks, compare_ranks);
  GArray *sorted = g_array_sized_new(FALSE, FALSE, sizeof(TnGroup), n);
  for (uint32_t i = 0; i < n; i++) {
    new_row[ranks[i].row] = i;
    g_array_append_val(sorted, g_array_index(out->groups, TnGroup, ranks[i].row));
  }
  g_array_set_clear_func(out->groups, NULL);
  g_array_unref(out->groups);
  out->groups = sorted;
  g_array_set_clear_func(sorted, clear_group);
  for (uint32_t i = 0; i < n_buffers; i++)
    out->group[i] = new_row[out->group[i]];
}

static void
give_hues(TnCategories *out)
{
  uint8_t next = 0;
  for (guint i = 0; i < out->groups->len && next < TN_MAX_HUES; i++) {
    TnGroup *group = &g_array_index(out->groups, TnGroup, i);
    if (group->category == TN_CATEGORY_OTHER)
      group->category = next++;
  }
}

TnCategories *
tn_categories_new(const TnDocument *document,
                  const TnDevice *device,
                  const TnBuffers *buffers,
                  const TnCallSites *sites,
                  const uint32_t *alive,
                  uint32_t n_alive,
                  TnGrouping grouping)
{
  Context c = {document, device, buffers, sites, grouping, NULL};
  if (grouping == TN_GROUP_AUTO)
    c.grouping = choose(&c);
  if (c.grouping == TN_GROUP_CALL_SITE && !sites)
    c.grouping = TN_GROUP_SIZE;
  c.modules = c.grouping == TN_GROUP_MODULE ? tn_modules_new(document, buffers) : NULL;
  TnCategories *out = g_new0(TnCategories, 1);
  out->grouping = c.grouping;
  out->groups = g_array_new(FALSE, TRUE, sizeof(TnGroup));
  out->category = g_new(uint8_t, MAX(buffers->n, 1u));
  out->group = g_new(uint32_t, MAX(buffers->n, 1u));
  collect(&c, out);
  if (c.modules)
    out->untold = g_strdup(c.modules->untold);
  tn_modules_free(c.modules);
  for (uint32_t i = 0; i < n_alive; i++) {
    TnGroup *group = &g_array_index(out->groups, TnGroup, out->group[alive[i]]);
    group->bytes += buffers->bytes[alive[i]];
    group->n++;
  }
  sort_groups(out, buffers->n);
  give_hues(out);
  for (uint32_t i = 0; i < buffers->n; i++)
    out->category[i] = g_array_index(out->groups, TnGroup, out->group[i]).category;
  return out;
}

void
tn_categories_free(TnCategories *categories)
{
  if (!categories)
    return;
  for (guint i = 0; i < categories->groups->len; i++)
    clear_group(&g_array_index(categories->groups, TnGroup, i));
  g_array_set_clear_func(categories->groups, NULL);
  g_array_unref(categories->groups);
  g_free(categories->category);
  g_free(categories->untold);
  g_free(categories->group);
  g_free(categories);
}
