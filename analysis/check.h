/* SPDX-License-Identifier: MIT */
/* The independent checker: verifies offsets by a sweep of its own.  It shares no code with any
 * planner, and trusts nothing that a file says of itself. */
#pragma once

#include "analysis/finding.h"

typedef struct {
  const TnDocument *document; /* names of buffers and ops */
  const TnBuffers *buffers;
  const tn_bytes *offset;      /* shape n; NULL: the buffers' own.  TN_NOT_PLACED rows are skipped
                                  and counted in one note, `not-placed` */
  tn_bytes alignment;          /* the least alignment asked for; 0: none */
  const tn_bytes *space_arena; /* by space; may be NULL: not checked */
  uint32_t n_spaces;
  const TnDevice *device; /* whose ticks they are; NULL: the first's */
  uint32_t limit; /* report at most so many of each code (0: 100), then one summary */
} TnCheckParams;

/* Adds `overlap`, `misaligned`, `shared-alignment`, `outside-arena`, `contiguity`, `batch-mix`,
 * `fixed-moved` and `no-reuse` findings.  An overlap names both buffers, the address range, the
 * ticks and the op that first writes over the other.
 * O((n + k) log n) for k overlaps; sweep over ticks with the live set ordered by offset. */
void tn_check_offsets(const TnCheckParams *params, TnFindings *findings);

/* Of the offsets of a plan (`offset` and `space_arena` by space, shape n_spaces): the first rule
 * that they break, owned by the caller; NULL: none.  No plan leaves the program without. */
char *tn_check_dup_plan_error(const TnDocument *document, const TnBuffers *buffers,
                              const tn_bytes *offset, tn_bytes alignment,
                              const tn_bytes *space_arena, uint32_t n_spaces);
