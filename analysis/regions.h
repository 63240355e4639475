/* SPDX-License-Identifier: MIT */
/* Parts of a plan's memory that have a name of their own: memory types, the segments that the arena is
 * allocated in, what the caller's memory stands in for (zero copy), the places of each batch, and what
 * must stand side by side.  A rectangle each, in the map's places and in ticks. */
#pragma once

#include "analysis/study.h"

typedef enum {
  TN_REGION_SPACE,      /* one memory type */
  TN_REGION_SEGMENT,
  TN_REGION_ZERO_COPY,
  TN_REGION_BATCH,
  TN_REGION_NEIGHBOURS, /* a contiguous group */
  TN_N_REGION_KINDS
} TnRegionKind;

typedef struct {
  TnRegionKind kind;
  tn_bytes low, high; /* places of the study's map */
  tn_tick start, end;
  char *name;  /* owned; NULL: none */
  uint32_t n;  /* buffers; 0: not counted */
} TnRegion;

/* By kind, then by place.  NULL where there is nothing to tell apart: one memory type, one segment, no
 * traits.  The study's map must be there.  O(n log n); free with tn_regions_free(). */
GArray *tn_regions_new(const TnStudy *study);
void tn_regions_free(GArray *regions);
