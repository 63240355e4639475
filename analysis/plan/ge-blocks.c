/* SPDX-License-Identifier: MIT */
/* GE's blocks: members, and what follows from them. */
#include "config.h"

#include "analysis/plan/ge.h"

static uint32_t
add_empty(TnGePlan *plan, uint32_t stream, uint32_t batch)
{
  TnGeBlock block = {.members = g_array_new(FALSE, FALSE, sizeof(uint32_t)),
                     .stream = stream,
                     .batch = batch,
                     .parent = TN_NONE};
  g_array_append_val(plan->blocks, block);
  return plan->blocks->len - 1;
}

uint32_t
tn_ge_block_add(TnGePlan *plan, uint32_t item)
{
  uint32_t block = add_empty(plan, plan->items[item].stream, plan->items[item].batch);
  tn_ge_block_append(plan, block, item);
  return block;
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
}

void
tn_ge_block_append(TnGePlan *plan, uint32_t block, uint32_t item)
{
  g_array_append_val(tn_ge_block(plan, block)->members, item);
  take_in(plan, tn_ge_block(plan, block), &plan->items[item]);
}

void
tn_ge_block_clear(TnGeBlock *block)
{
  g_array_unref(block->members);
  g_clear_pointer(&block->children, g_array_unref);
  g_clear_pointer(&block->begins, g_array_unref);
  g_clear_pointer(&block->lasts, g_array_unref);
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
    uint32_t item = g_array_index(block->members, uint32_t, m);
    for (uint32_t k = first[item]; k < first[item + 1]; k++)
      tn_ge_keep_op(uses->clock, found, 0, ops[k], is_last);
  }
  return found;
}

void
tn_ge_block_refresh(TnGePlan *plan, uint32_t i)
{
  TnGeBlock *block = tn_ge_block(plan, i);
  for (guint m = 0; m < block->members->len; m++)
    take_in(plan, block, &plan->items[g_array_index(block->members, uint32_t, m)]);
  block->room = block->align + TN_GE_UNIT;
  if (!plan->uses)
    return;
  g_clear_pointer(&block->begins, g_array_unref);
  g_clear_pointer(&block->lasts, g_array_unref);
  block->begins = ops_new(plan, block, false);
  block->lasts = ops_new(plan, block, true);
}

bool
tn_ge_block_follows(const TnGePlan *plan, const TnGeBlock *earlier, const TnGeBlock *later)
{
  if (!earlier->lasts || !later->begins)
    return false;
  for (guint i = 0; i < earlier->lasts->len; i++)
    for (guint k = 0; k < later->begins->len; k++) {
      uint32_t from = g_array_index(earlier->lasts, uint32_t, i);
      uint32_t to = g_array_index(later->begins, uint32_t, k);
      if (from == to || !tn_stream_clock_is_after(plan->uses->clock, from, to))
        return false;
    }
  return true;
}
