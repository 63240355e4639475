/* SPDX-License-Identifier: MIT */
/* What-if edits: a list of small changes that make another graph of a graph, without touching the
 * file.  The list is kept whole, so that any edit can be taken back: apply the others again.
 *
 * Ops and tensors are named as the file names them, or by row ("#12"); an op that no name finds also
 * by its first output's.  Rows are those of the graph that the edits before have made. */
#pragma once

#include "data/graph.h"
#include "data/strings.h"

typedef enum {
  TN_EDIT_FUSE,     /* ops: become one op; what only they passed on vanishes */
  TN_EDIT_IN_PLACE, /* tensor takes the memory of input */
  TN_EDIT_VIEW,     /* tensor has no memory of its own: it is input */
  TN_EDIT_TENSOR,   /* tensor gets bytes, dtype or alignment */
  TN_EDIT_PIN,      /* tensor lives to the end */
  TN_EDIT_RELEASE,  /* tensor ends with its last reader, though it was an output */
  TN_EDIT_SPLIT,    /* ops[0] becomes `tasks` ops, each making a part of each output */
  TN_N_EDITS
} TnEditKind;

typedef struct {
  TnEditKind kind;
  char **ops;          /* NULL-terminated; may be NULL */
  char *tensor, *input, *dtype; /* may be NULL */
  tn_bytes bytes;      /* TN_BYTES_UNKNOWN: unchanged */
  tn_bytes alignment;  /* 0: unchanged */
  uint32_t tasks;
} TnGraphEdit;

void tn_graph_edit_free(TnGraphEdit *edit);

/* The graph that `edits` (GPtrArray of TnGraphEdit *) make of `graph`: owned by the caller.  Tensor
 * rows stay; new ones follow.  Errors (TN_DATA_ERROR_MALFORMED): the edit's number, what it names,
 * and why that can't be done. */
TnGraph *tn_graph_build_edited(const TnGraph *graph, TnStrings *strings, const GPtrArray *edits,
                               GError **error);

/* What an edit names an op or a tensor by: its own name where that finds it alone, an op's also by
 * its first output; else its row ("#12").  Owned by the caller.  O(ops) or O(tensors). */
char *tn_graph_edit_dup_op_name(const TnGraph *graph, const TnStrings *strings, uint32_t op);
char *tn_graph_edit_dup_tensor_name(const TnGraph *graph, const TnStrings *strings,
                                    uint32_t tensor);
/* The rows of those names; how many there are of that name (1: `out_row` is set). */
uint32_t tn_graph_edit_find_op(const TnGraph *graph, const TnStrings *strings, const char *name,
                               uint32_t *out_row);
/* The rows of many names, found by a table: how many of them before one that is not one op's. */
uint32_t tn_graph_edit_find_ops(const TnGraph *graph, const TnStrings *strings, char **names,
                                uint32_t n, uint32_t *out_rows);
uint32_t tn_graph_edit_find_tensor(const TnGraph *graph, const TnStrings *strings,
                                   const char *name, uint32_t *out_row);
/* "y takes the memory of x"; owned by the caller. */
char *tn_graph_edit_describe(const TnGraphEdit *edit);

/* The document of a list, `"format": "tenure-edits"`:
 *   {"format": "tenure-edits", "version": 1, "edits": [
 *     {"edit": "fuse", "ops": ["conv1", "relu1"]}, {"edit": "in-place", "tensor": "y", "input": "x"},
 *     {"edit": "view", "tensor": "y", "input": "x"}, {"edit": "pin", "tensor": "y"},
 *     {"edit": "tensor", "tensor": "y", "bytes": 64, "dtype": "float16", "alignment": 512},
 *     {"edit": "release", "tensor": "y"}, {"edit": "split", "op": "conv1", "tasks": 4}]}
 * NULL and an error (file, place, found, expected) where it is none. */
GPtrArray *tn_graph_edits_load(const char *path, GError **error);
GPtrArray *tn_graph_edits_parse(const char *name, const char *text, gsize size, GError **error);
/* JSON text, owned by the caller; what tn_graph_edits_parse() reads. */
char *tn_graph_edits_build_json(const GPtrArray *edits);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(TnGraphEdit, tn_graph_edit_free)
