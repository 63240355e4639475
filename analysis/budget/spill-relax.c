/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/budget/spill-relax.h"

#include "analysis/budget/spill-again.h"

#include <math.h>

/* An idle stretch as the relaxation sees it: gone from `first` or `late` on, back at `to` or
 * `soon`; what begins late needs no copy in the window `out`, what ends soon none in `in`. */
struct TnSpillStretch {
  uint32_t first, late, soon, to;
  uint32_t out, in;                      /* windows; TN_NONE: copies there cost nothing */
  uint32_t inside;                       /* the window that ops run again for it lie in; TN_NONE */
  double bytes;                          /* in units of the scale */
  double out_seconds, in_seconds, again; /* again: HUGE_VAL where it can't be made again */
  bool can_move, is_last;                /* is_last: of its storage */
  guint over_first, over_to;             /* places over the budget in it, in relax->over */
  double till_late, till_soon, till_to;  /* seconds that the room is worth from `first` on */
};

/* What a stretch does for the prices at hand. */
struct TnSpillUse {
  double profit;
  uint32_t from, to; /* gone at these places; from == to: stays */
  bool pays_out, pays_in, is_again;
};

typedef TnSpillStretch Stretch;
typedef TnSpillUse Use;

/* ---- the best use of each storage ---------------------------------------------------------- */

static double
weight_of(const TnSpillRelax *relax, uint32_t window)
{
  return window == TN_NONE ? 0 : relax->weight[window];
}

/* Where a storage is larger than the room that lacks, only so much of it counts: plans move whole
 * storages, and one that is as large as the need is enough (a knapsack cover inequality). */
static double
room_of(const TnSpillRelax *relax, const Stretch *stretch, uint32_t p)
{
  return MIN(stretch->bytes, relax->need[p]);
}

static void
price_stretch(const TnSpillRelax *relax, Stretch *stretch)
{
  double sum = 0;
  stretch->till_late = stretch->till_soon = -1;
  for (guint k = stretch->over_first; k < stretch->over_to; k++) {
    uint32_t p = g_array_index(relax->over, uint32_t, k);
    if (stretch->till_late < 0 && p >= stretch->late)
      stretch->till_late = sum;
    if (stretch->till_soon < 0 && p >= stretch->soon)
      stretch->till_soon = sum;
    sum += relax->price[p] * room_of(relax, stretch, p);
  }
  stretch->till_to = sum;
  stretch->till_late = stretch->till_late < 0 ? sum : stretch->till_late;
  stretch->till_soon = stretch->till_soon < 0 ? sum : stretch->till_soon;
}

static void
try_move(const TnSpillRelax *relax,
         const Stretch *stretch,
         bool is_late,
         bool is_soon,
         bool has_copy,
         Use *best)
{
  Use use = {0,
             is_late ? stretch->late : stretch->first,
             is_soon ? stretch->soon : stretch->to,
             !is_late && !has_copy,
             !is_soon,
             false};
  if (use.from >= use.to)
    return;
  use.profit =
      (is_soon ? stretch->till_soon : stretch->till_to) - (is_late ? stretch->till_late : 0);
  if (use.pays_out)
    use.profit -= weight_of(relax, stretch->out) * stretch->out_seconds;
  if (use.pays_in)
    use.profit -= weight_of(relax, stretch->in) * stretch->in_seconds;
  if (use.profit > best->profit)
    *best = use;
}

/* The best move; with a copy at the host already the way out is free. */
static Use
best_move(const TnSpillRelax *relax, const Stretch *stretch, bool has_copy)
{
  Use best = {0};
  for (int k = 0; k < 4 && stretch->can_move; k++)
    try_move(relax, stretch, k & 1, k & 2, has_copy, &best);
  return best;
}

static Use
best_again(const TnSpillRelax *relax, const Stretch *stretch)
{
  Use use = {0, stretch->first, stretch->to, false, false, true};
  if (stretch->again == HUGE_VAL)
    return (Use){0};
  use.profit = stretch->till_to - (1 - weight_of(relax, stretch->inside)) * stretch->again;
  return use.profit > 0 ? use : (Use){0};
}

/* The stretches i … j - 1 of one storage: which is moved first decides which pays for the way out.
 * The uses chosen go into relax->uses; what they earn is returned. */
static double
use_storage(TnSpillRelax *relax, uint32_t i, uint32_t j)
{
  double rest = 0, best = 0; /* of the stretches after; of the best choice from here on */
  uint32_t first = j;        /* moved first */
  /* From the last to the first: `rest` with a copy there, `best` without one so far. */
  for (uint32_t k = j; k-- > i;) {
    const Stretch *stretch = &relax->stretches[k];
    Use again = best_again(relax, stretch), move = best_move(relax, stretch, false);
    Use free = best_move(relax, stretch, true);
    double with_move = move.profit + rest, without = again.profit + best;
    bool moves = move.profit > 0 && with_move > without;
    best = moves ? with_move : without;
    first = moves ? k : first;
    rest += MAX(free.profit, again.profit);
  }
  for (uint32_t k = i; k < j; k++) {
    const Stretch *stretch = &relax->stretches[k];
    Use again = best_again(relax, stretch);
    Use free = best_move(relax, stretch, true);
    relax->uses[k - i] = k < first                    ? again
                         : k == first                 ? best_move(relax, stretch, false)
                         : free.profit > again.profit ? free
                                                      : again;
  }
  return best;
}

static void
note_use(TnSpillRelax *relax, const Stretch *stretch, const Use *use)
{
  for (guint k = stretch->over_first; k < stretch->over_to; k++) {
    uint32_t p = g_array_index(relax->over, uint32_t, k);
    if (p >= use->from && p < use->to)
      relax->room[p] -= room_of(relax, stretch, p);
  }
  if (use->pays_out && stretch->out != TN_NONE)
    relax->slack[stretch->out] += stretch->out_seconds;
  if (use->pays_in && stretch->in != TN_NONE)
    relax->slack[stretch->in] += stretch->in_seconds;
  if (use->is_again && stretch->inside != TN_NONE)
    relax->slack[stretch->inside] += stretch->again;
}

static double
use_storages(TnSpillRelax *relax)
{
  double sum = 0;
  uint32_t n = relax->model->idles->len;
  for (uint32_t i = 0, j; i < n; i = j) {
    for (j = i; j == i || !relax->stretches[j - 1].is_last; j++)
      price_stretch(relax, &relax->stretches[j]);
    sum += use_storage(relax, i, j);
    for (uint32_t k = i; k < j; k++)
      note_use(relax, &relax->stretches[k], &relax->uses[k - i]);
  }
  return sum;
}

/* The best way to run the op at place p, of those that fit; slower ways hide copies.  Each frees
 * what it takes less than the largest does, for which the need is: never less than nothing. */
static double
use_way(TnSpillRelax *relax, uint32_t p)
{
  const TnSpillModel *model = relax->model;
  uint32_t op = model->order[p], window = relax->inside[p];
  double best = -HUGE_VAL, freed = 0, longer = 0;
  for (uint32_t w = 0; w < tn_spill_n_ways(model, op); w++) {
    const TnSpillWay *way = tn_spill_way(model, op, w);
    tn_bytes less = relax->most[p] - tn_spill_held(model, p, way->scratch_change);
    double frees = MIN((double)less / relax->scale, relax->need[p]);
    if (!tn_spill_way_fits(model, op, w, relax->budget))
      continue;
    double more = way->seconds - relax->least[op];
    double profit = relax->price[p] * frees - (1 - weight_of(relax, window)) * more;
    if (profit <= best)
      continue;
    best = profit;
    freed = frees;
    longer = more;
  }
  relax->room[p] -= freed;
  if (window != TN_NONE)
    relax->slack[window] += longer;
  return best;
}

double
tn_spill_relax_value(TnSpillRelax *relax)
{
  uint32_t n = relax->model->n;
  double value = 0, worth, earned;
  for (uint32_t p = 0; p < n; p++) {
    relax->room[p] = relax->need[p];
    value += relax->price[p] * relax->need[p];
  }
  worth = value;
  for (guint w = 0; w < relax->windows->len; w++) {
    double inside =
        tn_spill_window_inside(&g_array_index(relax->windows, TnSpillWindow, w), relax->before);
    relax->slack[w] = -inside;
    value -= relax->weight[w] * inside;
  }
  earned = use_storages(relax);
  for (uint32_t p = 0; p < n; p++)
    earned += use_way(relax, p);
  return value - earned - 1e-12 * (worth + fabs(earned));
}

/* ---- making -------------------------------------------------------------------------------- */

/* The window that the time from moment `t` to the next one lies in. */
static uint32_t
window_at(const GArray *windows, int64_t t)
{
  for (guint w = 0; w < windows->len; w++) {
    const TnSpillWindow *window = &g_array_index(windows, TnSpillWindow, w);
    if (tn_spill_window_begin(window) <= t && t < tn_spill_window_end(window))
      return w;
  }
  return TN_NONE;
}

static bool
is_out(const TnSpillRelax *relax, uint32_t window)
{
  return g_array_index(relax->windows, TnSpillWindow, window).is_out;
}

/* A copy out counts in the window that its maker's end lies in, if it must have ended in it too; a
 * copy in, in the one in which its next use begins, if it can't begin before it. */
static void
fill_stretch(TnSpillRelax *relax, uint32_t i, double again)
{
  const TnSpillModel *model = relax->model;
  const TnIdle *idle = tn_spill_idle(model, i);
  Stretch *stretch = &relax->stretches[i];
  int32_t first = idle->from + 1, to = (int32_t)idle->to;
  uint32_t out = window_at(relax->windows, 3 * ((int64_t)idle->made + 1));
  uint32_t in = window_at(relax->windows, 3 * (int64_t)to + 1);
  *stretch = (Stretch){.first = (uint32_t)first,
                       .to = idle->to,
                       .late = (uint32_t)first,
                       .soon = idle->to,
                       .out = TN_NONE,
                       .in = TN_NONE,
                       .inside = relax->inside[to],
                       .bytes = (double)model->order_model->bytes[idle->buffer] / relax->scale,
                       .out_seconds = model->out_seconds[idle->buffer],
                       .in_seconds = model->in_seconds[idle->buffer],
                       .again = again,
                       .can_move = idle->move == TN_IDLE_CANDIDATE,
                       .is_last = i + 1 == model->idles->len ||
                                  tn_spill_idle(model, i + 1)->buffer != idle->buffer};
  if (out != TN_NONE && is_out(relax, out) &&
      first <= g_array_index(relax->windows, TnSpillWindow, out).to) {
    stretch->out = out;
    stretch->late =
        MIN((uint32_t)g_array_index(relax->windows, TnSpillWindow, out).to + 1, idle->to);
  }
  if (in != TN_NONE && !is_out(relax, in)) {
    stretch->in = in;
    stretch->soon =
        (uint32_t)CLAMP(g_array_index(relax->windows, TnSpillWindow, in).from, first, to);
  }
}

/* The first of the places over the budget that is `p` or later. */
static guint
over_from(const TnSpillRelax *relax, uint32_t p)
{
  guint low = 0, high = relax->over->len;
  while (low < high) {
    guint middle = (low + high) / 2;
    if (g_array_index(relax->over, uint32_t, middle) < p)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static void
fill_stretches(TnSpillRelax *relax)
{
  const TnSpillModel *model = relax->model;
  for (uint32_t i = 0; i < model->idles->len; i++)
    fill_stretch(relax, i, relax->again[i]);
  for (uint32_t i = 0; i < model->idles->len; i++) {
    relax->stretches[i].over_first = over_from(relax, relax->stretches[i].first);
    relax->stretches[i].over_to = over_from(relax, relax->stretches[i].to);
  }
}

/* All there at place p, the op in the largest way that fits. */
static tn_bytes
most_held(const TnSpillRelax *relax, uint32_t p)
{
  const TnSpillModel *model = relax->model;
  uint32_t op = model->order[p];
  tn_bytes most = 0;
  for (uint32_t w = 0; w < tn_spill_n_ways(model, op); w++)
    if (tn_spill_way_fits(model, op, w, relax->budget))
      most = MAX(most, tn_spill_held(model, p, tn_spill_way(model, op, w)->scratch_change));
  return most;
}

static void
fill_needs(TnSpillRelax *relax)
{
  const TnSpillModel *model = relax->model;
  tn_bytes most = 1;
  for (uint32_t p = 0; p < model->n; p++) {
    relax->most[p] = most_held(relax, p);
    most = MAX(most, relax->most[p] - relax->budget);
  }
  relax->scale = (double)most;
  for (uint32_t p = 0; p < model->n; p++)
    relax->need[p] = MAX((double)(relax->most[p] - relax->budget), 0) / relax->scale;
  for (uint32_t p = 0; p < model->n; p++)
    if (relax->need[p] > 0)
      g_array_append_val(relax->over, p);
}

void
tn_spill_relax_init(TnSpillRelax *relax, const TnSpillModel *model, tn_bytes budget)
{
  gsize n = (gsize)model->n + 1;
  double **const columns[] = {&relax->before, &relax->least, &relax->need, &relax->price,
                              &relax->room};
  *relax = (TnSpillRelax){.model = model,
                          .budget = budget,
                          .most = g_new0(tn_bytes, n),
                          .inside = g_new(uint32_t, n),
                          .over = g_array_new(FALSE, FALSE, sizeof(uint32_t))};
  for (gsize k = 0; k < G_N_ELEMENTS(columns); k++)
    *columns[k] = g_new0(double, n);
  for (uint32_t op = 0; op < model->n; op++)
    relax->least[op] = tn_spill_way(model, op, tn_spill_first_way(model, op, budget))->seconds;
  for (uint32_t p = 0; p < model->n; p++)
    relax->before[p + 1] = relax->before[p] + relax->least[model->order[p]];
  relax->again = tn_spill_again_seconds(model, relax->least);
  relax->stretches = g_new(Stretch, (gsize)model->idles->len + 1);
  relax->uses = g_new(Use, (gsize)model->idles->len + 1);
  fill_needs(relax);
}

void
tn_spill_relax_set_windows(TnSpillRelax *relax, const GArray *windows)
{
  relax->windows = windows;
  for (uint32_t p = 0; p < relax->model->n; p++)
    relax->inside[p] = window_at(windows, 3 * (int64_t)p + 2);
  relax->weight = g_renew(double, relax->weight, (gsize)windows->len + 1);
  relax->slack = g_renew(double, relax->slack, (gsize)windows->len + 1);
  for (guint w = 0; w < relax->windows->len; w++)
    relax->weight[w] = 1;
  fill_stretches(relax);
}

void
tn_spill_relax_clear(TnSpillRelax *relax)
{
  void *const columns[] = {relax->before, relax->least,  relax->need,      relax->price,
                           relax->room,   relax->inside, relax->stretches, relax->weight,
                           relax->slack,  relax->uses,   relax->again,     relax->most};
  for (gsize k = 0; k < G_N_ELEMENTS(columns); k++)
    g_free(columns[k]);
  g_array_unref(relax->over);
}
