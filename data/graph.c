/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "data/graph.h"

TnGraph *
tn_graph_new(void)
{
  TnGraph *graph = g_new0(TnGraph, 1);
  graph->ops = g_array_new(FALSE, TRUE, sizeof(TnOp));
  graph->tensors = g_array_new(FALSE, TRUE, sizeof(TnTensor));
  graph->inputs = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  graph->outputs = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  graph->views = g_array_new(FALSE, FALSE, sizeof(TnAlias));
  graph->in_place = g_array_new(FALSE, FALSE, sizeof(TnAlias));
  graph->after = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  graph->internals = g_array_new(FALSE, FALSE, sizeof(TnInternal));
  graph->algorithms = g_array_new(FALSE, FALSE, sizeof(TnAlgorithm));
  graph->dims = g_array_new(FALSE, FALSE, sizeof(int64_t));
  graph->order = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  return graph;
}

void
tn_graph_free(TnGraph *graph)
{
  if (!graph)
    return;
  GArray *const arrays[] = {graph->ops,      graph->tensors, graph->inputs,    graph->outputs,
                            graph->views,    graph->in_place, graph->after,    graph->internals,
                            graph->algorithms, graph->dims,   graph->order,    graph->link_out,
                            graph->link_in};
  for (gsize i = 0; i < G_N_ELEMENTS(arrays); i++)
    if (arrays[i])
      g_array_unref(arrays[i]);
  g_free(graph);
}
