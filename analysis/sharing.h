/* SPDX-License-Identifier: MIT */
/* May two buffers of a plan share memory, and if not, which rule forbids it first?  The rules are GE's
 * (formats/ascend-ge.md, 1b) and hold for any plan as far as it has what they speak of. */
#pragma once

#include "analysis/stream-order.h"
#include "analysis/stream-uses.h"
#include "analysis/study.h"

typedef enum {
  TN_SHARING_SAME,        /* one buffer */
  TN_SHARING_SPACE,       /* of different memories */
  TN_SHARING_BATCH,       /* of a batch and of none */
  TN_SHARING_NO_REUSE,    /* one shares with nobody */
  TN_SHARING_CLEANED,     /* set to 0 together with others, against data */
  TN_SHARING_ZERO_COPY,   /* the caller's memory may stand in for both */
  TN_SHARING_CONTINUOUS,  /* a contiguous stretch against the caller's memory */
  TN_SHARING_NEIGHBOURS,  /* of one stretch, beside each other */
  TN_SHARING_LIVES,       /* alive at one time */
  TN_SHARING_STREAMS,     /* nothing makes the later wait for the earlier */
  TN_SHARING_STREAMS_UNKNOWN, /* on different streams, and the file has no edges */
  TN_SHARING_MAY,
  TN_N_SHARINGS
} TnSharingRule;

typedef struct {
  TnSharingRule rule; /* the first that forbids it; TN_SHARING_MAY: none does */
  bool may_share, does_share; /* does: their places overlap in the plan */
  char *sentence; /* with the lives, streams, labels or ops that it rests on; of two that may share in a
                     plan of GE's and do not: which of its own rules kept them apart; owned */
  GArray *path;   /* uint32_t ops from the earlier's last user to the later's first; may be empty */
} TnSharing;

/* `reach` of the document's graph (NULL: it has none); `uses` of the study (NULL: made where they are needed,
 * which takes as long as the document; who asks of many pairs makes them once).  Rows `a` and `b` of the study. */
void tn_sharing_find(TnSharing *sharing, const TnStudy *study, TnStreamOrder *reach, const TnStreamUses *uses,
                     tn_index a, tn_index b);
void tn_sharing_clear(TnSharing *sharing);

/* Whether streams are asked of buffers as GE asks them, by the column `stream`: in GE's own documents.  In a plan that
 * says who waits for whom, whoever made it and whatever traits it has, by who uses what. */
bool tn_sharing_is_by_ge_streams(const TnStudy *study);

/* Stable: "lives", "streams", …; "may-share". */
const char *tn_sharing_rule_name(TnSharingRule rule);

/* The ops that read or write a buffer last: all readers of its tensor and of those that stand for it,
 * or the op at the end of its life where no tensor is known.  uint32_t, owned by the caller. */
GArray *tn_sharing_users_new(const TnStudy *study, tn_index buffer);
