/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/plan/answer.h"
#include "analysis/plan/greedy.h"
#include "analysis/plan/pack.h"
#include "analysis/plan/search.h"
#include "analysis/plan/strategies.h"
#include "data/hash.h"

#include <string.h>

#define DEFAULT_SECONDS 5.0

typedef struct {
  tn_bytes at;
  double price; /* summed up to here once sorted */
} Edge;

typedef struct {
  TnSearch *search;
  const TnBodies *bodies;
  TnNeighbours *neighbours;
  tn_bytes *offset; /* of the plan in the making; TN_NOT_PLACED: thrown out */
  double *price;    /* by body: of throwing it out */
  uint32_t *out;    /* stack of those thrown out */
  uint32_t n_out;
  Edge *low, *high; /* of the forbidden intervals at hand, each sorted */
  Edge *spare;
  uint32_t *bucket;
  uint32_t n_edges_max;
  tn_bytes ceiling;
  uint64_t random;
} State;

static uint64_t
next_random(State *state)
{
  return tn_mix64(state->random += 0x9e3779b97f4a7c15ull);
}

/* ---- what a place would cost ------------------------------------------------------------------
 */

static void
sort_few(Edge *edges, uint32_t n)
{
  for (uint32_t i = 1; i < n; i++) {
    Edge edge = edges[i];
    uint32_t j = i;
    for (; j > 0 && edges[j - 1].at > edge.at; j--)
      edges[j] = edges[j - 1];
    edges[j] = edge;
  }
}

static void
sort_quick(Edge *edges, uint32_t n)
{
  while (n > 20) {
    tn_bytes a = edges[0].at, b = edges[n / 2].at, c = edges[n - 1].at;
    tn_bytes pivot = MAX(MIN(a, b), MIN(MAX(a, b), c));
    uint32_t i = 0, j = n - 1;
    for (;;) {
      while (edges[i].at < pivot)
        i++;
      while (edges[j].at > pivot)
        j--;
      if (i >= j)
        break;
      Edge swap = edges[i];
      edges[i++] = edges[j];
      edges[j--] = swap;
    }
    uint32_t left = j + 1;
    sort_quick(edges, left);
    edges += left;
    n -= left;
  }
  sort_few(edges, n);
}

/* Sorts by buckets, as many as edges, each then by itself: here the search spends its time.
 * Offsets are spread well enough; where they are not, the buckets' own sort is quick, too. */
static void
sort_edges(State *state, Edge **edges, uint32_t n)
{
  if (n <= 64) {
    sort_quick(*edges, n);
    return;
  }
  Edge *from = *edges, *to = state->spare;
  uint32_t *first = state->bucket;
  tn_bytes least = from[0].at, most = least;
  for (uint32_t i = 1; i < n; i++) {
    least = MIN(least, from[i].at);
    most = MAX(most, from[i].at);
  }
  double scale = (double)(n - 1) / ((double)(most - least) + 1.0);
  memset(first, 0, (n + 1) * sizeof *first);
  for (uint32_t i = 0; i < n; i++)
    first[(uint32_t)((double)(from[i].at - least) * scale) + 1]++;
  for (uint32_t k = 0; k < n; k++)
    first[k + 1] += first[k];
  for (uint32_t i = 0; i < n; i++)
    to[first[(uint32_t)((double)(from[i].at - least) * scale)]++] = from[i];
  for (uint32_t k = 0, begin = 0; k < n; begin = first[k++])
    if (first[k] > begin + 1)
      sort_quick(to + begin, first[k] - begin);
  state->spare = from;
  *edges = to;
}

static void
sum_prices(Edge *edges, uint32_t n)
{
  for (uint32_t i = 1; i < n; i++)
    edges[i].price += edges[i - 1].price;
}

/* The intervals that the placed neighbours forbid to b, with what each costs. */
static uint32_t
find_edges(State *state, uint32_t b)
{
  uint32_t n;
  const uint32_t *owner;
  const TnForbidden *forbidden = tn_neighbours_owned(state->neighbours, b, &owner, &n);
  if (n > state->n_edges_max) {
    state->n_edges_max = n * 2;
    state->low = g_renew(Edge, state->low, state->n_edges_max);
    state->high = g_renew(Edge, state->high, state->n_edges_max);
    state->spare = g_renew(Edge, state->spare, state->n_edges_max);
    state->bucket = g_renew(uint32_t, state->bucket, (gsize)state->n_edges_max + 1);
  }
  for (uint32_t i = 0; i < n; i++) {
    state->low[i] = (Edge){forbidden[i].low, state->price[owner[i]]};
    state->high[i] = (Edge){forbidden[i].high, state->price[owner[i]]};
  }
  sort_edges(state, &state->low, n);
  sort_edges(state, &state->high, n);
  sum_prices(state->low, n);
  sum_prices(state->high, n);
  return n;
}

/* Walks up the offsets: how many edges lie below the last one asked for. */
typedef struct {
  uint32_t begun, ended;
} Walk;

/* Price of all intervals with low < x < high; x must not fall from call to call of one walk. */
static double
price_at(const State *state, Walk *walk, uint32_t n, tn_bytes x)
{
  while (walk->begun < n && state->low[walk->begun].at < x)
    walk->begun++;
  while (walk->ended < n && state->high[walk->ended].at <= x)
    walk->ended++;
  return (walk->begun ? state->low[walk->begun - 1].price : 0) -
         (walk->ended ? state->high[walk->ended - 1].price : 0);
}

typedef struct {
  tn_bytes x;
  double price;
  uint32_t n_equal;
} Choice;

static void
consider(State *state, uint32_t b, Walk *walk, uint32_t n, tn_bytes x, Choice *choice)
{
  if (x < 0 || x + state->bodies->size[b] > state->ceiling)
    return;
  double price = price_at(state, walk, n, x);
  double margin = 1e-9 * (price + choice->price) + 0.5;
  if (choice->x >= 0 && price > choice->price + margin)
    return;
  if (choice->x >= 0 && price > choice->price - margin) {
    /* Of free places the lowest, of others any. */
    if (price < 0.5 || next_random(state) % ++choice->n_equal)
      return;
  } else
    choice->n_equal = 1;
  choice->x = x;
  choice->price = price;
}

/* The cheapest offset under the ceiling: prices change only at edges, and are lowest on them. */
static Choice
choose(State *state, uint32_t b)
{
  const TnBodies *bodies = state->bodies;
  Choice choice = {.x = -1};
  Walk walk = {0};
  uint32_t n = find_edges(state, b);
  tn_bytes step = bodies->alignment ? bodies->alignment[b] : 1;
  tn_bytes last = tn_bodies_align(bodies, b, 0);
  consider(state, b, &walk, n, last, &choice);
  for (uint32_t i = 0; i < n && state->high[i].at < state->ceiling; i++) {
    tn_bytes x = tn_bodies_align(bodies, b, MAX(state->high[i].at, 0));
    if (x > last)
      consider(state, b, &walk, n, last = x, &choice);
  }
  walk = (Walk){0};
  last = 0;
  for (uint32_t i = 0; i < n; i++) {
    tn_bytes x = state->low[i].at - step + 1;
    if (x <= 0 || (x = tn_bodies_align(bodies, b, x)) <= last)
      continue;
    consider(state, b, &walk, n, last = x, &choice);
  }
  return choice;
}

/* ---- throwing out and putting back ------------------------------------------------------------
 */

static void
throw_out(State *state, uint32_t b)
{
  tn_neighbours_remove(state->neighbours, b);
  state->offset[b] = TN_NOT_PLACED;
  state->out[state->n_out++] = b;
}

/* Throws out all that b meets at x; false where one of them is fixed. */
static bool
clear_place(State *state, uint32_t b, tn_bytes x)
{
  uint32_t n;
  const uint32_t *owner;
  const TnForbidden *forbidden = tn_neighbours_owned(state->neighbours, b, &owner, &n);
  for (uint32_t i = 0; i < n; i++) {
    if (forbidden[i].low >= x || x >= forbidden[i].high)
      continue;
    if (tn_bodies_is_fixed(state->bodies, owner[i]))
      return false;
    if (state->offset[owner[i]] != TN_NOT_PLACED)
      throw_out(state, owner[i]);
  }
  return true;
}

static bool
put_back(State *state)
{
  /* Mostly the last one, so that a change stays where it began; sometimes another. */
  uint32_t k = next_random(state) % 8 ? state->n_out - 1 : next_random(state) % state->n_out;
  uint32_t b = state->out[k];
  state->out[k] = state->out[--state->n_out];
  Choice choice = choose(state, b);
  if (choice.x < 0 || !clear_place(state, b, choice.x))
    return false;
  if (choice.price > 0)
    state->price[b] += (double)state->bodies->size[b];
  state->offset[b] = choice.x;
  tn_neighbours_place(state->neighbours, b, choice.x);
  state->search->nodes++;
  return true;
}

static bool
is_over(const State *state)
{
  return tn_progress_is_cancelled(state->search->params->progress) ||
         g_get_monotonic_time() >= state->search->deadline;
}

/* Tries to bring the plan under the ceiling within `n_steps`. */
static bool
squeeze(State *state, uint64_t n_steps)
{
  const TnBodies *bodies = state->bodies;
  state->n_out = 0;
  for (uint32_t b = 0; b < bodies->n; b++)
    if (state->offset[b] + bodies->size[b] > state->ceiling) {
      if (tn_bodies_is_fixed(bodies, b))
        return false;
      throw_out(state, b);
    }
  for (uint64_t step = 0; state->n_out > 0; step++) {
    if (step >= n_steps || (step % 32 == 0 && is_over(state)) || !put_back(state))
      return false;
  }
  return true;
}

/* ---- lowering the ceiling ---------------------------------------------------------------------
 */

static void
load(State *state, const tn_bytes *offset)
{
  memcpy(state->offset, offset, state->bodies->n * sizeof *offset);
  for (uint32_t b = 0; b < state->bodies->n; b++)
    tn_neighbours_place(state->neighbours, b, offset[b]);
}

static void
keep(State *state)
{
  TnSearch *search = state->search;
  memcpy(search->offset, state->offset, state->bodies->n * sizeof *state->offset);
  search->arena = tn_answer_arena(state->bodies, search->offset);
  tn_answer_improved(state->bodies, search->params, search->offset, search->arena);
}

static void
init_prices(State *state)
{
  for (uint32_t b = 0; b < state->bodies->n; b++)
    state->price[b] =
        tn_bodies_is_fixed(state->bodies, b) ? 1e30 : (double)MAX(state->bodies->size[b], 1);
}

static void
descend(State *state)
{
  TnSearch *search = state->search;
  tn_bytes wanted = MAX(search->params->capacity, state->bodies->fixed_bound);
  uint64_t n_steps = 2000 + state->bodies->n;
  double share = 0.25; /* of the way to the bound that the next ceiling goes */
  while (search->arena > wanted && !is_over(state)) {
    tn_bytes distance = (tn_bytes)((double)(search->arena - wanted) * share);
    state->ceiling = search->arena - CLAMP(distance, 1, search->arena - wanted);
    if (squeeze(state, n_steps)) {
      keep(state);
      share = MIN(share * 1.5, 1.0);
      continue;
    }
    load(state, search->offset);
    init_prices(state);
    if (share * (double)(search->arena - wanted) > 1)
      share /= 2;
    else
      share = 0.25;
    n_steps += n_steps / 4;
  }
}

void
tn_search_run(TnSearch *search)
{
  uint32_t n = MAX(search->bodies->n, 1u);
  State state = {.search = search,
                 .bodies = search->bodies,
                 .neighbours = tn_neighbours_new(search->bodies),
                 .offset = g_new(tn_bytes, n),
                 .price = g_new(double, n),
                 .out = g_new(uint32_t, n),
                 .random = search->params->seed};
  load(&state, search->offset);
  init_prices(&state);
  descend(&state);
  tn_neighbours_free(state.neighbours);
  g_free(state.offset);
  g_free(state.price);
  g_free(state.out);
  g_free(state.low);
  g_free(state.high);
  g_free(state.spare);
  g_free(state.bucket);
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
  TnSearch search = {.bodies = bodies,
                     .params = params,
                     .deadline = begun + (gint64)(seconds * G_USEC_PER_SEC),
                     .offset = offset};
  search.arena =
      tn_greedy_begin(neighbours, bodies, params->progress, search.deadline, offset, &message);
  if (search.arena >= 0) {
    tn_answer_improved(bodies, params, offset, search.arena);
    tn_search_run(&search);
  }
  answer->nodes = search.nodes;
  tn_answer_finish(answer, bodies, params, offset, search.arena, 0, message, begun);
}

const TnStrategy tn_strategy_search = {
    "search", "local search: guided ejection below a falling ceiling", plan, DEFAULT_SECONDS};
