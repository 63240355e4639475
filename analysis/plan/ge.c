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
  tn_bytes unit = TN_GE_UNIT;
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

/* ---- variants
 * -------------------------------------------------------------------------------------- */

/* The arena of one variant, and the offset of each body; -1 where cancelled. */
static tn_bytes
run_variant(TnGePlan *plan, const TnBodies *bodies, tn_bytes *offset)
{
  plan->blocks = g_array_new(FALSE, FALSE, sizeof(TnGeBlock));
  tn_ge_find_axis(plan);
  bool is_good = tn_ge_share_blocks(plan) && (plan->variant->is_max || tn_ge_nest_blocks(plan));
  g_autofree tn_bytes *base = g_new(tn_bytes, MAX(plan->blocks->len, 1u));
  if (is_good)
    tn_ge_place_blocks(plan, base);
  for (uint32_t i = 0; i < plan->blocks->len; i++) {
    const GArray *members = tn_ge_block(plan, i)->members;
    for (guint m = 0; m < members->len && is_good; m++) {
      uint32_t b = g_array_index(members, TnGeMember, m).item;
      offset[b] = base[i] + (bodies->residue ? bodies->residue[b] : 0);
    }
    tn_ge_block_clear(tn_ge_block(plan, i));
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
  TnPlanProblem plain = *problem; /* blocks keep what conflicts apart: no list of pairs is needed */
  plain.uses = NULL;
  plain.traits = NULL;
  g_autoptr(TnBodies) bodies = tn_answer_begin(&plain, answer);
  if (!bodies)
    return;
  TnGePlan run = {.n_items = bodies->n, .unit = common_unit(bodies), .progress = params->progress};
  const char *why = obstacle(bodies, run.unit);
  if (why) {
    fail(answer, bodies, why);
    return;
  }
  TnGeUses *uses;
  g_autofree TnGeItem *items = tn_ge_items_new(problem, bodies, &uses);
  g_autofree tn_bytes *offset = g_new0(tn_bytes, MAX(bodies->n, 1u));
  run.items = items;
  run.uses = uses;
  run.options = params->ge_options;
  answer->tried = tn_plan_tries_new();
  unsigned options = params->ge_options;
  for (gsize i = 0; i < G_N_ELEMENTS(variants); i++) {
    TnGeVariant variant = variants[i];
    if (!variant.is_range) /* the options that GE applies to both levels of any variant */
      variant.is_first_release = options & TN_GE_FIRST_RELEASE;
    run.variant = &variant;
    if (params->ge_variant ? strcmp(params->ge_variant, variant.name) == 0
                           : is_wanted(&variant, options))
      try_variant(&run, bodies, params, offset, answer);
  }
  tn_ge_uses_free(uses);
}

const TnStrategy tn_strategy_ge = {
    "ge", "Ascend GE: blocks shared by size, nested by lives; the smallest of its variants", plan, 0};
