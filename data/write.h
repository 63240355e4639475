/* SPDX-License-Identifier: MIT */
/* Writing whole or not at all, and our own documents. */
#pragma once

#include "data/document.h"

/* Writes `size` bytes to a temporary file beside `path`, flushes it to the disk and renames it.
 * "-" writes to standard output.  Errors: TN_DATA_ERROR_WRITE; the old file is then intact. */
bool tn_write_file(const char *path, const void *data, gsize size, GError **error);

typedef struct {
  const TnDocument *document; /* strings, labels */
  const TnDevice *device;
  const TnBuffers *buffers; /* with their lives */
  const tn_bytes *offset;   /* shape n; NULL: the buffers' own */
  const char *strategy;     /* may be NULL */
  const char *lifetime_model; /* may be NULL */
  tn_bytes lower_bound_bytes, arena_bytes, resident_bytes;
  bool is_optimal;
  const uint32_t *order;    /* graph: rows of the ops as they run; may be NULL: the graph's own */
  uint32_t n_order;         /* steps in `order`, where ops run more than once; 0: each once */
  tn_tick axis_end;         /* 0: the device's */
  const char *extra;        /* more members as JSON text (`"key": value`); may be NULL: the document's actions */
  const GArray *last_uses;  /* TnLastUse by buffer, where several streams use them; may be NULL: the
                               device's */
  const tn_bytes *space_arena_bytes; /* by space, may be NULL: one space of arena_bytes */
  uint32_t n_spaces;
} TnPlanOutput;

static inline tn_bytes
tn_plan_output_offset(const TnPlanOutput *plan, tn_index i)
{
  return plan->offset ? plan->offset[i] : plan->buffers->offset[i];
}

/* A `tenure-plan` document as JSON text, owned by the caller; one buffer a line.  Ops are written
 * as `axis.labels`, in the order in which they run, and a buffer's `op` as an index into them. */
char *tn_plan_build_json(const TnPlanOutput *plan);
/* MiniMalloc's columns, owned by the caller: `alignment`, `gaps` and `offset` only where some are
 * set.  Of ours `space` and `stream` where there are several, `batch_label`, `contiguous_group`, `flags`
 * (those that bind a planner) and `traits` where some are set.  An id is the buffer's name; where that is
 * shared by others `name#row`, and where it has none `#row` (`row` where no buffer has one). */
char *tn_plan_build_csv(const TnPlanOutput *plan);
/* What of such a plan CSV has no columns for and another plan of it would need: "…, …"; NULL:
 * nothing.  Sizes before rounding, and kinds but of inputs of zero copy, are left out without a word: strategies
 * other than `ge` do not ask them.  Owned by the caller. */
char *tn_plan_build_csv_losses(const TnPlanOutput *plan);
