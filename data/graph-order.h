/* SPDX-License-Identifier: MIT */
/* Orders of a graph's ops that its edges allow: data edges (producer before reader), control edges
 * (`after`) and the chain of ops with side effects, which keep their order. */
#pragma once

#include "data/graph.h"
#include "data/strings.h"

/* The graph as edges between ops: successors of op i are next[first[i]] … next[first[i + 1] - 1];
 * an op that reads two results of another is listed twice.  Immutable. */
typedef struct {
  uint32_t n;
  uint32_t *first; /* n + 1 */
  uint32_t *next;
  uint32_t *n_before; /* edges into op i */
} TnEdges;

TnEdges *tn_edges_new(const TnGraph *graph);
void tn_edges_free(TnEdges *edges);

/* Whether its ops are of several streams. */
bool tn_graph_has_streams(const TnGraph *graph);

/* A topological order that is stable: of the ops that may run, always the one listed first.
 * O(e + n log n).  NULL where there is a cycle: then `out_cycle` (GArray of uint32_t, caller's)
 * lists its ops, each reading from the one before, the first from the last. */
GArray *tn_graph_sort(const TnGraph *graph, GArray **out_cycle);

/* Whether `order` (shape n) names each op once and keeps every edge.  O(n + e). */
bool tn_graph_order_is_legal(const TnGraph *graph, const uint32_t *order, uint32_t n);

/* "'a' → 'b' → 'a'" for a person; owned by the caller. */
char *tn_graph_build_cycle_text(const TnGraph *graph, const TnStrings *strings,
                                const GArray *cycle);
/* An op as a person knows it: its name, else its type and its row ("Relu #12").  Owned. */
char *tn_graph_build_op_text(const TnGraph *graph, const TnStrings *strings, uint32_t op);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(TnEdges, tn_edges_free)
