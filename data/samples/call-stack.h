/* SPDX-License-Identifier: MIT */
/* The Python stack of the training run as it calls and returns, and the stacks taken of it. */
#pragma once

#include <glib.h>
#include <stdint.h>

typedef struct {
  const char *name, *file;
  int line;
} CallFrame;

typedef struct {
  GArray *frames;    /* CallFrame: each distinct one */
  GArray *chain;     /* CallFrame: outermost first */
  GPtrArray *stacks; /* GArray of uint32_t frames, innermost first; 0 is empty */
} CallStack;

void call_stack_init(CallStack *calls);
void call_stack_clear(CallStack *calls);

/* The function in hand goes on at `line` and calls `name`. */
void call_enter(CallStack *calls, int line, const char *name, const char *file);
void call_leave(CallStack *calls);
/* The same through the two frames that torch.nn.Module puts between. */
void call_module(CallStack *calls, int line, const char *name, const char *file);
void call_leave_module(CallStack *calls);

/* The id of the stack as it is with the function in hand at `line`. */
uint32_t call_stack_at(CallStack *calls, int line);
