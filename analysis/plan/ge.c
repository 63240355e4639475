/* SPDX-License-Identifier: MIT */
/* ge: the plan that Ascend's graph engine makes.  Two levels of blocks, several variants, the
 * smallest kept.  From the log forms and semantics of formats/ascend-ge.md, 1b: blocks of 512
 * bytes, level 1 by exact size within a stream (last released first), level 2 nested by lives with
 * a bump pointer, batches packed inside the largest batch's blocks. */
#include "config.h"

#include "analysis/plan/ge.h"

#include "analysis/plan/answer.h"
#include "analysis/plan/strategies.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK 512
#define LARGEST_UNIT ((tn_bytes)1 << 24)

static const TnGeVariant variants[] = {
    {"binary-block", false, false, false, false},
    {"max-block", false, true, false, false},
    {"range-binary-block-descending-frfr", true, false, true, true},
    {"range-binary-block-descending-frlr", true, false, true, false},
    {"range-binary-block-ascending-frfr", true, false, false, true},
    {"range-binary-block-ascending-frlr", true, false, false, false},
};

/* ---- the problem as items -----------------------------------------------------------------------
 */

static tn_bytes
common_unit(const TnBodies *bodies)
{
  tn_bytes unit = BLOCK;
  for (uint32_t b = 0; bodies->alignment && b < bodies->n; b++) {
    tn_bytes x = unit, y = bodies->alignment[b];
    while (y) {
      tn_bytes rest = x % y;
      x = y;
      y = rest;
    }
    if (!tn_mul(unit / x, bodies->alignment[b], &unit) || unit > LARGEST_UNIT)
      return 0;
  }
  return unit;
}

/* What shares with nobody is of no batch: batches lie on each other. */
static void
set_constraints(const TnPlanProblem *problem, const TnBodies *bodies, uint32_t row, TnGeItem *item)
{
  uint32_t batch = problem->batch ? problem->batch[row] : 0;
  bool is_kept_apart = problem->flags && (problem->flags[row] & TN_BUFFER_NO_REUSE);
  item->is_alone |= is_kept_apart || (problem->group && problem->group[row]);
  item->start = MIN(item->start, problem->lower[row]);
  item->end = MAX(item->end, problem->upper[row]);
  if (row == bodies->row[bodies->body[row]])
    item->batch = batch;
  if (is_kept_apart || item->batch != batch)
    item->batch = 0;
}

static TnGeItem *
items_new(const TnPlanProblem *problem, const TnBodies *bodies)
{
  TnGeItem *items = g_new0(TnGeItem, MAX(bodies->n, 1u));
  for (uint32_t b = 0; b < bodies->n; b++)
    items[b] = (TnGeItem){.start = TN_TICK_MAX,
                          .end = -TN_TICK_MAX,
                          .size = bodies->size[b] + (bodies->residue ? bodies->residue[b] : 0),
                          .stream = problem->stream ? problem->stream[bodies->row[b]] : 0};
  for (uint32_t row = 0; row < bodies->n_rows; row++)
    if (bodies->body[row] != TN_NONE)
      set_constraints(problem, bodies, row, &items[bodies->body[row]]);
  return items;
}

/* ---- places
 * --------------------------------------------------------------------------------------- */

typedef struct {
  const TnGePlan *plan;
  GArray *top; /* uint32_t: blocks without a parent, largest first, those alone last */
  tn_bytes *offset;
  tn_bytes arena;
} Layout;

static const TnGeBlock *
block_at(const TnGePlan *plan, uint32_t i)
{
  return &g_array_index(plan->blocks, TnGeBlock, i);
}

static gint
compare_top(gconstpointer a, gconstpointer b, gpointer data)
{
  uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
  const TnGeBlock *x = block_at(data, i), *y = block_at(data, k);
  if (x->is_alone != y->is_alone)
    return x->is_alone ? 1 : -1;
  if (x->size != y->size && !((const TnGePlan *)data)->variant->is_max)
    return x->size > y->size ? -1 : 1;
  return i < k ? -1 : i > k;
}

static tn_bytes
batch_total(const Layout *layout, uint32_t batch)
{
  tn_bytes sum = 0;
  for (guint i = 0; i < layout->top->len; i++) {
    const TnGeBlock *block = block_at(layout->plan, g_array_index(layout->top, uint32_t, i));
    sum += block->batch == batch ? block->size : 0;
  }
  return sum;
}

static uint32_t
largest_batch(const Layout *layout)
{
  uint32_t best = 0;
  tn_bytes most = -1;
  g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
  for (guint i = 0; i < layout->top->len; i++) {
    uint32_t batch = block_at(layout->plan, g_array_index(layout->top, uint32_t, i))->batch;
    tn_bytes total;
    if (!batch || !g_hash_table_add(seen, GUINT_TO_POINTER(batch)))
      continue;
    if ((total = batch_total(layout, batch)) > most) {
      most = total;
      best = batch;
    }
  }
  return best;
}

static void
append(Layout *layout, uint32_t block)
{
  layout->offset[block] = layout->arena;
  layout->arena += block_at(layout->plan, block)->size;
}

/* A place in the blocks of the largest batch, or in one that another batch had to add. */
typedef struct {
  tn_bytes base, size, used;
} Bin;

static void
pack_block(Layout *layout, GArray *bins, uint32_t block)
{
  tn_bytes size = block_at(layout->plan, block)->size;
  for (guint i = 0; i < bins->len; i++) {
    Bin *bin = &g_array_index(bins, Bin, i);
    if (bin->size - bin->used < size)
      continue;
    layout->offset[block] = bin->base + bin->used;
    bin->used += size;
    return;
  }
  Bin bin = {layout->arena, size, size};
  append(layout, block);
  g_array_append_val(bins, bin);
}

static void
pack_batch(Layout *layout, GArray *bins, uint32_t batch)
{
  for (guint i = 0; i < bins->len; i++)
    g_array_index(bins, Bin, i).used = 0;
  for (guint i = 0; i < layout->top->len; i++) {
    uint32_t block = g_array_index(layout->top, uint32_t, i);
    if (block_at(layout->plan, block)->batch == batch)
      pack_block(layout, bins, block);
  }
}

/* Different batches never run together: the others lie inside the blocks of the largest. */
static void
place_batches(Layout *layout)
{
  uint32_t largest = largest_batch(layout);
  g_autoptr(GArray) bins = g_array_new(FALSE, FALSE, sizeof(Bin));
  g_autoptr(GHashTable) done = g_hash_table_new(NULL, NULL);
  if (largest == 0)
    return;
  pack_batch(layout, bins, largest);
  g_hash_table_add(done, GUINT_TO_POINTER(largest));
  for (guint i = 0; i < layout->top->len; i++) {
    uint32_t batch = block_at(layout->plan, g_array_index(layout->top, uint32_t, i))->batch;
    if (batch && g_hash_table_add(done, GUINT_TO_POINTER(batch)))
      pack_batch(layout, bins, batch);
  }
}

static tn_bytes
offset_of(const TnGePlan *plan, const tn_bytes *top, uint32_t block)
{
  tn_bytes within = 0;
  for (; block_at(plan, block)->parent != TN_NONE; block = block_at(plan, block)->parent)
    within += block_at(plan, block)->within;
  return top[block] + within;
}

tn_bytes
tn_ge_place_blocks(const TnGePlan *plan, tn_bytes *offset)
{
  Layout layout = {plan, g_array_new(FALSE, FALSE, sizeof(uint32_t)),
                   g_new0(tn_bytes, MAX(plan->blocks->len, 1u)), 0};
  for (uint32_t i = 0; i < plan->blocks->len; i++)
    if (block_at(plan, i)->parent == TN_NONE)
      g_array_append_val(layout.top, i);
  g_array_sort_with_data(layout.top, compare_top, (gpointer)plan);
  for (guint i = 0; i < layout.top->len; i++)
    if (!block_at(plan, g_array_index(layout.top, uint32_t, i))->batch)
      append(&layout, g_array_index(layout.top, uint32_t, i));
  place_batches(&layout);
  for (uint32_t i = 0; i < plan->blocks->len; i++)
    offset[i] = offset_of(plan, layout.offset, i);
  g_array_unref(layout.top);
  g_free(layout.offset);
  return layout.arena;
}

/* ---- variants
 * -------------------------------------------------------------------------------------- */

static void
clear_block(gpointer data)
{
  g_array_unref(((TnGeBlock *)data)->members);
}

/* The arena of one variant, and the offset of each body; -1 where cancelled. */
static tn_bytes
run_variant(TnGePlan *plan, const TnBodies *bodies, tn_bytes *offset)
{
  plan->blocks = g_array_new(FALSE, FALSE, sizeof(TnGeBlock));
  bool is_good = tn_ge_share_blocks(plan) && (plan->variant->is_max || tn_ge_nest_blocks(plan));
  g_autofree tn_bytes *base = g_new(tn_bytes, MAX(plan->blocks->len, 1u));
  if (is_good)
    tn_ge_place_blocks(plan, base);
  for (uint32_t i = 0; i < plan->blocks->len; i++) {
    const GArray *members = block_at(plan, i)->members;
    for (guint m = 0; m < members->len && is_good; m++) {
      uint32_t b = g_array_index(members, uint32_t, m);
      offset[b] = base[i] + (bodies->residue ? bodies->residue[b] : 0);
    }
    clear_block(&g_array_index(plan->blocks, TnGeBlock, i));
  }
  g_array_unref(plan->blocks);
  return is_good ? tn_answer_arena(bodies, offset) : -1;
}

/* Without options the first two; with `memory-priority` all; else the variant that they describe.
 */
static bool
is_wanted(const TnGeVariant *variant, unsigned options)
{
  if ((options & TN_GE_MEMORY_PRIORITY) || !variant->is_range)
    return true;
  return (options & TN_GE_RANGE) && variant->is_descending == !(options & TN_GE_ASCENDING) &&
         variant->is_first_release == ((options & TN_GE_FIRST_RELEASE) != 0);
}

static void
try_variant(TnGePlan *run,
            const TnBodies *bodies,
            const TnPlanParams *params,
            tn_bytes *offset,
            TnPlanAnswer *best)
{
  TnPlanAnswer answer = {0};
  gint64 begun = g_get_monotonic_time();
  tn_progress_report(params->progress, -1, run->variant->name);
  tn_bytes arena = run_variant(run, bodies, offset);
  tn_answer_finish(&answer, bodies, params, offset, arena, 0, NULL, begun);
  tn_plan_tries_add(best->tried, run->variant->name, &answer);
  bool is_better = answer.offset && (!best->offset || answer.arena < best->arena);
  if (is_better || !best->strategy) {
    GArray *tried = g_steal_pointer(&best->tried);
    tn_plan_answer_clear(best);
    *best = answer;
    best->tried = tried;
    best->strategy = run->variant->name;
    answer = (TnPlanAnswer){0};
  }
  if (is_better)
    tn_answer_improved(bodies, params, offset, arena);
  tn_plan_answer_clear(&answer);
}

static void
fail(TnPlanAnswer *answer, const TnBodies *bodies, const char *why)
{
  answer->status = TN_PLAN_FAILED;
  answer->lower_bound = bodies->lower_bound;
  answer->proved_bound = bodies->fixed_bound;
  answer->message = g_strdup(why);
}

static bool
has_fixed(const TnBodies *bodies)
{
  for (uint32_t b = 0; b < bodies->n; b++)
    if (tn_bodies_is_fixed(bodies, b))
      return true;
  return false;
}

/* Blocks only ever add up to less than this. */
static bool
is_sum_small(const TnBodies *bodies, tn_bytes unit)
{
  tn_bytes sum = 0;
  for (uint32_t b = 0; b < bodies->n; b++)
    if (!tn_add(sum, bodies->size[b], &sum) || !tn_add(sum, 2 * unit, &sum))
      return false;
  return true;
}

/* Why GE's planner can't plan this; NULL where it can. */
static const char *
obstacle(const TnBodies *bodies, tn_bytes unit)
{
  if (has_fixed(bodies))
    return "GE's planner has no fixed offsets, and some buffers have one";
  if (unit == 0)
    return "the alignments have no common block size that is reasonable";
  return is_sum_small(bodies, unit) ? NULL : "the sizes, each in a block, do not fit into 64 bits";
}

static void
plan(const TnPlanProblem *problem, const TnPlanParams *params, TnPlanAnswer *answer)
{
  g_autoptr(TnBodies) bodies = tn_answer_begin(problem, answer);
  if (!bodies)
    return;
  TnGePlan run = {.n_items = bodies->n, .unit = common_unit(bodies), .progress = params->progress};
  const char *why = obstacle(bodies, run.unit);
  if (why) {
    fail(answer, bodies, why);
    return;
  }
  g_autofree TnGeItem *items = items_new(problem, bodies);
  g_autofree tn_bytes *offset = g_new0(tn_bytes, MAX(bodies->n, 1u));
  run.items = items;
  answer->tried = tn_plan_tries_new();
  unsigned options = params->ge_options;
  for (gsize i = 0; i < G_N_ELEMENTS(variants); i++) {
    TnGeVariant variant = variants[i];
    if (!variant.is_range) /* the options that GE applies to both levels of any variant */
      variant.is_first_release = options & TN_GE_FIRST_RELEASE;
    run.variant = &variant;
    if (is_wanted(&variant, options))
      try_variant(&run, bodies, params, offset, answer);
  }
}

const TnStrategy tn_strategy_ge = {
    "ge", "Ascend GE: blocks shared by size, nested by lives; the smallest of its variants", plan};
