/* SPDX-License-Identifier: MIT */
/* The ops of two graphs as two sequences: which stands for which. */
#pragma once

#include "analysis/study.h"

typedef struct {
  const TnGraph *graph;
  const uint32_t *order;   /* op rows as they run, shape n ops; NULL: the graph's own */
  const uint64_t *strings; /* tn_diff_build_string_keys() */
} TnDiffOps;

/* By op row of `a` the row of `b`, TN_NONE where there is none; owned by the caller.
 * `is_same`: both are one graph, each op is itself.  Else they are aligned by name, type and
 * shapes, what is left between by type and shapes, then by name and type, then by type; and last,
 * wherever it stands, by a name and type that is the only one.  O(n log n). */
uint32_t *tn_diff_ops_align(const TnDiffOps *a, const TnDiffOps *b, bool is_same);

/* By op row its place in the order; owned by the caller. */
uint32_t *tn_diff_ops_build_places(const TnDiffOps *ops);
