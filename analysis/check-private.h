/* SPDX-License-Identifier: MIT */
/* What the checker's parts share: check.c has the rules of single buffers, check-places.c those of
 * places and groups, check-overlap.c the sweep. */
#pragma once

#include "analysis/check.h"

#define TN_HEX "0x%" G_GINT64_MODIFIER "x" /* an address */

typedef enum {
  TN_CHECK_OVERLAP,
  TN_CHECK_MISALIGNED,
  TN_CHECK_SHARED_ALIGNMENT,
  TN_CHECK_OUTSIDE_ARENA,
  TN_CHECK_CONTIGUITY,
  TN_CHECK_BATCH_MIX,
  TN_CHECK_FIXED_MOVED,
  TN_CHECK_NO_REUSE,
  TN_N_CHECKS
} TnCheckCode;

typedef struct {
  const TnCheckParams *params;
  const TnBuffers *buffers;
  const tn_bytes *offset; /* shape n */
  TnFindings *findings;
  uint64_t limit;
  uint64_t found[TN_N_CHECKS]; /* listed or not */
  bool is_cut;                 /* the sweep stopped counting overlaps */
} TnCheck;

/* Counts one more; true where it is to be listed. */
bool tn_check_count(TnCheck *check, TnCheckCode code);

/* Appends a finding about `buffer`, at its start. */
TnFinding *tn_check_add(TnCheck *check, TnCheckCode code, tn_index buffer, const char *format, ...)
    G_GNUC_PRINTF(4, 5);

/* "“conv1”", or "buffer 12" where it has no name.  Owned by the caller. */
char *tn_check_dup_name(const TnCheck *check, tn_index buffer);

/* "op “conv2” (tick 6)", or "the op at tick 6".  Owned by the caller. */
char *tn_check_dup_op(const TnCheck *check, tn_index buffer, tn_tick tick);

/* Whether the checker can say anything about its place: placed, offset + bytes within 64 bits. */
bool tn_check_is_placed(const TnCheck *check, tn_index buffer);

/* The end of its place; only where tn_check_is_placed(). */
static inline tn_bytes
tn_check_top(const TnCheck *check, tn_index buffer)
{
  return check->offset[buffer] + check->buffers->bytes[buffer];
}

/* Adds the overlaps. */
void tn_check_overlaps(TnCheck *check);
/* Adds shared alignments, contiguity, no-reuse and batch-mix. */
void tn_check_places(TnCheck *check);

/* The permutation that sorts `n` keys upwards, stable.  O(n), radix.  Owned by the caller. */
uint32_t *tn_check_sort_new(const int64_t *keys, uint32_t n);
