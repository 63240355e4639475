/* SPDX-License-Identifier: MIT */
/* What streams that have not waited for each other need beyond what is alive at once: their buffers
 * may share no place, however early one of them is dead, so that no byte of it is lost.
 *
 *   stream 0  ####....     at most 4 alive at once, but no plan of the two has less than 7:
 *   stream 1  ....###.     3 bytes are no fragmentation
 */
#pragma once

#include "analysis/stream-uses.h"

/* The sum over the spaces of what their bound has more with `uses` (of these rows) than without; of a space
 * whose arena is below that bound, so that its streams do share, nothing.  At most what is needed: more rows
 * may keep each other apart than are found.  `space_arena`: shape n_spaces; a row of a space that there is not
 * counts to the last one.  No more than `most`, 0 where that is less; 0, too, where `uses` is NULL or coarse, and
 * of tables with more than 10,000 rows.
 * O(n² + n × rows kept apart).
 * Method: the bound of plan.h, or rows of which each two may not share, found greedily: those alive at the
 * space's peak, then of each stream those at its own, then by size. */
tn_bytes tn_streams_apart(const TnBuffers *buffers, const tn_bytes *space_arena, uint32_t n_spaces,
                          const TnStreamUses *uses, tn_bytes most);

/* The same of a study's arena, whose ops run in `order` (NULL: their own); 0 of a log. */
tn_bytes tn_streams_apart_in_study(const TnStudy *study, const uint32_t *order, tn_bytes most);
