/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/plan/answer.h"
#include "analysis/plan/dive.h"
#include "analysis/plan/exact.h"
#include "analysis/plan/greedy.h"
#include "analysis/plan/interlock.h"
#include "analysis/plan/order.h"
#include "analysis/plan/pack.h"
#include "analysis/plan/strategies.h"

#include <string.h>

#define DEFAULT_SECONDS 10.0
#define N_JOBS_MAX 40u
#define N_ROUNDS_AT_BOUND 5u /* after the first, at the bound alone: mostly it is the optimum */

/* Orders that solve what others do not; the first ones solve the most. */
static const char *const orders[] = {"TWA", "TAW", "WAT", "TCA", "OAT", "CAT", "TLA", "TOW"};

/* One run of the search: a capacity, an order, a node limit. */
typedef struct {
  int32_t capacity;
  const char *order;
  uint64_t n_nodes_max;
  TnDiveResult result;
  int32_t need;
  int32_t *offset;
  gint stop; /* atomic: a job before it was decisive */
} Job;

/* The jobs of one round.  Their answer is that of the first decisive one in their order, whichever
 * thread ends first: so it depends on no timing. */
typedef struct {
  TnExact *exact;
  const TnField *field;
  Job jobs[N_JOBS_MAX];
  uint32_t n;
  uint64_t n_nodes_max, n_fails_max;
  gint64 deadline;
  bool is_alone;  /* on one thread */
  gint next;      /* atomic */
  gint decisive;  /* atomic: least index of a decisive job */
  uint64_t nodes; /* atomic */
} Round;

/* A part of the problem: its field, what is proved and what is found, in units. */
typedef struct {
  TnField *field;
  TnDive *dive[2];
  tn_bytes height;                   /* bytes */
  int32_t proved;                    /* units */
  unsigned round, n_rounds_at_bound; /* rounds that tried the capacity `bound_tried` */
  int32_t bound_tried;
  bool is_begun, is_done;
} PartState;

static void
take_decision(Round *round, guint index)
{
  gint least = g_atomic_int_get(&round->decisive);
  while ((gint)index < least &&
         !g_atomic_int_compare_and_exchange(&round->decisive, least, (gint)index))
    least = g_atomic_int_get(&round->decisive);
  for (guint k = index + 1; k < round->n; k++)
    g_atomic_int_set(&round->jobs[k].stop, 1);
}

static void
work(Round *round, TnDive *dive)
{
  uint64_t nodes = 0;
  for (;;) {
    guint index = (guint)g_atomic_int_add(&round->next, 1);
    if (index >= round->n || (gint)index > g_atomic_int_get(&round->decisive))
      break;
    Job *job = &round->jobs[index];
    TnDiveParams params = {.capacity = job->capacity,
                           .n_nodes_max = job->n_nodes_max,
                           .n_fails_max = round->n_fails_max,
                           .deadline = round->deadline,
                           .stop = &job->stop,
                           .progress = round->exact->params->progress,
                           .order = job->order};
    job->result = tn_dive_run(dive, &params, job->offset, &job->need, &nodes);
    if (job->result != TN_DIVE_ENDED)
      take_decision(round, index);
  }
  __atomic_fetch_add(&round->nodes, nodes, __ATOMIC_RELAXED);
}

typedef struct {
  Round *round;
  TnDive *dive;
} Helper;

static gpointer
help(gpointer data)
{
  Helper *helper = data;
  work(helper->round, helper->dive);
  return NULL;
}

/* Runs the jobs, on two threads where they are long enough to be worth it. */
static void
run_round(Round *round, PartState *part)
{
  bool is_long =
      round->n_nodes_max > 4096 && round->exact->params->n_threads != 1 && !round->is_alone;
  GThread *thread = NULL;
  if (!part->dive[0])
    part->dive[0] = tn_dive_new(round->field);
  if (is_long && !part->dive[1])
    part->dive[1] = tn_dive_new(round->field);
  Helper helper = {round, part->dive[1]};
  if (is_long)
    thread = g_thread_try_new("exact", help, &helper, NULL);
  work(round, part->dive[0]);
  if (thread)
    g_thread_join(thread);
  round->exact->nodes += round->nodes;
}

static void
add_jobs(Round *round, int32_t capacity, uint64_t n_nodes_max)
{
  for (uint32_t k = 0; k < round->n; k++)
    if (round->jobs[k].capacity == capacity)
      return;
  for (gsize i = 0; i < G_N_ELEMENTS(orders) && round->n < N_JOBS_MAX; i++)
    round->jobs[round->n++] = (Job){.capacity = capacity,
                                    .order = orders[i],
                                    .n_nodes_max = n_nodes_max,
                                    .result = TN_DIVE_ENDED,
                                    .offset = g_new(int32_t, round->field->n)};
}

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
    add_jobs(round, (int32_t)MIN(wanted / unit, most), n_nodes);
    return;
  }
  least = MIN(least, most);
  if (part->round >= part->n_rounds_at_bound || least != part->bound_tried)
    add_jobs(round, least, n_nodes);
  part->n_rounds_at_bound = part->round + 1;
  part->bound_tried = least;
  if (part->round > 0 && part->round < N_ROUNDS_AT_BOUND)
    return;
  if (part->round > 0)
    n_nodes /= 4;
  add_jobs(round, least + (most - least) / 2, n_nodes);
  add_jobs(round, most - (most - least) / 8, n_nodes);
  add_jobs(round, most, n_nodes);
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
  run_round(&round, part);
  judge_round(&round, part);
  for (uint32_t k = 0; k < round.n; k++)
    g_free(round.jobs[k].offset);
}

/* ---- a large part without its small bodies ----------------------------------------------------
 */

#define COARSE_BODIES_MIN 2000u
#define COARSE_SHARE 1000 /* small ones may make up this part of the load */

/* The load of the bodies of at most `limit` units. */
static int64_t
load_below(const TnField *field, int32_t limit)
{
  g_autofree int64_t *step = g_new0(int64_t, (gsize)field->n_sections + 1);
  int64_t load = 0, most = 0;
  for (uint32_t i = 0; i < field->n; i++)
    for (uint32_t k = field->range_first[i]; k < field->range_first[i + 1]; k++)
      if (field->size[i] <= limit) {
        step[field->ranges[k].first] += field->size[i];
        step[field->ranges[k].last] -= field->size[i];
      }
  for (uint32_t s = 0; s < field->n_sections; s++) {
    load += step[s];
    most = MAX(most, load);
  }
  return most;
}

/* The largest size in units, halving down, up to which bodies are negligible together; 0: none. */
static int32_t
negligible_size(const TnField *field)
{
  for (int32_t limit = field->load / 256; limit > 0; limit /= 2)
    if (load_below(field, limit) <= field->load / COARSE_SHARE)
      return limit;
  return 0;
}

/* The small bodies into the gaps that the others leave, large ones first. */
static void
fill_small(const TnExact *exact, const PartState *part, int32_t limit, tn_bytes *offset)
{
  const TnField *field = part->field;
  g_autoptr(TnNeighbours) neighbours = tn_neighbours_new(exact->bodies);
  g_autofree uint64_t *key = g_new(uint64_t, field->n);
  g_autofree uint32_t *order = g_new(uint32_t, field->n);
  for (uint32_t i = 0; i < field->n; i++) {
    key[i] = (uint64_t)exact->bodies->size[field->body[i]];
    if (field->size[i] > limit)
      tn_neighbours_place(neighbours, field->body[i], offset[field->body[i]]);
  }
  tn_order_by_key_descending(key, field->n, order);
  for (uint32_t k = 0, n; k < field->n; k++) {
    uint32_t b = field->body[order[k]];
    if (field->size[order[k]] > limit)
      continue;
    TnForbidden *forbidden = tn_neighbours_forbidden(neighbours, b, &n);
    offset[b] = tn_fit_lowest(exact->bodies, b, forbidden, n, 0);
    tn_neighbours_place(neighbours, b, offset[b]);
  }
}

/* Takes over a plan of the large bodies, with the small ones filled in, where it is better. */
static void
keep_coarse(
    TnExact *exact, PartState *part, const TnField *coarse, const int32_t *found, int32_t limit)
{
  gsize bytes = exact->bodies->n * sizeof *exact->offset;
  g_autofree tn_bytes *offset = g_memdup2(exact->offset, bytes);
  tn_bytes height = 0;
  for (uint32_t i = 0; i < coarse->n; i++)
    offset[coarse->body[i]] = found[i] * coarse->unit;
  fill_small(exact, part, limit, offset);
  for (uint32_t i = 0; i < part->field->n; i++)
    height = MAX(height, offset[part->field->body[i]] + exact->bodies->size[part->field->body[i]]);
  if (height >= part->height)
    return;
  part->height = height;
  memcpy(exact->offset, offset, bytes);
}

/* Where many bodies are negligible, their numbers hide what matters and make the unit fine: a plan
 * of the others first, at their own bound. */
static void
improve_coarsely(TnExact *exact, PartState *part)
{
  const TnField *field = part->field;
  int32_t limit = field->n < COARSE_BODIES_MIN || field->fixed ? 0 : negligible_size(field);
  g_autofree uint32_t *ids = g_new(uint32_t, field->n);
  uint32_t n = 0;
  for (uint32_t i = 0; i < field->n; i++)
    if (field->size[i] > limit)
      ids[n++] = field->body[i];
  if (limit == 0 || n == field->n)
    return;
  g_autoptr(TnField) coarse = tn_field_new(exact->bodies, ids, n, part->height);
  if (!coarse)
    return;
  PartState state = {.field = coarse};
  Round round = {
      .exact = exact, .field = coarse, .decisive = G_MAXINT, .deadline = exact->coarse_deadline};
  /* The first order mostly works; large fields want the memory's speed for themselves. */
  round.is_alone = true;
  /* What works at all works almost without a step back. */
  round.n_nodes_max = (uint64_t)n * 2;
  round.n_fails_max = n / 16 + 64;
  add_jobs(&round, coarse->load, round.n_nodes_max);
  run_round(&round, &state);
  if ((guint)round.decisive < round.n && round.jobs[round.decisive].result == TN_DIVE_FOUND)
    keep_coarse(exact, part, coarse, round.jobs[round.decisive].offset, limit);
  for (uint32_t k = 0; k < round.n; k++)
    g_free(round.jobs[k].offset);
  tn_dive_free(state.dive[0]);
  tn_dive_free(state.dive[1]);
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
    if (!part->field || part->field->is_rounded || exact->bodies->has_padding)
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
  if (interlock.is_exhausted && !exact->bodies->has_padding)
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
      improve_coarsely(exact, part);
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
    "exact", "branch and bound: proves the optimum or stops at the time limit", plan};
