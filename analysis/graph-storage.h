/* SPDX-License-Identifier: MIT */
/* Which tensors share memory: a graph, an order of its ops and aliasing rules → storages.
 *
 *   x ──► Reshape ──► y ──► Relu ──► z        y is a view of x, z takes x's memory in place:
 *   storage of x: x, y, then (after Relu) z    one storage, head x, then follower z
 */
#pragma once

#include "data/graph.h"
#include "data/runtime.h"
#include "data/strings.h"

typedef enum { TN_ALIASING_NONE, TN_ALIASING_VIEWS, TN_ALIASING_ALL } TnAliasing;

/* One row per tensor; positions are places in the order, not op ids.  Immutable once built. */
typedef struct {
  uint32_t n;
  uint32_t *root;      /* the tensor whose memory this is by views; itself where it has its own */
  uint32_t *made_at;   /* root: position of its producer; TN_NONE: before the first op */
  uint32_t *last_read; /* root: largest position that reads it or a view of it; TN_NONE: none */
  bool *is_kept;       /* root: lives to the end of the axis */
  bool *is_resident;   /* root: constant, variable or a caller's */
  uint32_t *taken_by;  /* root: the root that takes its memory in place at last_read; TN_NONE */
  bool *is_taker;      /* root: its memory was another's */
} TnGraphStorage;

typedef struct {
  const uint32_t *order;    /* shape n ops */
  TnAliasing aliasing;
  const TnRuntime *runtime; /* NULL: the graph's own views and in-place marks; else the runtime's
                               rules, and of the graph's own only what is stated */
  bool is_io_callers;       /* graph inputs and outputs are residents */
} TnGraphStorageParams;

/* O(operands). */
TnGraphStorage *tn_graph_storage_new(const TnGraph *graph, const TnStrings *strings,
                                     const TnGraphStorageParams *params);
void tn_graph_storage_free(TnGraphStorage *storage);

/* Appends to `pairs` (of TnAlias: two roots) what this op may write in place in one order or
 * another, in the order in which it is tried: that the op is the storage's last reader, and that
 * neither side of the pair is taken yet, is left to the order.  `params->order` is not looked at. */
void tn_graph_storage_list_in_place(const TnGraph *graph, const TnStrings *strings,
                                    const TnGraphStorageParams *params,
                                    const TnGraphStorage *storage, uint32_t op, GArray *pairs);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(TnGraphStorage, tn_graph_storage_free)
