/* SPDX-License-Identifier: MIT */
/* GE's second level: a block lies inside a larger one while that is idle.
 *
 *   bytes ^ |======= A =======|                |======= A =======|
 *         | |======= A =======|                |=================|=== B ==|
 *         |                   |=== B ===|  →   |                 |=== C ==|…
 *         |                   |=== C ===|
 *
 * Children of one parent stand beside each other, never on each other: the next one begins where the
 * last one ends.  A block goes into the deepest child that has room, else into the parent itself.
 * Members that cross the parent's own stay behind, in a block of their own (only once the rest has
 * found a place).  Between streams, and for zero-copy and contiguous blocks, whole blocks come before
 * or after each other. */
#include "config.h"

#include "analysis/plan/ge-candidates.h"

#include "analysis/plan/order.h"

#include <stdlib.h>

#define DEEPEST 100
#define TOLERANCE 512 /* so much may children pass their parent by, unless they are that small */

typedef struct {
  TnGePlan *plan;
  TnGeCandidates *candidates;
  GArray *kept;   /* uint32_t: members that are clear of the parents so far, level after level */
  uint32_t place; /* of the block that is tried */
} Nest;

/* ---- order -------------------------------------------------------------------------------------
 */

/* Contiguous blocks by what they hold, without rounding. */
static tn_bytes
size_of(const TnGeBlock *block)
{
  return block->is_continuous ? block->real : block->align;
}

static gint
compare_blocks(gconstpointer a, gconstpointer b, gpointer data)
{
  const TnGePlan *plan = data;
  uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
  const TnGeBlock *x = tn_ge_block(plan, i), *y = tn_ge_block(plan, k);
  if (size_of(x) != size_of(y))
    return size_of(x) > size_of(y) ? -1 : 1;
  if (!plan->variant->is_descending && x->members->len != y->members->len)
    return x->members->len < y->members->len ? -1 : 1;
  if (x->start != y->start)
    return (x->start < y->start) != plan->variant->is_descending ? -1 : 1;
  return i < k ? -1 : i > k;
}

/* ---- lives
 * ---------------------------------------------------------------------------------------------- */

/* All of `later` after all of `earlier`.  Neighbours may be written on several streams. */
static bool
comes_after(const TnGePlan *plan, TnGeBlock *earlier, TnGeBlock *later)
{
  if (earlier->stream == later->stream && !later->has_many_begins)
    return later->start >= earlier->release;
  return later->start >= earlier->end && tn_ge_block_follows(plan, earlier, later);
}

static bool
are_apart(const TnGePlan *plan, TnGeBlock *a, TnGeBlock *b)
{
  return comes_after(plan, a, b) || comes_after(plan, b, a);
}

/* Whether no member of the block is alive, or still in use, during the item. */
static bool
is_idle(const TnGeBlock *block, const TnGeMember *item)
{
  guint low = 0, high = block->members->len;
  if (item->code > block->widest[item->window])
    return false;
  while (low < high) { /* the first that is released behind the item's start */
    guint middle = low + (high - low) / 2;
    if (tn_ge_member(block, middle)->release <= item->start)
      low = middle + 1;
    else
      high = middle;
  }
  return low == block->members->len || tn_ge_member(block, low)->start >= item->release;
}

/* Of the members in kept[from, to) those that are clear of the parent's are appended; false where none
 * is.  `from` TN_NONE: of all members.  Only within one stream are lives looked at one by one. */
static bool
keep_clear(Nest *nest, TnGeBlock *parent, TnGeBlock *block, guint from, guint to)
{
  bool are_alike = parent->stream == block->stream && !parent->has_foreign && !block->has_foreign;
  bool is_whole = are_apart(nest->plan, parent, block), is_all = from == TN_NONE;
  guint first = is_all ? 0 : from, end = is_all ? block->members->len : to;
  for (guint k = first; k < end && (is_whole || are_alike); k++) {
    uint32_t m = is_all ? k : g_array_index(nest->kept, uint32_t, k);
    if (is_whole || is_idle(parent, tn_ge_member(block, m)))
      g_array_append_val(nest->kept, m);
  }
  return nest->kept->len > to;
}

/* ---- nesting
 * --------------------------------------------------------------------------------------- */

/* What is quick to see: whole blocks only between streams, and for what the caller or neighbours
 * hold. */
static bool
may_be_idle(const TnGeBlock *parent, const TnGeBlock *block)
{
  bool is_whole = parent->stream != block->stream || parent->has_foreign || block->has_foreign ||
                  parent->is_zero_copy || block->is_zero_copy || parent->is_continuous ||
                  block->is_continuous;
  if (is_whole)
    return block->start >= parent->end || parent->start >= block->end;
  return tn_ge_block_may_hold(parent, block);
}

static bool
may_meet(const TnGeBlock *parent, const TnGeBlock *block)
{
  bool types_conflict = (parent->has_cleaned && block->has_data) ||
                        (parent->has_data && block->has_cleaned);
  bool is_caller_kept = (parent->is_zero_copy && block->is_continuous) ||
                        (parent->is_continuous && block->is_zero_copy);
  return !parent->is_alone && !block->is_alone && !block->children && parent->batch == block->batch &&
         !types_conflict && !is_caller_kept;
}

static bool
has_room(const TnGeBlock *parent, const TnGeBlock *block)
{
  tn_bytes room = parent->align - parent->used;
  return block->align <= (block->align == TN_GE_UNIT ? room : room + TOLERANCE);
}

/* No block that asks for more than this fits into it, or into what lies in it. */
static void
refresh_room(const TnGePlan *plan, TnGeBlock *block)
{
  block->room = block->align - block->used + TOLERANCE;
  for (guint i = 0; block->children && i < block->children->len; i++) {
    tn_bytes room = tn_ge_block(plan, g_array_index(block->children, uint32_t, i))->room;
    block->room = MAX(block->room, room);
  }
}

static void
put_into(Nest *nest, uint32_t p, uint32_t c)
{
  TnGeBlock *parent = tn_ge_block(nest->plan, p), *child = tn_ge_block(nest->plan, c);
  if (!parent->children)
    parent->children = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  g_array_append_val(parent->children, c);
  parent->used += child->align;
  child->parent = p;
  for (; p != TN_NONE; p = tn_ge_block(nest->plan, p)->parent)
    refresh_room(nest->plan, tn_ge_block(nest->plan, p));
}

/* Members that are not in kept[from, …) leave for a block of their own. */
static void
split(Nest *nest, uint32_t c, guint from)
{
  TnGePlan *plan = nest->plan;
  const TnGeBlock *block = tn_ge_block(plan, c);
  guint n = nest->kept->len - from;
  if (n == block->members->len)
    return;
  g_autoptr(GArray) all = g_array_ref(block->members);
  GArray *kept = g_array_new(FALSE, FALSE, sizeof(TnGeMember));
  GArray *others = g_array_new(FALSE, FALSE, sizeof(TnGeMember));
  for (guint m = 0, k = from; m < all->len; m++) {
    bool is_kept = k < nest->kept->len && g_array_index(nest->kept, uint32_t, k) == m;
    k += is_kept;
    g_array_append_val(is_kept ? kept : others, g_array_index(all, TnGeMember, m));
  }
  uint32_t rest = tn_ge_block_add_rest(plan, c, others);
  g_array_unref(tn_ge_block(plan, c)->members);
  tn_ge_block(plan, c)->members = kept;
  tn_ge_block_refresh(plan, c);
  tn_ge_block_refresh(plan, rest);
  tn_ge_candidates_append(nest->candidates, rest);
}

/* Zero-copy and contiguous blocks are parents only, of whole blocks, and give no byte beyond what
 * they hold; the one that is tried may take the other's place as parent where both ask for the same. */
static bool
try_special(Nest *nest, uint32_t p, uint32_t c)
{
  TnGeBlock *parent = tn_ge_block(nest->plan, p), *block = tn_ge_block(nest->plan, c);
  bool is_special = parent->is_zero_copy || parent->is_continuous;
  bool is_other = block->is_zero_copy || block->is_continuous;
  if (!is_special && !is_other)
    return false;
  if ((is_special && is_other) || !are_apart(nest->plan, parent, block))
    return true;
  bool are_first = parent->used == 0 && block->used == 0 && parent->real == block->real &&
                   !parent->is_continuous && !block->is_continuous;
  if (is_special && (parent->used + block->align <= parent->real || are_first)) {
    put_into(nest, p, c);
    tn_ge_candidates_remove(nest->candidates, nest->place);
  } else if (is_other && parent->align == block->align && !parent->children &&
             (parent->align <= block->real || are_first) && parent->parent == TN_NONE) {
    put_into(nest, c, p);
    tn_ge_candidates_remove(nest->candidates, nest->place);
  }
  return true;
}

static bool
may_go_into(const TnGeBlock *parent, const TnGeBlock *block)
{
  return block->align <= parent->room && may_be_idle(parent, block) && may_meet(parent, block);
}

/* The first child from `i` on that might have room. */
static guint
next_child(const TnGePlan *plan, const TnGeBlock *parent, guint i, const TnGeBlock *block)
{
  guint n = parent->children ? parent->children->len : 0;
  while (i < n && !may_go_into(tn_ge_block(plan, g_array_index(parent->children, uint32_t, i)), block))
    i++;
  return i < n ? i : TN_NONE;
}

/* Puts block `c`, with its members in kept[from, to), into `p` or what lies in it; true where its turn
 * with this parent is over. */
static bool
try_parent(Nest *nest, uint32_t p, uint32_t c, guint from, guint to, int depth)
{
  TnGePlan *plan = nest->plan;
  TnGeBlock *parent = tn_ge_block(plan, p), *block = tn_ge_block(plan, c);
  if (depth > DEEPEST || try_special(nest, p, c))
    return depth <= DEEPEST;
  bool has_own = has_room(parent, block), is_placed = false;
  guint child = next_child(plan, parent, 0, block);
  if ((!has_own && child == TN_NONE) || !keep_clear(nest, parent, block, from, to)) {
    g_array_set_size(nest->kept, to);
    return false;
  }
  for (guint own = nest->kept->len; child != TN_NONE && !is_placed;) {
    uint32_t row = g_array_index(tn_ge_block(plan, p)->children, uint32_t, child);
    is_placed = try_parent(nest, row, c, to, own, depth + 1);
    if (!is_placed)
      child = next_child(plan, tn_ge_block(plan, p), child + 1, tn_ge_block(plan, c));
  }
  if (!is_placed && has_own) {
    split(nest, c, to);
    put_into(nest, p, c);
    tn_ge_candidates_remove(nest->candidates, nest->place);
    is_placed = true;
  }
  g_array_set_size(nest->kept, to);
  return is_placed;
}

static TnGeIdle
idle_of(const TnGeBlock *block)
{
  TnGeIdle idle = {block->room, block->start, block->end, -1};
  for (guint m = 1; m < block->members->len; m++)
    idle.longest_gap = MAX(idle.longest_gap,
                           tn_ge_member(block, m)->start - tn_ge_member(block, m - 1)->end);
  return idle;
}

/* Goes through the blocks behind this one. */
static void
fill_parent(Nest *nest, uint32_t place)
{
  uint32_t p = tn_ge_candidates_at(nest->candidates, place), next = place + 1;
  const TnGeBlock *parent = tn_ge_block(nest->plan, p);
  TnGeIdle idle = idle_of(parent);
  while (tn_ge_block(nest->plan, p)->parent == TN_NONE) {
    idle.room = tn_ge_block(nest->plan, p)->room;
    next = tn_ge_candidates_next(nest->candidates, next, &idle);
    if (next == TN_NONE)
      return;
    uint32_t c = tn_ge_candidates_at(nest->candidates, next);
    nest->place = next++;
    g_array_set_size(nest->kept, 0);
    if (!may_go_into(tn_ge_block(nest->plan, p), tn_ge_block(nest->plan, c)))
      continue;
    try_parent(nest, p, c, TN_NONE, 0, 1);
  }
}

static void
take_away_unshared(Nest *nest)
{
  for (uint32_t i = 0; i < tn_ge_candidates_n(nest->candidates); i++)
    if (tn_ge_block(nest->plan, tn_ge_candidates_at(nest->candidates, i))->is_alone)
      tn_ge_candidates_remove(nest->candidates, i);
}

bool
tn_ge_nest_blocks(TnGePlan *plan)
{
  uint32_t n = plan->blocks->len;
  g_autoptr(GArray) order = g_array_sized_new(FALSE, FALSE, sizeof(uint32_t), n);
  for (uint32_t i = 0; i < n; i++) {
    tn_ge_block_refresh(plan, i);
    g_array_append_val(order, i);
  }
  g_array_sort_with_data(order, compare_blocks, plan);
  g_autoptr(TnGeCandidates) candidates =
      tn_ge_candidates_new(plan, (const uint32_t *)(const void *)order->data, n);
  Nest nest = {plan, candidates, g_array_new(FALSE, FALSE, sizeof(uint32_t)), 0};
  bool is_cancelled = false;
  take_away_unshared(&nest);
  for (uint32_t i = 0; i < tn_ge_candidates_n(candidates) && !is_cancelled; i++) {
    const TnGeBlock *block = tn_ge_block(plan, tn_ge_candidates_at(candidates, i));
    if (block->parent == TN_NONE && !block->is_alone)
      fill_parent(&nest, i);
    is_cancelled = i % 64 == 0 && tn_progress_is_cancelled(plan->progress);
  }
  g_array_unref(nest.kept);
  return !is_cancelled;
}
