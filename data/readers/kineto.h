/* SPDX-License-Identifier: MIT */
/* What a Kineto trace says that matters here, gathered in the file's order: its memory events, the
 * ops and annotations around them, and the devices.  Sorted and joined at the end. */
#pragma once

#include "data/document.h"

typedef struct {
  int64_t ns;
  uint64_t address;
  tn_bytes bytes; /* signed: a free is negative; an OOM's request */
  uint32_t thread;
  uint32_t device; /* row of `devices` */
  bool has_address, is_oom;
} TnKinetoMemory;

typedef struct {
  int64_t ns, duration;
  uint32_t name, thread; /* string ids */
} TnKinetoOp;

/* A device, and the totals that each of its memory events carries. */
typedef struct {
  int16_t type, number; /* as the trace numbers them: 0 CPU (always -1 here), 1 CUDA */
  uint32_t process;     /* string id of the pid: each process of a merged trace has addresses of its own */
  uint32_t rank;        /* of its process, in the order of their first events */
  int32_t ordinal;      /* set at the end */
  TnDevice *device;     /* NULL: not begun yet */
  int64_t first_ns;
  tn_bytes first_allocated, peak_allocated, peak_reserved; /* first: before the earliest event */
} TnKinetoDevice;

typedef struct {
  TnDocument *document;
  GArray *memory;           /* TnKinetoMemory */
  GArray *ops;              /* TnKinetoOp; those of threads on the host */
  GArray *steps;            /* TnKinetoOp; ProfilerStep#N */
  GArray *devices;          /* TnKinetoDevice */
  GHashTable *device_bytes; /* number of CUDA's → tn_bytes *, its memory */
  uint32_t n_processes;     /* with memory events */
  int64_t base_ns;
  int64_t n_ops_left_out;
} TnKineto;

/* Builds the document's devices from what was gathered. */
void tn_kineto_finish(TnKineto *kineto);

/* For each row of `memory` (sorted by time) the stack of ops around it, innermost first: a new
 * array of stack ids, shape memory->len, owned by the caller.  O(n log n). */
uint32_t *tn_kineto_build_stacks(TnKineto *kineto);
