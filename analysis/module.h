/* SPDX-License-Identifier: MIT */
/* The part of the model that a buffer belongs to, read off its name (`layers.3.ffn.weight` and
 * `/layers.3/ffn/Add_output_0` lie in `layers.3.ffn` and `/layers.3/ffn`) or off its call site (the class
 * of `Block.forward`, else the file). */
#pragma once

#include "analysis/callsite.h"

typedef struct {
  GPtrArray *names; /* char *, by module; module 0 is "no module" */
  uint32_t *module; /* by buffer */
} TnModules;

/* `sites` may be NULL.  O(buffers + names + sites). */
TnModules *tn_modules_new(const TnDocument *document, const TnBuffers *buffers,
                          const TnCallSites *sites);
void tn_modules_free(TnModules *modules);

/* What is before the last part of a dotted or slashed name; NULL where there is nothing.  Owned by
 * the caller. */
char *tn_module_of_name(const char *name);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(TnModules, tn_modules_free)
