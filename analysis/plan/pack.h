/* SPDX-License-Identifier: MIT */
/* Placing bodies one by one: each at the offset that its placed neighbours leave. */
#pragma once

#include "analysis/plan/neighbours.h"

typedef enum {
  TN_FIT_LOWEST,  /* the lowest gap that is large enough */
  TN_FIT_TIGHTEST /* the smallest gap that is large enough, the lowest of equals; a gap without an
                     upper end only where there is no other */
} TnFit;

/* The lowest allowed offset >= `from` of body `b` among `forbidden` (shape n; is reordered).
 * O(n) expected where a low gap is wide enough, O(n log n) at worst.
 * Method: quicksort by lower end that sorts only as far as the sweep gets. */
tn_bytes tn_fit_lowest(const TnBodies *bodies, uint32_t b, TnForbidden *forbidden, uint32_t n,
                       tn_bytes from);
/* The allowed offset at the bottom of the tightest gap. O(n log n). */
tn_bytes tn_fit_tightest(const TnBodies *bodies, uint32_t b, TnForbidden *forbidden, uint32_t n);

/* Places the fixed bodies only; false where two of them overlap, then *out_message says which, or where
 * it was cancelled. */
bool tn_pack_fixed(TnNeighbours *neighbours, const TnBodies *bodies, TnProgress *progress,
                   tn_bytes *offset, char **out_message);

/* Places fixed bodies, then all others in `order` (shape bodies->n; fixed ones in it are skipped),
 * into `offset` (shape bodies->n).  Returns the arena, or -1 where two fixed bodies overlap or it
 * was cancelled; *out_message (may be NULL) then says which.  Stops placing and returns -1 with no
 * message when a top passes `limit` (> 0).  O(pairs + n log n) time, O(n) memory; simple bodies of
 * which more than TN_PACK_MANY are alive at once are placed in the lowest gap through TnCrowd, with the
 * same offsets, O(n log n) memory, and a share of the pairs that falls as they grow. */
#define TN_PACK_MANY 4096
tn_bytes tn_pack(TnNeighbours *neighbours, const TnBodies *bodies, const uint32_t *order, TnFit fit,
                 tn_bytes limit, TnProgress *progress, tn_bytes *offset, char **out_message);
