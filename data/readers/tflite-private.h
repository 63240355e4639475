/* SPDX-License-Identifier: MIT */
/* What the files of the TensorFlow Lite reader share. */
#pragma once

#include "data/document.h"
#include "data/reader.h"
#include "data/readers/flatbuffer.h"
#include "data/source.h"

typedef struct {
  const TnSource *source;
  TnDocument *document;
  GError **error;
  TnFlat flat;
  TnFlatTable model;
  TnFlatVector op_codes, subgraphs, buffers;
  uint32_t *op_types; /* string ids by op code; TN_NONE: not looked at yet */
  bool *is_reached; /* by sub-graph: some op runs it */
  uint32_t n_bodies, n_body_tensors;
  const TnReadOptions *options;
  struct TnTfliteShapes *shapes; /* of the main graph, while it is built; NULL: as the file states */
} TnTflite;

/* Slots of the tables, by the public schema. */
enum { MODEL_OP_CODES = 1, MODEL_SUBGRAPHS = 2, MODEL_DESCRIPTION = 3, MODEL_BUFFERS = 4,
       MODEL_METADATA = 6 };
enum { GRAPH_TENSORS, GRAPH_INPUTS, GRAPH_OUTPUTS, GRAPH_OPERATORS, GRAPH_NAME };
enum { TENSOR_SHAPE, TENSOR_TYPE, TENSOR_BUFFER, TENSOR_NAME, TENSOR_QUANTIZATION,
       TENSOR_IS_VARIABLE,
       TENSOR_SIGNATURE = 7 };
enum { OP_CODE, OP_INPUTS, OP_OUTPUTS, OP_OPTIONS = 4 };
enum { QUANTIZATION_SCALE = 2, QUANTIZATION_ZERO_POINT };
enum { BUFFER_DATA, BUFFER_OFFSET, BUFFER_SIZE };

/* Sets the error "FILE: PLACE: found …; expected …" unless one is set; returns false. */
bool tn_tflite_fail(TnTflite *reader, const char *place, const char *found, const char *expected);

/* "op 3 (ADD)", of the op that was added last; owned by the caller. */
char *tn_tflite_dup_op_place(const TnTflite *reader, const TnGraph *graph);

/* A tensor's row by element i of a list of the file; TN_NONE for -1.  False: outside the table, and the error
 * says `place` (NULL: the op that was added last). */
bool tn_tflite_index(TnTflite *reader, const TnGraph *graph, const TnFlatVector *list, uint32_t i,
                     const char *place, uint32_t *out_row);

/* One sub-graph with those that its ops run; NULL and an error (or reader->flat.found). */
TnGraph *tn_tflite_build_graph(TnTflite *reader, uint32_t subgraph, uint32_t depth);
/* The next op of a graph. */
bool tn_tflite_add_op(TnTflite *reader, TnGraph *graph, const TnFlatTable *table, uint32_t index,
                      uint32_t depth);
/* All tensors of a graph, its inputs and outputs marked. */
bool tn_tflite_add_tensors(TnTflite *reader, TnGraph *graph, const TnFlatTable *table);
