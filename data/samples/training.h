/* SPDX-License-Identifier: MIT */
/* Three steps of training a small transformer on a device of 4 GiB.  The third batch has longer
 * sequences, and its forward pass does not fit. */
#pragma once

#include "data/samples/allocator.h"
#include "data/samples/call-stack.h"

typedef struct {
  const char *stage, *name;
  int64_t time_us;
} Annotation;

typedef struct {
  Allocator *allocator;
  CallStack calls;
  GArray *annotations; /* Annotation */
  /* The state of the run. */
  GPtrArray *scope; /* Block: what Python frames and the autograd graph hold; freed by unwinding */
  GPtrArray *parameters, *gradients, *moments, *kept;
  int64_t batch, length;
  bool is_out; /* a request failed; everything after it is skipped */
} Training;

void training_run(Training *run);
void training_clear(Training *run);
