/* SPDX-License-Identifier: MIT */
/* How long an op computes: what the graph says, else an estimate at a stated rate from the FLOPs of
 * products and convolutions (of the shapes) and the bytes that it reads and writes. */
#pragma once

#include "data/graph.h"
#include "data/strings.h"

typedef struct {
  double flops_per_second, bytes_per_second;
  double launch_seconds; /* what each op costs whatever it does */
} TnComputeRate;

/* 10 TFLOP/s, 500 GB/s, 5 µs: a GPU of the middle class; an assumption, and called one. */
#define TN_COMPUTE_RATE_INIT                                                                       \
  {                                                                                                \
    10e12, 500e9, 5e-6                                                                             \
  }

/* 2 × multiply-adds of a convolution or product; 0 for other ops and where shapes are unknown. */
double tn_op_flops(const TnGraph *graph, const TnStrings *strings, uint32_t op);
/* Seconds of an op; *out_is_estimate (may be NULL): the graph does not say it. */
double tn_op_seconds(const TnGraph *graph,
                     const TnStrings *strings,
                     uint32_t op,
                     const TnComputeRate *rate,
                     bool *out_is_estimate);
