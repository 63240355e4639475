/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/stream-order.h"

#include "data/graph-order.h"

struct TnStreamOrder {
  uint32_t n;
  TnEdges *edges;
  uint32_t *next_in_stream;      /* by op; TN_NONE: the stream's last */
  uint32_t *position;            /* by op, in the order */
  uint32_t *before_first, *before; /* the edges the other way round; NULL until asked for */
  uint32_t *seen_by, *came_from;   /* of the search in hand */
  uint32_t n_searches;
  GArray *queue;
};

static void
chain_streams(TnStreamOrder *reach, const TnGraph *graph)
{
  g_autoptr(GHashTable) last = g_hash_table_new(NULL, NULL); /* stream → op + 1 */
  for (uint32_t i = 0; i < reach->n; i++) {
    uint32_t op = g_array_index(graph->order, uint32_t, i);
    gpointer stream = GUINT_TO_POINTER(tn_graph_op(graph, op)->stream);
    uint32_t before = GPOINTER_TO_UINT(g_hash_table_lookup(last, stream));
    if (before)
      reach->next_in_stream[before - 1] = op;
    reach->position[op] = i;
    g_hash_table_insert(last, stream, GUINT_TO_POINTER(op + 1));
  }
}

TnStreamOrder *
tn_stream_order_new(const TnGraph *graph)
{
  TnStreamOrder *reach = g_new0(TnStreamOrder, 1);
  reach->n = graph->ops->len;
  reach->edges = tn_edges_new(graph);
  reach->next_in_stream = g_new(uint32_t, MAX(reach->n, 1u));
  reach->position = g_new0(uint32_t, MAX(reach->n, 1u));
  reach->seen_by = g_new0(uint32_t, MAX(reach->n, 1u));
  reach->came_from = g_new(uint32_t, MAX(reach->n, 1u));
  reach->queue = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  for (uint32_t i = 0; i < reach->n; i++)
    reach->next_in_stream[i] = TN_NONE;
  chain_streams(reach, graph);
  return reach;
}

void
tn_stream_order_free(TnStreamOrder *reach)
{
  if (!reach)
    return;
  tn_edges_free(reach->edges);
  g_free(reach->next_in_stream);
  g_free(reach->position);
  g_free(reach->before_first);
  g_free(reach->before);
  g_free(reach->seen_by);
  g_free(reach->came_from);
  g_array_unref(reach->queue);
  g_free(reach);
}

/* Nothing behind the target's place in the order can lead to it. */
static void
visit(TnStreamOrder *reach, uint32_t op, uint32_t from, uint32_t to)
{
  if (op == TN_NONE || reach->seen_by[op] == reach->n_searches ||
      reach->position[op] > reach->position[to])
    return;
  reach->seen_by[op] = reach->n_searches;
  reach->came_from[op] = from;
  g_array_append_val(reach->queue, op);
}

static void
fill_path(const TnStreamOrder *reach, uint32_t to, GArray *path)
{
  g_array_set_size(path, 0);
  for (uint32_t op = to; op != TN_NONE; op = reach->came_from[op])
    g_array_append_val(path, op);
  for (guint i = 0; i < path->len / 2; i++) {
    uint32_t *op = &g_array_index(path, uint32_t, i);
    uint32_t *other = &g_array_index(path, uint32_t, path->len - 1 - i), kept = *op;
    *op = *other;
    *other = kept;
  }
}

bool
tn_stream_order_is_kept(TnStreamOrder *reach, uint32_t from, uint32_t to, GArray *path)
{
  if (from >= reach->n || to >= reach->n)
    return false;
  g_array_set_size(reach->queue, 0);
  reach->n_searches++;
  visit(reach, from, TN_NONE, to);
  for (guint i = 0; i < reach->queue->len; i++) {
    uint32_t op = g_array_index(reach->queue, uint32_t, i);
    if (op == to) {
      if (path)
        fill_path(reach, to, path);
      return true;
    }
    visit(reach, reach->next_in_stream[op], op, to);
    for (uint32_t k = reach->edges->first[op]; k < reach->edges->first[op + 1]; k++)
      visit(reach, reach->edges->next[k], op, to);
  }
  return false;
}

static void
add_before(TnStreamOrder *reach, uint32_t from, uint32_t to, uint32_t *next)
{
  if (to != TN_NONE)
    reach->before[next[to]++] = from;
}

static void
turn_round(TnStreamOrder *reach)
{
  const TnEdges *edges = reach->edges;
  uint32_t n = reach->n, *first = reach->before_first = g_new0(uint32_t, (gsize)n + 1);
  for (uint32_t op = 0; op < n; op++) {
    if (reach->next_in_stream[op] != TN_NONE)
      first[reach->next_in_stream[op] + 1]++;
    for (uint32_t k = edges->first[op]; k < edges->first[op + 1]; k++)
      first[edges->next[k] + 1]++;
  }
  for (uint32_t op = 0; op < n; op++)
    first[op + 1] += first[op];
  g_autofree uint32_t *next = g_memdup2(first, sizeof *first * ((gsize)n + 1));
  reach->before = g_new(uint32_t, MAX(first[n], 1u));
  for (uint32_t op = 0; op < n; op++) {
    add_before(reach, op, reach->next_in_stream[op], next);
    for (uint32_t k = edges->first[op]; k < edges->first[op + 1]; k++)
      add_before(reach, op, edges->next[k], next);
  }
}

static void
visit_back(TnStreamOrder *reach, uint32_t op)
{
  if (reach->seen_by[op] == reach->n_searches)
    return;
  reach->seen_by[op] = reach->n_searches;
  g_array_append_val(reach->queue, op);
}

uint32_t
tn_stream_order_first_loose(TnStreamOrder *reach, const uint32_t *ops, uint32_t n, uint32_t to)
{
  if (to >= reach->n)
    return 0;
  if (!reach->before)
    turn_round(reach);
  g_array_set_size(reach->queue, 0);
  reach->n_searches++;
  visit_back(reach, to);
  for (guint i = 0; i < reach->queue->len; i++) {
    uint32_t op = g_array_index(reach->queue, uint32_t, i);
    for (uint32_t k = reach->before_first[op]; k < reach->before_first[op + 1]; k++)
      visit_back(reach, reach->before[k]);
  }
  for (uint32_t i = 0; i < n; i++)
    if (ops[i] >= reach->n || reach->seen_by[ops[i]] != reach->n_searches)
      return i;
  return n;
}
