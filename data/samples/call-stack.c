/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "data/samples/call-stack.h"

#include <string.h>

#define MODULE_PY "/opt/venv/lib/python3.11/site-packages/torch/nn/modules/module.py"

void
call_stack_init(CallStack *calls)
{
  calls->frames = g_array_new(FALSE, FALSE, sizeof(CallFrame));
  calls->chain = g_array_new(FALSE, FALSE, sizeof(CallFrame));
  calls->stacks = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
  g_ptr_array_add(calls->stacks, g_array_new(FALSE, FALSE, sizeof(uint32_t)));
}

void
call_stack_clear(CallStack *calls)
{
  g_array_unref(calls->frames);
  g_array_unref(calls->chain);
  g_ptr_array_unref(calls->stacks);
}

static void
set_line(CallStack *calls, int line)
{
  if (calls->chain->len)
    g_array_index(calls->chain, CallFrame, calls->chain->len - 1).line = line;
}

void
call_enter(CallStack *calls, int line, const char *name, const char *file)
{
  CallFrame frame = {name, file, 0};
  set_line(calls, line);
  g_array_append_val(calls->chain, frame);
}

void
call_leave(CallStack *calls)
{
  g_array_set_size(calls->chain, calls->chain->len - 1);
}

void
call_module(CallStack *calls, int line, const char *name, const char *file)
{
  call_enter(calls, line, "Module._wrapped_call_impl", MODULE_PY);
  call_enter(calls, 1751, "Module._call_impl", MODULE_PY);
  call_enter(calls, 1762, name, file);
}

void
call_leave_module(CallStack *calls)
{
  g_array_set_size(calls->chain, calls->chain->len - 3);
}

static uint32_t
frame_id(CallStack *calls, const CallFrame *frame)
{
  for (guint i = 0; i < calls->frames->len; i++) {
    const CallFrame *had = &g_array_index(calls->frames, CallFrame, i);
    if (had->line == frame->line && strcmp(had->name, frame->name) == 0 &&
        strcmp(had->file, frame->file) == 0)
      return i;
  }
  g_array_append_vals(calls->frames, frame, 1);
  return calls->frames->len - 1;
}

uint32_t
call_stack_at(CallStack *calls, int line)
{
  GArray *stack = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  set_line(calls, line);
  for (guint i = calls->chain->len; i-- > 0;) {
    uint32_t frame = frame_id(calls, &g_array_index(calls->chain, CallFrame, i));
    g_array_append_val(stack, frame);
  }
  for (guint s = 0; s < calls->stacks->len; s++) {
    const GArray *had = g_ptr_array_index(calls->stacks, s);
    if (had->len == stack->len &&
        (!stack->len || memcmp(had->data, stack->data, stack->len * sizeof(uint32_t)) == 0)) {
      g_array_unref(stack);
      return s;
    }
  }
  g_ptr_array_add(calls->stacks, stack);
  return calls->stacks->len - 1;
}
