/* SPDX-License-Identifier: MIT */
/* What a runtime does with a graph's memory: which ops make views, which may write in place, how
 * sizes are rounded, who owns inputs and outputs, which workspaces are needed.  Presets of the
 * command line are these; a reader uses the one of its own format for a graph's default aliases. */
#pragma once

#include "data/types.h"

typedef struct {
  const char *type; /* lower case, without '_' */
  bool is_view;     /* output 0 has no bytes of its own: it is input 0 */
  uint8_t in_place; /* bit k: output 0 may take input k's memory */
} TnAliasRule;

typedef struct {
  const char *name;   /* --preset NAME */
  const char *title;  /* one line for a person */
  const char *source; /* where the rules come from */
  tn_bytes alignment; /* sizes and offsets are multiples of it */
  tn_bytes pad_step, padding; /* a tensor's size is rounded up to the step (0: 1), then padded,
                                 before the alignment */
  const TnAliasRule *rules; /* up to one with type NULL */
  bool needs_equal_bytes;   /* in place only where output and input have the same size */
  bool spares_graph_io;     /* no view of a graph input, none that is a graph output */
  tn_bytes least_in_place;  /* in place only from this size on */
  bool owns_no_io;          /* graph inputs and outputs are the caller's: residents */
  bool keeps_inputs;        /* graph inputs live to the end: nothing may be put in their place */
  bool keeps_unpacked;      /* dequantised constants stay for the model's life: residents */
  const char *algorithm;    /* which of an op's algorithms gives its workspace; NULL: its own */
  const char *strategy;     /* the planner most like the runtime's own */
} TnRuntime;

/* All runtimes, NULL-terminated. */
const TnRuntime *const *tn_runtimes(void);
/* "onnxruntime" (or "ort"), "tflite", "tflm", "ge"; NULL: not known. */
const TnRuntime *tn_runtimes_find(const char *name);
/* What a tensor of `bytes` takes: padded as `runtime` (may be NULL) does, rounded up to `alignment`;
 * 0 for none or an unknown size.  False on overflow. */
bool tn_runtime_tensor_bytes(const TnRuntime *runtime, tn_bytes bytes, tn_bytes alignment,
                             tn_bytes *out_used);
/* The rule for an op type as a file writes it ("Reshape", "EXPAND_DIMS"); NULL: none. */
const TnAliasRule *tn_runtime_rule(const TnRuntime *runtime, const char *type);
