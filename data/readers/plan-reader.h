/* SPDX-License-Identifier: MIT */
/* The two halves of the reader of plans: plan.c reads what stands around the buffers and resolves
 * references, plan-buffers.c reads the buffers. */
#pragma once

#include "data/json.h"
#include "data/reader.h"

/* A reference to a space or an op: a number, or a name. */
typedef struct {
  const uint8_t *place; /* of its buffer in the file */
  int64_t number;       /* -1: none, or a name */
  uint32_t name;        /* string id; 0: none */
} TnPlanReference;

typedef struct {
  TnJson json;
  const TnReadOptions *options;
  gsize size;
  TnDocument *document;
  TnDevice *device;
  TnBuffers *buffers;

  bool has_format, has_version, has_axis, has_axis_end, has_buffers, has_spaces, has_labels;
  GHashTable *ids;    /* "3" or "conv" → row + 1 */
  GHashTable *groups; /* "0" → group + 1 */
  GArray *space_refs, *op_refs; /* TnPlanReference, by buffer */
  GArray *gaps, *gap_owners;
  GArray *last_uses; /* TnLastUse */
  GArray *labels; /* uint32_t string ids */
} TnPlanReader;

/* The next value, a string, interned; 0 after an error. */
uint32_t tn_plan_read_interned(TnPlanReader *plan);
/* The next value, a string, owned by the caller; NULL after an error. */
char *tn_plan_dup_string(TnPlanReader *plan);
/* The next value, an integer of at least `least`; the error names `key`. */
bool tn_plan_read_at_least(TnPlanReader *plan, const char *key, int64_t least, int64_t *out);
/* Steps over a null; false where something else comes next. */
bool tn_plan_read_null(TnPlanReader *plan);
/* The array of buffers, into `buffers`, `space_refs`, `op_refs` and `gaps`. */
void tn_plan_read_buffers(TnPlanReader *plan);
