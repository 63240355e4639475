/* SPDX-License-Identifier: MIT */
/* All strategies in a sensible order, until an arena equals the bound: the quick ones first, then
 * exact and search by turns, each from the best plan so far. */
#include "config.h"

#include "analysis/plan/answer.h"
#include "analysis/plan/exact.h"
#include "analysis/plan/search.h"
#include "analysis/plan/strategies.h"

#include <string.h>

#define DEFAULT_SECONDS 5.0
/* The quick ones are given so much however short the time is. */
#define LEAST_LIMIT (2 * G_USEC_PER_SEC)

static const TnStrategy *const heuristics[] = {
    &tn_strategy_greedy_size, &tn_strategy_greedy_area,      &tn_strategy_best_fit,
    &tn_strategy_first_fit,   &tn_strategy_greedy_conflicts, &tn_strategy_greedy_start,
    &tn_strategy_slots,       &tn_strategy_colour,
};

/* exact, search, exact, …: shares of the time that is left.  The first look of exact at large parts
 * may take longer: it is all or nothing. */
static const double shares[] = {0.3, 0.6, 1.0};
#define COARSE_SHARE 0.8

typedef struct {
  const TnPlanProblem *problem;
  const TnPlanParams *params;
  TnPlanParams aim; /* the same for exact and search; its capacity goes once that question is answered */
  TnPlanAnswer *best;
  gint64 begun, deadline;
} Run;

static bool
is_finished(const Run *run)
{
  const TnPlanAnswer *best = run->best;
  return best->is_optimal || !best->offset ||
         tn_progress_is_cancelled(run->params->progress) || g_get_monotonic_time() >= run->deadline;
}

/* Until `deadline`; 0: however long it takes. */
static void
run_heuristic(Run *run, const TnStrategy *strategy, gint64 deadline)
{
  TnPlanAnswer answer = {0};
  TnPlanAnswer *best = run->best;
  TnProgress progress = {.deadline = deadline, .within = run->params->progress};
  TnPlanParams params = *run->params;
  params.progress = &progress;
  strategy->plan(run->problem, &params, &answer);
  tn_plan_tries_add(best->tried, strategy->name, &answer);
  bool is_better = answer.offset && (!best->offset || answer.arena < best->arena);
  if (is_better || !best->strategy) {
    GArray *tried = g_steal_pointer(&best->tried);
    tn_plan_answer_clear(best);
    *best = answer;
    best->tried = tried;
    best->strategy = strategy->name;
    answer = (TnPlanAnswer){0};
  }
  if (is_better && run->params->improved)
    run->params->improved(best->offset, run->problem->n, best->arena,
                          run->params->improved_payload);
  tn_plan_answer_clear(&answer);
}

/* Beyond the first they may take half of the time, the first twice of it.  Where it came to no end even
 * so, the one that looks at no pairs gives the plan. */
static void
run_heuristics(Run *run)
{
  gint64 limit = MAX(run->deadline - run->begun, LEAST_LIMIT);
  for (gsize i = 0; i < G_N_ELEMENTS(heuristics); i++) {
    gint64 now = g_get_monotonic_time();
    if (i && (is_finished(run) || now - run->begun > (run->deadline - run->begun) / 2))
      return;
    tn_progress_report(run->params->progress, -1, heuristics[i]->name);
    run_heuristic(run, heuristics[i], run->begun + (i ? limit / 2 : 2 * limit));
    bool was_slow = !run->best->offset && g_get_monotonic_time() >= run->begun + 2 * limit;
    if (was_slow && !tn_progress_is_cancelled(run->params->progress))
      run_heuristic(run, &tn_strategy_best_fit, 0);
  }
}

/* Offsets of the bodies from those of their first rows. */
static tn_bytes *
copy_body_offsets(const TnBodies *bodies, const tn_bytes *row_offset)
{
  tn_bytes *offset = g_new(tn_bytes, MAX(bodies->n, 1u));
  for (uint32_t b = 0; b < bodies->n; b++)
    offset[b] = row_offset[bodies->row[b]] - (bodies->within ? bodies->within[bodies->row[b]] : 0);
  return offset;
}

/* Adds a turn of exact or search to what is known of it already. */
static void
add_turn(Run *run, const char *name, tn_bytes arena, double seconds, TnPlanStatus status)
{
  GArray *tried = run->best->tried;
  for (guint i = 0; i < tried->len; i++) {
    TnPlanTry *try = &g_array_index(tried, TnPlanTry, i);
    if (strcmp(try->strategy, name) != 0)
      continue;
    try->arena_bytes = MIN(try->arena_bytes, arena);
    try->seconds += seconds;
    try->status = status;
    return;
  }
  TnPlanAnswer answer = {.offset = run->best->offset, .arena = arena, .seconds = seconds};
  answer.status = status;
  tn_plan_tries_add(tried, name, &answer);
}

/* Takes over what a turn found and proved. */
static void
take_turn(Run *run,
          const TnBodies *bodies,
          const char *name,
          const tn_bytes *offset,
          tn_bytes arena,
          tn_bytes proved,
          gint64 begun)
{
  TnPlanAnswer *best = run->best, answer = {0};
  bool is_better = arena < best->arena;
  tn_answer_finish(&answer, bodies, run->params, offset, MIN(arena, best->arena),
                   MAX(proved, best->proved_bound), NULL, begun);
  if (is_better) {
    g_free(best->offset);
    best->offset = g_steal_pointer(&answer.offset);
    best->strategy = name;
  }
  best->arena = answer.arena;
  best->proved_bound = answer.proved_bound;
  best->is_optimal = answer.is_optimal;
  best->status = answer.status;
  add_turn(run, name, arena, answer.seconds, answer.status);
  tn_plan_answer_clear(&answer);
}

/* Whether a plan fits is the easier question and comes first; then the smallest is looked for. */
static const TnPlanParams *
take_aim(Run *run)
{
  tn_bytes capacity = run->params->capacity;
  if (run->best->arena <= capacity || run->best->proved_bound > capacity)
    run->aim.capacity = 0;
  return &run->aim;
}

static gint64
deadline_of_turn(const Run *run, double share)
{
  gint64 now = g_get_monotonic_time();
  return now + (gint64)((double)(run->deadline - now) * share);
}

static void
run_exact(Run *run, const TnBodies *bodies, tn_bytes *offset, double share, bool is_first)
{
  gint64 begun = g_get_monotonic_time();
  TnExact exact = {.bodies = bodies,
                   .params = take_aim(run),
                   .deadline = deadline_of_turn(run, share),
                   .coarse_deadline = is_first ? deadline_of_turn(run, COARSE_SHARE) : 0,
                   .offset = offset,
                   .arena = run->best->arena};
  tn_progress_report(run->params->progress, -1, "exact");
  tn_exact_run(&exact);
  run->best->nodes += exact.nodes;
  take_turn(run, bodies, "exact", offset, exact.arena, exact.proved, begun);
}

static void
run_search(Run *run, const TnBodies *bodies, tn_bytes *offset, double share)
{
  gint64 begun = g_get_monotonic_time();
  TnSearch search = {.bodies = bodies,
                     .params = take_aim(run),
                     .deadline = deadline_of_turn(run, share),
                     .offset = offset,
                     .arena = run->best->arena};
  tn_progress_report(run->params->progress, -1, "search");
  tn_search_run(&search);
  run->best->nodes += search.nodes;
  take_turn(run, bodies, "search", offset, search.arena, 0, begun);
}

static void
run_turns(Run *run)
{
  TnPlanAnswer failed = {0};
  g_autoptr(TnBodies) bodies = tn_answer_begin(run->problem, &failed);
  tn_plan_answer_clear(&failed);
  if (!bodies)
    return;
  g_autofree tn_bytes *offset = copy_body_offsets(bodies, run->best->offset);
  for (gsize i = 0; i < G_N_ELEMENTS(shares) && !is_finished(run); i++)
    if (i % 2 == 0)
      run_exact(run, bodies, offset, shares[i], i == 0);
    else
      run_search(run, bodies, offset, shares[i]);
}

static void
plan(const TnPlanProblem *problem, const TnPlanParams *params, TnPlanAnswer *best)
{
  double seconds = params->time_limit > 0 ? params->time_limit : DEFAULT_SECONDS;
  Run run = {.problem = problem, .params = params, .aim = *params, .best = best};
  run.begun = g_get_monotonic_time();
  run.deadline = run.begun + (gint64)(seconds * G_USEC_PER_SEC);
  best->tried = tn_plan_tries_new();
  run_heuristics(&run);
  if (!is_finished(&run))
    run_turns(&run);
  best->seconds = (double)(g_get_monotonic_time() - run.begun) / G_USEC_PER_SEC;
}

const TnStrategy tn_strategy_best = {
    "best", "all of them in a sensible order, until the bound is reached", plan, DEFAULT_SECONDS};
