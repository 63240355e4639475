/* SPDX-License-Identifier: MIT */
/* One graph of GE as its log tells it. */
#pragma once

#include "data/readers/text-log.h"

typedef struct {
  uint32_t name, batch; /* string ids: "op output[0]"; the branch's label, 0: none */
  uint32_t line;        /* that set it */
  int64_t offset, memory_type, is_ref;
  uint32_t stream;                 /* TN_NONE: in words, or not said */
  unsigned traits;                 /* TnTraits */
  bool is_shared;                  /* its block may serve others */
  tn_bytes block;                  /* of the block that holds it */
  tn_bytes bytes, real, requested; /* bytes: real in blocks of 512, unless it is one of a group */
  tn_tick start, end;              /* by topological ids, half-open */
  bool is_to_end;
} TnGeTensor;

typedef struct {
  int64_t start, end;
  uint32_t line;
} TnGeRange;

typedef struct {
  int64_t memory_type, base, bytes;
} TnGeSegment;

typedef struct {
  char *name;
  uint32_t first_line, last_line;
  GArray *tensors;      /* TnGeTensor, in the log's order */
  GHashTable *by_key;   /* "op output[0]" → row + 1 */
  GPtrArray *summaries; /* TnAccount *, until reported */
  tn_bytes planned;     /* of memory type 2; 0: not said */
  tn_bytes total;       /* the same without reuse; 0 or TN_BYTES_UNKNOWN: not said */
  bool is_pool;         /* offsets are addresses */
  tn_bytes cached, theory; /* of a pool, the most that its rows say; 0: not said */
  GArray *segments;     /* TnGeSegment, what the feature map is allocated in; NULL: not said */
  GArray *cleaned;      /* TnGeRange, what is set to 0 at the start; NULL: no line says */
  int64_t smp;          /* how memory is extended; -1: not said */
  int64_t n_damaged, n_moved, n_unknown;
} TnGeGraph;

/* Makes a device of it: a plan, one space for each memory type.  Reports its summaries. */
void tn_ge_finish(TnTextLog *log, TnGeGraph *graph);

/* The same of a pool's allocations as a log of events with addresses, which can be replayed. */
void tn_ge_finish_log(TnTextLog *log, TnGeGraph *graph);

/* Adds the sums that this line has of the graph: a plog's (from behind "AfterAssignMemory : "), or the
 * imas tool's row.  False where it has none. */
bool tn_ge_read_summary(TnGeGraph *graph, const char *line, bool is_row, uint32_t number);

/* Details of a dynamic pool with the two rates: all allocations together, what the pool held at most,
 * the least that would have done.  TN_BYTES_UNKNOWN where that is not said. */
void tn_ge_add_rates(TnAccount *account, tn_bytes total, tn_bytes pool, tn_bytes theory);

/* Rules that need all lines of a graph, before its tensors are merged: what must be set to 0 and is not,
 * blocks of a batch that can't be cut, places that were never set.  Adds statements. */
void tn_ge_check_lines(TnTextLog *log, const TnGeGraph *graph);
