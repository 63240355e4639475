/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/budget/spill-model.h"

#include "analysis/order/walker.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
  const TnGraph *graph;
  const TnStrings *strings;
  const TnGraphLifetimeParams *lifetime;
  const TnLink *link;
  const TnSpillLimits *limits;
  TnSpillModel *model;
  tn_bytes alignment; /* sizes are rounded up to it */
  tn_bytes most_workspace;
} Builder;

/* ---- ops ------------------------------------------------------------------------------- */

/* Running it again would change what it gives, or what happens. */
static bool
is_impure(const Builder *builder, uint32_t op)
{
  static const char *const drawing[] = {"random", "dropout", "bernoulli", "multinomial"};
  const TnOp *row = tn_graph_op(builder->graph, op);
  g_autofree char *type = g_ascii_strdown(tn_strings_get(builder->strings, row->type), -1);
  for (gsize i = 0; i < G_N_ELEMENTS(drawing); i++)
    if (strstr(type, drawing[i]))
      return true;
  return row->has_side_effect;
}

static tn_bytes
rounded(const Builder *builder, tn_bytes bytes)
{
  tn_bytes used = 0;
  return tn_round_up(MAX(bytes, (tn_bytes)0), builder->alignment, &used) ? used : INT64_MAX;
}

static const TnAlgorithm *
algorithm_of(const Builder *builder, const TnOp *op, uint32_t i)
{
  return &g_array_index(builder->graph->algorithms, TnAlgorithm, op->first_algorithm + i);
}

/* How large a workspace may be for sums with it to stay within 64 bits, also where what is there is
 * made again. */
static tn_bytes
most_workspace(const TnOrderModel *model)
{
  tn_bytes total = model->base;
  bool is_small = tn_add(total, model->first_only, &total);
  for (uint32_t b = 0; b < model->n_buffers && is_small; b++)
    is_small = tn_add(total, model->bytes[b], &total);
  for (uint32_t op = 0; op < model->n && is_small; op++)
    is_small = tn_add(total, MAX(model->scratch[op], model->early_scratch[op]), &total);
  return is_small ? INT64_MAX / 4 - total : 0;
}

/* Unless the op as it is takes no more scratch and no more time. */
static void
add_way(Builder *builder,
        uint32_t name,
        tn_bytes workspace,
        const TnSpillWay *own,
        double seconds,
        uint32_t tiles)
{
  TnSpillWay way = {name, workspace, workspace - own->workspace, seconds, tiles};
  bool is_better = seconds < own->seconds && workspace <= builder->most_workspace;
  if (workspace < own->workspace || is_better)
    g_array_append_val(builder->model->ways, way);
}

/* im2col unrolls the input into one big matrix: it can as well be done in parts. */
static void
add_tiles(Builder *builder, const TnAlgorithm *algorithm, const TnSpillWay *own, double seconds)
{
  if (rounded(builder, algorithm->workspace_bytes) == 0 ||
      strcmp(tn_strings_get(builder->strings, algorithm->name), "im2col") != 0)
    return;
  for (uint32_t tiles = 2; tiles <= 16; tiles *= 2)
    add_way(builder, algorithm->name,
            rounded(builder, (algorithm->workspace_bytes + tiles - 1) / tiles), own,
            seconds + (tiles - 1) * builder->limits->rate.launch_seconds, tiles);
}

/* Beside the op as it is.  Where its time is an estimate, others have none to be compared with.  Of an im2col as large
 * as that one it is known whether it is that one where an algorithm is in force; else it is, but for its time. */
static void
add_algorithms(Builder *builder,
               const TnOp *op,
               const TnAlgorithm *in_force,
               const TnSpillWay *own,
               bool is_estimate)
{
  for (uint32_t i = 0; i < op->n_algorithms; i++) {
    const TnAlgorithm *algorithm = algorithm_of(builder, op, i);
    tn_bytes bytes = rounded(builder, algorithm->workspace_bytes);
    bool may_be_own = in_force ? algorithm == in_force : bytes == own->workspace;
    if (!is_estimate && algorithm->seconds >= 0) {
      add_way(builder, algorithm->name, bytes, own, algorithm->seconds, 1);
      add_tiles(builder, algorithm, own, algorithm->seconds);
    } else if (may_be_own)
      add_tiles(builder, algorithm, own, own->seconds);
  }
}

static void
add_ways(Builder *builder, uint32_t op_row)
{
  const TnOp *op = tn_graph_op(builder->graph, op_row);
  TnSpillModel *model = builder->model;
  bool is_estimate, no_workspace = builder->lifetime->no_workspace;
  double seconds =
      tn_op_seconds(builder->graph, builder->strings, op_row, &builder->limits->rate, &is_estimate);
  const TnAlgorithm *in_force =
      tn_graph_lifetime_algorithm(builder->graph, builder->strings, builder->lifetime, op);
  tn_bytes bytes = in_force ? in_force->workspace_bytes : op->workspace_bytes;
  if (in_force && in_force->seconds >= 0) {
    seconds = in_force->seconds;
    is_estimate = false;
  }
  TnSpillWay own = {
      .workspace = no_workspace ? 0 : rounded(builder, bytes), .seconds = seconds, .tiles = 1};
  model->way_first[op_row] = model->ways->len;
  model->op_seconds[op_row] = seconds;
  model->seconds += seconds;
  model->is_estimated |= is_estimate;
  g_array_append_val(model->ways, own);
  if (!no_workspace && !builder->limits->no_ways)
    add_algorithms(builder, op, in_force, &own, is_estimate);
}

static void
add_ops(Builder *builder)
{
  TnSpillModel *model = builder->model;
  model->op_seconds = g_new0(double, (gsize)model->n + 1);
  model->is_pure = g_new0(bool, (gsize)model->n + 1);
  model->way_first = g_new0(uint32_t, (gsize)model->n + 1);
  model->ways = g_array_new(FALSE, FALSE, sizeof(TnSpillWay));
  for (uint32_t i = 0; i < model->n; i++) {
    model->is_pure[i] = !is_impure(builder, i);
    add_ways(builder, i);
  }
  model->way_first[model->n] = model->ways->len;
}

/* ---- what each op takes ---------------------------------------------------------------- */

static void
measure(Builder *builder)
{
  TnSpillModel *model = builder->model;
  TnWalker walker;
  model->held = g_new0(tn_bytes, (gsize)model->n + 1);
  model->before = g_new0(tn_bytes, (gsize)model->n + 1);
  model->early = g_new0(tn_bytes, (gsize)model->n + 1);
  tn_walker_init(&walker, model->order_model);
  model->start_bytes = walker.live + model->order_model->first_only;
  for (uint32_t p = 0; p < model->n; p++) {
    model->before[p] = walker.live + (p == 0 ? model->order_model->first_only : 0);
    model->held[p] = tn_walker_past_read(&walker, model->order[p]);
    if (!model->order_model->is_kernel)
      model->early[p] = model->before[p] + model->order_model->early_scratch[model->order[p]];
    tn_walker_run(&walker, model->order[p]);
  }
  tn_walker_clear(&walker);
}

/* ---- idle stretches -------------------------------------------------------------------- */

static void
judge(Builder *builder, TnIdle *idle)
{
  const TnSpillModel *model = builder->model;
  const TnSpillLimits *limits = builder->limits;
  uint32_t between = (uint32_t)((int32_t)idle->to - idle->from - 1);
  uint32_t maker = model->order_model->maker[idle->buffer];
  TnIdleReason why =
      between < MAX(limits->least_idle, 1u) ? TN_IDLE_TOO_SHORT
      : model->order_model->bytes[idle->buffer] < MAX(limits->least_bytes, (tn_bytes)1)
          ? TN_IDLE_TOO_SMALL
          : TN_IDLE_CANDIDATE;
  idle->move = why == TN_IDLE_CANDIDATE && limits->no_moves ? TN_IDLE_NO_COPY : why;
  idle->recompute = why != TN_IDLE_CANDIDATE ? why
                    : limits->no_recompute   ? TN_IDLE_NO_RECOMPUTE
                    : maker == TN_NONE       ? TN_IDLE_NO_MAKER
                    : !model->is_pure[maker] ? TN_IDLE_SIDE_EFFECT
                                             : TN_IDLE_CANDIDATE;
}

static int
compare_places(const void *a, const void *b)
{
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return x < y ? -1 : x > y;
}

static void
add_idles_of(Builder *builder, uint32_t b, GArray *uses)
{
  TnSpillModel *model = builder->model;
  const TnOrderModel *order_model = model->order_model;
  uint32_t maker = order_model->maker[b], previous = TN_NONE;
  int32_t made = maker == TN_NONE ? -1 : (int32_t)model->place[maker], from = made;
  g_array_set_size(uses, 0);
  for (uint32_t k = order_model->reader_first[b]; k < order_model->reader_first[b + 1]; k++)
    g_array_append_val(uses, model->place[order_model->reader[k]]);
  if (uses->len > 1)
    qsort(uses->data, uses->len, sizeof(uint32_t), compare_places);
  for (guint i = 0; i < uses->len; i++) {
    TnIdle idle = {.buffer = b,
                   .from = from,
                   .to = g_array_index(uses, uint32_t, i),
                   .made = made,
                   .previous = previous};
    judge(builder, &idle);
    from = (int32_t)idle.to;
    if (idle.from + 1 == (int32_t)idle.to)
      continue;
    previous = model->idles->len;
    g_array_append_val(model->idles, idle);
  }
}

static void
add_idles(Builder *builder)
{
  TnSpillModel *model = builder->model;
  uint32_t n = model->order_model->n_buffers;
  g_autoptr(GArray) uses = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  model->idles = g_array_new(FALSE, FALSE, sizeof(TnIdle));
  model->idle_first = g_new0(uint32_t, (gsize)n + 1);
  model->out_seconds = g_new0(double, (gsize)n + 1);
  model->in_seconds = g_new0(double, (gsize)n + 1);
  for (uint32_t b = 0; b < n; b++) {
    model->idle_first[b] = model->idles->len;
    model->out_seconds[b] = tn_link_seconds(builder->link->out, model->order_model->bytes[b]);
    model->in_seconds[b] = tn_link_seconds(builder->link->in, model->order_model->bytes[b]);
    add_idles_of(builder, b, uses);
  }
  model->idle_first[n] = model->idles->len;
}

/* ---- working sets ---------------------------------------------------------------------- */

static void
measure_needs(TnSpillModel *model)
{
  g_autofree tn_bytes *away = g_new0(tn_bytes, (gsize)model->n + 2);
  tn_bytes sum = 0;
  model->away = g_new0(tn_bytes, (gsize)model->n + 1);
  model->needed = g_new0(tn_bytes, (gsize)model->n + 1);
  for (guint i = 0; i < model->idles->len; i++) {
    const TnIdle *idle = tn_spill_idle(model, i);
    if (idle->move != TN_IDLE_CANDIDATE && idle->recompute != TN_IDLE_CANDIDATE)
      continue;
    away[idle->from + 1] += model->order_model->bytes[idle->buffer];
    away[idle->to] -= model->order_model->bytes[idle->buffer];
  }
  for (uint32_t p = 0; p < model->n; p++) {
    uint32_t op = model->order[p];
    tn_bytes least = 0;
    for (uint32_t w = 0; w < tn_spill_n_ways(model, op); w++)
      least = MIN(least, tn_spill_way(model, op, w)->scratch_change);
    model->away[p] = sum += away[p];
    model->needed[p] = tn_spill_held(model, p, least) - sum;
  }
}

tn_bytes
tn_spill_smallest_budget(const TnSpillModel *model, uint32_t *out_place)
{
  tn_bytes most = model->start_bytes;
  *out_place = TN_NONE;
  for (uint32_t p = 0; p < model->n; p++)
    if (model->needed[p] >= most) {
      most = model->needed[p];
      *out_place = p;
    }
  return most;
}

uint32_t
tn_spill_first_way(const TnSpillModel *model, uint32_t op, tn_bytes budget)
{
  uint32_t n = tn_spill_n_ways(model, op), best = TN_NONE;
  for (uint32_t w = 0; w < n; w++) {
    const TnSpillWay *way = tn_spill_way(model, op, w);
    const TnSpillWay *had = best == TN_NONE ? NULL : tn_spill_way(model, op, best);
    if (!tn_spill_way_fits(model, op, w, budget))
      continue;
    if (!had || way->seconds < had->seconds ||
        (way->seconds <= had->seconds && way->workspace < had->workspace))
      best = w;
  }
  return best == TN_NONE ? 0 : best;
}

/* ---- the whole ------------------------------------------------------------------------- */

static void
set_order(Builder *builder)
{
  TnSpillModel *model = builder->model;
  const uint32_t *order = builder->lifetime->order
                              ? builder->lifetime->order
                              : (const uint32_t *)(const void *)builder->graph->order->data;
  model->n = model->order_model->n;
  model->order = g_new(uint32_t, (gsize)model->n + 1);
  model->place = g_new(uint32_t, (gsize)model->n + 1);
  for (uint32_t p = 0; p < model->n; p++) {
    model->order[p] = order[p];
    model->place[order[p]] = p;
  }
}

TnSpillModel *
tn_spill_model_new(const TnGraph *graph,
                   TnStrings *strings,
                   const TnGraphLifetimeParams *lifetime,
                   const TnLink *link,
                   const TnSpillLimits *limits,
                   GError **error)
{
  TnOrderModel *order_model = tn_order_model_new(graph, strings, lifetime, error);
  if (!order_model)
    return NULL;
  TnSpillModel *model = g_new0(TnSpillModel, 1);
  const TnRuntime *runtime = lifetime->preset ? tn_runtimes_find(lifetime->preset) : NULL;
  Builder builder = {graph,
                     strings,
                     lifetime,
                     link,
                     limits,
                     model,
                     lifetime->alignment > 0 ? lifetime->alignment
                     : runtime               ? runtime->alignment
                                             : 1,
                     most_workspace(order_model)};
  model->order_model = order_model;
  model->tensor = order_model->tensor;
  set_order(&builder);
  add_ops(&builder);
  measure(&builder);
  add_idles(&builder);
  measure_needs(model);
  return model;
}

void
tn_spill_model_free(TnSpillModel *model)
{
  if (!model)
    return;
  void *const columns[] = {
      model->order,       model->place,      model->held,    model->early,     model->before,
      model->needed,      model->op_seconds, model->is_pure, model->way_first, model->idle_first,
      model->out_seconds, model->in_seconds, model->away};
  for (gsize i = 0; i < G_N_ELEMENTS(columns); i++)
    g_free(columns[i]);
  g_array_unref(model->ways);
  g_array_unref(model->idles);
  tn_order_model_free(model->order_model);
  g_free(model);
}
