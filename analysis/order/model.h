/* SPDX-License-Identifier: MIT */
/* A graph as a search for an order sees it: ops, edges between them, buffers with their makers and
 * readers, scratch.  What is alive depends only on which ops have run, never on their order:
 *
 *   live(S) = sum of the buffers that S has made (or that were there) and that some op outside S
 *             still reads, or that are kept
 *   kernel         during(S, op) = live(S) + what op makes + scratch - what it writes in place
 *   release-first  during(S, op) = max(live(S) + early scratch,
 *                                      live(S + op) + what op makes and nobody reads + scratch)
 *
 * live() is submodular over the sets that may have run; analysis/order/commit.h builds on that. */
#pragma once

#include "analysis/graph-lifetime.h"

typedef struct {
  uint32_t output, input; /* buffers; the op that makes `output` may write it over `input` */
} TnOrderPair;

/* Immutable once finished.  Lists are flat: those of row i are list[first[i]] … list[first[i+1]).
 */
typedef struct {
  uint32_t n, n_words;             /* ops; 64-bit words of a set of ops */
  uint32_t *next_first, *next;     /* ops that need op i, each once */
  uint32_t *before_first, *before; /* ops that op i needs, each once */
  uint32_t *read_first, *read;     /* buffers that op i reads, each once */
  uint32_t *made_first, *made;     /* buffers that op i makes */
  uint32_t *pair_first;
  TnOrderPair *pair;                    /* what op i may write in place, first choice first */
  tn_bytes *made_bytes, *lasting_bytes; /* sums of `made`: all; those read or kept */
  tn_bytes *scratch;       /* the most at one tick (release-first: after the read tick) */
  tn_bytes *early_scratch; /* release-first: in the read tick */
  double *seconds;         /* < 0: unknown */
  uint32_t *origin;        /* the op's row in the graph (or in the model this is a part of) */
  uint32_t n_buffers;
  tn_bytes *bytes;
  uint32_t *maker;  /* op; TN_NONE: there from the start */
  bool *is_kept;    /* lives to the end */
  uint32_t *tensor; /* the graph's tensor whose storage it is; TN_NONE: not of a graph */
  uint32_t *reader_first, *reader;
  tn_bytes base;       /* alive all the time, above all buffers */
  tn_bytes first_only; /* inputs that nobody reads: alive through the first op */
  bool is_kernel;
} TnOrderModel;

/* The model of a graph; buffers, sizes and scratch are those of analysis/graph-lifetime.  Errors:
 * those of tn_graph_lives_new().  O(operands log operands). */
TnOrderModel *tn_order_model_new(const TnGraph *graph,
                                 TnStrings *strings,
                                 const TnGraphLifetimeParams *params,
                                 GError **error);

/* The part of `model` that runs `ops` (shape n_ops, a stretch of a legal order) after the ops of
 * the set `done` (shape n_words): what lives through it counts as `base` or as kept. */
TnOrderModel *tn_order_model_new_part(const TnOrderModel *model,
                                      const uint64_t *done,
                                      const uint32_t *ops,
                                      uint32_t n_ops);

/* The same model with more edges: pairs (before << 32 | after) of GArray uint64_t. */
TnOrderModel *tn_order_model_new_with_edges(const TnOrderModel *model, const GArray *edges);
void tn_order_model_free(TnOrderModel *model);

static inline bool
tn_set_has(const uint64_t *set, uint32_t i)
{
  return set[i / 64] >> (i % 64) & 1;
}

static inline void
tn_set_add(uint64_t *set, uint32_t i)
{
  set[i / 64] |= 1ull << (i % 64);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC(TnOrderModel, tn_order_model_free)
