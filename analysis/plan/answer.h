/* SPDX-License-Identifier: MIT */
/* What all strategies do before and after their own work. */
#pragma once

#include "analysis/plan/bodies.h"

/* The problem as bodies (owned by the caller), or NULL with `answer` filled as failed. */
TnBodies *tn_answer_begin(const TnPlanProblem *problem, TnPlanAnswer *answer);

/* Fills offsets (owned by `answer`), arena, bounds, status and seconds (since `begun`, of
 * g_get_monotonic_time()) from the offsets of the bodies.  `proved`: no plan has a smaller arena
 * than this (the bounds of `bodies` are taken into account anyway).  `arena` < 0: failed with
 * `message` (taken over; NULL: cancelled). */
void tn_answer_finish(TnPlanAnswer *answer, const TnBodies *bodies, const TnPlanParams *params,
                      const tn_bytes *offset, tn_bytes arena, tn_bytes proved, char *message,
                      gint64 begun);

/* Offsets of the rows (shape n_rows) from those of the bodies (shape n). */
void tn_answer_rows(const TnBodies *bodies, const tn_bytes *offset, tn_bytes *row_offset);

/* The largest offset + size of a body. */
tn_bytes tn_answer_arena(const TnBodies *bodies, const tn_bytes *offset);

/* Tells params->improved (if any) of a better plan, given by the bodies' offsets. */
void tn_answer_improved(const TnBodies *bodies, const TnPlanParams *params, const tn_bytes *offset,
                        tn_bytes arena);
