/* SPDX-License-Identifier: MIT */
/* A graph, an order, a lifetime model → buffers with lives.
 *
 * The op at place i of the order takes the ticks 3i (read), 3i + 1 (compute), 3i + 2 (write):
 *
 *                        inputs read last by it   its outputs    its workspace
 *   TN_LIFETIME_KERNEL         … 3i + 3)          [3i …          [3i, 3i + 3)
 *   TN_LIFETIME_RELEASE_FIRST  … 3i + 1)          [3i + 1 …      [3i + 1, 3i + 3)
 *
 * An output that nobody reads lives through its op; graph inputs live from tick 0, an input that
 * nobody reads for the first op only; graph outputs live to the axis's end.  Constants, variables
 * and what the caller owns are residents: summed, without buffers. */
#pragma once

#include "analysis/graph-storage.h"
#include "data/buffers.h"

typedef enum { TN_LIFETIME_KERNEL, TN_LIFETIME_RELEASE_FIRST } TnLifetimeModel;

typedef struct {
  TnLifetimeModel model;
  TnAliasing aliasing;
  bool no_workspace;
  const uint32_t *order; /* shape n ops; NULL: the graph's own */
  tn_bytes alignment;    /* sizes are rounded up to it; 0: the preset's, else none */
  const char *preset;    /* a name of tn_runtimes(); NULL: the graph's own aliases, no runtime */
  const char *algorithm; /* which of an op's algorithms gives its workspace ("im2col", "winograd",
                            …); NULL: the preset's, else the op's own */
  bool is_io_callers;    /* graph inputs and outputs are the caller's, as a preset may say too */
  bool with_bodies;      /* what runs inside an op (branches, loops) counts as a workspace of it;
                            a preset implies it */
} TnGraphLifetimeParams;

#define TN_GRAPH_LIFETIME_PARAMS_INIT                                                              \
  {                                                                                                \
    .aliasing = TN_ALIASING_ALL                                                                    \
  }

typedef struct {
  TnBuffers *buffers; /* owned; name, op (the producer), tensor, kind filled; offset where the
                         file has a plan of its own (never fixed: such plans overlap on purpose) */
  uint32_t *row_of;   /* by tensor: the row whose place it has, TN_NONE; owned */
  uint32_t *workspace_of; /* by op: its workspace's row (not one of scratch inside it), TN_NONE; owned */
  tn_tick axis_end;   /* 3 per op, at least 1 */
  tn_bytes alignment; /* in force; 1: none */
  const TnRuntime *runtime; /* the preset's; NULL: none */
  tn_bytes resident_bytes;  /* constants, variables, what the caller owns; of bodies as well */
  tn_bytes body_resident_bytes; /* of these, what bodies alone have */
  tn_bytes constant_bytes, variable_bytes;
  uint32_t n_unsized;       /* storages whose size is unknown: buffers of 0 bytes, flagged */
  uint32_t n_unsized_residents; /* of unknown size as well: not in resident_bytes */
  uint32_t first_unsized;   /* the first such tensor (its lost_at says where); TN_NONE */
  tn_bytes input_bytes, output_bytes; /* sums over graph inputs and outputs, sizes known */
  tn_bytes workspace_bytes; /* the largest of one op */
  tn_bytes workspace_sum_bytes;
  tn_bytes body_bytes;      /* the largest live peak inside an op; counted only `with_bodies` */
  /* Where it is not counted: ops that, with what runs inside them, can pass the live peak.  A body's
   * operands may be those of its op, so that the sum is the most that it can be. */
  uint32_t n_uncounted, uncounted_op;       /* the op with the largest sum */
  tn_bytes uncounted_bytes, uncounted_peak; /* inside it, and that sum */
  uint32_t n_views, n_in_place; /* tensors that have no memory of their own, by reason */
  uint32_t n_folded_ops;
} TnGraphLives;

/* Builds the buffers in the order of their tensors, then workspaces in the order of the ops.
 * `strings` gains names of workspaces.  O(operands + n log n).
 * Errors (TN_DATA_ERROR): UNSUPPORTED (a preset that is not known), MALFORMED (an order that is not
 * legal), TOO_LARGE (sizes whose sum passes 64 bits). */
TnGraphLives *tn_graph_lives_new(const TnGraph *graph, TnStrings *strings,
                                 const TnGraphLifetimeParams *params, GError **error);
void tn_graph_lives_free(TnGraphLives *lives);

/* Which tensors share memory under `params`; false where its preset is not known. */
bool tn_graph_lifetime_storage_params(const TnGraph *graph, const TnGraphLifetimeParams *params,
                                      TnGraphStorageParams *out_storage);

/* Which of an op's algorithms is in force; NULL: its own workspace is. */
const TnAlgorithm *tn_graph_lifetime_algorithm(const TnGraph *graph, const TnStrings *strings,
                                               const TnGraphLifetimeParams *params, const TnOp *op);

/* The largest sum of used bytes alive at one tick of [0, axis_end), and (may be NULL) the first
 * such tick.  Gaps count what they hold.  O(n + axis_end).  Sums that overflow give INT64_MAX. */
tn_bytes tn_graph_live_peak(const TnBuffers *buffers, tn_tick axis_end, tn_tick *out_at);

/* Shape axis_end: the bytes alive at each tick.  Owned; NULL where there is no memory for it. */
tn_bytes *tn_graph_build_live(const TnBuffers *buffers, tn_tick axis_end);

const char *tn_lifetime_model_name(TnLifetimeModel model);
bool tn_lifetime_model_from_name(const char *name, TnLifetimeModel *out_model);
const char *tn_aliasing_name(TnAliasing aliasing);
bool tn_aliasing_from_name(const char *name, TnAliasing *out_aliasing);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(TnGraphLives, tn_graph_lives_free)
