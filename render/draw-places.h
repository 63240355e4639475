/* SPDX-License-Identifier: MIT */
/* What a plan says of the places on the offset map: whose stream a buffer is of, what is nested, and
 * who gets whose place. */
#pragma once

#include "render/view.h"

/* Hatching on the buffers of each stream but the first, denser for each, and a second outline in those
 * that are nested; where there is room. */
void tn_draw_streams(const TnPaint *paint, const TnView *view, TnRect plot);

/* "hatched: streams 1, 4; 2 more are not"; NULL where there is one stream.  Owned by the caller. */
char *tn_draw_stream_words(const TnStudy *study);

/* An arrow for each pair (TnReusePair) from the earlier tenant of a place to the later. */
void tn_draw_chain(const TnPaint *paint, const TnView *view, TnRect plot, const GArray *pairs);

/* The part of the plot that those arrows touch; false where none is in sight. */
bool tn_chain_bounds(const TnView *view, TnRect plot, const GArray *pairs, TnRect *out);
