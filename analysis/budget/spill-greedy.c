/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/budget/spill-greedy.h"

#include "analysis/budget/spill-bound.h"
#include "analysis/budget/spill-chooser.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RATED = 48, SMALL = 60 /* stretches: every variant of each is tried */ };

bool
tn_spill_chooser_is_late(const TnSpillChooser *greedy)
{
  return g_get_monotonic_time() > greedy->search->deadline ||
         tn_progress_is_cancelled(greedy->search->progress);
}

void
tn_spill_chooser_note(TnSpillChooser *greedy, const TnSpillOutcome *outcome)
{
  TnSpillFound *found = greedy->found;
  if (outcome->over_at != TN_NONE || outcome->seconds == HUGE_VAL ||
      (found->is_found && outcome->seconds >= found->outcome.seconds))
    return;
  found->is_found = true;
  found->outcome = *outcome;
  tn_spill_plan_copy(&found->plan, &greedy->plan, greedy->model);
}

/* ---- the next choice ------------------------------------------------------------------- */

typedef struct {
  uint32_t idle; /* TN_NONE: a way of the op */
  TnSpillChoice choice;
  uint32_t op;
  uint32_t way;
  double score;
} Option;

/* How much of the excess over the budget goes while `bytes` are absent from `from` up to `to`. */
static double
relief(const TnSpillChooser *greedy, uint32_t from, uint32_t to, tn_bytes bytes, uint32_t at)
{
  double sum = 0;
  for (uint32_t p = from; p < to; p++) {
    tn_bytes excess = greedy->memory[p] - greedy->search->budget;
    if (excess > 0)
      sum += (p == at ? 1.0 : greedy->weight) * (double)MIN(excess, bytes);
  }
  return sum;
}

/* Runs the plan as it stands with the option in it and scores it: seconds per byte of relief. */
static void
rate(TnSpillChooser *greedy, Option *option, double seconds, double gain, Option *best)
{
  TnSpillOutcome outcome = tn_spill_run(&greedy->run, &greedy->plan, greedy->search->budget, false);
  if (outcome.seconds == HUGE_VAL || gain <= 0)
    return;
  option->score = (MAX(outcome.seconds - seconds, 0.0) + 1e-9) / gain;
  if (option->score < best->score)
    *best = *option;
}

static void
rate_idle(TnSpillChooser *greedy, uint32_t i, uint32_t at, double seconds, Option *best)
{
  const TnSpillModel *model = greedy->model;
  const TnIdle *idle = tn_spill_idle(model, i);
  tn_bytes bytes = model->order_model->bytes[idle->buffer];
  uint32_t last = at;
  for (uint32_t p = at; p < idle->to; p++)
    if (greedy->memory[p] > greedy->search->budget)
      last = p;
  uint32_t backs[] = {last + 1, idle->to, at + 1, (last + 1 + idle->to) / 2};
  Option option = {.idle = i};
  for (gsize k = 0; k < (greedy->is_fine ? 4 : 2) && idle->move == TN_IDLE_CANDIDATE; k++)
    for (int early = idle->from > idle->made;
         early >= (greedy->is_fine || idle->from == idle->made ? 0 : 1); early--) {
      if ((k > 0 && backs[k] == backs[0]) || backs[k] <= at)
        continue;
      option.choice = (TnSpillChoice){TN_SPILL_MOVE, early, at, backs[k]};
      greedy->plan.choice[i] = option.choice;
      rate(greedy, &option, seconds, relief(greedy, at, backs[k], bytes, at), best);
    }
  if (idle->recompute == TN_IDLE_CANDIDATE) {
    option.choice =
        (TnSpillChoice){TN_SPILL_RECOMPUTE, false, (uint32_t)(idle->from + 1), idle->to};
    greedy->plan.choice[i] = option.choice;
    rate(greedy, &option, seconds, relief(greedy, option.choice.absent, idle->to, bytes, at), best);
  }
  greedy->plan.choice[i] = (TnSpillChoice){0};
}

static void
rate_ways(TnSpillChooser *greedy, uint32_t at, double seconds, Option *best)
{
  const TnSpillModel *model = greedy->model;
  uint32_t op = model->order[at], n = tn_spill_n_ways(model, op);
  uint32_t had = greedy->plan.way[op];
  for (uint32_t w = 0; w < n && !(w % 64 == 63 && tn_spill_chooser_is_late(greedy)); w++) {
    tn_bytes less = tn_spill_way(model, op, had)->workspace - tn_spill_way(model, op, w)->workspace;
    Option option = {.idle = TN_NONE, .op = op, .way = w};
    if (less <= 0)
      continue;
    greedy->plan.way[op] = w;
    rate(greedy, &option, seconds, relief(greedy, at, at + 1, less, at), best);
  }
  greedy->plan.way[op] = had;
}

/* Without a run: what of two copies does not fit into the time in between (and a little for being
 * there at all), or the op's own seconds, for each place that is over the budget. */
static double
guess(const TnSpillChooser *greedy, uint32_t i, uint32_t at)
{
  const TnSpillModel *model = greedy->model;
  const TnIdle *idle = tn_spill_idle(model, i);
  uint32_t b = idle->buffer, maker = model->order_model->maker[b];
  double copies = model->out_seconds[b] + model->in_seconds[b], cost = HUGE_VAL;
  double between = greedy->ends_at[idle->to] - greedy->ends_at[idle->from + 1];
  if (idle->move == TN_IDLE_CANDIDATE)
    cost = MAX(copies - between, 0.0) + 0.05 * copies;
  if (idle->recompute == TN_IDLE_CANDIDATE)
    cost = MIN(cost, model->op_seconds[maker]);
  return cost / ((double)model->order_model->bytes[b] *
                 (double)(greedy->n_over[idle->to] - greedy->n_over[at] + 1));
}

static int
compare_guesses(const void *a, const void *b)
{
  const TnSpillGuess *x = a, *y = b;
  if (x->guess < y->guess || x->guess > y->guess)
    return x->guess < y->guess ? -1 : 1;
  return x->idle < y->idle ? -1 : 1;
}

/* The stretches over a place that look best; returns how many. */
static uint32_t
preselect(TnSpillChooser *greedy, uint32_t at)
{
  const TnSpillModel *model = greedy->model;
  uint32_t n = 0;
  for (uint32_t p = 0; p < model->n; p++)
    greedy->n_over[p + 1] = greedy->n_over[p] + (greedy->memory[p] > greedy->search->budget);
  for (uint32_t i = 0; i < model->idles->len; i++) {
    const TnIdle *idle = tn_spill_idle(model, i);
    bool is_candidate = idle->move == TN_IDLE_CANDIDATE || idle->recompute == TN_IDLE_CANDIDATE;
    if (is_candidate && idle->from < (int32_t)at && idle->to > at && !greedy->plan.choice[i].kind)
      greedy->guesses[n++] = (TnSpillGuess){i, guess(greedy, i, at)};
  }
  if (n > 1)
    qsort(greedy->guesses, n, sizeof(TnSpillGuess), compare_guesses);
  return greedy->is_fine ? n : MIN(n, (uint32_t)MOST_RATED);
}

static bool
choose(TnSpillChooser *greedy, uint32_t at, double seconds)
{
  const TnSpillModel *model = greedy->model;
  Option best = {.score = HUGE_VAL};
  memcpy(greedy->memory, greedy->run.memory, sizeof(tn_bytes) * model->n);
  rate_ways(greedy, at, seconds, &best);
  uint32_t n = preselect(greedy, at);
  for (uint32_t k = 0; k < n; k++)
    rate_idle(greedy, greedy->guesses[k].idle, at, seconds, &best);
  if (best.score == HUGE_VAL)
    return false;
  if (best.idle == TN_NONE)
    greedy->plan.way[best.op] = best.way;
  else
    greedy->plan.choice[best.idle] = best.choice;
  return true;
}

/* Chooses until the plan, as far as it stands, keeps within the budget. */
bool
tn_spill_chooser_complete(TnSpillChooser *greedy)
{
  for (;;) {
    TnSpillOutcome outcome =
        tn_spill_run(&greedy->run, &greedy->plan, greedy->search->budget, false);
    greedy->found->n_plans++;
    if (outcome.over_at == TN_NONE) {
      tn_spill_chooser_note(greedy, &outcome);
      return true;
    }
    if (outcome.seconds == HUGE_VAL || tn_spill_chooser_is_late(greedy) ||
        g_get_monotonic_time() > greedy->until || !choose(greedy, outcome.over_at, outcome.seconds))
      return false;
  }
}

static bool
is_small(const TnSpillModel *model)
{
  return model->idles->len <= SMALL;
}

/* The fastest way that takes at most half the budget, else the smallest. */
static uint32_t
modest_way(const TnSpillChooser *greedy, uint32_t op)
{
  const TnSpillModel *model = greedy->model;
  uint32_t best = tn_spill_first_way(model, op, greedy->search->budget);
  for (uint32_t w = 0; w < tn_spill_n_ways(model, op); w++) {
    const TnSpillWay *way = tn_spill_way(model, op, w), *had = tn_spill_way(model, op, best);
    if (!tn_spill_way_fits(model, op, w, greedy->search->budget))
      continue;
    bool is_large = had->workspace > greedy->search->budget / 2;
    bool is_fast = way->workspace <= greedy->search->budget / 2 && way->seconds < had->seconds;
    if (is_large ? way->workspace < had->workspace : is_fast)
      best = w;
  }
  return best;
}

/* The fastest way that has room with all storages there, else the fastest that is no larger than the op's own. */
static uint32_t
way_in_place(const TnSpillChooser *greedy, uint32_t op)
{
  const TnSpillModel *model = greedy->model;
  uint32_t p = model->place[op], best = 0;
  bool has_room = tn_spill_held(model, p, 0) <= greedy->search->budget;
  for (uint32_t w = 1; w < tn_spill_n_ways(model, op); w++) {
    const TnSpillWay *way = tn_spill_way(model, op, w), *had = tn_spill_way(model, op, best);
    bool fits = tn_spill_held(model, p, way->scratch_change) <= greedy->search->budget;
    bool is_faster = way->seconds < had->seconds ||
                     (way->seconds <= had->seconds && way->workspace < had->workspace);
    if (!fits && (has_room || way->scratch_change > 0))
      continue;
    if ((fits && !has_room) || is_faster)
      best = w;
    has_room |= fits;
  }
  return best;
}

/* From which ways choices begin. */
typedef enum { IN_PLACE, FASTEST, MODEST, N_STARTS } Start;

/* Nothing elsewhere yet; false where another start has the same ways. */
static bool
start(TnSpillChooser *greedy, Start from)
{
  bool is_other = false;
  memset(greedy->plan.choice, 0, sizeof *greedy->plan.choice * greedy->model->idles->len);
  for (uint32_t i = 0; i < greedy->model->n; i++) {
    uint32_t first = tn_spill_first_way(greedy->model, i, greedy->search->budget);
    uint32_t in_place = way_in_place(greedy, i);
    greedy->plan.way[i] = from == IN_PLACE  ? in_place
                          : from == FASTEST ? first
                                            : modest_way(greedy, i);
    is_other |= greedy->plan.way[i] != (from == FASTEST ? in_place : first);
  }
  return is_other || from == IN_PLACE;
}

/* All that may go is gone as long as may be: slow, but within every budget that is feasible. */
static void
move_everything(TnSpillChooser *greedy)
{
  const TnSpillModel *model = greedy->model;
  start(greedy, FASTEST);
  for (uint32_t i = 0; i < model->n; i++)
    for (uint32_t w = 0; w < tn_spill_n_ways(model, i); w++)
      if (tn_spill_way(model, i, w)->workspace <
          tn_spill_way(model, i, greedy->plan.way[i])->workspace)
        greedy->plan.way[i] = w;
  for (uint32_t i = 0; i < model->idles->len; i++) {
    const TnIdle *idle = tn_spill_idle(model, i);
    if (idle->move == TN_IDLE_CANDIDATE)
      greedy->plan.choice[i] =
          (TnSpillChoice){TN_SPILL_MOVE, true, (uint32_t)(idle->from + 1), idle->to};
  }
  TnSpillOutcome outcome = tn_spill_run(&greedy->run, &greedy->plan, greedy->search->budget, false);
  tn_spill_chooser_note(greedy, &outcome);
}

/* First from what has room without any move, so that a plan is there early; then from other starts, each for a share
 * of what is left; then with care, for a part of it, from the start that came furthest. */
static void
try_starts(TnSpillChooser *greedy)
{
  static const double weights[] = {0.25, 1, 0};
  enum { N_WEIGHTS = G_N_ELEMENTS(weights), N_ROUNDS = (N_STARTS + 1) * N_WEIGHTS };
  gint64 now = g_get_monotonic_time(), careful = now + (greedy->search->deadline - now) / 2;
  Start best = IN_PLACE;
  for (int w = 0; w < N_ROUNDS && !tn_spill_chooser_is_late(greedy); w++) {
    const TnSpillFound *found = greedy->found;
    bool is_last = w / N_WEIGHTS == N_STARTS;
    Start from = is_last ? best : (Start)(w / N_WEIGHTS);
    double had = found->is_found ? found->outcome.seconds : HUGE_VAL;
    greedy->is_fine = is_small(greedy->model) || is_last;
    now = g_get_monotonic_time();
    greedy->until = greedy->is_fine ? careful
                    : w == 0        ? greedy->search->deadline
                                    : now + (greedy->search->deadline - now) / (N_ROUNDS - w);
    greedy->weight = weights[w % N_WEIGHTS];
    if (start(greedy, from) || is_last)
      tn_spill_chooser_complete(greedy);
    if (!is_last && found->is_found && found->outcome.seconds < had)
      best = from;
  }
}

void
tn_spill_greedy(const TnSpillModel *model,
                const TnSpillSearch *search,
                const TnSpillPlan *hint,
                TnSpillFound *found)
{
  TnSpillChooser greedy = {.model = model, .search = search, .found = found};
  tn_spill_run_init(&greedy.run, model);
  tn_spill_plan_init(&greedy.plan, model);
  greedy.memory = g_new(tn_bytes, (gsize)model->n + 1);
  greedy.n_over = g_new0(uint32_t, (gsize)model->n + 1);
  greedy.guesses = g_new(TnSpillGuess, (gsize)model->idles->len + 1);
  greedy.ends_at = g_new0(double, (gsize)model->n + 1);
  for (uint32_t p = 0; p < model->n; p++)
    greedy.ends_at[p + 1] = greedy.ends_at[p] + model->op_seconds[model->order[p]];
  if (hint) {
    tn_spill_plan_copy(&greedy.plan, hint, model);
    TnSpillOutcome outcome = tn_spill_run(&greedy.run, &greedy.plan, search->budget, false);
    tn_spill_chooser_note(&greedy, &outcome);
  }
  move_everything(&greedy);
  try_starts(&greedy);
  greedy.weight = 0.25;
  greedy.is_fine = is_small(model);
  greedy.until = search->deadline;
  gint64 now = g_get_monotonic_time(), until = now + (search->deadline - now) * 7 / 8;
  double shortest =
      tn_spill_shortest(model, search->budget) * (1 + 1e-9); /* sums of other orders */
  if (found->is_found && found->outcome.seconds > shortest)
    tn_spill_improve(&greedy, until);
  /* Small ones are solved by branch and bound. */
  if (found->is_found && found->outcome.seconds > shortest && model->idles->len > SMALL)
    tn_spill_shake(&greedy, until);
  tn_spill_run_clear(&greedy.run);
  tn_spill_plan_clear(&greedy.plan);
  g_free(greedy.memory);
  g_free(greedy.n_over);
  g_free(greedy.guesses);
  g_free(greedy.ends_at);
}
