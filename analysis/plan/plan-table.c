/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/plan/plan-table.h"

#include "analysis/plan/order.h"
#include "analysis/plan/plan-space.h"

#include <string.h>

/* 2 EiB: sums of two such stay within 64 bits. */
#define MOST_BYTES ((tn_bytes)1 << 61)

static TnPlanTry *
find_try(const GArray *tried, const char *strategy)
{
  for (guint i = 0; i < tried->len; i++)
    if (strcmp(g_array_index(tried, TnPlanTry, i).strategy, strategy) == 0)
      return &g_array_index(tried, TnPlanTry, i);
  return NULL;
}

static tn_bytes
add_arenas(tn_bytes a, tn_bytes b)
{
  return a < 0 || b < 0 ? -1 : a + b;
}

/* Adds what a strategy gave in one more part to the table's sums, strategy by strategy.  What was not
 * needed in a part stands there for what was found without it; `before`: all that is there already;
 * `pad`: what alignment leaves free below the part, which every plan of it has below it. */
static void
join_tries(
    TnPlan *plan, const TnPlanAnswer *answer, const char *name, tn_bytes before, tn_bytes pad)
{
  g_autoptr(GArray) one = tn_plan_tries_new();
  tn_plan_tries_add(one, name, answer);
  const GArray *tries = answer->tried ? answer->tried : one;
  for (guint i = 0; i < plan->tried->len; i++) {
    TnPlanTry *had = &g_array_index(plan->tried, TnPlanTry, i);
    const TnPlanTry *more = find_try(tries, had->strategy);
    tn_bytes arena = more ? more->arena_bytes : answer->offset ? answer->arena : -1;
    had->arena_bytes = add_arenas(had->arena_bytes, add_arenas(arena, pad));
    had->seconds += more ? more->seconds : 0;
    had->status = more ? MAX(had->status, more->status) : had->status;
  }
  for (guint i = 0; i < tries->len; i++) {
    TnPlanTry copy = g_array_index(tries, TnPlanTry, i);
    if (find_try(plan->tried, copy.strategy))
      continue;
    copy.strategy = g_strdup(copy.strategy);
    copy.arena_bytes = add_arenas(copy.arena_bytes, before + pad);
    g_array_append_val(plan->tried, copy);
  }
}

/* A part of a space: its unlabelled rows, or those with a batch label, which may not share a place
 * with the others and so lie above them.  Where it is asked for both are one part. */
typedef struct {
  uint32_t space;
  const uint32_t *rows;
  uint32_t n;
  tn_bytes base;          /* where the part begins */
  bool is_apart;          /* it has rows of both kinds */
  bool is_first, is_last; /* of its space's parts */
  bool is_free;           /* neither alignment nor fixed offsets */
} Part;

/* What is known of the space at hand. */
typedef struct {
  tn_bytes lower, proved;
  bool is_free, is_failed, is_optimal;
} Proof;

static const Proof nothing_known = {.is_free = true, .is_optimal = true};

/* Two parts one above the other need as much as both: addresses that are the other's can be
 * squeezed out, unless that breaks an alignment or moves what is fixed.  What is alive at once
 * needs its sum anyway. */
static void
join_proof(Proof *proof, const TnPlanAnswer *answer, const Part *part)
{
  tn_bytes stacked = proof->proved + answer->proved_bound;
  /* A part that was planned from its base on has its fixed offsets elsewhere. */
  tn_bytes alone = part->is_free || part->is_first ? answer->proved_bound : answer->lower_bound;
  proof->is_free &= part->is_free;
  proof->lower += answer->lower_bound;
  proof->proved = proof->is_free ? stacked : MAX(proof->lower, MAX(proof->proved, alone));
  proof->is_failed |= answer->status == TN_PLAN_FAILED;
  proof->is_optimal &= answer->is_optimal;
}

static TnPlanStatus
judge_space(const Proof *proof, tn_bytes arena, tn_bytes capacity)
{
  if (proof->is_failed)
    return TN_PLAN_FAILED;
  if (capacity <= 0 || arena <= capacity)
    return TN_PLAN_FOUND;
  return proof->proved > capacity ? TN_PLAN_INFEASIBLE : TN_PLAN_TOO_LARGE;
}

static void
fail_sum(TnPlanAnswer *answer)
{
  answer->status = TN_PLAN_FAILED;
  if (!answer->message)
    answer->message = g_strdup("the offsets do not fit into 64 bits");
}

void
tn_plan_doubt_tries(GArray *tried)
{
  for (guint i = 0; tried && i < tried->len; i++) {
    TnPlanTry *try = &g_array_index(tried, TnPlanTry, i);
    if (try->status == TN_PLAN_INFEASIBLE)
      try->status = TN_PLAN_TOO_LARGE;
  }
}

/* What a part can't fit into where another lies in its space, the other may have made too small. */
static void
doubt(TnPlanAnswer *answer)
{
  if (answer->status == TN_PLAN_INFEASIBLE)
    answer->status = TN_PLAN_TOO_LARGE;
  tn_plan_doubt_tries(answer->tried);
}

/* Adds what is proved of a space, once its last part is there. */
static void
join_space(TnPlan *plan, const Proof *proof, tn_bytes capacity, const Part *part)
{
  tn_bytes arena = plan->space_arena[part->space];
  TnPlanStatus status = judge_space(proof, arena, capacity);
  plan->lower_bound_bytes += proof->lower;
  plan->proved_bound_bytes += proof->proved;
  plan->is_optimal &= proof->is_optimal && arena <= proof->proved;
  if (!part->is_first && status > plan->status)
    plan->status = status;
}

static void
join_answer(TnPlan *plan, TnPlanAnswer *answer, const TnStrategy *strategy, const Part *part)
{
  tn_bytes arena = 0, more = 0, before = plan->arena_bytes;
  tn_bytes pad = MAX(part->base - plan->space_arena[part->space], (tn_bytes)0);
  for (uint32_t i = 0; i < part->n && answer->offset; i++)
    if (!tn_add(answer->offset[i], part->base, &plan->offset[part->rows[i]]))
      fail_sum(answer);
  if (!tn_add(part->base, answer->arena, &arena) ||
      !tn_add(plan->arena_bytes, arena - plan->space_arena[part->space], &more))
    fail_sum(answer);
  plan->space_arena[part->space] = arena;
  plan->arena_bytes = more;
  plan->nodes += answer->nodes;
  /* Where the spaces disagree about the winner, the largest space's names the plan. */
  plan->largest_arena_bytes = MAX(plan->largest_arena_bytes, arena);
  if (answer->strategy && answer->arena >= plan->largest_arena_bytes)
    plan->strategy = answer->strategy;
  bool is_whole = part->is_first && part->is_last;
  if (!is_whole)
    doubt(answer);
  if ((is_whole || answer->status == TN_PLAN_FAILED) && answer->status > plan->status)
    plan->status = answer->status;
  if (answer->message && !plan->message)
    plan->message = g_steal_pointer(&answer->message);
  join_tries(plan, answer, strategy->name, before, pad);
}

/* `improved` of a strategy speaks of one space's rows; the caller's of the whole table. */
typedef struct {
  const TnPlan *plan;
  const TnPlanParams *params;
  tn_bytes *offset; /* the whole table's so far */
  const Part *part;
  tn_bytes others; /* arenas of the spaces done, and this one's part below */
} Relay;

static void
relay(const tn_bytes *offset, uint32_t n, tn_bytes arena, void *payload)
{
  Relay *to = payload;
  for (uint32_t i = 0; i < n; i++)
    to->offset[to->part->rows[i]] = offset[i] + to->part->base;
  to->params->improved(to->offset, to->plan->n, to->others + arena, to->params->improved_payload);
}

/* Fixed offsets and the capacity are the whole space's; the strategy sees its part from 0 on.  What
 * has another above it must be as small as can be. */
static bool
shift_down(TnPlanSpace *table, TnPlanParams *params, const Part *part)
{
  if (!part->is_last)
    params->capacity = 0;
  if (part->base == 0)
    return true;
  if (params->capacity > 0)
    params->capacity = MAX(params->capacity - part->base, (tn_bytes)1);
  for (uint32_t i = 0; table->fixed && i < part->n; i++) {
    if (table->fixed[i] == TN_NOT_PLACED)
      continue;
    table->fixed[i] -= part->base;
    if (table->fixed[i] < 0)
      return false;
  }
  return true;
}

/* Above what is there already, at a multiple of all alignments of the part; false where there is
 * none within MOST_BYTES. */
static bool
find_base(const TnPlan *plan, const TnPlanSpace *table, Part *part)
{
  tn_bytes step = 1;
  for (uint32_t i = 0; table->alignment && i < part->n; i++)
    step = tn_plan_common_multiple(step, table->alignment[i]);
  return tn_round_up(plan->space_arena[part->space], step, &part->base) && part->base <= MOST_BYTES;
}

/* Streams keep rows out of the gaps of others, and coarse clocks out of all their places, wherever
 * it is not sure that they may be there.  So only what holds without that is proved. */
static void
limit_claim(const TnPlanProblem *problem, const TnPlanParams *params, TnPlanAnswer *answer)
{
  bool has_gaps = problem->gap_first && problem->gap_first[problem->n];
  if (!problem->uses || !(has_gaps || problem->uses->is_coarse))
    return;
  TnPlanProblem loose = *problem;
  loose.has_loose_gaps = true;
  if (problem->uses->is_coarse)
    loose.uses = NULL;
  tn_bytes bound = tn_plan_lower_bound(&loose);
  if (bound < 0 && loose.uses) { /* too many pairs: what holds without streams holds with them */
    loose.uses = NULL;
    bound = tn_plan_lower_bound(&loose);
  }
  bound = MAX(bound, (tn_bytes)0);
  answer->lower_bound = MIN(answer->lower_bound, bound);
  answer->proved_bound = MIN(answer->proved_bound, bound);
  answer->is_optimal &= answer->arena <= answer->proved_bound;
  if (params->capacity > 0 && answer->proved_bound <= params->capacity)
    doubt(answer);
}

static void
plan_part(TnPlan *plan,
          const TnBuffers *buffers,
          const TnStrategy *strategy,
          tn_bytes least,
          const TnPlanParams *params,
          Part *part,
          Proof *proof)
{
  TnPlanSpace table = {0};
  TnPlanAnswer answer = {0};
  TnPlanParams own = *params;
  tn_plan_space_fill(&table, buffers, part->rows, part->n, least);
  bool has_base = find_base(plan, &table, part);
  part->is_free = !(buffers->alignment || least > 1 || table.fixed);
  table.problem.is_apart = part->is_apart;
  if (!has_base)
    part->base = 0;
  Relay payload = {plan, params, plan->offset, part,
                   plan->arena_bytes - plan->space_arena[part->space] + part->base};
  if (params->improved) {
    own.improved = relay;
    own.improved_payload = &payload;
  }
  table.problem.uses = params->uses;
  if (!has_base) {
    fail_sum(&answer);
  } else if (shift_down(&table, &own, part)) {
    strategy->plan(&table.problem, &own, &answer);
    limit_claim(&table.problem, &own, &answer);
  } else {
    answer.status = TN_PLAN_FAILED;
    answer.message = g_strdup("a buffer with a batch label is fixed below the end of those without "
                              "one, which it may not share a place with");
  }
  join_answer(plan, &answer, strategy, part);
  join_proof(proof, &answer, part);
  tn_plan_answer_clear(&answer);
  tn_plan_space_clear(&table);
}

static void
sum_sizes(TnPlan *plan, const TnBuffers *buffers)
{
  for (uint32_t i = 0; i < buffers->n; i++) {
    plan->offset[i] = TN_NOT_PLACED;
    plan->n_spaces = MAX(plan->n_spaces, tn_buffers_space(buffers, i) + 1);
    if (!tn_add(plan->no_reuse_bytes, buffers->bytes[i], &plan->no_reuse_bytes))
      plan->no_reuse_bytes = INT64_MAX;
  }
}

/* Parts are planned apart, so that a group which is in two of them can't be kept together. */
static bool
has_split_group(const TnBuffers *buffers, const uint64_t *part)
{
  g_autoptr(GHashTable) part_of = g_hash_table_new(NULL, NULL);
  for (uint32_t i = 0; buffers->group && i < buffers->n; i++) {
    gpointer group = GUINT_TO_POINTER(buffers->group[i]), had;
    if (!group || buffers->bytes[i] == 0)
      continue;
    if (!g_hash_table_lookup_extended(part_of, group, NULL, &had))
      g_hash_table_insert(part_of, group, GSIZE_TO_POINTER(part[i]));
    else if (GPOINTER_TO_SIZE(had) != part[i])
      return true;
  }
  return false;
}

bool
tn_plan_is_within_reach(const TnBuffers *buffers, tn_bytes least)
{
  tn_bytes sum = 0, top = 0;
  for (uint32_t i = 0; i < buffers->n; i++) {
    bool is_fixed = buffers->flags[i] & TN_BUFFER_FIXED;
    tn_bytes step =
        tn_plan_common_multiple(MAX(tn_buffers_alignment(buffers, i), 1), MAX(least, 1));
    if (is_fixed)
      top = MAX(top, buffers->offset[i]);
    if (!tn_add(sum, buffers->bytes[i], &sum) || !tn_add(sum, step, &sum) || sum > MOST_BYTES)
      return false;
  }
  return top <= MOST_BYTES;
}

static TnPlan *
fail_plan(TnPlan *plan, const char *why)
{
  plan->status = TN_PLAN_FAILED;
  plan->message = g_strdup(why);
  return plan;
}

/* More pairs of rows than that, to be kept apart one by one, take planners too long. */
#define MOST_APART 50000u

/* What is known of a space's rows. */
typedef struct {
  uint64_t n_plain, n_labelled;
  tn_bytes step; /* alignment of the first that holds bytes; 0: none yet */
  bool has_fixed, is_uneven;
} Rows;

static void
add_row(Rows *of, const TnBuffers *buffers, uint32_t row, tn_bytes least)
{
  tn_bytes step =
      tn_plan_common_multiple(MAX(tn_buffers_alignment(buffers, row), 1), MAX(least, 1));
  if (buffers->batch[row])
    of->n_labelled++;
  else
    of->n_plain++;
  of->has_fixed |= buffers->flags[row] & TN_BUFFER_FIXED && buffers->offset[row] >= 0;
  if (buffers->bytes[row] == 0)
    return;
  of->step = of->step ? of->step : step;
  of->is_uneven |= step != of->step || buffers->bytes[row] % step != 0;
}

static bool
is_apart(const Rows *of)
{
  return (of->has_fixed || of->is_uneven) && of->n_plain && of->n_labelled &&
         of->n_plain * of->n_labelled <= MOST_APART;
}

bool *
tn_plan_find_apart(const TnBuffers *buffers, tn_bytes least)
{
  if (!buffers->batch)
    return NULL;
  uint32_t n_spaces = 1;
  bool has_any = false;
  for (uint32_t i = 0; i < buffers->n; i++)
    n_spaces = MAX(n_spaces, tn_buffers_space(buffers, i) + 1);
  g_autofree bool *found = g_new0(bool, n_spaces);
  g_autofree Rows *rows = g_new0(Rows, n_spaces);
  for (uint32_t i = 0; i < buffers->n; i++)
    add_row(&rows[tn_buffers_space(buffers, i)], buffers, i, least);
  for (uint32_t s = 0; s < n_spaces; s++)
    has_any |= found[s] = is_apart(&rows[s]);
  return has_any ? g_steal_pointer(&found) : NULL;
}

static uint32_t
count_parts(const uint64_t *key, const uint32_t *rows, uint32_t n)
{
  uint32_t n_parts = n > 0;
  for (uint32_t i = 1; i < n; i++)
    n_parts += key[rows[i]] != key[rows[i - 1]];
  return n_parts;
}

TnPlanParams
tn_plan_share_time(const TnPlanParams *params,
                   const TnStrategy *strategy,
                   gint64 begun,
                   uint32_t n_left)
{
  TnPlanParams own = *params;
  double limit = params->time_limit > 0 ? params->time_limit : strategy->seconds;
  double passed = (double)(g_get_monotonic_time() - begun) / G_USEC_PER_SEC;
  if (limit > 0)
    own.time_limit = MAX((limit - passed) / n_left, 0.001);
  return own;
}

static uint32_t
space_of(const uint64_t *key, uint32_t row)
{
  return (uint32_t)(key[row] >> 33);
}

/* Makes the two parts of such spaces one, in row order. */
static void
join_apart(const TnBuffers *buffers, const bool *apart, uint64_t *key, uint32_t *rows)
{
  for (uint32_t i = 0; apart && i < buffers->n; i++)
    if (apart[space_of(key, i)])
      key[i] &= ~(uint64_t)1;
  tn_order_by_key(key, buffers->n, rows);
}

/* The part that begins at `rows[first]`. */
static Part
part_at(const TnBuffers *buffers, const uint64_t *key, const uint32_t *rows, uint32_t first)
{
  uint32_t row = rows[first], next = first + 1;
  Part part = {.space = space_of(key, row), .rows = rows + first};
  while (next < buffers->n && key[rows[next]] == key[row])
    next++;
  part.n = next - first;
  part.is_first = first == 0 || space_of(key, rows[first - 1]) != part.space;
  part.is_last = next == buffers->n || space_of(key, rows[next]) != part.space;
  /* Labelled rows have a part of their own unless they were joined with the others. */
  for (uint32_t i = 0; buffers->batch && !(key[row] & 1) && i < part.n && !part.is_apart; i++)
    part.is_apart = buffers->batch[part.rows[i]] != 0;
  return part;
}

TnPlan *
tn_plan_table(const TnBuffers *buffers,
              const TnStrategy *strategy,
              tn_bytes alignment,
              const TnPlanParams *params,
              const uint32_t *class,
              const bool *apart)
{
  gint64 begun = g_get_monotonic_time();
  TnPlan *plan = g_new0(TnPlan, 1);
  uint32_t n = plan->n = buffers->n;
  g_autofree uint64_t *key = g_new(uint64_t, MAX(n, 1u));
  g_autofree uint32_t *rows = g_new(uint32_t, MAX(n, 1u));
  plan->n_spaces = 1;
  plan->is_optimal = true;
  plan->strategy = strategy->name;
  plan->tried = tn_plan_tries_new();
  plan->offset = g_new(tn_bytes, MAX(n, 1u));
  sum_sizes(plan, buffers);
  plan->space_arena = g_new0(tn_bytes, plan->n_spaces);
  for (uint32_t i = 0; i < n; i++)
    key[i] = (uint64_t)tn_buffers_space(buffers, i) << 33 | (uint64_t)(class ? class[i] : 0) << 1 |
             (buffers->batch && buffers->batch[i]);
  if (!tn_plan_is_within_reach(buffers, alignment))
    return fail_plan(plan, "sizes, alignments and fixed offsets add up to more than 2 EiB");
  if (has_split_group(buffers, key))
    return fail_plan(plan,
                     "a contiguous group has buffers in more than one space, or some with a batch "
                     "label and some without");
  join_apart(buffers, apart, key, rows);
  uint32_t n_left = plan->n_parts = count_parts(key, rows, n);
  Proof proof = nothing_known;
  for (uint32_t i = 0, next; i < n; i = next, n_left--) {
    Part part = part_at(buffers, key, rows, i);
    TnPlanParams own =
        plan->n_parts > 1 ? tn_plan_share_time(params, strategy, begun, n_left) : *params;
    next = i + part.n;
    plan_part(plan, buffers, strategy, alignment, &own, &part, &proof);
    if (!part.is_last)
      continue;
    join_space(plan, &proof, params->capacity, &part);
    proof = nothing_known;
  }
  plan->seconds = (double)(g_get_monotonic_time() - begun) / G_USEC_PER_SEC;
  return plan;
}
