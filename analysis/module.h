/* SPDX-License-Identifier: MIT */
/* The module (layer) that a buffer was allocated in, as far as a file tells:
 *
 *  - a frame "nn.Module: Linear_3" of a profiler's trace names it;
 *  - in Python's stacks it is the innermost forward() of the user's own code that torch.nn.Module's
 *    __call__ entered.  Its name is the class, or where a frame has none the function and its file,
 *    with the line from which it was called, which tells two layers of a kind apart:
 *    "CausalSelfAttention (model.py:78)", "attention.py forward (model.py:78)";
 *  - a name that is a path ("/layer1/conv1/Conv", of the buffer or of its op) stands in its folder.
 */
#pragma once

#include "data/document.h"

typedef struct {
  uint32_t n;       /* modules; 0 is "no module" */
  uint32_t *module; /* by buffer */
  GPtrArray *names; /* char *, by module */
  char *untold;     /* why modules can't be told from this file; NULL: some can */
} TnModules;

/* O(buffers + frames of all stacks). */
TnModules *tn_modules_new(const TnDocument *document, const TnBuffers *buffers);
void tn_modules_free(TnModules *modules);

static inline const char *
tn_modules_name(const TnModules *modules, uint32_t module)
{
  return g_ptr_array_index(modules->names, module);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC(TnModules, tn_modules_free)
