/* SPDX-License-Identifier: MIT */
/* Call stacks, interned twice: a frame (function, file, line) has a 32-bit id, and so has each
 * distinct list of frames.  Stack 0 is the empty stack.  Frames run innermost first. */
#pragma once

#include "data/types.h"

typedef struct {
  uint32_t name, file; /* string ids */
  int32_t line;        /* 0: unknown */
} TnFrame;

typedef struct TnStacks TnStacks;

TnStacks *tn_stacks_new(void);
void tn_stacks_free(TnStacks *stacks);

/* The id of a frame.  O(1), amortised. */
uint32_t tn_stacks_intern_frame(TnStacks *stacks, TnFrame frame);

/* The id of the stack of `n` frame ids.  O(n), amortised. */
uint32_t tn_stacks_intern(TnStacks *stacks, const uint32_t *frames, uint32_t n);

/* Borrowed; `stack` out of range gives an empty list. */
const uint32_t *tn_stacks_get(const TnStacks *stacks, uint32_t stack, uint32_t *out_n);
TnFrame tn_stacks_frame(const TnStacks *stacks, uint32_t frame);
uint32_t tn_stacks_count(const TnStacks *stacks);
uint32_t tn_stacks_frame_count(const TnStacks *stacks);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(TnStacks, tn_stacks_free)
