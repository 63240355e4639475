/* SPDX-License-Identifier: MIT */
/* An ONNX file's messages as structs: names are string ids, weights stay where they lie in the
 * mapped file.  Everything lives in an arena. */
#pragma once

#include "data/progress.h"
#include "data/readers/protobuf.h"
#include "data/shape/rule.h"
#include "data/strings.h"

/* Graphs may nest in nodes' attributes; deeper than this is refused. */
#define TN_ONNX_MOST_DEPTH 32

typedef struct {
  uint32_t name;
  TnShapeValue value; /* content where small and in the file */
} TnOnnxInitializer;

typedef struct {
  uint32_t name;
  TnShapeValue value;
  const uint32_t *params; /* shape rank: string id of a dimension's name, 0: none */
} TnOnnxValueInfo;

typedef struct TnOnnxGraph TnOnnxGraph;

typedef struct {
  uint32_t name, type, domain; /* "ai.onnx" is "" */
  uint32_t overload;           /* of the functions of that type, from IR 10; 0: the one without */
  uint32_t n_inputs, n_outputs, n_attributes;
  uint32_t *inputs, *outputs; /* string ids; 0: absent */
  TnAttribute *attributes;
} TnOnnxNode;

struct TnOnnxGraph {
  uint32_t name;
  uint32_t n_nodes, n_initializers, n_inputs, n_outputs, n_infos;
  TnOnnxNode *nodes;
  TnOnnxInitializer *initializers;
  TnOnnxValueInfo *inputs, *outputs, *infos;
};

typedef struct {
  uint64_t key; /* of the builder's table: whose set it is, and the domain */
  uint32_t domain;
  int64_t version;
} TnOnnxOpset;

typedef struct {
  uint32_t name, domain, overload; /* together what a call says */
  uint32_t n_inputs, n_outputs, n_nodes, n_defaults, n_opsets;
  uint32_t *inputs, *outputs; /* string ids */
  TnOnnxNode *nodes;
  TnAttribute *defaults; /* values of attributes that a call does not give */
  TnOnnxOpset *opsets;
} TnOnnxFunction;

typedef struct {
  int64_t ir_version;
  uint32_t producer;
  uint32_t n_opsets, n_functions, n_graphs;
  TnOnnxOpset *opsets;
  TnOnnxFunction *functions;
  TnOnnxGraph *graph; /* NULL: the file has none */
} TnOnnxModel;

typedef struct {
  TnStrings *strings;
  TnArena *arena;
  TnWireFailure *failure;
  const char *folder; /* where external data may lie; NULL: nowhere */
  uint32_t depth;
  uint32_t n_refused; /* external files that were not looked at: outside the model's folder */
  bool has_refused_dims;
  TnProgress *progress; /* may be NULL */
  uint32_t n_steps;
  bool is_stopped; /* cancelled: whatever is under way ends, and what it gives is thrown away */
} TnOnnxParser;

/* Asked once for each node, or what is about as much work, of all stages of reading. */
bool tn_onnx_is_stopped(TnOnnxParser *parser);

/* Parses all of a file; NULL where `parser->failure` says why. */
TnOnnxModel *tn_onnx_model_parse(TnOnnxParser *parser, const uint8_t *data, gsize size);

/* Parses one TensorProto (a weight, a constant, a test's expected value). */
TnOnnxInitializer tn_onnx_tensor_parse(TnOnnxParser *parser, TnWire wire);
/* The same of a SparseTensorProto (values 1, indices 2, dims 3), named after its values: as large
 * as a dense one, which runtimes make of it when they load it.  Of no rank where it has no dims. */
TnOnnxInitializer tn_onnx_sparse_parse(TnOnnxParser *parser, TnWire wire);

/* The bytes that a tensor keeps in another file: only regular files inside the model's folder, no
 * "..", no absolute path, no links.  False where it was not read. */
bool tn_onnx_external_read(TnOnnxParser *parser, const char *location, uint64_t offset, void *bytes,
                           gsize size);
