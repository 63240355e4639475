/* SPDX-License-Identifier: MIT */
/* The line of a call stack that a person wants to see: the innermost frame of their own code, not
 * of PyTorch, the standard library or generated glue. */
#pragma once

#include "data/document.h"

typedef struct {
  uint32_t n;      /* call sites; site 0 is "no call stack" */
  uint32_t n_stacks;
  uint32_t *site;  /* by stack: call site */
  GArray *frames;  /* uint32_t, by site: frame id, TN_NONE for site 0 */
  GPtrArray *names; /* char *, by site: "model.py:88 forward" */
} TnCallSites;

/* Every stack of the document gets its site; two stacks whose chosen frames are the same file, line
 * and function share one.  O(frames of all stacks). */
TnCallSites *tn_call_sites_new(const TnDocument *document);
void tn_call_sites_free(TnCallSites *sites);

/* Whether a frame is framework or glue rather than the user's code. */
bool tn_frame_is_framework(const char *file, const char *function);

/* The last part of a path of either kind of system; borrowed. */
const char *tn_frame_base_name(const char *path);

/* "model.py:88 forward" for a frame; owned by the caller. */
char *tn_frame_format(const TnDocument *document, uint32_t frame);

static inline uint32_t
tn_call_sites_of(const TnCallSites *sites, uint32_t stack)
{
  return stack < sites->n_stacks ? sites->site[stack] : 0;
}

static inline const char *
tn_call_sites_name(const TnCallSites *sites, uint32_t site)
{
  return g_ptr_array_index(sites->names, site);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC(TnCallSites, tn_call_sites_free)
