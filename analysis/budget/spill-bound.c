/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/budget/spill-bound.h"

#include "analysis/budget/spill-again.h"
#include "analysis/budget/spill-windows.h"

#include <math.h>
#include <string.h>

#define MOST_ROUNDS 3000
#define PATIENCE 25 /* rounds without a better bound, then steps get shorter */

/* An idle stretch as the relaxation sees it: gone from `first` or `late` on, back at `to` or
 * `soon`; what begins late needs no copy in the window `out`, what ends soon none in `in`. */
typedef struct {
  uint32_t first, late, soon, to;
  uint32_t out, in;   /* windows; TN_NONE: copies there cost nothing */
  uint32_t inside;    /* the window that ops run again for it lie in; TN_NONE */
  double bytes;       /* in units of the scale */
  double out_seconds, in_seconds, again; /* again: HUGE_VAL where it can't be made again */
  bool can_move, is_last;                /* is_last: of its storage */
  guint over_first, over_to;             /* places over the budget in it, in dual->over */
  double till_late, till_soon, till_to;  /* seconds that the room is worth from `first` on */
} Stretch;

/* What a stretch does for the prices at hand. */
typedef struct {
  double profit;
  uint32_t from, to; /* gone at these places; from == to: stays */
  bool pays_out, pays_in, is_again;
} Use;

typedef struct {
  const TnSpillModel *model;
  double *before;     /* by place, n + 1: least seconds of the ops before it */
  double *least;      /* by op */
  double *need;       /* by place: above the budget, in units of the scale; 0: within */
  double scale;       /* bytes */
  const GArray *windows; /* TnSpillWindow; borrowed */
  uint32_t *inside;   /* by place: the window that its op lies in; TN_NONE */
  Stretch *stretches; /* by idle stretch */
  double *price;      /* by place, seconds for a unit */
  GArray *over;       /* uint32_t: places over the budget */
  double *weight;     /* by window */
  double *again;      /* by idle stretch: seconds to make it again */
  double *room;       /* by place: gradient of the price */
  double *slack;      /* by window: gradient of the weight */
  Use *uses;          /* by idle stretch of one storage */
} Dual;

/* ---- seconds ------------------------------------------------------------------------------- */

static double
least_seconds(const TnSpillModel *model, uint32_t op)
{
  double least = HUGE_VAL;
  for (uint32_t w = model->way_first[op]; w < model->way_first[op + 1]; w++)
    least = MIN(least, g_array_index(model->ways, TnSpillWay, w).seconds);
  return least;
}

double
tn_spill_shortest(const TnSpillModel *model)
{
  double sum = 0;
  for (uint32_t op = 0; op < model->n; op++)
    sum += least_seconds(model, op);
  return sum;
}

static tn_bytes
held_by(const TnSpillModel *model, uint32_t p, tn_bytes change)
{
  return MAX(model->held[p] + change, model->early[p]);
}

/* ---- the best use of each storage ---------------------------------------------------------- */

static double
weight_of(const Dual *dual, uint32_t window)
{
  return window == TN_NONE ? 0 : dual->weight[window];
}

/* Where a storage is larger than the room that lacks, only so much of it counts: plans move whole
 * storages, and one that is as large as the need is enough (a knapsack cover inequality). */
static double
room_of(const Dual *dual, const Stretch *stretch, uint32_t p)
{
  return MIN(stretch->bytes, dual->need[p]);
}

static void
price_stretch(const Dual *dual, Stretch *stretch)
{
  double sum = 0;
  stretch->till_late = stretch->till_soon = -1;
  for (guint k = stretch->over_first; k < stretch->over_to; k++) {
    uint32_t p = g_array_index(dual->over, uint32_t, k);
    if (stretch->till_late < 0 && p >= stretch->late)
      stretch->till_late = sum;
    if (stretch->till_soon < 0 && p >= stretch->soon)
      stretch->till_soon = sum;
    sum += dual->price[p] * room_of(dual, stretch, p);
  }
  stretch->till_to = sum;
  stretch->till_late = stretch->till_late < 0 ? sum : stretch->till_late;
  stretch->till_soon = stretch->till_soon < 0 ? sum : stretch->till_soon;
}

static void
try_move(const Dual *dual, const Stretch *stretch, bool is_late, bool is_soon, bool has_copy, Use *best)
{
  Use use = {0, is_late ? stretch->late : stretch->first, is_soon ? stretch->soon : stretch->to,
             !is_late && !has_copy, !is_soon, false};
  if (use.from >= use.to)
    return;
  use.profit = (is_soon ? stretch->till_soon : stretch->till_to) -
               (is_late ? stretch->till_late : 0);
  if (use.pays_out)
    use.profit -= weight_of(dual, stretch->out) * stretch->out_seconds;
  if (use.pays_in)
    use.profit -= weight_of(dual, stretch->in) * stretch->in_seconds;
  if (use.profit > best->profit)
    *best = use;
}

/* The best move; with a copy at the host already the way out is free. */
static Use
best_move(const Dual *dual, const Stretch *stretch, bool has_copy)
{
  Use best = {0};
  for (int k = 0; k < 4 && stretch->can_move; k++)
    try_move(dual, stretch, k & 1, k & 2, has_copy, &best);
  return best;
}

static Use
best_again(const Dual *dual, const Stretch *stretch)
{
  Use use = {0, stretch->first, stretch->to, false, false, true};
  if (stretch->again == HUGE_VAL)
    return (Use){0};
  use.profit = stretch->till_to - (1 - weight_of(dual, stretch->inside)) * stretch->again;
  return use.profit > 0 ? use : (Use){0};
}

/* The stretches i … j - 1 of one storage: which is moved first decides which pays for the way out.
 * The uses chosen go into dual->uses; what they earn is returned. */
static double
use_storage(Dual *dual, uint32_t i, uint32_t j)
{
  double rest = 0, best = 0; /* of the stretches after; of the best choice from here on */
  uint32_t first = j;        /* moved first */
  /* From the last to the first: `rest` with a copy there, `best` without one so far. */
  for (uint32_t k = j; k-- > i;) {
    const Stretch *stretch = &dual->stretches[k];
    Use again = best_again(dual, stretch), move = best_move(dual, stretch, false);
    Use free = best_move(dual, stretch, true);
    double with_move = move.profit + rest, without = again.profit + best;
    bool moves = move.profit > 0 && with_move > without;
    best = moves ? with_move : without;
    first = moves ? k : first;
    rest += MAX(free.profit, again.profit);
  }
  for (uint32_t k = i; k < j; k++) {
    const Stretch *stretch = &dual->stretches[k];
    Use again = best_again(dual, stretch);
    Use free = best_move(dual, stretch, true);
    dual->uses[k - i] = k < first    ? again
                        : k == first ? best_move(dual, stretch, false)
                        : free.profit > again.profit ? free
                                                     : again;
  }
  return best;
}

static void
note_use(Dual *dual, const Stretch *stretch, const Use *use)
{
  for (guint k = stretch->over_first; k < stretch->over_to; k++) {
    uint32_t p = g_array_index(dual->over, uint32_t, k);
    if (p >= use->from && p < use->to)
      dual->room[p] -= room_of(dual, stretch, p);
  }
  if (use->pays_out && stretch->out != TN_NONE)
    dual->slack[stretch->out] += stretch->out_seconds;
  if (use->pays_in && stretch->in != TN_NONE)
    dual->slack[stretch->in] += stretch->in_seconds;
  if (use->is_again && stretch->inside != TN_NONE)
    dual->slack[stretch->inside] += stretch->again;
}

static double
use_storages(Dual *dual)
{
  double sum = 0;
  uint32_t n = dual->model->idles->len;
  for (uint32_t i = 0, j; i < n; i = j) {
    for (j = i; j == i || !dual->stretches[j - 1].is_last; j++)
      price_stretch(dual, &dual->stretches[j]);
    sum += use_storage(dual, i, j);
    for (uint32_t k = i; k < j; k++)
      note_use(dual, &dual->stretches[k], &dual->uses[k - i]);
  }
  return sum;
}

/* The best way to run the op at place p; slower ways hide copies. */
static double
use_way(Dual *dual, uint32_t p)
{
  const TnSpillModel *model = dual->model;
  uint32_t op = model->order[p], window = dual->inside[p];
  double best = -HUGE_VAL, freed = 0, longer = 0;
  for (uint32_t w = model->way_first[op]; w < model->way_first[op + 1]; w++) {
    const TnSpillWay *way = &g_array_index(model->ways, TnSpillWay, w);
    double frees = MIN((double)(held_by(model, p, 0) - held_by(model, p, way->scratch_change)) /
                           dual->scale,
                       dual->need[p]);
    double more = way->seconds - dual->least[op];
    double profit = dual->price[p] * frees - (1 - weight_of(dual, window)) * more;
    if (profit <= best)
      continue;
    best = profit;
    freed = frees;
    longer = more;
  }
  dual->room[p] -= freed;
  if (window != TN_NONE)
    dual->slack[window] += longer;
  return best;
}

/* The bound for the prices and weights at hand, less what sums of such terms may be wrong by; fills
 * both gradients. */
static double
value_of(Dual *dual)
{
  uint32_t n = dual->model->n;
  double value = 0, worth, earned;
  for (uint32_t p = 0; p < n; p++) {
    dual->room[p] = dual->need[p];
    value += dual->price[p] * dual->need[p];
  }
  worth = value;
  for (guint w = 0; w < dual->windows->len; w++) {
    double inside = tn_spill_window_inside(&g_array_index(dual->windows, TnSpillWindow, w),
                                           dual->before);
    dual->slack[w] = -inside;
    value -= dual->weight[w] * inside;
  }
  earned = use_storages(dual);
  for (uint32_t p = 0; p < n; p++)
    earned += use_way(dual, p);
  return value - earned - 1e-12 * (worth + fabs(earned));
}

/* ---- ascent -------------------------------------------------------------------------------- */

/* Moves along the gradient, of prices and of weights in units of `unit` seconds; they stay within
 * what is allowed. */
static void
step(Dual *dual, double goal, double unit)
{
  double norm = 0;
  for (uint32_t p = 0; p < dual->model->n; p++)
    if (dual->need[p] > 0)
      norm += dual->room[p] * dual->room[p];
  for (guint w = 0; w < dual->windows->len; w++)
    norm += dual->slack[w] * dual->slack[w] / (unit * unit);
  if (norm < 1e-18)
    return; /* no way leads up: what is left of the gradient is rounding */
  for (uint32_t p = 0; p < dual->model->n; p++)
    if (dual->need[p] > 0)
      dual->price[p] = MAX(dual->price[p] + goal / norm * dual->room[p], 0);
  for (guint w = 0; w < dual->windows->len; w++)
    dual->weight[w] = CLAMP(
        dual->weight[w] + goal / norm * dual->slack[w] / (unit * unit), 0, 1);
}

static bool
is_late(gint64 deadline)
{
  return deadline > 0 && g_get_monotonic_time() >= deadline;
}

/* `lost`: seconds that the plan at hand loses, above which no bound can be. */
static double
ascend(Dual *dual, double lost, gint64 deadline)
{
  double best = -HUGE_VAL, stride = 1.5;
  int since = 0;
  for (int round = 0; round < MOST_ROUNDS && stride > 1e-4 && !is_late(deadline); round++) {
    double value = value_of(dual);
    since = value > best + 1e-6 * lost ? 0 : since + 1;
    best = MAX(best, value);
    if (since >= PATIENCE) {
      stride /= 2;
      since = 0;
    }
    step(dual, stride * MAX(lost - value, 1e-6 * lost), lost);
  }
  return MAX(best, 0);
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
is_out(const Dual *dual, uint32_t window)
{
  return g_array_index(dual->windows, TnSpillWindow, window).is_out;
}

/* A copy out counts in the window that its maker's end lies in, if it must have ended in it too; a
 * copy in, in the one in which its next use begins, if it can't begin before it. */
static void
fill_stretch(Dual *dual, uint32_t i, double again)
{
  const TnSpillModel *model = dual->model;
  const TnIdle *idle = tn_spill_idle(model, i);
  Stretch *stretch = &dual->stretches[i];
  int32_t first = idle->from + 1, to = (int32_t)idle->to;
  uint32_t out = window_at(dual->windows, 3 * ((int64_t)idle->made + 1));
  uint32_t in = window_at(dual->windows, 3 * (int64_t)to + 1);
  *stretch = (Stretch){.first = (uint32_t)first,
                       .to = idle->to,
                       .late = (uint32_t)first,
                       .soon = idle->to,
                       .out = TN_NONE,
                       .in = TN_NONE,
                       .inside = dual->inside[to],
                       .bytes = (double)model->order_model->bytes[idle->buffer] / dual->scale,
                       .out_seconds = model->out_seconds[idle->buffer],
                       .in_seconds = model->in_seconds[idle->buffer],
                       .again = again,
                       .can_move = idle->move == TN_IDLE_CANDIDATE,
                       .is_last = i + 1 == model->idles->len ||
                                  tn_spill_idle(model, i + 1)->buffer != idle->buffer};
  if (out != TN_NONE && is_out(dual, out) &&
      first <= g_array_index(dual->windows, TnSpillWindow, out).to) {
    stretch->out = out;
    stretch->late = MIN((uint32_t)g_array_index(dual->windows, TnSpillWindow, out).to + 1, idle->to);
  }
  if (in != TN_NONE && !is_out(dual, in)) {
    stretch->in = in;
    stretch->soon = (uint32_t)CLAMP(g_array_index(dual->windows, TnSpillWindow, in).from, first, to);
  }
}

/* The first of the places over the budget that is `p` or later. */
static guint
over_from(const Dual *dual, uint32_t p)
{
  guint low = 0, high = dual->over->len;
  while (low < high) {
    guint middle = (low + high) / 2;
    if (g_array_index(dual->over, uint32_t, middle) < p)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static void
fill_stretches(Dual *dual)
{
  const TnSpillModel *model = dual->model;
  for (uint32_t i = 0; i < model->idles->len; i++)
    fill_stretch(dual, i, dual->again[i]);
  for (uint32_t i = 0; i < model->idles->len; i++) {
    dual->stretches[i].over_first = over_from(dual, dual->stretches[i].first);
    dual->stretches[i].over_to = over_from(dual, dual->stretches[i].to);
  }
}

static void
fill_needs(Dual *dual, tn_bytes budget)
{
  const TnSpillModel *model = dual->model;
  tn_bytes most = 1;
  for (uint32_t p = 0; p < model->n; p++)
    most = MAX(most, held_by(model, p, 0) - budget);
  dual->scale = (double)most;
  for (uint32_t p = 0; p < model->n; p++)
    dual->need[p] = MAX((double)(held_by(model, p, 0) - budget), 0) / dual->scale;
  for (uint32_t p = 0; p < model->n; p++)
    if (dual->need[p] > 0)
      g_array_append_val(dual->over, p);
}

static void
dual_init(Dual *dual, const TnSpillModel *model, tn_bytes budget)
{
  gsize n = (gsize)model->n + 1;
  double **const columns[] = {&dual->before, &dual->least, &dual->need, &dual->price,
                              &dual->room};
  *dual = (Dual){.model = model,
                 .inside = g_new(uint32_t, n),
                 .over = g_array_new(FALSE, FALSE, sizeof(uint32_t))};
  for (gsize k = 0; k < G_N_ELEMENTS(columns); k++)
    *columns[k] = g_new0(double, n);
  for (uint32_t op = 0; op < model->n; op++)
    dual->least[op] = least_seconds(model, op);
  for (uint32_t p = 0; p < model->n; p++)
    dual->before[p + 1] = dual->before[p] + dual->least[model->order[p]];
  dual->again = tn_spill_again_seconds(model, dual->least);
  dual->stretches = g_new(Stretch, (gsize)model->idles->len + 1);
  dual->uses = g_new(Use, (gsize)model->idles->len + 1);
  fill_needs(dual, budget);
}

/* With other windows, all weights 1; prices stay: they are a good guess. */
static void
start(Dual *dual, const GArray *windows)
{
  dual->windows = windows;
  for (uint32_t p = 0; p < dual->model->n; p++)
    dual->inside[p] = window_at(windows, 3 * (int64_t)p + 2);
  dual->weight = g_renew(double, dual->weight, (gsize)windows->len + 1);
  dual->slack = g_renew(double, dual->slack, (gsize)windows->len + 1);
  for (guint w = 0; w < dual->windows->len; w++)
    dual->weight[w] = 1;
  fill_stretches(dual);
}

/* Neighbours of one lane joined in pairs; owned, NULL where there are none. */
static GArray *
join_windows(const GArray *windows)
{
  GArray *joined = g_array_new(FALSE, FALSE, sizeof(TnSpillWindow));
  for (guint w = 0; w < windows->len; w++) {
    TnSpillWindow window = g_array_index(windows, TnSpillWindow, w);
    const TnSpillWindow *next =
        w + 1 < windows->len ? &g_array_index(windows, TnSpillWindow, w + 1) : NULL;
    if (next && next->is_out == window.is_out) {
      window.to = next->to;
      w++;
    }
    g_array_append_val(joined, window);
  }
  if (joined->len < windows->len)
    return joined;
  g_array_unref(joined);
  return NULL;
}

/* Two windows that meet at the place with the greatest need. */
static GArray *
halves_new(const Dual *dual)
{
  GArray *halves = g_array_new(FALSE, FALSE, sizeof(TnSpillWindow));
  uint32_t top = 0;
  for (uint32_t p = 0; p < dual->model->n; p++)
    top = dual->need[p] > dual->need[top] ? p : top;
  TnSpillWindow out = {true, -1, (int32_t)top, 0}, in = {false, (int32_t)top, 0, 0};
  for (uint32_t i = 0; i < dual->model->idles->len; i++) {
    const TnIdle *idle = tn_spill_idle(dual->model, i);
    if (idle->from < (int32_t)top && idle->to > top)
      in.to = MAX(in.to, (int32_t)idle->to);
  }
  g_array_append_val(halves, out);
  if (in.to > in.from)
    g_array_append_val(halves, in);
  return halves;
}

/* From coarse to fine: coarse windows see what the lanes can't do in all, fine ones what each op
 * waits for. */
static GPtrArray *
families_new(const Dual *dual, const TnSpillPlan *plan, tn_bytes budget)
{
  GPtrArray *families = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
  TnSpillRun run;
  tn_spill_run_init(&run, dual->model);
  tn_spill_run(&run, plan, budget, false);
  for (GArray *next = tn_spill_windows_new(&run, plan, dual->before); next;
       next = join_windows(g_ptr_array_index(families, 0)))
    g_ptr_array_insert(families, 0, next);
  g_ptr_array_insert(families, 0, halves_new(dual));
  tn_spill_run_clear(&run);
  return families;
}

static void
dual_clear(Dual *dual)
{
  void *const columns[] = {dual->before, dual->least, dual->need,   dual->price,
                           dual->room,  dual->inside, dual->stretches,
                           dual->weight, dual->slack, dual->uses,  dual->again};
  for (gsize k = 0; k < G_N_ELEMENTS(columns); k++)
    g_free(columns[k]);
  g_array_unref(dual->over);
}

double
tn_spill_bound(const TnSpillModel *model, const TnSpillPlan *plan, tn_bytes budget, gint64 deadline)
{
  Dual dual;
  TnSpillRun run;
  tn_spill_run_init(&run, model);
  double lost = tn_spill_run(&run, plan, budget, false).seconds - tn_spill_shortest(model);
  tn_spill_run_clear(&run);
  if (!(lost > 0) || model->idles->len == 0)
    return 0;
  dual_init(&dual, model, budget);
  g_autoptr(GPtrArray) families = families_new(&dual, plan, budget);
  double bound = 0;
  for (guint f = 0; f < families->len && !is_late(deadline); f++) {
    gint64 now = g_get_monotonic_time();
    start(&dual, g_ptr_array_index(families, f));
    double found =
        ascend(&dual, lost, deadline > 0 ? now + (deadline - now) / (families->len - f) : 0);
    bound = MAX(bound, found);
  }
  dual_clear(&dual);
  return bound;
}
