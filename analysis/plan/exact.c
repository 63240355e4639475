/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/plan/answer.h"
#include "analysis/plan/exact-private.h"
#include "analysis/plan/greedy.h"
#include "analysis/plan/interlock.h"
#include "analysis/plan/order.h"
#include "analysis/plan/strategies.h"

#define DEFAULT_SECONDS 10.0
#define N_ROUNDS_AT_BOUND 5u /* after the first, at the bound alone: mostly it is the optimum */

/* ---- one part ---------------------------------------------------------------------------------
 */

static tn_bytes
height_of(const TnExact *exact, const TnField *field, const int32_t *offset)
{
  tn_bytes height = 0;
  for (uint32_t i = 0; i < field->n; i++)
    height = MAX(height, offset[i] * field->unit + exact->bodies->size[field->body[i]]);
  return height;
}

/* Pushes all down to the least that true sizes allow, where the search knew rounded ones. */
static void
settle(const TnExact *exact, const TnField *field, const int32_t *offset)
{
  g_autofree uint64_t *key = g_new(uint64_t, field->n);
  g_autofree uint32_t *order = g_new(uint32_t, field->n);
  for (uint32_t i = 0; i < field->n; i++)
    key[i] = (uint64_t)offset[i];
  tn_order_by_key(key, field->n, order);
  for (uint32_t k = 0; k < field->n; k++) {
    uint32_t i = order[k];
    tn_bytes x = 0;
    for (uint32_t j = field->near_first[i]; j < field->near_first[i + 1]; j++) {
      uint32_t other = field->near[j], b = field->body[other];
      if (offset[other] < offset[i])
        x = MAX(x, exact->offset[b] + exact->bodies->size[b]);
    }
    exact->offset[field->body[i]] = x;
  }
}

static void
keep(TnExact *exact, PartState *part, const int32_t *offset)
{
  const TnField *field = part->field;
  tn_bytes height = height_of(exact, field, offset);
  if (height >= part->height)
    return;
  for (uint32_t i = 0; i < field->n; i++)
    exact->offset[field->body[i]] = offset[i] * field->unit;
  if (field->is_rounded)
    settle(exact, field, offset);
  part->height = 0;
  for (uint32_t i = 0; i < field->n; i++)
    part->height =
        MAX(part->height, exact->offset[field->body[i]] + exact->bodies->size[field->body[i]]);
}

/* Capacities worth a try between what is proved and what is found: the bound itself (once a round),
 * the middle, a little less than now, just less than now.  With a wanted capacity: that alone. */
static void
choose_capacities(Round *round, PartState *part, tn_bytes floor)
{
  tn_bytes unit = part->field->unit, wanted = round->exact->params->capacity;
  uint64_t n_nodes = round->n_nodes_max;
  int32_t least = MAX(part->proved, (int32_t)((floor + unit - 1) / unit));
  int32_t most = (int32_t)((part->height - 1) / unit);
  if (wanted > 0) {
    tn_exact_add_jobs(round, (int32_t)MIN(wanted / unit, most), n_nodes);
    return;
  }
  least = MIN(least, most);
  if (part->round >= part->n_rounds_at_bound || least != part->bound_tried)
    tn_exact_add_jobs(round, least, n_nodes);
  part->n_rounds_at_bound = part->round + 1;
  part->bound_tried = least;
  if (part->round > 0 && part->round < N_ROUNDS_AT_BOUND)
    return;
  if (part->round > 0)
    n_nodes /= 4;
  tn_exact_add_jobs(round, least + (most - least) / 2, n_nodes);
  tn_exact_add_jobs(round, most - (most - least) / 8, n_nodes);
  tn_exact_add_jobs(round, most, n_nodes);
}

static void
judge_round(Round *round, PartState *part)
{
  if ((guint)round->decisive >= round->n) {
    part->round++;
    return;
  }
  Job *job = &round->jobs[round->decisive];
  if (job->result == TN_DIVE_FOUND)
    keep(round->exact, part, job->offset);
  else
    part->proved = MAX(part->proved, MAX(job->need, job->capacity + 1));
}

/* One round on a part; `floor`: no need to get below. */
static void
improve_part(TnExact *exact, PartState *part, tn_bytes floor)
{
  Round round = {
      .exact = exact, .field = part->field, .decisive = G_MAXINT, .deadline = exact->deadline};
  round.n_nodes_max = (uint64_t)part->field->n * 2 << MIN(part->round, 40);
  choose_capacities(&round, part, floor);
  tn_exact_run_round(&round, part);
  judge_round(&round, part);
  for (uint32_t k = 0; k < round.n; k++)
    g_free(round.jobs[k].offset);
}

/* ---- all parts --------------------------------------------------------------------------------
 */

typedef struct {
  PartState *parts;
  uint32_t n;
} Parts;

static Parts
parts_new(TnExact *exact)
{
  Parts parts = {0};
  uint32_t n;
  g_autofree uint32_t *first = NULL;
  g_autofree uint32_t *ids = tn_field_new_parts(exact->bodies, &first, &n);
  parts.parts = g_new0(PartState, MAX(n, 1u));
  for (uint32_t k = 0; k < n; k++) {
    PartState part = {0};
    for (uint32_t i = first[k]; i < first[k + 1]; i++)
      part.height = MAX(part.height, exact->offset[ids[i]] + exact->bodies->size[ids[i]]);
    /* Parts that are low anyway need no search. */
    if (part.height <= exact->bodies->fixed_bound)
      continue;
    part.field = tn_field_new(exact->bodies, ids + first[k], first[k + 1] - first[k], part.height);
    part.is_done = part.field == NULL;
    if (part.field)
      part.proved = part.field->load;
    parts.parts[parts.n++] = part;
  }
  return parts;
}

static void
parts_clear(Parts *parts)
{
  for (uint32_t k = 0; k < parts->n; k++) {
    tn_field_free(parts->parts[k].field);
    tn_dive_free(parts->parts[k].dive[0]);
    tn_dive_free(parts->parts[k].dive[1]);
  }
  g_free(parts->parts);
}

/* The largest of what is proved of the parts, in bytes. */
static tn_bytes
proved_bytes(const TnExact *exact, const Parts *parts)
{
  tn_bytes proved = exact->bodies->fixed_bound;
  for (uint32_t k = 0; k < parts->n; k++) {
    const PartState *part = &parts->parts[k];
    if (!part->field || part->field->is_rounded || exact->bodies->is_loose)
      continue;
    proved = MAX(proved, part->proved * part->field->unit);
  }
  return proved;
}

/* The highest part that can still be lowered; NULL where the arena cannot. */
static PartState *
highest_part(Parts *parts)
{
  PartState *highest = NULL;
  for (uint32_t k = 0; k < parts->n; k++)
    if (!highest || parts->parts[k].height > highest->height)
      highest = &parts->parts[k];
  return highest && !highest->is_done ? highest : NULL;
}

static void
mark_done(TnExact *exact, PartState *part)
{
  tn_bytes proved = part->proved * part->field->unit, wanted = exact->params->capacity;
  part->is_done =
      part->height <= proved || (wanted > 0 && (part->height <= wanted || proved > wanted));
}

static void
report(TnExact *exact, const Parts *parts)
{
  tn_bytes arena = tn_answer_arena(exact->bodies, exact->offset);
  if (arena < exact->arena) {
    exact->arena = arena;
    tn_answer_improved(exact->bodies, exact->params, exact->offset, arena);
  }
  exact->proved = proved_bytes(exact, parts);
}

static bool
is_finished(const TnExact *exact)
{
  tn_bytes wanted = exact->params->capacity;
  return exact->arena <= exact->proved || (wanted > 0 && exact->arena <= wanted) ||
         (wanted > 0 && exact->proved > wanted) || g_get_monotonic_time() >= exact->deadline ||
         tn_progress_is_cancelled(exact->params->progress);
}

/* Bodies that are no boxes: all together, by the search that lets them interlock. */
static void
run_interlock(TnExact *exact)
{
  tn_bytes wanted = exact->params->capacity;
  TnInterlock interlock = {.bodies = exact->bodies,
                           .capacity =
                               wanted > 0 ? MIN(wanted, exact->arena - 1) : exact->arena - 1,
                           .wanted = MAX(wanted, exact->bodies->fixed_bound),
                           .deadline = exact->deadline,
                           .progress = exact->params->progress,
                           .offset = exact->offset,
                           .nodes = exact->nodes};
  tn_interlock_run(&interlock);
  exact->nodes = interlock.nodes;
  if (interlock.has_found) {
    exact->arena = tn_answer_arena(exact->bodies, exact->offset);
    tn_answer_improved(exact->bodies, exact->params, exact->offset, exact->arena);
  }
  if (interlock.is_exhausted && !exact->bodies->is_loose)
    exact->proved = MAX(exact->proved, MIN(interlock.need, exact->arena));
}

void
tn_exact_run(TnExact *exact)
{
  exact->proved = exact->bodies->fixed_bound;
  if (is_finished(exact))
    return;
  if (!exact->bodies->is_convex) {
    run_interlock(exact);
    return;
  }
  Parts parts = parts_new(exact);
  for (PartState *part; !is_finished(exact) && (part = highest_part(&parts));) {
    if (!part->is_begun && exact->coarse_deadline > 0)
      tn_exact_improve_coarsely(exact, part);
    else
      improve_part(exact, part, exact->proved);
    part->is_begun = true;
    mark_done(exact, part);
    report(exact, &parts);
  }
  parts_clear(&parts);
}

/* ---- the strategy -----------------------------------------------------------------------------
 */

static void
plan(const TnPlanProblem *problem, const TnPlanParams *params, TnPlanAnswer *answer)
{
  gint64 begun = g_get_monotonic_time();
  double seconds = params->time_limit > 0 ? params->time_limit : DEFAULT_SECONDS;
  g_autoptr(TnBodies) bodies = tn_answer_begin(problem, answer);
  if (!bodies)
    return;
  char *message = NULL;
  g_autoptr(TnNeighbours) neighbours = tn_neighbours_new(bodies);
  g_autofree tn_bytes *offset = g_new(tn_bytes, MAX(bodies->n, 1u));
  TnExact exact = {.bodies = bodies,
                   .params = params,
                   .deadline = begun + (gint64)(seconds * G_USEC_PER_SEC),
                   .offset = offset};
  exact.coarse_deadline = exact.deadline;
  exact.arena =
      tn_greedy_begin(neighbours, bodies, params->progress, exact.deadline, offset, &message);
  if (exact.arena >= 0) {
    tn_answer_improved(bodies, params, offset, exact.arena);
    tn_exact_run(&exact);
  }
  answer->nodes = exact.nodes;
  tn_answer_finish(answer, bodies, params, offset, exact.arena, exact.proved, message, begun);
}

const TnStrategy tn_strategy_exact = {
    "exact", "branch and bound: proves the optimum or stops at the time limit", plan, DEFAULT_SECONDS};
