/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/budget/spill.h"

#include "analysis/batch-sum.h"
#include "analysis/budget/spill-bound.h"
#include "analysis/order/order.h"

#include <math.h>

typedef struct {
  const TnGraph *graph;
  TnStrings *strings;
  const TnGraphLifetimeParams *lifetime;
  const TnSpillParams *params;
  TnSpillAnswer *answer;
  gint64 deadline; /* of all */
  double left;     /* shares of the time that are still to be taken */
} Task;

/* What the steps take of the time, in parts of an eighth of DEFAULT_SECONDS where nobody sets a limit.
 * Under a limit the plan asked for, and what is proved of it, get three times as much of it. */
enum { PLAN_SHARE = 8, PROOF_SHARE = 1, ORDER_SHARE = 8, OTHER_SHARE = 2, SWEEP_SHARE = 10 };
#define DEFAULT_SECONDS 2
#define PREFERENCE 3

static double
shares_of(const TnSpillParams *params)
{
  double plan = (PLAN_SHARE + PROOF_SHARE) * (params->time_limit > 0 ? PREFERENCE : 1);
  double others = params->with_alternatives ? ORDER_SHARE + 3 * OTHER_SHARE : 0;
  return plan + others + (params->sweep > 0 ? SWEEP_SHARE : 0);
}

/* What others did not need is there for those behind, but only where somebody sets a limit. */
static double
take_seconds(Task *task, double share)
{
  double part = DEFAULT_SECONDS * share / PLAN_SHARE;
  if (task->params->time_limit > 0) {
    double rest = (double)(task->deadline - g_get_monotonic_time()) / G_USEC_PER_SEC;
    part = MAX(rest, 0) * share / MAX(task->left, share);
  }
  task->left -= share;
  return part;
}

static gint64
deadline_in(double seconds)
{
  return g_get_monotonic_time() + (gint64)(MIN(seconds, 1e9) * G_USEC_PER_SEC);
}

tn_bytes
tn_spill_plan_workspace(const TnSpillModel *model, const TnSpillPlan *plan)
{
  tn_bytes most = 0;
  for (uint32_t op = 0; op < model->n; op++)
    most = MAX(most, tn_spill_way(model, op, plan->way[op])->workspace);
  return most;
}

double
tn_spill_overhead(const TnSpillModel *model, double seconds)
{
  double overhead = seconds - model->seconds;
  return fabs(overhead) <= 1e-9 * model->seconds ? 0 : overhead;
}

static TnSpillPoint
point_of(const TnSpillModel *model, const TnSpillFound *found, const char *name, tn_bytes budget)
{
  return (TnSpillPoint){.name = name,
                        .budget = budget,
                        .is_feasible = found->is_found,
                        .is_optimal = found->is_optimal,
                        .peak = found->is_found ? found->outcome.peak : -1,
                        .overhead_seconds =
                            found->is_found ? tn_spill_overhead(model, found->outcome.seconds) : 0,
                        .moved_bytes = found->outcome.moved_bytes,
                        .recomputed_bytes = found->outcome.recomputed_bytes,
                        .workspace = tn_spill_plan_workspace(model, &found->plan)};
}

/* ---- other answers --------------------------------------------------------------------- */

static void
add_plain(Task *task)
{
  TnSpillPoint none = {"none",
                       task->answer->budget,
                       task->answer->baseline_peak <= task->answer->budget,
                       false,
                       task->answer->baseline_peak,
                       0,
                       0,
                       0,
                       0};
  g_array_append_val(task->answer->others, none);
}

/* A plan of its own under other limits or in another order. */
static void
add_plan(Task *task,
         const char *name,
         const TnGraphLifetimeParams *lifetime,
         const TnSpillLimits *limits)
{
  g_autoptr(TnSpillModel) model =
      tn_spill_model_new(task->graph, task->strings, lifetime, task->params->link, limits, NULL);
  if (!model)
    return;
  TnSpillFound found;
  TnSpillSearch search = {task->answer->budget, deadline_in(take_seconds(task, OTHER_SHARE)), false,
                          task->params->progress};
  tn_spill_search(model, &search, NULL, &found);
  TnSpillPoint point = point_of(model, &found, name, task->answer->budget);
  g_array_append_val(task->answer->others, point);
  tn_spill_plan_clear(&found.plan);
}

/* Reorder first: the best order alone, and a plan in it. */
static void
add_orders(Task *task)
{
  TnSpillAnswer *answer = task->answer;
  TnOrderParams params = TN_ORDER_PARAMS_INIT;
  TnGraphLifetimeParams reordered = *task->lifetime;
  params.time_limit = MAX(take_seconds(task, ORDER_SHARE), 1e-3);
  params.budget = answer->budget;
  params.progress = task->params->progress;
  g_autoptr(TnOrderAnswer) order = tn_order_new(task->graph, task->strings, task->lifetime,
                                                tn_order_methods_find("best"), &params, NULL);
  if (!order)
    return;
  answer->order_peak = order->peak;
  answer->order_bound = order->bound;
  TnSpillPoint point = {"order",
                        answer->budget,
                        order->peak <= answer->budget,
                        order->is_optimal,
                        order->peak,
                        0,
                        0,
                        0,
                        0};
  g_array_append_val(answer->others, point);
  reordered.order = order->order;
  add_plan(task, "order+plan", &reordered, &task->params->limits);
}

static void
add_only(Task *task, const char *name, bool no_moves, bool no_recompute)
{
  TnSpillLimits limits = task->params->limits;
  limits.no_moves |= no_moves;
  limits.no_recompute |= no_recompute;
  add_plan(task, name, task->lifetime, &limits);
}

/* ---- how near ---------------------------------------------------------------------------- */

/* Seconds that any plan within the budget takes; a plan that takes no more is optimal. */
static double
prove(Task *task, TnSpillFound *found, tn_bytes budget, double seconds)
{
  const TnSpillModel *model = task->answer->model;
  double bound = tn_spill_shortest(model, budget);
  if (found->is_found && found->is_optimal)
    return found->outcome.seconds;
  if (found->is_found && !tn_progress_is_cancelled(task->params->progress))
    bound += tn_spill_bound(model, &found->plan, budget, deadline_in(seconds));
  /* The bound leaves out what rounding may have added to it. */
  found->is_optimal = found->is_found && found->outcome.seconds <= bound * (1 + 1e-9);
  return found->is_optimal ? found->outcome.seconds : bound;
}

double
tn_spill_gap(const TnSpillAnswer *answer)
{
  double seconds = answer->found.outcome.seconds;
  return answer->found.is_found && seconds > 0
             ? MAX((seconds - answer->bound_seconds) / seconds, 0.0)
             : 0.0;
}

/* ---- the sweep ------------------------------------------------------------------------- */

/* A plan within less is a plan within more: what no plan within more avoids, none within less does.
 */
static void
spread_bounds(GArray *sweep)
{
  for (guint i = sweep->len; i-- > 1;) {
    TnSpillPoint *less = &g_array_index(sweep, TnSpillPoint, i - 1);
    less->bound_seconds =
        MAX(less->bound_seconds, g_array_index(sweep, TnSpillPoint, i).bound_seconds);
  }
}

/* From the smallest budget up: a plan that keeps within less is a plan for more too, so that no
 * point costs more than one below it. */
static void
sweep(Task *task)
{
  TnSpillAnswer *answer = task->answer;
  const TnSpillModel *model = answer->model;
  uint32_t n = MAX(task->params->sweep, 2u);
  tn_bytes low = answer->smallest_budget, high = answer->largest_budget;
  double slice = take_seconds(task, SWEEP_SHARE) / n;
  TnSpillFound before = {0};
  for (uint32_t i = 0; i < n && !tn_progress_is_cancelled(task->params->progress); i++) {
    TnSpillFound found;
    tn_bytes budget = low + (tn_bytes)((double)(high - low) * i / (n - 1));
    TnSpillSearch search = {i + 1 == n ? high : budget, deadline_in(slice * 4 / 5), false,
                            task->params->progress};
    tn_progress_report(task->params->progress, (double)i / n, "Planning other budgets");
    tn_spill_search(model, &search, before.is_found ? &before.plan : NULL, &found);
    double bound = prove(task, &found, search.budget, slice / 5);
    TnSpillPoint point = point_of(model, &found, NULL, search.budget);
    point.bound_seconds = tn_spill_overhead(model, bound);
    g_array_append_val(answer->sweep, point);
    if (task->params->swept)
      task->params->swept(&point, task->params->payload);
    if (before.plan.choice)
      tn_spill_plan_clear(&before.plan);
    before = found;
  }
  if (before.plan.choice)
    tn_spill_plan_clear(&before.plan);
  spread_bounds(answer->sweep);
}

/* ---- the answer ------------------------------------------------------------------------ */

/* Nothing elsewhere; each op in its own way, or in its fastest. */
static tn_bytes
peak_of(const TnSpillModel *model, bool is_fastest)
{
  tn_bytes peak = model->start_bytes;
  for (uint32_t p = 0; p < model->n; p++) {
    uint32_t op = model->order[p], way = is_fastest ? tn_spill_first_way(model, op, INT64_MAX) : 0;
    peak = MAX(peak, tn_spill_held(model, p, tn_spill_way(model, op, way)->scratch_change));
  }
  return peak;
}

/* Whatever may move leaves nothing behind; what runs again has to have its room before it is read. */
static bool
can_move_all(const TnSpillModel *model)
{
  for (guint i = 0; i < model->idles->len; i++) {
    const TnIdle *idle = tn_spill_idle(model, i);
    if (idle->move != TN_IDLE_CANDIDATE && idle->recompute == TN_IDLE_CANDIDATE)
      return false;
  }
  return true;
}

/* What is held is counted as if batches ran together: it proves nothing of what is possible. */
static void
forget_proofs(TnSpillAnswer *answer)
{
  answer->found.is_optimal = answer->found.is_proved_impossible = answer->is_smallest_exact = false;
  for (guint i = 0; i < answer->others->len; i++)
    g_array_index(answer->others, TnSpillPoint, i).is_optimal = false;
  for (guint i = 0; i < answer->sweep->len; i++)
    g_array_index(answer->sweep, TnSpillPoint, i).is_optimal = false;
}

TnSpillAnswer *
tn_spill_new(const TnGraph *graph,
             TnStrings *strings,
             const TnGraphLifetimeParams *lifetime,
             const TnSpillParams *params,
             GError **error)
{
  gint64 since = g_get_monotonic_time();
  TnSpillModel *model =
      tn_spill_model_new(graph, strings, lifetime, params->link, &params->limits, error);
  if (!model)
    return NULL;
  TnSpillAnswer *answer = g_new0(TnSpillAnswer, 1);
  int preference = params->time_limit > 0 ? PREFERENCE : 1;
  gint64 most = (gint64)(MIN(params->time_limit, 1e9) * G_USEC_PER_SEC);
  Task task = {graph, strings, lifetime, params, answer, since + most, shares_of(params)};
  uint32_t place;
  answer->model = model;
  answer->baseline_peak = peak_of(model, false);
  answer->smallest_budget = tn_spill_smallest_budget(model, &place);
  answer->largest_budget =
      MAX(peak_of(model, true), MAX(answer->baseline_peak, answer->smallest_budget));
  answer->is_smallest_exact = can_move_all(model);
  answer->budget =
      params->budget > 0
          ? params->budget
          : answer->smallest_budget + MAX(answer->baseline_peak - answer->smallest_budget, 0) / 2;
  answer->smallest_op = place == TN_NONE ? TN_NONE : model->order[place];
  answer->others = g_array_new(FALSE, FALSE, sizeof(TnSpillPoint));
  answer->sweep = g_array_new(FALSE, FALSE, sizeof(TnSpillPoint));
  TnSpillSearch search = {answer->budget, deadline_in(take_seconds(&task, PLAN_SHARE * preference)),
                          false, params->progress};
  tn_progress_report(params->progress, -1, "Planning what to move");
  tn_spill_search(model, &search, NULL, &answer->found);
  answer->bound_seconds = prove(&task, &answer->found, answer->budget,
                                 take_seconds(&task, PROOF_SHARE * preference));
  if (params->with_alternatives) {
    add_plain(&task);
    add_orders(&task);
    add_only(&task, "move", false, true);
    add_only(&task, "recompute", true, false);
  }
  if (params->sweep > 0)
    sweep(&task);
  answer->adds_batches = tn_batch_sum_has_several(graph);
  if (answer->adds_batches)
    forget_proofs(answer);
  answer->seconds = (double)(g_get_monotonic_time() - since) / G_USEC_PER_SEC;
  return answer;
}

void
tn_spill_free(TnSpillAnswer *answer)
{
  if (!answer)
    return;
  tn_spill_plan_clear(&answer->found.plan);
  tn_spill_model_free(answer->model);
  g_array_unref(answer->others);
  g_array_unref(answer->sweep);
  g_free(answer);
}

/* ---- reasons --------------------------------------------------------------------------- */

static const char *
reason_text(TnIdleReason reason)
{
  switch (reason) {
  case TN_IDLE_TOO_SHORT:
    return "too few ops in between";
  case TN_IDLE_TOO_SMALL:
    return "too small to be worth a copy";
  case TN_IDLE_NO_COPY:
    return "moves are switched off";
  case TN_IDLE_NO_RECOMPUTE:
    return "recomputing is switched off";
  case TN_IDLE_NO_MAKER:
    return "a graph input: nothing can make it again";
  case TN_IDLE_SIDE_EFFECT:
    return "its maker has a side effect or draws lots";
  case TN_IDLE_CANDIDATE:
  default:
    return "";
  }
}

static char *
build_kept_reason(const TnSpillAnswer *answer, const TnIdle *idle)
{
  const TnSpillModel *model = answer->model;
  if (idle->move != TN_IDLE_CANDIDATE && idle->recompute != TN_IDLE_CANDIDATE)
    return g_strdup(reason_text(idle->move));
  for (uint32_t p = (uint32_t)(idle->from + 1); p < idle->to; p++) {
    uint32_t op = model->order[p];
    tn_bytes more = tn_spill_way(model, op, answer->found.plan.way[op])->scratch_change;
    if (tn_spill_held(model, p, MAX(more, (tn_bytes)0)) > answer->budget)
      return g_strdup("others cost less");
  }
  return g_strdup("no op in between needs the room");
}

char *
tn_spill_build_reason(const TnSpillAnswer *answer, uint32_t i)
{
  const TnSpillModel *model = answer->model;
  const TnIdle *idle = tn_spill_idle(model, i);
  const TnSpillChoice *choice = &answer->found.plan.choice[i];
  double copies = model->out_seconds[idle->buffer] + model->in_seconds[idle->buffer], hidden = 0;
  for (int32_t p = idle->from + 1; p < (int32_t)idle->to; p++)
    hidden +=
        tn_spill_way(model, model->order[p], answer->found.plan.way[model->order[p]])->seconds;
  if (choice->kind == TN_SPILL_MOVE)
    return g_strdup_printf("copies %.3g ms, compute in between %.3g ms", copies * 1e3,
                           hidden * 1e3);
  if (choice->kind == TN_SPILL_RECOMPUTE)
    return g_strdup_printf("making it again is cheaper than copies of %.3g ms", copies * 1e3);
  return build_kept_reason(answer, idle);
}
