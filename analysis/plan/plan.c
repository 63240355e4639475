/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/plan/bodies.h"
#include "analysis/plan/order.h"
#include "analysis/plan/plan-merge.h"
#include "analysis/plan/plan.h"
#include "analysis/plan/strategies.h"

#include <string.h>

static const TnStrategy *const strategies[] = {
    &tn_strategy_greedy_size,  &tn_strategy_greedy_area,
    &tn_strategy_greedy_start, &tn_strategy_greedy_conflicts,
    &tn_strategy_first_fit,    &tn_strategy_best_fit,
    &tn_strategy_colour,       &tn_strategy_slots,
    &tn_strategy_ge,           &tn_strategy_search,
    &tn_strategy_exact,        &tn_strategy_best,
    NULL,
};

const TnStrategy *const *
tn_strategies(void)
{
  return strategies;
}

const TnStrategy *
tn_strategies_find(const char *name)
{
  for (const TnStrategy *const *strategy = strategies; *strategy; strategy++)
    if (g_strcmp0((*strategy)->name, name) == 0)
      return *strategy;
  return NULL;
}

void
tn_plan_answer_clear(TnPlanAnswer *answer)
{
  g_free(answer->offset);
  g_free(answer->message);
  if (answer->tried)
    g_array_unref(answer->tried);
  *answer = (TnPlanAnswer){0};
}

tn_bytes
tn_plan_lower_bound(const TnPlanProblem *problem)
{
  g_autofree char *message = NULL;
  g_autoptr(TnBodies) bodies = tn_bodies_new(problem, &message);
  return bodies ? bodies->lower_bound : -1;
}

static void
clear_try(gpointer data)
{
  g_free(((TnPlanTry *)data)->strategy);
}

GArray *
tn_plan_tries_new(void)
{
  GArray *tries = g_array_new(FALSE, TRUE, sizeof(TnPlanTry));
  g_array_set_clear_func(tries, clear_try);
  return tries;
}

void
tn_plan_tries_add(GArray *tries, const char *strategy, const TnPlanAnswer *answer)
{
  TnPlanTry try = {.strategy = g_strdup(strategy),
                   .arena_bytes = answer->offset ? answer->arena : -1,
                   .seconds = answer->seconds,
                   .status = answer->status};
  g_array_append_val(tries, try);
}

/* 2 EiB: sums of two such stay within 64 bits. */
#define MOST_BYTES ((tn_bytes)1 << 61)

/* ---- a whole table, space by space ----------------------------------------------------------- */

/* The rows of one space as a problem; every column is its own copy. */
typedef struct {
  TnPlanProblem problem;
  tn_tick *lower, *upper;
  tn_bytes *size, *alignment, *fixed;
  tn_bytes *requested;
  uint32_t *batch, *group, *stream, *traits, *gap_first;
  uint8_t *flags, *kind;
  GArray *gaps;
} Space;

static void
clear_space(Space *space)
{
  g_free(space->lower);
  g_free(space->upper);
  g_free(space->size);
  g_free(space->alignment);
  g_free(space->fixed);
  g_free(space->batch);
  g_free(space->group);
  g_free(space->stream);
  g_free(space->traits);
  g_free(space->requested);
  g_free(space->gap_first);
  g_free(space->flags);
  g_free(space->kind);
  if (space->gaps)
    g_array_unref(space->gaps);
}

/* Offsets must be multiples of both.  Where that passes 64 bits there is no such plan, and none will
 * be found. */
static tn_bytes
common_multiple(tn_bytes a, tn_bytes b)
{
  tn_bytes product;
  return tn_mul(a / tn_gcd(a, b), b, &product) ? product : INT64_MAX;
}

static void
fill_optional(
    Space *space, const TnBuffers *buffers, const uint32_t *rows, uint32_t n, tn_bytes least)
{
  bool has_fixed = false;
  for (uint32_t i = 0; i < n; i++)
    has_fixed |= (buffers->flags[rows[i]] & TN_BUFFER_FIXED) && buffers->offset[rows[i]] >= 0;
  space->alignment = buffers->alignment || least > 1 ? g_new(tn_bytes, n) : NULL;
  space->fixed = has_fixed ? g_new(tn_bytes, n) : NULL;
  space->batch = buffers->batch ? g_new(uint32_t, n) : NULL;
  space->group = buffers->group ? g_new(uint32_t, n) : NULL;
  space->stream = buffers->stream ? g_new(uint32_t, n) : NULL;
  space->traits = buffers->traits ? g_new(uint32_t, n) : NULL;
  space->requested = buffers->requested ? g_new(tn_bytes, n) : NULL;
  for (uint32_t i = 0; i < n; i++) {
    uint32_t row = rows[i];
    bool is_fixed = buffers->flags[row] & TN_BUFFER_FIXED;
    if (space->alignment)
      space->alignment[i] =
          common_multiple(MAX(tn_buffers_alignment(buffers, row), 1), MAX(least, 1));
    if (space->fixed)
      space->fixed[i] =
          is_fixed && buffers->offset[row] >= 0 ? buffers->offset[row] : TN_NOT_PLACED;
    if (space->batch)
      space->batch[i] = buffers->batch[row];
    if (space->group)
      space->group[i] = buffers->group[row];
    if (space->stream)
      space->stream[i] = buffers->stream[row];
    if (space->traits)
      space->traits[i] = buffers->traits[row];
    if (space->requested)
      space->requested[i] = buffers->requested[row];
  }
}

static void
fill_gaps(Space *space, const TnBuffers *buffers, const uint32_t *rows, uint32_t n)
{
  if (!buffers->gap_first)
    return;
  space->gap_first = g_new0(uint32_t, (gsize)n + 1);
  space->gaps = g_array_new(FALSE, FALSE, sizeof(TnGap));
  for (uint32_t i = 0; i < n; i++) {
    uint32_t n_gaps;
    const TnGap *gaps = tn_buffers_gaps(buffers, rows[i], &n_gaps);
    g_array_append_vals(space->gaps, gaps, n_gaps);
    space->gap_first[i + 1] = space->gaps->len;
  }
}

static void
fill_space(Space *space, const TnBuffers *buffers, const uint32_t *rows, uint32_t n, tn_bytes least)
{
  space->lower = g_new(tn_tick, MAX(n, 1u));
  space->upper = g_new(tn_tick, MAX(n, 1u));
  space->size = g_new(tn_bytes, MAX(n, 1u));
  space->flags = g_new(uint8_t, MAX(n, 1u));
  space->kind = g_new(uint8_t, MAX(n, 1u));
  for (uint32_t i = 0; i < n; i++) {
    space->lower[i] = buffers->start[rows[i]];
    space->upper[i] = buffers->end[rows[i]];
    space->size[i] = buffers->bytes[rows[i]];
    space->flags[i] = buffers->flags[rows[i]];
    space->kind[i] = buffers->kind[rows[i]];
  }
  fill_optional(space, buffers, rows, n, least);
  fill_gaps(space, buffers, rows, n);
  space->problem = (TnPlanProblem){
      .n = n,
      .lower = space->lower,
      .upper = space->upper,
      .size = space->size,
      .alignment = space->alignment,
      .fixed = space->fixed,
      .batch = space->batch,
      .stream = space->stream,
      .traits = space->traits,
      .kind = space->kind,
      .requested = space->requested,
      .use_row = rows,
      .group = space->group,
      .flags = space->flags,
      .gap_first = space->gap_first,
      .gaps = space->gaps ? (const TnGap *)(const void *)space->gaps->data : NULL,
  };
}

static int
severity(TnPlanStatus status)
{
  static const int order[] = {
      [TN_PLAN_FOUND] = 0, [TN_PLAN_TOO_LARGE] = 1, [TN_PLAN_INFEASIBLE] = 2, [TN_PLAN_FAILED] = 3};
  return order[status];
}

/* Adds what a strategy gave in one more space to the table's sums, strategy by strategy. */
static void
join_tries(TnPlan *plan, const TnPlanAnswer *answer, const char *name)
{
  g_autoptr(GArray) one = tn_plan_tries_new();
  tn_plan_tries_add(one, name, answer);
  const GArray *tries = answer->tried ? answer->tried : one;
  for (guint i = 0; i < tries->len; i++) {
    const TnPlanTry *from = &g_array_index(tries, TnPlanTry, i);
    guint k = 0;
    while (k < plan->tried->len &&
           strcmp(g_array_index(plan->tried, TnPlanTry, k).strategy, from->strategy) != 0)
      k++;
    if (k == plan->tried->len) {
      TnPlanTry copy = *from;
      copy.strategy = g_strdup(from->strategy);
      g_array_append_val(plan->tried, copy);
      continue;
    }
    TnPlanTry *to = &g_array_index(plan->tried, TnPlanTry, k);
    to->arena_bytes =
        to->arena_bytes < 0 || from->arena_bytes < 0 ? -1 : to->arena_bytes + from->arena_bytes;
    to->seconds += from->seconds;
    if (severity(from->status) > severity(to->status))
      to->status = from->status;
  }
}

/* A part of a space: its unlabelled rows, or those with a batch label, which may not share a place
 * with the others and so lie above them.  Where some are fixed both are one part. */
typedef struct {
  uint32_t space;
  const uint32_t *rows;
  uint32_t n;
  tn_bytes base;      /* where the part begins */
  bool is_apart;      /* it has rows of both kinds */
  bool is_first, is_last; /* of its space's parts */
  bool is_free;       /* neither alignment nor fixed offsets */
} Part;

/* What is known of the space at hand. */
typedef struct {
  tn_bytes lower, proved;
  bool is_free, is_failed, is_optimal;
} Proof;

static const Proof nothing_known = {.is_free = true, .is_optimal = true};

/* Two parts one above the other need as much as both: addresses that are the other's can be squeezed
 * out, unless that breaks an alignment or moves what is fixed.  What is alive at once needs its sum
 * anyway. */
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

static void
doubt_tries(GArray *tried)
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
  doubt_tries(answer->tried);
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
  if (!part->is_first && severity(status) > severity(plan->status))
    plan->status = status;
}

static void
join_answer(TnPlan *plan, TnPlanAnswer *answer, const TnStrategy *strategy, const Part *part)
{
  tn_bytes arena = 0, more = 0;
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
  if ((is_whole || answer->status == TN_PLAN_FAILED) &&
      severity(answer->status) > severity(plan->status))
    plan->status = answer->status;
  if (answer->message && !plan->message)
    plan->message = g_steal_pointer(&answer->message);
  join_tries(plan, answer, strategy->name);
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
shift_down(Space *table, TnPlanParams *params, const Part *part)
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

/* Above what is there already, at a multiple of all alignments of the part; false where there is none
 * within MOST_BYTES. */
static bool
find_base(const TnPlan *plan, const Space *table, Part *part)
{
  tn_bytes step = 1;
  for (uint32_t i = 0; table->alignment && i < part->n; i++)
    step = common_multiple(step, table->alignment[i]);
  return tn_round_up(plan->space_arena[part->space], step, &part->base) && part->base <= MOST_BYTES;
}

/* Streams keep rows out of the gaps of others, and coarse clocks out of all their places, wherever it is
 * not sure that they may be there.  So only what holds without that is proved. */
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
  tn_bytes bound = MAX(tn_plan_lower_bound(&loose), (tn_bytes)0);
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
  Space table = {0};
  TnPlanAnswer answer = {0};
  TnPlanParams own = *params;
  fill_space(&table, buffers, part->rows, part->n, least);
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
  clear_space(&table);
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

/* Whether the sum of all that could lie one above the other leaves planners room to calculate in. */
static bool
is_within_reach(const TnBuffers *buffers, tn_bytes least)
{
  tn_bytes sum = 0, top = 0;
  for (uint32_t i = 0; i < buffers->n; i++) {
    bool is_fixed = buffers->flags[i] & TN_BUFFER_FIXED;
    tn_bytes step = common_multiple(MAX(tn_buffers_alignment(buffers, i), 1), MAX(least, 1));
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

/* Spaces in which some rows are labelled, some not and some fixed are planned in one too: neither kind can
 * be pushed up as a whole.  Returns by space whether it is such a one; owned. */
static bool *
find_apart(const TnBuffers *buffers, uint32_t n_spaces)
{
  bool *is_apart = g_new0(bool, n_spaces);
  g_autofree uint64_t *count = g_new0(uint64_t, (gsize)n_spaces * 3);
  for (uint32_t i = 0; buffers->batch && i < buffers->n; i++) {
    uint64_t *of = count + (gsize)tn_buffers_space(buffers, i) * 3;
    of[buffers->batch[i] != 0]++;
    of[2] += buffers->flags[i] & TN_BUFFER_FIXED && buffers->offset[i] >= 0;
  }
  for (uint32_t s = 0; s < n_spaces; s++) {
    const uint64_t *of = count + (gsize)s * 3;
    is_apart[s] = of[2] && of[0] && of[1] && of[0] * of[1] <= MOST_APART;
  }
  return is_apart;
}

static uint32_t
count_parts(const uint64_t *key, const uint32_t *rows, uint32_t n)
{
  uint32_t n_parts = n > 0;
  for (uint32_t i = 1; i < n; i++)
    n_parts += key[rows[i]] != key[rows[i - 1]];
  return n_parts;
}

/* What one of `n_left` parts may take of the time limit: what those before did not need goes to those
 * behind. */
static TnPlanParams
share_time(const TnPlanParams *params, const TnStrategy *strategy, gint64 begun, uint32_t n_left)
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
join_apart(const TnBuffers *buffers, uint32_t n_spaces, uint64_t *key, uint32_t *rows)
{
  g_autofree bool *is_apart = find_apart(buffers, n_spaces);
  for (uint32_t i = 0; i < buffers->n; i++)
    if (is_apart[space_of(key, i)])
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

static TnPlan *
plan_table(const TnBuffers *buffers,
           const TnStrategy *strategy,
           tn_bytes alignment,
           const TnPlanParams *params,
           const uint32_t *class, /* by row: classes share nothing; NULL: there are none */
           bool is_stacked,       /* batches above the rest, whatever is fixed */
           uint32_t *out_n_parts)
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
  if (!is_within_reach(buffers, alignment))
    return fail_plan(plan, "sizes, alignments and fixed offsets add up to more than 2 EiB");
  if (has_split_group(buffers, key))
    return fail_plan(plan, "a contiguous group has buffers in more than one space, or some with a batch "
                           "label and some without");
  if (is_stacked)
    tn_order_by_key(key, n, rows);
  else
    join_apart(buffers, plan->n_spaces, key, rows);
  uint32_t n_left = *out_n_parts = count_parts(key, rows, n);
  Proof proof = nothing_known;
  for (uint32_t i = 0, next; i < n; i = next, n_left--) {
    Part part = part_at(buffers, key, rows, i);
    TnPlanParams own = *out_n_parts > 1 ? share_time(params, strategy, begun, n_left) : *params;
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

/* GE keeps one of its variants for all memory types: the one with the smallest sum. */
static TnPlan *
plan_again(TnPlan *plan,
           const TnBuffers *buffers,
           const TnStrategy *strategy,
           tn_bytes alignment,
           const TnPlanParams *params)
{
  TnPlanParams own = *params;
  const TnPlanTry *best = NULL;
  uint32_t n_parts = 0;
  for (guint i = 0; i < plan->tried->len; i++) {
    const TnPlanTry *try = &g_array_index(plan->tried, TnPlanTry, i);
    if (try->arena_bytes >= 0 && (!best || try->arena_bytes < best->arena_bytes))
      best = try;
  }
  if (!best)
    return plan;
  own.ge_variant = best->strategy;
  TnPlan *again = plan_table(buffers, strategy, alignment, &own, NULL, false, &n_parts);
  g_array_unref(again->tried);
  again->tried = g_steal_pointer(&plan->tried);
  again->seconds += plan->seconds;
  tn_plan_free(plan);
  return again;
}

/* ---- batches above the rest, and in one with it
 * ------------------------------------------------------------------------------------------ */

static bool
has_apart(const TnBuffers *buffers)
{
  uint32_t n_spaces = 1;
  bool has_any = false;
  for (uint32_t i = 0; i < buffers->n; i++)
    n_spaces = MAX(n_spaces, tn_buffers_space(buffers, i) + 1);
  g_autofree bool *is_apart = find_apart(buffers, n_spaces);
  for (uint32_t s = 0; s < n_spaces; s++)
    has_any |= is_apart[s];
  return has_any;
}

/* Stacked, which is quick and often as small as can be; then, where it is not, in one. */
static TnPlan *
plan_both(const TnBuffers *buffers,
          const TnStrategy *strategy,
          tn_bytes alignment,
          const TnPlanParams *params)
{
  gint64 begun = g_get_monotonic_time();
  uint32_t n_parts;
  TnPlanParams own = share_time(params, strategy, begun, 2);
  TnPlan *plan = plan_table(buffers, strategy, alignment, &own, NULL, true, &n_parts);
  bool has_plan = plan->status != TN_PLAN_FAILED;
  if (has_plan && plan->is_optimal)
    return plan;
  tn_bytes stacked = has_plan ? plan->arena_bytes : INT64_MAX;
  own = share_time(params, strategy, begun, 1);
  own.improved = NULL; /* not every better one of these is better than the stacked */
  tn_plan_merge(plan, plan_table(buffers, strategy, alignment, &own, NULL, false, &n_parts),
                buffers, params->capacity);
  if (params->improved && plan->status != TN_PLAN_FAILED && plan->arena_bytes < stacked)
    params->improved(plan->offset, plan->n, plan->arena_bytes, params->improved_payload);
  return plan;
}

/* ---- streams that share nothing
 * ------------------------------------------------------------------------------------------ */

/* By row: its stream, where one alone uses it and all of its contiguous group; 0: several do.  Owned. */
static uint32_t *
find_classes(const TnBuffers *buffers, const TnStreamUses *uses)
{
  uint32_t *class = g_new0(uint32_t, MAX(buffers->n, 1u));
  g_autoptr(GHashTable) first = g_hash_table_new(NULL, NULL); /* group → row + 1 */
  g_autoptr(GHashTable) mixed = g_hash_table_new(NULL, NULL); /* groups */
  for (uint32_t i = 0; i < buffers->n; i++) {
    gpointer group = GUINT_TO_POINTER(buffers->group ? buffers->group[i] : 0);
    if (tn_stream_uses_are_of_one(uses, i, i))
      class[i] = tn_stream_uses_stream(uses, i) + 1;
    uint32_t had = group ? GPOINTER_TO_UINT(g_hash_table_lookup(first, group)) : 0;
    if (group && !had)
      g_hash_table_insert(first, group, GUINT_TO_POINTER(i + 1));
    else if (had && class[had - 1] != class[i])
      g_hash_table_add(mixed, group);
  }
  for (uint32_t i = 0; buffers->group && i < buffers->n; i++)
    if (g_hash_table_contains(mixed, GUINT_TO_POINTER(buffers->group[i])))
      class[i] = 0;
  return class;
}

/* Each stream's rows above those of the others, and what several use shares with nobody.  That needs no
 * list of pairs. */
static TnPlan *
plan_by_stream(const TnBuffers *buffers,
               const TnStrategy *strategy,
               tn_bytes alignment,
               const TnPlanParams *params)
{
  uint32_t n_parts;
  TnPlanParams own = share_time(params, strategy, g_get_monotonic_time(), 4);
  g_autofree uint32_t *class = find_classes(buffers, params->uses);
  g_autoptr(TnBuffers) alone = tn_buffers_copy(buffers);
  for (uint32_t i = 0; i < alone->n; i++)
    alone->flags[i] |= class[i] ? 0 : TN_BUFFER_NO_REUSE;
  own.uses = NULL;
  own.improved = NULL;
  return plan_table(alone, strategy, alignment, &own, class, false, &n_parts);
}

/* What the lives alone ask for, whatever the streams. */
static tn_bytes
bound_of_lives(const TnBuffers *buffers, tn_bytes alignment)
{
  uint32_t n_parts;
  TnPlanParams params = TN_PLAN_PARAMS_INIT;
  g_autoptr(TnPlan) plan =
      plan_table(buffers, &tn_strategy_first_fit, alignment, &params, NULL, false, &n_parts);
  return plan->status == TN_PLAN_FAILED ? 0 : plan->lower_bound_bytes;
}

static bool
has_fixed_rows(const TnBuffers *buffers)
{
  bool has_fixed = false;
  for (uint32_t i = 0; i < buffers->n; i++)
    has_fixed |= buffers->flags[i] & TN_BUFFER_FIXED && buffers->offset[i] >= 0;
  return has_fixed;
}

/* What is proved of all plans, said of this one; what it proved itself is of its streams apart. */
static void
claim(TnPlan *plan, tn_bytes lower, tn_bytes proved, tn_bytes capacity)
{
  plan->lower_bound_bytes = lower;
  plan->proved_bound_bytes = proved;
  plan->is_optimal = plan->arena_bytes <= proved;
  if (plan->status == TN_PLAN_INFEASIBLE || plan->status == TN_PLAN_TOO_LARGE)
    plan->status = plan->n_spaces == 1 && proved > capacity ? TN_PLAN_INFEASIBLE : TN_PLAN_TOO_LARGE;
  doubt_tries(plan->tried);
}

/* Frees the other. */
static TnPlan *
keep_smaller(TnPlan *plan, TnPlan *by_stream, tn_bytes bound, const TnPlanParams *params)
{
  bool is_failed = plan->status == TN_PLAN_FAILED;
  bool is_better = by_stream->status != TN_PLAN_FAILED &&
                   (is_failed || by_stream->arena_bytes < plan->arena_bytes) &&
                   !tn_progress_is_cancelled(params->progress);
  if (!is_better) {
    tn_plan_free(by_stream);
    return plan;
  }
  claim(by_stream, is_failed ? bound : plan->lower_bound_bytes,
        is_failed ? bound : plan->proved_bound_bytes, params->capacity);
  by_stream->nodes += plan->nodes;
  tn_plan_free(plan);
  return by_stream;
}

/* Streams that are kept apart pair by pair may need too many pairs, or so many that planners do worse
 * than with a place for each stream. */
static TnPlan *
plan_streams(const TnBuffers *buffers,
             const TnStrategy *strategy,
             tn_bytes alignment,
             const TnPlanParams *params)
{
  gint64 begun = g_get_monotonic_time();
  uint32_t n_parts;
  tn_bytes bound = bound_of_lives(buffers, alignment);
  TnPlan *plan = plan_by_stream(buffers, strategy, alignment, params);
  if (plan->status != TN_PLAN_FAILED && plan->arena_bytes <= bound) {
    claim(plan, bound, bound, params->capacity);
  } else {
    TnPlanParams own = share_time(params, strategy, begun, 1);
    plan = keep_smaller(plan_table(buffers, strategy, alignment, &own, NULL, false, &n_parts), plan, bound,
                        params);
  }
  plan->seconds = (double)(g_get_monotonic_time() - begun) / G_USEC_PER_SEC;
  return plan;
}

TnPlan *
tn_plan_new_for_buffers(const TnBuffers *buffers,
                        const TnStrategy *strategy,
                        tn_bytes alignment,
                        const TnPlanParams *params)
{
  uint32_t n_parts = 0;
  if (params->uses && strategy != &tn_strategy_ge && !has_fixed_rows(buffers) &&
      is_within_reach(buffers, alignment))
    return plan_streams(buffers, strategy, alignment, params);
  if (strategy != &tn_strategy_ge && has_apart(buffers))
    return plan_both(buffers, strategy, alignment, params);
  TnPlan *plan = plan_table(buffers, strategy, alignment, params, NULL, false, &n_parts);
  bool is_mixed = strategy == &tn_strategy_ge && n_parts > 1 && !params->ge_variant &&
                  plan->status != TN_PLAN_FAILED;
  return is_mixed ? plan_again(plan, buffers, strategy, alignment, params) : plan;
}

void
tn_plan_free(TnPlan *plan)
{
  if (!plan)
    return;
  g_free(plan->offset);
  g_free(plan->space_arena);
  if (plan->tried)
    g_array_unref(plan->tried);
  g_free(plan->message);
  g_free(plan);
}
