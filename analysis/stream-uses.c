/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/stream-uses.h"

#include "data/graph-order.h"

/* ---- the clocks
 * ---------------------------------------------------------------------------------------- */

static bool
has_many(const uint32_t *stream, uint32_t n)
{
  for (uint32_t i = 1; i < n; i++)
    if (stream[i] != stream[0])
      return true;
  return false;
}

/* Where clocks would be too large nothing is known to wait for another stream. */
static TnStreamClock *
clock_new(const TnStreamGraph *graph, bool *out_is_coarse)
{
  TnStreamClock *clock = tn_stream_clock_new(graph);
  *out_is_coarse = !clock;
  if (clock)
    return clock;
  TnStreamGraph coarse = *graph;
  g_autofree uint32_t *none = g_new0(uint32_t, (gsize)graph->n + 1);
  coarse.first = none;
  return tn_stream_clock_new(&coarse);
}

static TnStreamClock *
clock_of_graph(const TnGraph *graph, const uint32_t *order, bool *out_is_coarse)
{
  uint32_t n = graph->ops->len;
  if (!tn_graph_has_streams(graph))
    return NULL;
  g_autofree uint32_t *stream = g_new(uint32_t, n);
  for (uint32_t op = 0; op < n; op++)
    stream[op] = tn_graph_op(graph, op)->stream;
  if (!order && graph->order && graph->order->len == n)
    order = (const uint32_t *)(const void *)graph->order->data;
  g_autoptr(TnEdges) edges = tn_edges_new(graph);
  return clock_new(&(TnStreamGraph){n, stream, order, edges->first, edges->next}, out_is_coarse);
}

static TnStreamClock *
clock_of_plan(const TnDocument *document, bool *out_is_coarse)
{
  uint32_t n = document->op_names ? document->op_names->len : 0;
  uint32_t n_waits = document->waits ? document->waits->len : 0;
  const uint32_t *stream = (const uint32_t *)(const void *)document->op_streams->data;
  if (document->op_streams->len != n || !has_many(stream, n))
    return NULL;
  g_autofree uint32_t *first = g_new0(uint32_t, (gsize)n + 2);
  g_autofree uint32_t *next = g_new(uint32_t, MAX(n_waits, 1u));
  for (uint32_t i = 0; i < n_waits; i++)
    first[g_array_index(document->waits, TnWait, i).from + 2]++;
  for (uint32_t op = 0; op < n; op++)
    first[op + 2] += first[op + 1];
  for (uint32_t i = 0; i < n_waits; i++) {
    const TnWait *wait = &g_array_index(document->waits, TnWait, i);
    next[first[wait->from + 1]++] = wait->to;
  }
  return clock_new(&(TnStreamGraph){n, stream, NULL, first, next}, out_is_coarse);
}

/* ---- users
 * ---------------------------------------------------------------------------------------------- */

typedef struct {
  uint32_t op, next; /* next: + 1; 0: none */
} User;

typedef struct {
  TnStreamUses *uses;
  const TnBuffers *buffers;
  GArray *users;
  uint32_t *head; /* by buffer: its first user + 1 */
  uint32_t n_ops;
} Builder;

static void
add_user(Builder *builder, uint32_t buffer, uint32_t op)
{
  const TnStreamClock *clock = builder->uses->clock;
  if (op >= builder->n_ops)
    return;
  for (uint32_t u = builder->head[buffer]; u;) {
    User *user = &g_array_index(builder->users, User, u - 1);
    if (tn_stream_clock_stream(clock, user->op) == tn_stream_clock_stream(clock, op)) {
      if (tn_stream_clock_rank(clock, op) > tn_stream_clock_rank(clock, user->op))
        user->op = op;
      return;
    }
    u = user->next;
  }
  User user = {op, builder->head[buffer]};
  g_array_append_val(builder->users, user);
  builder->head[buffer] = builder->users->len;
}

static void
add_stated(Builder *builder, const GArray *stated)
{
  for (guint i = 0; i < stated->len; i++) {
    const TnLastUse *use = &g_array_index(stated, TnLastUse, i);
    if (use->buffer < builder->uses->n)
      add_user(builder, use->buffer, use->op);
  }
}

/* Readers of each buffer's tensor, and of what is a view of it. */
static void
add_readers(Builder *builder, const TnGraph *graph)
{
  const TnBuffers *b = builder->buffers;
  uint32_t n = graph->tensors->len;
  g_autofree uint32_t *holder = g_new(uint32_t, MAX(n, 1u));
  for (uint32_t t = 0; t < n; t++)
    holder[t] = TN_NONE;
  for (uint32_t i = 0; i < b->n; i++)
    if (b->tensor[i] < n)
      holder[b->tensor[i]] = i;
  for (guint i = 0; i < graph->order->len; i++) {
    uint32_t row = g_array_index(graph->order, uint32_t, i);
    const TnOp *op = tn_graph_op(graph, row);
    for (uint32_t v = 0; v < op->n_views; v++) {
      const TnAlias *view = &g_array_index(graph->views, TnAlias, op->first_view + v);
      if (view->input < n && view->output < n && holder[view->output] == TN_NONE)
        holder[view->output] = holder[view->input];
    }
    for (uint32_t k = 0; k < op->n_inputs; k++)
      if (tn_graph_inputs(graph, op)[k] < n && holder[tn_graph_inputs(graph, op)[k]] != TN_NONE)
        add_user(builder, holder[tn_graph_inputs(graph, op)[k]], row);
  }
}

/* The op that runs at a tick, by its place in the order. */
static uint32_t
op_at(const Builder *builder, const uint32_t *by_place, tn_tick tick)
{
  tn_tick place = MAX(tick, 0) / builder->uses->ticks_per_op;
  return by_place[MIN(place, (tn_tick)builder->n_ops - 1)];
}

/* Nobody says which streams use it: of each one the last op before its end. */
static void
add_all_streams(Builder *builder, uint32_t buffer)
{
  const TnStreamUses *uses = builder->uses;
  tn_tick end = builder->buffers->end[buffer];
  for (uint32_t s = 0; s < tn_stream_clock_n_streams(uses->clock); s++) {
    uint32_t low = 0, high;
    const uint32_t *ops = tn_stream_clock_ops(uses->clock, s, &high);
    while (low < high) {
      uint32_t middle = low + (high - low) / 2;
      if ((tn_tick)tn_stream_clock_position(uses->clock, ops[middle]) * uses->ticks_per_op < end)
        low = middle + 1;
      else
        high = middle;
    }
    if (low > 0)
      add_user(builder, buffer, ops[low - 1]);
  }
}

/* Readers of all tensors that have a row's place, whatever they are called. */
static void
add_readers_of_rows(Builder *builder, const TnGraph *graph, const uint32_t *row_of)
{
  for (uint32_t op = 0; op < builder->n_ops; op++) {
    const TnOp *row = tn_graph_op(graph, op);
    for (uint32_t k = 0; k < row->n_inputs; k++) {
      uint32_t tensor = tn_graph_inputs(graph, row)[k];
      if (tensor != TN_NONE && row_of[tensor] != TN_NONE)
        add_user(builder, row_of[tensor], op);
    }
    for (uint32_t k = 0; k < row->n_outputs; k++) {
      uint32_t tensor = tn_graph_outputs(graph, row)[k];
      if (tensor != TN_NONE && row_of[tensor] != TN_NONE)
        add_user(builder, row_of[tensor], op);
    }
  }
}

/* Lives of a graph: all users are known.  What no op writes is there before the first. */
static void
find_graph_users(Builder *builder, const TnGraph *graph, const uint32_t *row_of)
{
  const TnBuffers *b = builder->buffers;
  uint32_t first = 0;
  for (uint32_t op = 0; op < builder->n_ops; op++)
    if (tn_stream_clock_position(builder->uses->clock, op) == 0)
      first = op;
  add_readers_of_rows(builder, graph, row_of);
  for (uint32_t i = 0; i < b->n; i++) {
    uint32_t op = tn_buffers_op(b, i);
    builder->uses->writer[i] = op < builder->n_ops ? op : first;
    if (op < builder->n_ops || !builder->head[i])
      add_user(builder, i, builder->uses->writer[i]);
  }
}

static void
find_users(Builder *builder, const TnDocument *document, const TnDevice *device)
{
  const TnBuffers *b = builder->buffers;
  bool is_stated = device->last_uses && device->buffers && device->buffers->n == b->n;
  bool has_tensors = !is_stated && document->graph && b->tensor && document->graph->order;
  g_autofree uint32_t *by_place = g_new0(uint32_t, MAX(builder->n_ops, 1u));
  for (uint32_t op = 0; op < builder->n_ops; op++)
    by_place[tn_stream_clock_position(builder->uses->clock, op)] = op;
  if (is_stated)
    add_stated(builder, device->last_uses);
  else if (has_tensors)
    add_readers(builder, document->graph);
  for (uint32_t i = 0; i < b->n; i++) {
    uint32_t op = tn_buffers_op(b, i);
    bool is_known = builder->head[i] != 0;
    builder->uses->writer[i] = op < builder->n_ops ? op : op_at(builder, by_place, b->start[i]);
    if (!is_known && tn_buffers_traits(b, i) & TN_TRAIT_MANY_STREAMS)
      add_all_streams(builder, i);
    add_user(builder, i, builder->uses->writer[i]);
    add_user(builder, i, op_at(builder, by_place, b->end[i] - 1));
  }
}

static void
list_users(const Builder *builder)
{
  TnStreamUses *uses = builder->uses;
  uint32_t at = 0;
  uses->last = g_new(uint32_t, MAX(builder->users->len, 1u));
  for (uint32_t i = 0; i < uses->n; i++) {
    uses->last_first[i] = at;
    for (uint32_t u = builder->head[i]; u; u = g_array_index(builder->users, User, u - 1).next)
      uses->last[at++] = g_array_index(builder->users, User, u - 1).op;
  }
  uses->last_first[uses->n] = at;
}

TnStreamUses *
tn_stream_uses_new(const TnDocument *document,
                   const TnDevice *device,
                   const TnBuffers *buffers,
                   const uint32_t *row_of,
                   const uint32_t *order,
                   bool *out_is_unknown)
{
  const TnGraph *graph = document->graph;
  bool is_known = graph || document->op_streams;
  if (out_is_unknown)
    *out_is_unknown =
        !is_known && buffers->stream && buffers->n && has_many(buffers->stream, buffers->n);
  bool is_coarse = false;
  TnStreamClock *clock = !is_known ? NULL
                         : graph   ? clock_of_graph(graph, order, &is_coarse)
                                   : clock_of_plan(document, &is_coarse);
  if (!clock)
    return NULL;
  TnStreamUses *uses = g_new0(TnStreamUses, 1);
  uint32_t n = uses->n = buffers->n;
  uses->clock = clock;
  uses->is_coarse = is_coarse;
  uses->ticks_per_op = graph ? 3 : MAX(document->ticks_per_op, 1);
  uses->writer = g_new(uint32_t, MAX(n, 1u));
  uses->last_first = g_new(uint32_t, (gsize)n + 1);
  Builder builder = {uses, buffers, g_array_new(FALSE, FALSE, sizeof(User)),
                     g_new0(uint32_t, MAX(n, 1u)),
                     graph ? graph->ops->len : document->op_names->len};
  if (graph && row_of)
    find_graph_users(&builder, graph, row_of);
  else
    find_users(&builder, document, device);
  list_users(&builder);
  g_array_unref(builder.users);
  g_free(builder.head);
  return uses;
}

TnStreamUses *
tn_stream_uses_new_for_study(const TnStudy *study, const uint32_t *order, bool *out_is_unknown)
{
  return tn_stream_uses_new(study->document, study->device, study->buffers, study->row_of, order,
                            out_is_unknown);
}

GArray *
tn_stream_uses_build_stated(const TnStudy *study, const uint32_t *order)
{
  g_autoptr(TnStreamUses) uses =
      study->document->graph ? tn_stream_uses_new_for_study(study, order, NULL) : NULL;
  if (!uses)
    return NULL;
  GArray *stated = g_array_new(FALSE, FALSE, sizeof(TnLastUse));
  for (uint32_t i = 0; i < uses->n; i++)
    for (uint32_t k = uses->last_first[i]; k < uses->last_first[i + 1]; k++) {
      TnLastUse use = {i, uses->last[k]};
      g_array_append_val(stated, use);
    }
  return stated;
}

void
tn_stream_uses_free(TnStreamUses *uses)
{
  if (!uses)
    return;
  tn_stream_clock_free(uses->clock);
  g_free(uses->tick);
  g_free(uses->writer);
  g_free(uses->last_first);
  g_free(uses->last);
  g_free(uses);
}

bool
tn_stream_uses_follows(const TnStreamUses *uses, uint32_t earlier, uint32_t later)
{
  uint32_t writer = uses->writer[later];
  for (uint32_t k = uses->last_first[earlier]; k < uses->last_first[earlier + 1]; k++)
    if (!tn_stream_clock_is_after(uses->clock, uses->last[k], writer))
      return false;
  return true;
}

static bool
is_only_of(const TnStreamUses *uses, uint32_t buffer, uint32_t stream)
{
  bool is_only = tn_stream_uses_stream(uses, buffer) == stream;
  for (uint32_t k = uses->last_first[buffer]; k < uses->last_first[buffer + 1]; k++)
    is_only &= tn_stream_clock_stream(uses->clock, uses->last[k]) == stream;
  return is_only;
}

bool
tn_stream_uses_are_of_one(const TnStreamUses *uses, uint32_t a, uint32_t b)
{
  uint32_t stream = tn_stream_uses_stream(uses, a);
  return is_only_of(uses, a, stream) && is_only_of(uses, b, stream);
}
