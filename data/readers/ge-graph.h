/* SPDX-License-Identifier: MIT */
/* One model of GE as its dumps write it, in whichever of the two text forms: ge-graph.c reads
 * ge_proto_*.txt, ge-onnx.c ge_onnx_*.pbtxt; what is made of it is in ge-build.h. */
#pragma once

#include "data/document.h"
#include "data/progress.h"
#include "data/readers/text-proto.h"

typedef struct {
  uint32_t name; /* string id of the op; 0: none */
  int32_t index; /* of its output; -1: a control edge */
} TnGeSource;

/* A tensor as the op describes it. */
typedef struct {
  tn_bytes bytes; /* padded; TN_BYTES_UNKNOWN: not said */
  uint8_t dtype;  /* TnDtype */
  bool reuses_input;
  int64_t reused, parent; /* input whose place it has; row of the parent op's tensors (-1: none) */
  uint32_t first_dim, rank; /* of the model's dims */
} TnGeDesc;

typedef enum {
  TN_GE_OUTPUT_OFFSET,
  TN_GE_WORKSPACE,
  TN_GE_WORKSPACE_BYTES,
  TN_GE_OUTPUT_TYPE,
  TN_GE_WORKSPACE_TYPE,
  TN_GE_SENT,     /* events */
  TN_GE_RECEIVED,
  TN_GE_ATOMIC_OUTPUT, /* outputs that are set to 0 before the op runs */
  TN_GE_N_LISTS
} TnGeList;

typedef enum {
  TN_GE_CONTINUOUS_INPUT = 1 << 0,
  TN_GE_CONTINUOUS_OUTPUT = 1 << 1,
  TN_GE_NO_PADDING_INPUT = 1 << 2,
  TN_GE_NO_PADDING_OUTPUT = 1 << 3,
  TN_GE_REFERENCE = 1 << 4,
  TN_GE_NO_REUSE = 1 << 5,
  TN_GE_FIXED_ADDRESS = 1 << 6
} TnGeFlags;

typedef struct {
  uint32_t name, type, batch; /* string ids */
  uint32_t graph;             /* string id of the graph that it is in */
  int64_t id, stream, parent; /* parent: of a subgraph's Data, the input of the parent op; -1 */
  unsigned flags;             /* TnGeFlags */
  GArray *sources;            /* TnGeSource */
  GArray *inputs, *outputs;   /* TnGeDesc */
  GArray *bodies;             /* uint32_t string ids of subgraphs; may be NULL */
  GArray *list[TN_GE_N_LISTS]; /* int64_t; may be NULL */
} TnGeOp;

typedef struct {
  TnDocument *document;
  uint32_t name;
  GPtrArray *ops; /* TnGeOp *, owned */
  GArray *dims;   /* int64_t */
  tn_bytes planned; /* as the model says; TN_BYTES_UNKNOWN */
  int64_t n_bad;    /* values that are no numbers */
  uint64_t n_descs, most_descs; /* of all ops; a file holds no more */
  int64_t n_beyond; /* descriptions left out */
  TnProgress *progress; /* may be NULL */
  const uint8_t *start; /* of the text */
  bool is_stopped;
} TnGeModel;

/* An attribute's value: the numbers or the last string of it. */
typedef struct {
  GArray *numbers; /* int64_t */
  char *text;      /* owned; may be NULL */
} TnGeValue;

/* The next op, its fields as yet unsaid; NULL where the reading was stopped. */
TnGeOp *tn_ge_model_add(TnGeModel *model, const TnTextProto *text);
/* Takes in what an attribute says of the op; others are of no interest. */
void tn_ge_op_set(TnGeModel *model, TnGeOp *op, const char *name, const TnGeValue *value);
void tn_ge_op_append(TnGeOp *op, TnGeList list, int64_t number);
/* The description of this row, added with all before it; NULL (and counted) beyond 65536, and where all
 * together are more than a file of this size can describe. */
TnGeDesc *tn_ge_desc(TnGeModel *model, GArray *descs, int64_t row);
/* "conv1:0", "conv1:-1". */
void tn_ge_op_add_source(TnGeModel *model, TnGeOp *op, const char *text);
/* "DT_FLOAT16". */
uint8_t tn_ge_dtype(const char *name);
void tn_ge_value_add(TnGeModel *model, TnGeValue *value, const TnTextProto *text);
void tn_ge_value_reset(TnGeValue *value);

/* The two forms; false where the text ends early or is bad (`text` says where). */
bool tn_ge_read_proto(TnGeModel *model, TnTextProto *text);
bool tn_ge_read_onnx(TnGeModel *model, TnTextProto *text);

/* Fills the document: a graph, and on one device the plan that the dump's offsets are.  False where
 * it was stopped. */
bool tn_ge_build(TnGeModel *model);
