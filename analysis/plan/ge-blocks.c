/* SPDX-License-Identifier: MIT */
/* GE's blocks: members, and what follows from them. */
#include "config.h"

#include "analysis/plan/ge.h"

#include <string.h>

static uint32_t
add_empty(TnGePlan *plan, uint32_t stream, uint32_t batch)
{
  TnGeBlock block = {.members = g_array_new(FALSE, FALSE, sizeof(TnGeMember)),
                     .stream = stream,
                     .batch = batch,
                     .parent = TN_NONE};
  g_array_append_val(plan->blocks, block);
  return plan->blocks->len - 1;
}

static void
take_in(const TnGePlan *plan, TnGeBlock *block, const TnGeItem *item)
{
  tn_bytes size = item->size;
  tn_round_up(item->size, plan->unit, &size);
  block->align = MAX(block->align, size);
  block->real = MAX(block->real, item->real);
  block->is_alone |= item->is_alone;
  block->is_continuous |= item->is_continuous;
  block->is_zero_copy |= item->is_zero_copy;
  block->is_input |= item->is_input;
  block->has_cleaned |= item->is_cleaned;
  block->has_data |= item->is_data;
  block->is_fixed |= item->is_fixed;
  block->has_many_begins |= item->has_many_begins;
}

/* ---- sketches
 * -------------------------------------------------------------------------------------------- */

/* Eight steps to each doubling; growing, so that what is longer never has a smaller code. */
static uint8_t
code_of(tn_tick length)
{
  if (length <= 0)
    return 0;
  int power = 63 - __builtin_clzll((uint64_t)length);
  uint64_t eighths = power >= 3 ? (uint64_t)length >> (power - 3) & 7 : (uint64_t)length << (3 - power) & 7;
  return (uint8_t)MIN(power * 8 + (int)eighths + 1, 253);
}

static int
window_of(const TnGePlan *plan, tn_tick tick)
{
  double share = (double)(tick - plan->axis_start) / (double)(plan->axis_end - plan->axis_start);
  return CLAMP((int)(share * TN_GE_WINDOWS), 0, TN_GE_WINDOWS - 1);
}

void
tn_ge_find_axis(TnGePlan *plan)
{
  plan->axis_start = INT64_MAX;
  plan->axis_end = INT64_MIN;
  for (uint32_t i = 0; i < plan->n_items; i++) {
    plan->axis_start = MIN(plan->axis_start, plan->items[i].start);
    plan->axis_end = MAX(plan->axis_end, plan->items[i].end);
  }
}

/* ---- members
 * --------------------------------------------------------------------------------------------- */

void
tn_ge_block_append(TnGePlan *plan, uint32_t block, uint32_t item)
{
  const TnGeItem *own = &plan->items[item];
  TnGeMember member = {own->start, own->end, own->release, own->size, item,
                       (uint8_t)window_of(plan, own->start), code_of(own->end - own->start)};
  g_array_append_val(tn_ge_block(plan, block)->members, member);
  take_in(plan, tn_ge_block(plan, block), &plan->items[item]);
}

uint32_t
tn_ge_block_add(TnGePlan *plan, uint32_t item)
{
  uint32_t block = add_empty(plan, plan->items[item].stream, plan->items[item].batch);
  tn_ge_block_append(plan, block, item);
  return block;
}

uint32_t
tn_ge_block_add_rest(TnGePlan *plan, uint32_t like, GArray *members)
{
  TnGeBlock block = *tn_ge_block(plan, like);
  tn_bytes size = 0;
  for (guint m = 0; m < members->len; m++)
    size = MAX(size, g_array_index(members, TnGeMember, m).size);
  block.members = members;
  block.align = size;
  tn_round_up(size, plan->unit, &block.align);
  block.parent = TN_NONE;
  block.used = 0;
  block.children = block.begins = block.lasts = NULL;
  block.shortest = block.widest = NULL;
  g_array_append_val(plan->blocks, block);
  return plan->blocks->len - 1;
}

void
tn_ge_block_clear(TnGeBlock *block)
{
  g_array_unref(block->members);
  g_clear_pointer(&block->children, g_array_unref);
  g_clear_pointer(&block->begins, g_array_unref);
  g_clear_pointer(&block->lasts, g_array_unref);
  g_clear_pointer(&block->shortest, g_free);
}

/* The first or the last op of each stream, over the members. */
static GArray *
ops_new(const TnGePlan *plan, const TnGeBlock *block, bool is_last)
{
  const TnGeUses *uses = plan->uses;
  const uint32_t *first = is_last ? uses->last_first : uses->begin_first;
  const uint32_t *ops = is_last ? uses->last : uses->begin;
  GArray *found = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  for (guint m = 0; m < block->members->len; m++) {
    uint32_t item = tn_ge_member(block, m)->item;
    for (uint32_t k = first[item]; k < first[item + 1]; k++)
      tn_ge_keep_op(uses->clock, found, 0, ops[k], is_last);
  }
  return found;
}

/* ---- idle times
 * ------------------------------------------------------------------------------------------ */

static void
mark_idle(const TnGePlan *plan, TnGeBlock *block, tn_tick from, tn_tick to, uint8_t code)
{
  for (int w = window_of(plan, from), last = window_of(plan, to); from < to && w <= last; w++)
    block->widest[w] = MAX(block->widest[w], code);
}

static void
sketch(const TnGePlan *plan, TnGeBlock *block)
{
  tn_tick free_from = plan->axis_start;
  if (!block->shortest)
    block->shortest = g_malloc(2 * TN_GE_WINDOWS);
  block->widest = block->shortest + TN_GE_WINDOWS;
  memset(block->shortest, 255, TN_GE_WINDOWS);
  memset(block->widest, 0, TN_GE_WINDOWS);
  for (guint m = 0; m < block->members->len; m++) {
    const TnGeMember *item = tn_ge_member(block, m);
    uint8_t *shortest = &block->shortest[item->window];
    *shortest = MIN(*shortest, item->code);
    mark_idle(plan, block, free_from, item->start, m ? code_of(item->start - free_from) : 254);
    free_from = item->end;
  }
  mark_idle(plan, block, free_from, plan->axis_end, 254);
}

bool
tn_ge_block_may_hold(const TnGeBlock *parent, const TnGeBlock *block)
{
  unsigned found = 0;
  for (int w = 0; w < TN_GE_WINDOWS; w++)
    found |= block->shortest[w] <= parent->widest[w];
  return found;
}

void
tn_ge_block_refresh(TnGePlan *plan, uint32_t i)
{
  TnGeBlock *block = tn_ge_block(plan, i);
  const TnGeItem *last = &plan->items[tn_ge_member(block, block->members->len - 1)->item];
  block->start = tn_ge_member(block, 0)->start;
  block->end = last->end;
  block->release = last->release;
  block->has_foreign = last->has_foreign;
  block->room = block->align + TN_GE_UNIT;
  sketch(plan, block);
  block->has_ops = false;
}

static void
find_ops(const TnGePlan *plan, TnGeBlock *block)
{
  if (block->has_ops)
    return;
  g_clear_pointer(&block->begins, g_array_unref);
  g_clear_pointer(&block->lasts, g_array_unref);
  block->begins = ops_new(plan, block, false);
  block->lasts = ops_new(plan, block, true);
  block->has_ops = true;
}

bool
tn_ge_block_follows(const TnGePlan *plan, TnGeBlock *earlier, TnGeBlock *later)
{
  if (!plan->uses)
    return false;
  find_ops(plan, earlier);
  find_ops(plan, later);
  for (guint i = 0; i < earlier->lasts->len; i++)
    for (guint k = 0; k < later->begins->len; k++) {
      uint32_t from = g_array_index(earlier->lasts, uint32_t, i);
      uint32_t to = g_array_index(later->begins, uint32_t, k);
      if (from == to || !tn_stream_clock_is_after(plan->uses->clock, from, to))
        return false;
    }
  return true;
}
