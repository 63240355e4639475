/* SPDX-License-Identifier: MIT */
/* What runs after what, answered at once: vector clocks over the streams of a graph.
 *
 *   stream 0   a0 ── a1 ── a2          clock of b1: one op of stream 0 has ended for certain (a0),
 *                 \                    its own rank is 1.  It runs after a0, and not after a1.
 *   stream 1   b0 ── b1 ── b2
 *
 * Ops of one stream run in order; an edge of data or control, or an event, makes one stream wait for
 * another.  tn_stream_order_is_kept() answers the same by a search, and is kept apart as a check. */
#pragma once

#include "data/types.h"

typedef struct TnStreamClock TnStreamClock;

typedef struct {
  uint32_t n;            /* ops */
  const uint32_t *stream; /* by op, any numbers */
  const uint32_t *order; /* shape n: ops as they run; NULL: as numbered */
  /* Who waits for op i: next[first[i]] … next[first[i + 1] - 1].  Those against the order are left
   * out. */
  const uint32_t *first, *next;
} TnStreamGraph;

/* NULL where the clocks would take more than 512 MiB (ops that wait × streams).  O(edges + waiting ops
 * × streams).  Free with tn_stream_clock_free(). */
TnStreamClock *tn_stream_clock_new(const TnStreamGraph *graph);
void tn_stream_clock_free(TnStreamClock *clock);

uint32_t tn_stream_clock_n_streams(const TnStreamClock *clock);
/* Of an op: its stream (0 … n_streams - 1, by first op), its place there, its place among all. */
uint32_t tn_stream_clock_stream(const TnStreamClock *clock, uint32_t op);
uint32_t tn_stream_clock_rank(const TnStreamClock *clock, uint32_t op);
uint32_t tn_stream_clock_position(const TnStreamClock *clock, uint32_t op);
/* The ops of a stream as they run. */
const uint32_t *tn_stream_clock_ops(const TnStreamClock *clock, uint32_t stream, uint32_t *out_n);

/* Whether `to` begins after `from` has ended (an op does after itself).  O(1). */
bool tn_stream_clock_is_after(const TnStreamClock *clock, uint32_t from, uint32_t to);
/* The rank of the first op of `stream` that begins after all of `ops` have ended; the number of its
 * ops where none does.  O(n log ops). */
uint32_t tn_stream_clock_first_after(const TnStreamClock *clock, const uint32_t *ops, uint32_t n,
                                     uint32_t stream);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(TnStreamClock, tn_stream_clock_free)
