/* SPDX-License-Identifier: MIT */
/* Names of a model while its graphs are built: where one means what, and functions written out. */
#pragma once

#include "data/readers/onnx-graph.h"

/* Where a name means something: a graph, or a function's inside. */
typedef struct TnOnnxFrame TnOnnxFrame;
struct TnOnnxFrame {
  TnOnnxFrame *parent; /* names from outside; a function sees none */
  TnOnnxWork *work;
  GHashTable *names; /* string id to TnOnnxValue *; NULL: an absent argument */
  const char *prefix; /* put before names that a call makes */
  const TnOnnxFrame *call; /* whose arguments references here mean: where a graph was written, not
                              where it is put; NULL: none */
  GHashTable *arguments; /* of a call: name to TnAttribute *, its function's defaults included */
  const TnOnnxFunction *function;
};

/* Sets the error "FILE: PLACE: found …; expected …" unless one is set; returns false. */
bool tn_onnx_fail(TnOnnxBuilder *builder, const char *place, const char *found,
                  const char *expected);

/* The value of a name that this frame defines, new where it was not there. */
TnOnnxValue *tn_onnx_declare(TnOnnxBuilder *builder, TnOnnxFrame *frame, uint32_t name);
/* The value a name means here; false where it means none.  Absent arguments give NULL.  A value of
 * a graph outside is noted as captured by those between. */
bool tn_onnx_resolve(TnOnnxFrame *frame, uint32_t name, TnOnnxValue **out_value);
/* Tables of the model's functions and operator sets; of several alike the first counts. */
void tn_onnx_index_model(TnOnnxBuilder *builder);
void tn_onnx_clear_index(TnOnnxBuilder *builder);
/* The version of an operator set that holds here. */
int64_t tn_onnx_version(const TnOnnxBuilder *builder, const TnOnnxFrame *frame, uint32_t domain);
/* A node's attributes, those of a call put in for the ones that stand for them. */
void tn_onnx_set_attributes(TnOnnxBuilder *builder, TnOnnxFrame *frame, const TnOnnxNode *node,
                            TnOnnxWorkNode *row);

/* Adds a node, or what the function that it calls is made of. */
bool tn_onnx_add_node(TnOnnxBuilder *builder, TnOnnxFrame *frame, const TnOnnxNode *node);

/* The local function that a node calls; NULL: it is an operator. */
const TnOnnxFunction *tn_onnx_find_function(const TnOnnxBuilder *builder, const TnOnnxNode *node);
/* What a node takes, in nodes of few operands: one with very many counts as many. */
static inline uint64_t
tn_onnx_node_cost(uint64_t n_inputs, uint64_t n_outputs, uint64_t n_attributes)
{
  return 1 + (n_inputs + n_attributes) / 8 + (n_outputs > 1 ? n_outputs - 1 : 0);
}

/* Counts a graph that a call puts in; false and an error where calls stand for too much. */
bool tn_onnx_count_graph(TnOnnxBuilder *builder, const TnOnnxGraph *graph);
bool tn_onnx_write_out_call(TnOnnxBuilder *builder, TnOnnxFrame *caller, const TnOnnxNode *node,
                            const TnOnnxFunction *function);
