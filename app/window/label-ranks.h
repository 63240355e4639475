/* SPDX-License-Identifier: MIT */
/* Buffers by what a person calls them, as integers: labels that are equal have one rank, and are made and compared
 * once, however many buffers have them. */
#pragma once

#include "analysis/study.h"

typedef struct TnLabelRanks TnLabelRanks;

TnLabelRanks *tn_label_ranks_new(void);
void tn_label_ranks_free(TnLabelRanks *ranks);

/* The number of the buffer's label.  `side`: 0 or 1, the same for all buffers of one document, whose
 * strings must stay. */
uint32_t tn_label_ranks_add(TnLabelRanks *ranks, const TnStudy *study, tn_index buffer, int side);

/* By number the rank of the label, by bytes; owned by the caller.  O(labels log labels). */
int64_t *tn_label_ranks_build(const TnLabelRanks *ranks);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(TnLabelRanks, tn_label_ranks_free)
