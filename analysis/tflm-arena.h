/* SPDX-License-Identifier: MIT */
/* The arena of TensorFlow Lite Micro: one block of memory, used from both ends.
 *
 *   ├─ head: planned tensors and scratch ─┼── free ──┼─ tail: what stays as long as the model ─┤
 *   ├─ temp, while tensors are allocated: requests, lives, the planner's tables ─┤
 *
 *   arena ≥ tail + max(head, temp)
 *
 * Source: tensorflow/tflite-micro, micro_allocator.cc (StartModelAllocation, CommitStaticMemoryPlan,
 * AllocateVariables, AllocatePersistentTfLiteTensor), micro_allocation_info.h, greedy_memory_planner.h,
 * sizes of structures with TF_LITE_STATIC_MEMORY on a 32-bit and on a 64-bit machine. */
#pragma once

#include "data/graph.h"
#include "data/strings.h"

typedef enum { TN_TFLM_HEAD, TN_TFLM_TEMP, TN_TFLM_TAIL, TN_N_TFLM_SECTIONS } TnTflmSection;

typedef struct {
  TnTflmSection section;
  const char *what, *source; /* static */
  tn_bytes bytes;
} TnTflmRow;

typedef struct {
  GArray *rows;                        /* TnTflmRow */
  tn_bytes section[TN_N_TFLM_SECTIONS]; /* sums of what is known */
  tn_bytes total;                      /* tail + max(head, temp) of them */
  bool may_repeat;                     /* sub-graphs that ops run may be one, counted for each */
  GPtrArray *unknown;                  /* char *: what a file doesn't tell, in no sum */
} TnTflmArena;

/* `head_bytes`: the arena of the plan under the preset "tflm"; `pointer_bytes`: 4 or 8.  NULL where a
 * sum passes 64 bits. */
TnTflmArena *tn_tflm_arena_new(const TnGraph *graph, const TnStrings *strings, tn_bytes head_bytes,
                               tn_bytes pointer_bytes);
void tn_tflm_arena_free(TnTflmArena *arena);
/* "head", "temp", "tail". */
const char *tn_tflm_section_name(TnTflmSection section);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(TnTflmArena, tn_tflm_arena_free)
