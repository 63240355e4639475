/* SPDX-License-Identifier: MIT */
/* The tables of a computation graph: ops in the file's order and tensors.  A tensor is a value, not
 * memory: analysis/ turns it into buffers for an order and a lifetime model. */
#pragma once

#include "data/types.h"

typedef enum {
  TN_TENSOR_ACTIVATION,
  TN_TENSOR_INPUT,
  TN_TENSOR_OUTPUT,
  TN_TENSOR_CONSTANT,
  TN_TENSOR_VARIABLE
} TnTensorKind;

typedef struct {
  uint32_t name, dtype; /* string ids */
  int64_t file_id;      /* as the file numbers it; -1: it does not */
  tn_bytes bytes;       /* TN_BYTES_UNKNOWN where a dimension or the type is unknown */
  tn_bytes alignment;   /* 0: none of its own */
  uint32_t producer;    /* op, or TN_NONE */
  uint32_t shape, rank; /* `shape`: first of `rank` entries of dims; rank TN_NONE: unknown */
  uint8_t kind;         /* TnTensorKind */
  uint32_t n_scales;    /* quantised with so many; 0: it is not, or the file doesn't say */
  bool is_output;       /* lives to the end of the axis */
  bool is_folded;       /* a constant that the file does not hold: computed from others once */
  bool is_caller_owned; /* its memory is the caller's: a resident, not part of a plan */
  tn_bytes recorded_offset; /* of a plan in the file; TN_NOT_PLACED: none */
  uint32_t inside;      /* the tensor in whose memory that plan puts it, by intent (an accelerator's
                           scratch, which is its arena); TN_NONE */
  uint32_t lost_at;     /* unknown size: the op that lost it, or TN_NONE */
  uint32_t lost_why;    /* string id: why, 0 where nobody knows */
  uint32_t content;     /* of a constant: its bytes in the file, which tensors of other graphs may
                           share, as the file numbers them from 1; 0: its own */
} TnTensor;

typedef struct {
  uint32_t output, input; /* tensors of the same op */
  bool is_stated; /* by the file or by a person: it holds for each runtime */
} TnAlias;

typedef enum { TN_PHASE_READ = 1, TN_PHASE_COMPUTE = 2, TN_PHASE_WRITE = 4 } TnPhases;

typedef struct {
  uint32_t name;
  tn_bytes bytes;
  uint8_t phases; /* TnPhases */
} TnInternal;

typedef struct {
  uint32_t name;
  tn_bytes workspace_bytes;
  double seconds;
} TnAlgorithm;

typedef struct TnGraph TnGraph;

typedef struct {
  uint32_t name, type, domain; /* string ids */
  int64_t file_id;
  /* Ranges [first, first + n) of the graph's flat lists. */
  uint32_t first_input, n_inputs;   /* inputs: tensor ids, TN_NONE where absent */
  uint32_t first_output, n_outputs; /* outputs */
  uint32_t first_view, n_views;     /* views: output has no bytes of its own */
  uint32_t first_in_place, n_in_place;
  uint32_t first_after, n_after;    /* ops that must run before */
  uint32_t first_internal, n_internal;
  uint32_t first_algorithm, n_algorithms;
  uint32_t first_body, n_bodies;    /* graphs that the op runs inside itself: branches, a loop */
  uint32_t n_implicit;              /* the last of the inputs: captured by a body, not operands */
  uint32_t taken_body;              /* of a branch whose condition is known; else TN_NONE */
  tn_bytes workspace_bytes, workspace_alignment;
  double seconds; /* < 0: unknown */
  uint32_t batch_label, stream;
  bool has_side_effect, wants_contiguous_inputs;
} TnOp;

/* A dimension of a graph input that the file leaves open. */
typedef struct {
  uint32_t tensor, axis;
  uint32_t param; /* string id of its name in the file; 0: none */
  int64_t value;  /* in use; -1: unknown */
} TnFreeDim;

struct TnGraph {
  uint32_t name; /* string id */
  uint32_t role; /* string id: of a body, what it is to its op ("then_branch") */
  GArray *ops;        /* TnOp */
  GArray *tensors;    /* TnTensor */
  GArray *inputs;     /* uint32_t, flat */
  GArray *outputs;    /* uint32_t, flat */
  GArray *views;      /* TnAlias, flat */
  GArray *in_place;   /* TnAlias, flat */
  GArray *after;      /* uint32_t, flat */
  GArray *internals;  /* TnInternal, flat */
  GArray *algorithms; /* TnAlgorithm, flat */
  GArray *dims;       /* int64_t, flat; -1: unknown */
  GArray *order;      /* uint32_t op ids in execution order; always complete and legal */
  GPtrArray *bodies;  /* TnGraph *, flat: graphs run inside an op, with tensors of their own */
  GArray *free_dims;  /* TnFreeDim */
  bool keep_inputs;   /* graph inputs live to the end */
  GArray *link_out, *link_in; /* TnLinkPoint; may be NULL */
  uint32_t n_folded_ops; /* ops of the file whose results are constants: not among `ops` */
  tn_bytes recorded_arena; /* of a plan in the file; TN_BYTES_UNKNOWN: none */
};

typedef struct {
  tn_bytes bytes;
  double seconds;
} TnLinkPoint;

TnGraph *tn_graph_new(void);
void tn_graph_free(TnGraph *graph);

/* Builders, for readers.  The tn_graph_op_add_*() functions add to the op that was added last.
 * A new tensor has no size, shape, producer or offset; a new op no operands. */
uint32_t tn_graph_add_tensor(TnGraph *graph, uint32_t name, TnTensorKind kind);
void tn_graph_set_shape(TnGraph *graph, uint32_t tensor, const int64_t *dims, uint32_t rank);
TnOp *tn_graph_add_op(TnGraph *graph, uint32_t name, uint32_t type);
void tn_graph_op_add_input(TnGraph *graph, uint32_t tensor);
/* Makes the op the producer of `tensor` (TN_NONE: an output that is not there). */
void tn_graph_op_add_output(TnGraph *graph, uint32_t tensor);
void tn_graph_op_add_view(TnGraph *graph, uint32_t output, uint32_t input);
void tn_graph_op_add_in_place(TnGraph *graph, uint32_t output, uint32_t input);
void tn_graph_op_add_after(TnGraph *graph, uint32_t op);
void tn_graph_op_add_algorithm(TnGraph *graph, TnAlgorithm algorithm);
void tn_graph_op_add_internal(TnGraph *graph, TnInternal internal);

/* Borrowed operands of an op; TN_NONE where one is absent. */
static inline const uint32_t *
tn_graph_inputs(const TnGraph *graph, const TnOp *op)
{
  return (const uint32_t *)(const void *)graph->inputs->data + op->first_input;
}

static inline const uint32_t *
tn_graph_outputs(const TnGraph *graph, const TnOp *op)
{
  return (const uint32_t *)(const void *)graph->outputs->data + op->first_output;
}

static inline const int64_t *
tn_graph_dims(const TnGraph *graph, const TnTensor *tensor)
{
  return (const int64_t *)(const void *)graph->dims->data + tensor->shape;
}

/* Whether the tensor is among the operands. */
static inline bool
tn_graph_op_reads(const TnGraph *graph, const TnOp *op, uint32_t tensor)
{
  for (uint32_t i = 0; i < op->n_inputs; i++)
    if (tn_graph_inputs(graph, op)[i] == tensor)
      return true;
  return false;
}

#define tn_graph_op(graph, i) (&g_array_index((graph)->ops, TnOp, (i)))
#define tn_graph_tensor(graph, i) (&g_array_index((graph)->tensors, TnTensor, (i)))

G_DEFINE_AUTOPTR_CLEANUP_FUNC(TnGraph, tn_graph_free)
