/* SPDX-License-Identifier: MIT */
/* Graphs for tests of lives, orders and budgets: of a text, and random small ones with views,
 * in-place marks, control edges, side effects, workspaces and residents. */
#pragma once

#include "data/graph.h"
#include "data/graph-order.h"
#include "data/reader.h"
#include "data/strings.h"

#include <string.h>

static inline TnDocument *
load_text(const char *text)
{
  g_autoptr(TnSource) source = tn_source_new_for_bytes("test.json", text, strlen(text));
  TnReadOptions options = TN_READ_OPTIONS_INIT;
  g_autoptr(GError) error = NULL;
  TnDocument *document = tn_document_load_source(source, &options, &error);
  g_assert_no_error(error);
  return document;
}

typedef struct {
  TnGraph *graph;
  TnStrings *strings;
} RandomGraph;

static inline uint64_t
next_random(uint64_t *state)
{
  uint64_t z = (*state += 0x9e3779b97f4a7c15ull);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

static inline uint32_t
below(uint64_t *state, uint32_t n)
{
  return (uint32_t)(next_random(state) % n);
}

static inline uint32_t
add_random_tensor(RandomGraph *random, uint64_t *state, TnTensorKind kind)
{
  uint32_t row = tn_graph_add_tensor(random->graph, 0, kind);
  tn_graph_tensor(random->graph, row)->bytes = below(state, 8) == 0 ? 0 : 1 + below(state, 30);
  return row;
}

static inline void
add_random_inputs(RandomGraph *random, uint64_t *state, uint32_t *out_first)
{
  TnGraph *graph = random->graph;
  uint32_t n_tensors = graph->tensors->len, n = below(state, 4);
  *out_first = TN_NONE;
  for (uint32_t k = 0; k < n && n_tensors > 0; k++) {
    /* Recent ones more often: deep graphs as well as wide ones. */
    uint32_t reach = 1 + below(state, n_tensors);
    uint32_t tensor = n_tensors - 1 - below(state, reach);
    tn_graph_op_add_input(graph, tensor);
    if (*out_first == TN_NONE)
      *out_first = tensor;
  }
}

static inline void
add_random_aliases(
    RandomGraph *random, uint64_t *state, uint32_t op, uint32_t input, uint32_t output)
{
  TnGraph *graph = random->graph;
  uint32_t kind = below(state, 6);
  TnTensor *made = tn_graph_tensor(graph, output), *had = tn_graph_tensor(graph, input);
  if (kind == 0) {
    made->bytes = had->bytes;
    tn_graph_op_add_view(graph, output, input);
  } else if (kind <= 2) {
    if (below(state, 2))
      made->bytes = had->bytes;
    tn_graph_op_add_in_place(graph, output, input);
    const TnOp *row = tn_graph_op(graph, op);
    if (row->n_inputs > 1 && below(state, 2))
      tn_graph_op_add_in_place(graph, output, tn_graph_inputs(graph, row)[1]);
  }
}

static inline void
add_random_op(RandomGraph *random, uint64_t *state)
{
  TnGraph *graph = random->graph;
  uint32_t op = graph->ops->len, input, first = TN_NONE;
  uint32_t n_outputs = below(state, 8) == 0 ? 0 : 1 + (below(state, 4) == 0);
  tn_graph_add_op(graph, 0, 0);
  add_random_inputs(random, state, &input);
  for (uint32_t k = 0; k < n_outputs; k++) {
    uint32_t output = add_random_tensor(random, state, TN_TENSOR_ACTIVATION);
    tn_graph_op_add_output(graph, output);
    tn_graph_tensor(graph, output)->is_output = below(state, 7) == 0;
    if (k == 0)
      first = output;
  }
  if (input != TN_NONE && first != TN_NONE)
    add_random_aliases(random, state, op, input, first);
  if (op > 0 && below(state, 6) == 0)
    tn_graph_op_add_after(graph, below(state, op));
  TnOp *row = tn_graph_op(graph, op);
  row->has_side_effect = below(state, 6) == 0;
  row->workspace_bytes = below(state, 3) == 0 ? 1 + below(state, 20) : 0;
  row->seconds = 0.001 * (1 + below(state, 20));
  if (below(state, 10) == 0) {
    TnInternal internal = {0, 1 + below(state, 20), (uint8_t)(1 + below(state, 7))};
    tn_graph_op_add_internal(graph, internal);
  }
}

/* Ops are listed in an order that is legal. */
static inline RandomGraph
random_graph_new(uint64_t seed, uint32_t n_ops)
{
  RandomGraph random = {tn_graph_new(), tn_strings_new()};
  uint64_t state = seed;
  uint32_t n_inputs = 1 + below(&state, 2);
  for (uint32_t i = 0; i < n_inputs; i++)
    add_random_tensor(&random, &state, TN_TENSOR_INPUT);
  if (below(&state, 3) == 0)
    add_random_tensor(&random, &state, TN_TENSOR_CONSTANT);
  for (uint32_t i = 0; i < n_ops; i++) {
    add_random_op(&random, &state);
    g_array_append_val(random.graph->order, i);
  }
  random.graph->keep_inputs = below(&state, 8) == 0;
  return random;
}

static inline void
random_graph_clear(RandomGraph *random)
{
  tn_graph_free(random->graph);
  tn_strings_free(random->strings);
}
