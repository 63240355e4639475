/* SPDX-License-Identifier: MIT */
/* Who lies beside a buffer, and who had and gets its place: for a buffer that may write past its
 * end, or whose contents are not what they should be.
 *
 *   address ^   +-------+ above              next: the first later one that
 *           |   +-------+                    takes any byte of the place
 *           |   +=======+   +------+
 *           |   | buffer|   | next |
 *           |   +=======+   +------+
 *           |   +-------+ below
 *           +------------------------> tick
 */
#pragma once

#include "analysis/finding.h"
#include "analysis/study.h"

typedef struct {
  tn_index above, below; /* alive then, nothing of the same space between; TN_NONE */
  tn_bytes above_gap, below_gap; /* bytes between; 0 where there is none */
  tn_index next, previous; /* tenants of the place after and before the buffer's life; TN_NONE */
} TnNeighbours;

/* The neighbours of `buffer` at `tick` (in its life), and its place's tenants.  All TN_NONE where the
 * buffer has no place.  O(buffers). */
TnNeighbours tn_neighbours_at(const TnStudy *study, tn_index buffer, tn_tick tick);
/* The same, with the nearest ones of its whole life above and below. */
TnNeighbours tn_neighbours_of(const TnStudy *study, tn_index buffer);

/* Whoever would be hit by a write of up to `reach` bytes past the buffer's end (in its life): rows by
 * the distance of their first byte, uint32_t, owned by the caller.  O(buffers log buffers). */
GArray *tn_neighbours_hit_new(const TnStudy *study, tn_index buffer, tn_bytes reach);

/* The tenants of any byte of the buffer's place after its life, in order, at most `most` (uint32_t
 * rows, owned by the caller).  O(buffers log buffers). */
GArray *tn_neighbours_later_new(const TnStudy *study, tn_index buffer, uint32_t most);

/* Who gets whose place, around the buffer: of the tenants of any byte of its place, the nearest `most`
 * before and after it, the pairs in which the later one is the next to hold a byte of the earlier
 * (TnReusePair, rows of the study; owned by the caller).  O(buffers log buffers). */
GArray *tn_tenants_chain_new(const TnStudy *study, tn_index buffer, uint32_t most);

/* `neighbours` (on request): one note on who lies beside the buffer in its life, whom a write of
 * 4 KiB past its end would hit, and who gets its place next.  The buffers named follow it. */
void tn_find_neighbours(const TnStudy *study, tn_index buffer, TnFindings *findings);

/* ---- which buffer is it ------------------------------------------------------------------ */

/* Halving: switch reuse off for one half of the suspects; where the fault is gone, it is among them,
 * else among the others.  That reuse is the cause at all is only known once the fault was gone: the last
 * one, of whom all the others were cleared without that, is asked for alone. */
typedef struct {
  GArray *suspects; /* uint32_t rows */
  GArray *answers;  /* TnBisectAnswer, in order */
} TnBisect;

typedef struct {
  uint32_t n; /* suspects when it was asked */
  bool is_gone;
} TnBisectAnswer;

/* Starts with these rows (copied). */
TnBisect *tn_bisect_new(const uint32_t *rows, uint32_t n);
void tn_bisect_free(TnBisect *bisect);
/* The half to switch off now: the first *out_n of `suspects`; 0 where one is found or none is left. */
const uint32_t *tn_bisect_half(const TnBisect *bisect, uint32_t *out_n);
/* Notes whether the fault was gone with that half switched off; the other suspects are dropped. */
void tn_bisect_answer(TnBisect *bisect, bool is_gone);
/* The one that is left, and the fault was gone without its reuse; TN_NONE before, and where none is left. */
tn_index tn_bisect_found(const TnBisect *bisect);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(TnBisect, tn_bisect_free)
