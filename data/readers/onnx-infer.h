/* SPDX-License-Identifier: MIT */
/* Shapes of all values of a graph and of the graphs inside its nodes, in the order of the nodes. */
#pragma once

#include "data/readers/onnx-graph.h"
#include "data/reader.h"

typedef struct {
  TnOnnxBuilder *builder;
  const TnReadOptions *options;
  uint32_t depth;
  uint64_t n_inner_nodes;  /* inferred inside bodies: loops within loops multiply */
  bool is_dead;            /* inside a branch that never runs: nothing there is worth a warning */
  GHashTable *used;        /* keys of the bindings that were used */
} TnOnnxInference;

/* Fills the shapes of the graph's inputs from the file, the bindings and the given values. */
void tn_onnx_bind_inputs(TnOnnxInference *inference, TnOnnxWork *work);
/* Infers; the inputs' shapes are set.  Marks constants and folded nodes. */
void tn_onnx_infer(TnOnnxInference *inference, TnOnnxWork *work);
/* Warns of bindings and values that nothing in the graph uses. */
void tn_onnx_warn_unused(TnOnnxInference *inference);

/* A dimension's value by its name: a binding, else unknown. */
int64_t tn_onnx_bound_param(TnOnnxInference *inference, uint32_t param);

/* If, Loop, Scan and other ops with graphs inside; false where it is none that is known. */
bool tn_onnx_infer_control(TnOnnxInference *inference, TnOnnxWorkNode *node,
                           TnRuleContext *context);
