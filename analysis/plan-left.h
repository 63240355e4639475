/* SPDX-License-Identifier: MIT */
/* What a plan leaves on the table: two plans of the same lives beside each other, the bytes between
 * them by cause, and buffer by buffer.
 *
 * At the moment when most is alive every byte of an arena is either held by somebody alive then, or
 * idle: kept for a buffer of another moment, or for one that is in a gap then.  Idle bytes are put down to the buffer that has them
 * nearest to that moment in time, so that for each of the two plans, to the byte,
 *
 *   arena = alive at the peak (theory) - shared by overlaps + idle for buffers + held by nobody
 */
#pragma once

#include "analysis/plan-gap.h"

typedef enum {
  TN_LEFT_APART,      /* it shares with nobody: the caller's, cleaned, marked */
  TN_LEFT_NEIGHBOURS, /* of a contiguous group */
  TN_LEFT_BATCH,      /* of a batch, while none or another is at its peak */
  TN_LEFT_STREAM,     /* of another stream than what is alive in the peak beside it */
  TN_LEFT_MISFIT,     /* nothing forbids to use its place better */
  TN_N_LEFT_CAUSES
} TnLeftCause;

typedef struct {
  tn_index buffer;
  tn_bytes bytes, other_bytes; /* idle for it at the peak, in this plan and in the other */
  tn_bytes at;                 /* the lowest of the idle addresses; TN_NOT_PLACED: none here */
  TnLeftCause cause;
  bool is_alone;               /* no other buffer ever has a byte of its place */
} TnLeftRow;

typedef struct {
  tn_bytes arena, overlap, idle, unused; /* of one plan; see above */
} TnLeftSums;

typedef struct {
  TnPlanGap gap, other_gap; /* by cause: the same but for streams and misfit */
  tn_bytes theory;          /* alive at the peak, the same in both */
  TnLeftSums own, other;
  GArray *rows;             /* TnLeftRow with idle bytes in either plan, those that lose most first */
} TnPlanLeft;

/* `study` and `other` are of the same buffers with offsets each (tn_study_new_with_offsets()).  False
 * where one has no arena.  O(n log n).  Clear with tn_plan_left_clear(). */
bool tn_plan_left_find(const TnStudy *study, const TnStudy *other, TnPlanLeft *out_left);
void tn_plan_left_clear(TnPlanLeft *left);

/* Stable: "apart", "neighbours", "batch", "stream", "misfit". */
const char *tn_left_cause_name(TnLeftCause cause);
