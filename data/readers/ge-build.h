/* SPDX-License-Identifier: MIT */
/* Between a model of GE as its dump has it and the tables of a document: which tensors share memory,
 * how long it is needed, and what stands beside each other.  Shared by ge-storage.c, ge-graph-plan.c
 * and ge-graph-ops.c. */
#pragma once

#include "data/readers/ge-graph.h"

/* One output of an op.  Those that share their memory (references, what enters and leaves a
 * subgraph) are one symbol: its root has the life and the place of all. */
typedef struct {
  uint32_t op, output; /* rows */
  uint32_t root;       /* union-find */
  uint32_t last;       /* position of the last reader; of a root */
  uint32_t group;      /* contiguous group + 1 */
  uint32_t holder;     /* absorbed: the tensor that it is a part of, + 1; 0: none */
  uint32_t joiner;     /* absorbed: the op whose inputs it is, + 1; 0: none */
  bool is_to_end, is_output, is_absorbed; /* output: of the graph; absorbed: lies inside others */
  bool has_many_streams, is_padded, is_resident, is_cleaned; /* cleaned: set to 0 before its op runs */
} TnGeTensorRow;

typedef struct {
  TnGeModel *model;
  GPtrArray *ops;        /* TnGeOp *, by id */
  GHashTable *by_name;   /* string id → position + 1 */
  uint32_t *first;       /* by op: its first tensor; n + 1 */
  uint32_t *first_input; /* by op: its first data edge; n + 1 */
  GArray *inputs;        /* uint32_t tensor of each data edge, TN_NONE for strangers */
  TnGeTensorRow *tensors;
  uint32_t n_tensors, n_groups;
  GArray *members;       /* uint32_t roots, by group, in order */
  TnDevice *device;
  GHashTable *types;     /* of memory; see ge-memory.h */
} TnGeBuild;

typedef enum {
  TN_GE_RESIDENT,       /* constants and variables: memory of their own */
  TN_GE_INPUT,          /* what the caller gives */
  TN_GE_NEVER_RELEASED, /* not released, whatever reads them (GE's rules by type) */
  TN_GE_FROM_START,     /* there from the beginning */
  TN_GE_NET_OUTPUT
} TnGeRole;

/* Says how far it is; false where it was stopped, also before. */
bool tn_ge_goes_on(TnGeModel *model, double fraction, const char *stage);

/* Ops by id, their edges, symbols, lives and groups. */
void tn_ge_storage_init(TnGeBuild *build, TnGeModel *model);
void tn_ge_storage_clear(TnGeBuild *build);

bool tn_ge_is(const TnGeBuild *build, const TnGeOp *op, TnGeRole role);
/* The op of this name; the tensor that an edge comes from; what op `i` reads at input number `row`:
 * TN_NONE where there is none. */
uint32_t tn_ge_find_op(const TnGeBuild *build, uint32_t name);
uint32_t tn_ge_source(const TnGeBuild *build, const TnGeSource *source);
uint32_t tn_ge_input(const TnGeBuild *build, uint32_t i, int64_t row);
uint32_t tn_ge_root(const TnGeBuild *build, uint32_t tensor);
/* As the dump says; TN_NOT_PLACED, NULL where it does not. */
int64_t tn_ge_offset(const TnGeBuild *build, uint32_t tensor);
const TnGeDesc *tn_ge_desc_of(const TnGeBuild *build, uint32_t tensor);
/* With GE's own padding; TN_BYTES_UNKNOWN where neither size nor shape is there. */
tn_bytes tn_ge_padded_bytes(const TnGeBuild *build, uint32_t tensor);
uint32_t tn_ge_intern_name(const TnGeBuild *build, const TnGeOp *op, const char *kind, uint32_t row);

/* Of a graph on several streams: the device's last uses, by the rows of its buffers. */
void tn_ge_build_uses(TnGeBuild *build);

/* By row of a plan: whether another has bytes of its place; the latest start of all that do, its own
 * among them where it has bytes, -1: none.  O(n log n); owned by the caller. */
uint8_t *tn_ge_shared_places_new(const TnBuffers *b);
tn_tick *tn_ge_latest_starts_new(const TnBuffers *b);

/* Fill the document: its device's plan, and its graph (or the names of the ops). */
void tn_ge_build_plan(TnGeBuild *build);
void tn_ge_build_graph(TnGeBuild *build);

static inline const TnGeOp *
tn_ge_op_at(const TnGeBuild *build, uint32_t i)
{
  return g_ptr_array_index(build->ops, i);
}

static inline uint32_t
tn_ge_n_inputs(const TnGeBuild *build, uint32_t i)
{
  return build->first_input[i + 1] - build->first_input[i];
}

static inline int64_t
tn_ge_list_at(const TnGeOp *op, TnGeList list, uint32_t i, int64_t fallback)
{
  const GArray *numbers = op->list[list];
  return numbers && i < numbers->len ? g_array_index(numbers, int64_t, i) : fallback;
}
