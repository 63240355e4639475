/* SPDX-License-Identifier: MIT */
/* GE's first level: blocks shared whole, by exact size. */
#include "config.h"

#include "analysis/plan/ge.h"

#include "analysis/plan/order.h"
#include "data/hash.h"

#include <stdlib.h>

#define LARGE 8388608 /* ranges of larger blocks stay apart, with two members or more */
#define LARGE_MEMBERS 2
#define SMALLEST 512

/* ---- ranges of sizes ----------------------------------------------------------------------------
 */

static int
compare_sizes(const void *a, const void *b)
{
  tn_bytes x = *(const tn_bytes *)a, y = *(const tn_bytes *)b;
  return (x > y) - (x < y);
}

/* The largest is halved down to 512: so many ranges, each twice as wide as the one before. */
static uint32_t
count_ranges(tn_bytes smallest, tn_bytes largest)
{
  uint32_t n = 0;
  for (tn_bytes ceiling = smallest; ceiling < largest; n++)
    ceiling = ceiling > INT64_MAX / 2 ? INT64_MAX : ceiling * 2;
  return MAX(n, 1u);
}

/* A range of few members joins the next one, unless it is of large blocks. */
static bool
is_kept(const tn_bytes *sorted, guint first, guint n)
{
  return n >= LARGE_MEMBERS && sorted[first] >= LARGE;
}

GArray *
tn_ge_ceilings_new(const tn_bytes *sizes, uint32_t n)
{
  GArray *ceilings = g_array_new(FALSE, FALSE, sizeof(tn_bytes));
  if (n == 0)
    return ceilings;
  g_autofree tn_bytes *sorted = g_memdup2(sizes, n * sizeof *sizes);
  qsort(sorted, n, sizeof *sorted, compare_sizes);
  tn_bytes ceiling = sorted[n - 1] > SMALLEST ? SMALLEST : sorted[0];
  uint32_t n_ranges = count_ranges(ceiling, sorted[n - 1]), limit = n / n_ranges, first = 0;
  for (uint32_t r = 0, at = 0; r < n_ranges; r++) {
    ceiling = ceiling > INT64_MAX / 2 ? INT64_MAX : ceiling * 2;
    while (at < n && sorted[at] <= ceiling)
      at++;
    bool is_last = at == n;
    if (at == first || (at - first < limit && !is_last && !is_kept(sorted, first, at - first)))
      continue;
    g_array_append_val(ceilings, sorted[at - 1]);
    first = at;
  }
  return ceilings;
}

/* ---- blocks
 * -------------------------------------------------------------------------------------- */

typedef struct {
  uint32_t stream, batch;
  tn_bytes size;
  bool is_cleaned; /* set to 0 together with others: no data comes there */
} Kind;

/* Blocks in order of release; the first `taken` of them are no longer there. */
typedef struct {
  GArray *blocks; /* uint32_t */
  guint taken;
} Released;

typedef struct {
  TnGePlan *plan;
  const GArray *ceilings; /* NULL: sizes as they are */
  GHashTable *released;   /* Kind * → Released * */
  Kind *kind;             /* by item */
  uint32_t *block;        /* by item */
} Walk;

static guint
hash_kind(gconstpointer data)
{
  const Kind *kind = data;
  guint64 mixed = (guint64)kind->size ^ (guint64)kind->stream << 40 ^ (guint64)kind->batch << 20;
  return tn_int64_hash(&mixed);
}

static gboolean
equal_kinds(gconstpointer a, gconstpointer b)
{
  const Kind *x = a, *y = b;
  return x->stream == y->stream && x->batch == y->batch && x->size == y->size &&
         x->is_cleaned == y->is_cleaned;
}

static tn_bytes
block_size(const Walk *walk, tn_bytes size)
{
  tn_bytes rounded = size;
  for (guint i = 0; walk->ceilings && i < walk->ceilings->len; i++)
    if (g_array_index(walk->ceilings, tn_bytes, i) >= size) {
      rounded = g_array_index(walk->ceilings, tn_bytes, i);
      break;
    }
  tn_round_up(rounded, walk->plan->unit, &rounded);
  return rounded;
}

/* Last in, first out; or the other way round. */
static uint32_t
take_released(Walk *walk, const Kind *kind)
{
  Released *released = g_hash_table_lookup(walk->released, kind);
  guint n = released ? released->blocks->len : 0;
  if (!released || released->taken == n)
    return TN_NONE;
  if (walk->plan->variant->is_first_release)
    return g_array_index(released->blocks, uint32_t, released->taken++);
  uint32_t block = g_array_index(released->blocks, uint32_t, n - 1);
  g_array_set_size(released->blocks, n - 1);
  return block;
}

static void
free_released(gpointer data)
{
  g_array_unref(((Released *)data)->blocks);
  g_free(data);
}

/* Contiguous and zero-copy blocks take part in the second level only. */
static bool
is_own(const TnGeItem *item)
{
  return item->is_alone || item->is_continuous || item->is_zero_copy;
}

static void
release(Walk *walk, uint32_t item)
{
  Kind *kind = &walk->kind[item];
  if (is_own(&walk->plan->items[item]))
    return;
  Released *released = g_hash_table_lookup(walk->released, kind);
  if (!released) {
    released = g_new0(Released, 1);
    released->blocks = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    g_hash_table_insert(walk->released, kind, released);
  }
  g_array_append_val(released->blocks, walk->block[item]);
}

static void
allocate(Walk *walk, uint32_t item)
{
  const TnGeItem *own = &walk->plan->items[item];
  uint32_t block = is_own(own) ? TN_NONE : take_released(walk, &walk->kind[item]);
  if (block == TN_NONE)
    block = tn_ge_block_add(walk->plan, item);
  else
    tn_ge_block_append(walk->plan, block, item);
  walk->block[item] = block;
}

static void
order_by(const TnGePlan *plan, bool by_end, uint32_t *order)
{
  g_autofree uint64_t *key = g_new(uint64_t, MAX(plan->n_items, 1u));
  for (uint32_t i = 0; i < plan->n_items; i++)
    key[i] = (uint64_t)(by_end ? plan->items[i].release : plan->items[i].start) ^ 1ull << 63;
  tn_order_by_key(key, plan->n_items, order);
}

/* What is free before an op runs is released before it allocates. */
static bool
walk_ops(Walk *walk)
{
  const TnGePlan *plan = walk->plan;
  g_autofree uint32_t *starts = g_new(uint32_t, MAX(plan->n_items, 1u));
  g_autofree uint32_t *ends = g_new(uint32_t, MAX(plan->n_items, 1u));
  order_by(plan, false, starts);
  order_by(plan, true, ends);
  for (uint32_t i = 0, k = 0; i < plan->n_items; i++) {
    while (k < i && plan->items[ends[k]].release <= plan->items[starts[i]].start)
      release(walk, ends[k++]);
    allocate(walk, starts[i]);
    if (i % 1024 == 0 && tn_progress_is_cancelled(plan->progress))
      return false;
  }
  return true;
}

static GArray *
ceilings_for(const TnGePlan *plan)
{
  if (!plan->variant->is_range && !plan->variant->is_max)
    return NULL;
  g_autofree tn_bytes *size = g_new(tn_bytes, MAX(plan->n_items, 1u));
  tn_bytes largest = 0;
  for (uint32_t i = 0; i < plan->n_items; i++) {
    size[i] = plan->items[i].size;
    largest = MAX(largest, size[i]);
  }
  if (plan->variant->is_range)
    return tn_ge_ceilings_new(size, plan->n_items);
  return tn_ge_ceilings_new(&largest, plan->n_items ? 1 : 0);
}

bool
tn_ge_share_blocks(TnGePlan *plan)
{
  GArray *ceilings = ceilings_for(plan);
  Walk walk = {.plan = plan,
               .ceilings = ceilings,
               .released = g_hash_table_new_full(hash_kind, equal_kinds, NULL, free_released),
               .kind = g_new(Kind, MAX(plan->n_items, 1u)),
               .block = g_new(uint32_t, MAX(plan->n_items, 1u))};
  for (uint32_t i = 0; i < plan->n_items; i++) {
    const TnGeItem *item = &plan->items[i];
    walk.kind[i] = (Kind){item->stream, item->batch, block_size(&walk, item->size), item->is_cleaned};
  }
  bool is_good = walk_ops(&walk);
  g_hash_table_unref(walk.released);
  g_free(walk.kind);
  g_free(walk.block);
  if (ceilings)
    g_array_unref(ceilings);
  return is_good;
}
