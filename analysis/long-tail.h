/* SPDX-License-Identifier: MIT */
/* The `long-tail` finding: what lies in memory at the peak without being worked on.
 *
 * A graph says when each buffer is used, so the finding names a buffer that idles for most of its
 * life, its longest gap, the reader that holds it, and what ending it before the gap would save.
 * A log and a bare plan know only when memory was taken and given back; there the finding says
 * exactly that: large buffers that live through most of the recording and are alive at the peak,
 * a log's together by call site. */
#pragma once

#include "analysis/finding.h"

/* Adds at most TN_LONG_TAILS_MOST findings, those that save most first.  `buffers` are the
 * device's, with their lives (of a graph: in its own order, three ticks an op).  saving_bytes is
 * the live peak less the live peak computed again with the shorter life (graphs) or without the
 * buffers (logs, plans).  O(n log n). */
#define TN_LONG_TAILS_MOST 12
void tn_find_long_tails(const TnDocument *document,
                        const TnDevice *device,
                        const TnBuffers *buffers,
                        TnFindings *findings);
