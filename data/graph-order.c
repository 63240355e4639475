/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "data/graph-order.h"

typedef void (*EdgeVisitor)(uint32_t from, uint32_t to, void *payload);

/* Calls `visit` for each edge, in the same order each time. */
static void
visit_edges(const TnGraph *graph, EdgeVisitor visit, void *payload)
{
  uint32_t last_effect = TN_NONE;
  for (uint32_t i = 0; i < graph->ops->len; i++) {
    const TnOp *op = tn_graph_op(graph, i);
    const uint32_t *inputs = tn_graph_inputs(graph, op);
    for (uint32_t k = 0; k < op->n_inputs; k++) {
      uint32_t producer =
          inputs[k] == TN_NONE ? TN_NONE : tn_graph_tensor(graph, inputs[k])->producer;
      if (producer != TN_NONE)
        visit(producer, i, payload);
    }
    for (uint32_t k = 0; k < op->n_after; k++)
      visit(g_array_index(graph->after, uint32_t, op->first_after + k), i, payload);
    if (op->has_side_effect && last_effect != TN_NONE)
      visit(last_effect, i, payload);
    if (op->has_side_effect)
      last_effect = i;
  }
}

static void
count_edge(uint32_t from, uint32_t to, void *payload)
{
  TnEdges *edges = payload;
  edges->first[from + 1]++;
  edges->n_before[to]++;
}

typedef struct {
  TnEdges *edges;
  uint32_t *at;
} Filler;

static void
fill_edge(uint32_t from, uint32_t to, void *payload)
{
  Filler *filler = payload;
  filler->edges->next[filler->at[from]++] = to;
}

TnEdges *
tn_edges_new(const TnGraph *graph)
{
  TnEdges *edges = g_new0(TnEdges, 1);
  gsize n = edges->n = graph->ops->len;
  edges->first = g_new0(uint32_t, n + 1);
  edges->n_before = g_new0(uint32_t, n + 1);
  visit_edges(graph, count_edge, edges);
  for (gsize i = 0; i < n; i++)
    edges->first[i + 1] += edges->first[i];
  edges->next = g_new(uint32_t, (gsize)edges->first[n] + 1);
  Filler filler = {edges, g_memdup2(edges->first, sizeof(uint32_t) * (n + 1))};
  visit_edges(graph, fill_edge, &filler);
  g_free(filler.at);
  return edges;
}

void
tn_edges_free(TnEdges *edges)
{
  if (!edges)
    return;
  g_free(edges->first);
  g_free(edges->next);
  g_free(edges->n_before);
  g_free(edges);
}

/* ---- a heap of op ids, smallest on top ------------------------------------------------- */

static void
heap_push(uint32_t *heap, uint32_t *n, uint32_t value)
{
  uint32_t at = (*n)++;
  while (at > 0 && heap[(at - 1) / 2] > value) {
    heap[at] = heap[(at - 1) / 2];
    at = (at - 1) / 2;
  }
  heap[at] = value;
}

static uint32_t
heap_pop(uint32_t *heap, uint32_t *n)
{
  uint32_t top = heap[0], value = heap[--(*n)], at = 0;
  for (;;) {
    uint32_t child = 2 * at + 1;
    if (child >= *n)
      break;
    if (child + 1 < *n && heap[child + 1] < heap[child])
      child++;
    if (heap[child] >= value)
      break;
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = value;
  return top;
}

/* ---- sorting --------------------------------------------------------------------------- */

/* Among ops that never became ready each has one before it that never did either: walking back
 * must come round. */
static GArray *
find_cycle(const TnEdges *edges, const uint32_t *left)
{
  uint32_t *before = g_new(uint32_t, edges->n);
  for (uint32_t i = 0; i < edges->n; i++)
    before[i] = TN_NONE;
  uint32_t at = TN_NONE;
  for (uint32_t i = 0; i < edges->n; i++)
    for (uint32_t e = edges->first[i]; left[i] > 0 && e < edges->first[i + 1]; e++)
      if (left[edges->next[e]] > 0)
        before[at = edges->next[e]] = i;
  for (uint32_t i = 0; i < edges->n; i++)
    at = before[at];
  /* Begin with the op that is listed first. */
  uint32_t start = at;
  for (uint32_t next = before[at]; next != at; next = before[next])
    start = MIN(start, next);
  GArray *cycle = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  g_array_append_val(cycle, start);
  for (uint32_t next = before[start]; next != start; next = before[next])
    g_array_append_val(cycle, next);
  for (guint i = 1, k = cycle->len - 1; i < k; i++, k--) { /* walked back: all but the first turn */
    uint32_t later = g_array_index(cycle, uint32_t, k);
    g_array_index(cycle, uint32_t, k) = g_array_index(cycle, uint32_t, i);
    g_array_index(cycle, uint32_t, i) = later;
  }
  g_free(before);
  return cycle;
}

GArray *
tn_graph_sort(const TnGraph *graph, GArray **out_cycle)
{
  g_autoptr(TnEdges) edges = tn_edges_new(graph);
  uint32_t n_ready = 0, n = edges->n;
  g_autofree uint32_t *ready = g_new(uint32_t, (gsize)n + 1);
  GArray *order = g_array_sized_new(FALSE, FALSE, sizeof(uint32_t), n + 1);
  for (uint32_t i = 0; i < n; i++)
    if (edges->n_before[i] == 0)
      heap_push(ready, &n_ready, i);
  while (n_ready > 0) {
    uint32_t op = heap_pop(ready, &n_ready);
    g_array_append_val(order, op);
    for (uint32_t e = edges->first[op]; e < edges->first[op + 1]; e++)
      if (--edges->n_before[edges->next[e]] == 0)
        heap_push(ready, &n_ready, edges->next[e]);
  }
  if (order->len == n)
    return order;
  g_array_unref(order);
  if (out_cycle)
    *out_cycle = find_cycle(edges, edges->n_before);
  return NULL;
}

typedef struct {
  const uint32_t *position;
  bool is_legal;
} Legality;

static void
check_edge(uint32_t from, uint32_t to, void *payload)
{
  Legality *legality = payload;
  if (legality->position[from] >= legality->position[to])
    legality->is_legal = false;
}

bool
tn_graph_has_streams(const TnGraph *graph)
{
  for (guint op = 1; op < graph->ops->len; op++)
    if (tn_graph_op(graph, op)->stream != tn_graph_op(graph, 0)->stream)
      return true;
  return false;
}

bool
tn_graph_order_is_legal(const TnGraph *graph, const uint32_t *order, uint32_t n)
{
  if (n != graph->ops->len)
    return false;
  g_autofree uint32_t *position = g_new(uint32_t, (gsize)n + 1);
  for (uint32_t i = 0; i < n; i++)
    position[i] = TN_NONE;
  for (uint32_t i = 0; i < n; i++) {
    if (order[i] >= n || position[order[i]] != TN_NONE)
      return false;
    position[order[i]] = i;
  }
  Legality legality = {position, true};
  visit_edges(graph, check_edge, &legality);
  return legality.is_legal;
}

char *
tn_graph_build_op_text(const TnGraph *graph, const TnStrings *strings, uint32_t op)
{
  const TnOp *row = tn_graph_op(graph, op);
  if (row->name)
    return g_strdup(tn_strings_get(strings, row->name));
  return g_strdup_printf("%s #%u", tn_strings_get(strings, row->type), op);
}

char *
tn_graph_build_cycle_text(const TnGraph *graph, const TnStrings *strings, const GArray *cycle)
{
  enum { MOST = 8 };
  GString *text = g_string_new(NULL);
  for (guint i = 0; i <= cycle->len; i++) {
    if (i >= MOST && i < cycle->len)
      continue;
    uint32_t op = g_array_index(cycle, uint32_t, i % cycle->len);
    g_autofree char *name = tn_graph_build_op_text(graph, strings, op);
    if (i == cycle->len && cycle->len > MOST)
      g_string_append_printf(text, " → (%u more)", cycle->len - MOST);
    g_string_append_printf(text, i ? " → '%s'" : "'%s'", name);
  }
  return g_string_free(text, FALSE);
}
