/* SPDX-License-Identifier: MIT */
/* Giving memory back: whole segments that nobody uses. */
#include "config.h"

#include "analysis/replay/caching-private.h"

static bool
is_whole_segment(const Block *block)
{
  return block->before == TN_NONE && block->after == TN_NONE && !block->is_expandable;
}

void
tn_caching_release_segment(Caching *c, uint32_t row)
{
  tn_caching_remove_free(c, row);
  c->base.reserved -= c->blocks[row].size;
  tn_caching_drop_block(c, row);
}

/* Rows first: releasing changes the set that is walked. */
static void
release_pool(Caching *c, const Pool *pool)
{
  g_autoptr(GArray) rows = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  for (TnFreeCursor at = tn_free_set_first(&pool->free); tn_free_set_get(&pool->free, at);
       tn_free_set_step(&pool->free, &at)) {
    uint32_t row = tn_free_set_get(&pool->free, at)->block;
    if (c->blocks[row].is_expandable || is_whole_segment(&c->blocks[row]))
      g_array_append_val(rows, row);
  }
  for (guint i = 0; i < rows->len; i++) {
    uint32_t row = g_array_index(rows, uint32_t, i);
    if (c->blocks[row].is_expandable)
      tn_caching_unmap(c, row);
    else
      tn_caching_release_segment(c, row);
  }
}

/* A private pool keeps its segments as long as its graph lives. */
void
tn_caching_release_all(Caching *c)
{
  for (uint32_t i = 0; i < c->n_pools; i++)
    if (!c->pools[i].is_private)
      release_pool(c, &c->pools[i]);
}

bool
tn_caching_release_oversize(Caching *c, const Request *request)
{
  tn_bytes most = c->settings.max_split_size, released = 0;
  if (most == 0)
    return false;
  TnFreeSet *set = &request->pool->free;
  tn_bytes wanted = MAX(request->size, most);
  TnFreeCursor at = tn_free_set_find(set, wanted, 0);
  const TnFreeKey *key = tn_free_set_get(set, at);
  if (key && !c->blocks[key->block].is_expandable) {
    if (!is_whole_segment(&c->blocks[key->block]))
      return false;
    tn_caching_release_segment(c, key->block);
    return true;
  }
  if (key)
    return false;
  while (released < wanted && set->n > 0) {
    TnFreeCursor last = {set->n_chunks - 1, set->chunks[set->n_chunks - 1]->n - 1};
    uint32_t row = tn_free_set_get(set, last)->block;
    if (c->blocks[row].size < most || !is_whole_segment(&c->blocks[row]))
      break;
    released += c->blocks[row].size;
    tn_caching_release_segment(c, row);
  }
  return released >= wanted;
}

/* ---- garbage collection -------------------------------------------------------------------- */

static uint32_t
age_of(const Caching *c, const Block *block)
{
  return c->n_searches - block->gc_base;
}

/* All old enough whole segments of a large pool, past what is missing too: so PyTorch has it, not to
 * collect again soon. */
static void
collect(Caching *c, const Pool *pool, double least_age, tn_bytes *missing, bool *out_has_freed)
{
  g_autoptr(GArray) rows = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  for (TnFreeCursor at = tn_free_set_first(&pool->free); tn_free_set_get(&pool->free, at);
       tn_free_set_step(&pool->free, &at)) {
    uint32_t row = tn_free_set_get(&pool->free, at)->block;
    if (is_whole_segment(&c->blocks[row]) && (double)age_of(c, &c->blocks[row]) >= least_age)
      g_array_append_val(rows, row);
  }
  for (guint i = 0; i < rows->len; i++) {
    uint32_t row = g_array_index(rows, uint32_t, i);
    *missing -= c->blocks[row].size;
    *out_has_freed = true;
    tn_caching_release_segment(c, row);
  }
}

static void
sum_ages(const Caching *c, double *out_age, uint32_t *out_n)
{
  *out_age = 0;
  *out_n = 0;
  for (uint32_t i = 0; i < c->n_pools; i += 2) {
    const TnFreeSet *set = &c->pools[i].free;
    for (TnFreeCursor at = tn_free_set_first(set); tn_free_set_get(set, at);
         tn_free_set_step(set, &at)) {
      const Block *block = &c->blocks[tn_free_set_get(set, at)->block];
      if (!is_whole_segment(block) || c->pools[i].is_private)
        continue;
      *out_age += age_of(c, block);
      ++*out_n;
    }
  }
}

void
tn_caching_collect_garbage(Caching *c)
{
  tn_bytes threshold = (tn_bytes)(c->settings.garbage_collection_threshold * (double)c->base.limit);
  tn_bytes missing = c->base.reserved - threshold;
  double age;
  uint32_t n;
  bool has_freed = true;
  while (missing > 0 && has_freed) {
    sum_ages(c, &age, &n);
    has_freed = false;
    for (uint32_t i = 0; i < c->n_pools && n > 0; i += 2)
      if (!c->pools[i].is_private)
        collect(c, &c->pools[i], age / n, &missing, &has_freed);
  }
}
