/* SPDX-License-Identifier: MIT */
/* A model's graphs with their names resolved: values and nodes that point at each other, local
 * functions written out, sub-graphs as graphs of their own, nodes in a legal order.
 * Values and lists live in the parser's arena. */
#pragma once

#include "data/diagnostics.h"
#include "data/readers/onnx-model.h"

typedef struct TnOnnxWork TnOnnxWork;

typedef struct {
  uint32_t name;
  uint32_t index;    /* in its owner's values */
  uint32_t producer; /* node of its owner; TN_NONE: none */
  TnOnnxWork *owner;
  TnShapeValue shape;
  const TnOnnxValueInfo *declared; /* what the file says of it; NULL: nothing */
  bool is_input, is_initializer, is_output;
  bool is_constant;      /* known before the run: an initializer, or made from such only */
  uint32_t lost_node;    /* node of its owner that lost the shape; TN_NONE */
  const char *lost_why;  /* NULL: not lost */
} TnOnnxValue;

typedef struct {
  uint32_t name, type, domain;
  int64_t version;
  const TnAttribute *attributes;
  uint32_t n_attributes, n_inputs, n_outputs, n_bodies;
  TnOnnxValue **inputs, **outputs; /* NULL where absent */
  TnOnnxWork **bodies;
  const char **body_names; /* of the attributes */
  uint32_t taken_body;     /* TN_NONE: not known */
  bool is_folded;          /* its outputs are constants */
} TnOnnxWorkNode;

struct TnOnnxWork {
  const TnOnnxGraph *graph;
  GPtrArray *values; /* TnOnnxValue * */
  GArray *nodes;     /* TnOnnxWorkNode, in the file's order */
  GArray *order;     /* uint32_t */
  GPtrArray *captured; /* TnOnnxValue * of graphs outside that nodes here (or deeper) read */
  GHashTable *captured_set;
  TnOnnxValue **inputs, **outputs; /* as graph->inputs, graph->outputs */
  GPtrArray *children; /* TnOnnxWork *: all bodies, owned */
  uint64_t cost;       /* of inferring it once, in nodes of few operands */
};

typedef struct {
  const char *file;
  TnOnnxParser *parser;
  const TnOnnxModel *model;
  TnDiagnostics *diagnostics;
  GError **error;
  GHashTable *functions, *opsets; /* of the model, by what calls and domains say */
  uint32_t depth; /* of functions within functions */
  uint32_t graph_depth; /* of graphs within nodes, those put in by calls included */
  uint32_t n_calls;  /* written out so far, in all graphs */
  uint64_t n_nodes;  /* the same of what calls stand for; operands count as parts of nodes */
  gsize name_bytes;          /* of names made longer by those of the calls around them */
  gsize size;                /* of the file */
} TnOnnxBuilder;

#define tn_onnx_node(work, i) (&g_array_index((work)->nodes, TnOnnxWorkNode, (i)))

/* NULL and an error (two producers, a missing one, a cycle …). */
TnOnnxWork *tn_onnx_work_new(TnOnnxBuilder *builder);
void tn_onnx_work_free(TnOnnxWork *work);

/* "Relu 'relu_1'", "node 12 (Relu)": for messages; of the parser's arena. */
const char *tn_onnx_node_text(const TnOnnxBuilder *builder, const TnOnnxWork *work, uint32_t node);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(TnOnnxWork, tn_onnx_work_free)
