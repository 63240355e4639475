/* SPDX-License-Identifier: MIT */
/* GE's second level: a block lies inside a larger one while that is idle.
 *
 *   bytes ^ |======= A =======|                |======= A =======|
 *         | |======= A =======|                |=================|=== B ==|
 *         |                   |=== B ===|  →   |                 |=== C ==|…
 *         |                   |=== C ===|
 *
 * Children of one parent stand beside each other, never on each other: the next one begins where
 * the last one ends.  Members that cross the parent's own stay behind, in a block of their own. */
#include "config.h"

#include "analysis/plan/ge.h"

#include "analysis/plan/order.h"

#include <stdlib.h>

#define DEEPEST 100
#define TOLERANCE 512 /* so much may children pass their parent by, unless they are that small */

typedef struct {
  tn_tick start, end;
} Stretch;

typedef struct {
  TnGePlan *plan;
  GArray *order; /* uint32_t blocks, the largest first; what is split off follows */
} Nest;

static TnGeBlock *
block_at(const Nest *nest, uint32_t i)
{
  return &g_array_index(nest->plan->blocks, TnGeBlock, i);
}

/* ---- order -------------------------------------------------------------------------------------
 */

static tn_tick
begin_of(const TnGePlan *plan, const TnGeBlock *block)
{
  return plan->items[g_array_index(block->members, uint32_t, 0)].start;
}

static gint
compare_blocks(gconstpointer a, gconstpointer b, gpointer data)
{
  const TnGePlan *plan = data;
  uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
  const TnGeBlock *x = &g_array_index(plan->blocks, TnGeBlock, i);
  const TnGeBlock *y = &g_array_index(plan->blocks, TnGeBlock, k);
  tn_tick begin = begin_of(plan, x), other = begin_of(plan, y);
  if (x->size != y->size)
    return x->size > y->size ? -1 : 1;
  if (x->members->len != y->members->len)
    return x->members->len < y->members->len ? -1 : 1;
  if (begin != other)
    return (begin < other) != plan->variant->is_descending ? -1 : 1;
  return i < k ? -1 : i > k;
}

/* ---- idle times
 * ----------------------------------------------------------------------------------- */

static gint
compare_stretches(gconstpointer a, gconstpointer b)
{
  const Stretch *x = a, *y = b;
  return x->start < y->start ? -1 : x->start > y->start;
}

/* When the block's bytes are in use by itself or by what it lies in; sorted, disjoint. */
static GArray *
busy_new(const Nest *nest, uint32_t i)
{
  GArray *busy = g_array_new(FALSE, FALSE, sizeof(Stretch));
  for (; i != TN_NONE; i = block_at(nest, i)->parent) {
    const TnGeBlock *block = block_at(nest, i);
    for (guint m = 0; m < block->members->len; m++) {
      const TnGeItem *item = &nest->plan->items[g_array_index(block->members, uint32_t, m)];
      Stretch stretch = {item->start, item->end};
      g_array_append_val(busy, stretch);
    }
  }
  g_array_sort(busy, compare_stretches);
  return busy;
}

static bool
is_idle(const GArray *busy, const TnGeItem *item)
{
  guint low = 0, high = busy->len;
  while (low < high) { /* the first that ends behind the item's start */
    guint middle = low + (high - low) / 2;
    if (g_array_index(busy, Stretch, middle).end <= item->start)
      low = middle + 1;
    else
      high = middle;
  }
  return low == busy->len || g_array_index(busy, Stretch, low).start >= item->end;
}

/* The members that the idle times hold, and the size that those need. */
static guint
count_fitting(const Nest *nest, const TnGeBlock *child, const GArray *busy, tn_bytes *out_size)
{
  guint n = 0;
  *out_size = 0;
  for (guint m = 0; m < child->members->len; m++) {
    const TnGeItem *item = &nest->plan->items[g_array_index(child->members, uint32_t, m)];
    tn_bytes size = item->size;
    if (!is_idle(busy, item))
      continue;
    tn_round_up(item->size, nest->plan->unit, &size);
    *out_size = MAX(*out_size, size);
    n++;
  }
  return n;
}

/* ---- nesting
 * --------------------------------------------------------------------------------------- */

static bool
has_room(const TnGeBlock *parent, tn_bytes size)
{
  tn_bytes room = parent->size - parent->used;
  bool may_pass = size != TOLERANCE && parent->parent == TN_NONE;
  return size <= room || (may_pass && size <= room + TOLERANCE);
}

/* What crosses the parent's lives leaves the child for a block of its own. */
static void
split(Nest *nest, uint32_t i, const GArray *busy)
{
  TnGeBlock rest = *block_at(nest, i), *child;
  g_autoptr(GArray) all = g_steal_pointer(&block_at(nest, i)->members);
  GArray *kept = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  rest.members = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  rest.size = 0;
  for (guint m = 0; m < all->len; m++) {
    uint32_t row = g_array_index(all, uint32_t, m);
    tn_bytes size = nest->plan->items[row].size;
    tn_round_up(size, nest->plan->unit, &size);
    if (is_idle(busy, &nest->plan->items[row])) {
      g_array_append_val(kept, row);
    } else {
      g_array_append_val(rest.members, row);
      rest.size = MAX(rest.size, size);
    }
  }
  uint32_t added = nest->plan->blocks->len;
  g_array_append_val(nest->plan->blocks, rest);
  g_array_append_val(nest->order, added);
  child = block_at(nest, i);
  child->members = kept;
}

static bool
may_nest(const TnGeBlock *parent, const TnGeBlock *child)
{
  return !child->is_alone && child->parent == TN_NONE && child->n_children == 0 &&
         child->stream == parent->stream && child->batch == parent->batch &&
         child->size <= parent->size;
}

static void
try_child(Nest *nest, uint32_t p, uint32_t c, const GArray *busy)
{
  TnGeBlock *parent = block_at(nest, p), *child = block_at(nest, c);
  tn_bytes size;
  if (!may_nest(parent, child))
    return;
  guint n = count_fitting(nest, child, busy, &size);
  if (n == 0 || !has_room(parent, size))
    return;
  if (n < child->members->len)
    split(nest, c, busy);
  parent = block_at(nest, p); /* the table may have grown */
  child = block_at(nest, c);
  child->size = size;
  child->parent = p;
  child->depth = parent->depth + 1;
  child->within = parent->used;
  parent->used += size;
  parent->n_children++;
  parent->size = MAX(parent->size, parent->used);
}

static void
fill_parent(Nest *nest, guint position)
{
  uint32_t p = g_array_index(nest->order, uint32_t, position);
  if (block_at(nest, p)->is_alone || block_at(nest, p)->depth + 1 >= DEEPEST)
    return;
  g_autoptr(GArray) busy = busy_new(nest, p);
  for (guint k = position + 1; k < nest->order->len; k++) {
    const TnGeBlock *parent = block_at(nest, p);
    if (parent->size - parent->used + TOLERANCE < nest->plan->unit)
      return;
    try_child(nest, p, g_array_index(nest->order, uint32_t, k), busy);
  }
}

bool
tn_ge_nest_blocks(TnGePlan *plan)
{
  Nest nest = {plan, g_array_new(FALSE, FALSE, sizeof(uint32_t))};
  bool is_cancelled = false;
  for (uint32_t i = 0; i < plan->blocks->len; i++)
    g_array_append_val(nest.order, i);
  g_array_sort_with_data(nest.order, compare_blocks, plan);
  for (guint i = 0; i < nest.order->len && !is_cancelled; i++) {
    fill_parent(&nest, i);
    is_cancelled = tn_progress_is_cancelled(plan->progress);
  }
  g_array_unref(nest.order);
  return !is_cancelled;
}
