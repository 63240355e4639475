/* SPDX-License-Identifier: MIT */
/* Each space's own live peak.  Spaces are memories of their own: they may be full at different moments,
 * so that their arenas together pass the live peak of all, and no byte of them is lost for it.
 *
 *   space 0  ####....     own peaks 4 + 3, live peak 4: 3 bytes are no fragmentation
 *   space 1  ....###.
 */
#pragma once

#include "analysis/study.h"

typedef struct {
  tn_tick *at;  /* shape n_spaces: where the space's peak is reached, the live peak's moment if there */
  tn_bytes sum; /* of the peaks of all spaces; never below the live peak */
} TnSpacePeaks;

/* A row of a space that there is not counts to the last one, as in the study's arenas.  False where a
 * sum passes 64 bits: then there is nothing to clear.  O(n log n), O(1) for one space. */
bool tn_space_peaks_find(const TnStudy *study, TnSpacePeaks *out_peaks);
void tn_space_peaks_clear(TnSpacePeaks *peaks);

/* Rows, all or those with a place, space by space and in row order; owned by the caller, as *out_first (shape
 * n_spaces + 1).  O(n). */
uint32_t *tn_rows_by_space_new(const TnStudy *study, bool only_placed, uint32_t **out_first);

/* The space of a row, within the study's. */
static inline uint32_t
tn_space_of(const TnStudy *study, tn_index row)
{
  return MIN(tn_buffers_space(study->buffers, row), study->n_spaces - 1);
}
