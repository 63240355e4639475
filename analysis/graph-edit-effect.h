/* SPDX-License-Identifier: MIT */
/* Whether a what-if edit changes anything: a tensor that is marked in place takes another's memory
 * only where nothing reads that later, and so on. */
#pragma once

#include "analysis/graph-lifetime.h"
#include "data/graph-edit.h"

/* Why `edit`, the last of those that made `graph`, has no effect in the graph's order and under
 * `params`, owned by the caller; NULL: it has one, or none is to be seen in memory. */
char *tn_graph_edit_dup_idle_reason(const TnGraph *graph, const TnStrings *strings,
                                    const TnGraphLifetimeParams *params, const TnGraphEdit *edit);
