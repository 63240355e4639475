/* SPDX-License-Identifier: MIT */
/* Who uses a buffer on which stream: the op that writes it first, and of each stream the op that uses
 * it last.  A buffer may have the place of an earlier one only where all last users of that have
 * ended before its own first writer begins, or are that writer: within one op lives tell. */
#pragma once

#include "analysis/stream-clock.h"
#include "analysis/study.h"
#include "data/document.h"

typedef struct {
  TnStreamClock *clock; /* owned */
  bool is_coarse;       /* clocks would be too large: no stream is known to wait for another */
  tn_tick ticks_per_op; /* an op at place i of the order takes [i * n, (i + 1) * n) */
  tn_tick *tick;        /* by op: when it begins, where places do not tell; else NULL */
  uint32_t n;           /* buffers */
  uint32_t *writer;     /* by buffer: op */
  uint32_t *last_first; /* n + 1 */
  uint32_t *last;       /* ops, buffer after buffer: one of each stream that uses it */
} TnStreamUses;

/* Of a table of a document's buffers.  The edges are those of the document's graph (run in `order`,
 * shape n ops; NULL: its own), else what a plan says of its streams.  Last users are what the device
 * says (`buffers` is then its own table or a copy of the same rows); else the readers of the buffer's
 * tensor and its views, and the op at the end of its life (`row_of`, by tensor: its row, of the lives of
 * a graph, tells the readers exactly; else NULL); else, of a buffer with
 * TN_TRAIT_MANY_STREAMS, the last op of every stream that might still use it.
 *
 * NULL where there is one stream only, or nothing is known of their order (`out_is_unknown`, may be
 * NULL, tells the two apart).  Free with tn_stream_uses_free(). */
TnStreamUses *tn_stream_uses_new(const TnDocument *document, const TnDevice *device,
                                 const TnBuffers *buffers, const uint32_t *row_of,
                                 const uint32_t *order, bool *out_is_unknown);
/* Of the study's buffers. */
TnStreamUses *tn_stream_uses_new_for_study(const TnStudy *study, const uint32_t *order,
                                           bool *out_is_unknown);
/* The last users of a study's buffers as a plan states them (TnLastUse, by buffer), owned by the caller:
 * who reads it without its graph finds the same.  NULL where it has no graph, or that has one stream. */
GArray *tn_stream_uses_build_stated(const TnStudy *study, const uint32_t *order);
void tn_stream_uses_free(TnStreamUses *uses);

/* Of a plan whose file does not say which stream waits for which: what the plan itself shows.  Where
 * two buffers of different streams have the same bytes one after the other, the later stream must have
 * waited.  `offset` shape n.  NULL where there is one stream only. */
TnStreamUses *tn_stream_uses_new_from_plan(const TnBuffers *buffers, const tn_bytes *offset);

/* Whether buffer `later` may have the place of `earlier` as far as streams go. */
bool tn_stream_uses_follows(const TnStreamUses *uses, uint32_t earlier, uint32_t later);

/* Whether all that is known to use either is of one stream: their lives tell then all there is. */
bool tn_stream_uses_are_of_one(const TnStreamUses *uses, uint32_t a, uint32_t b);

static inline tn_tick
tn_stream_uses_tick(const TnStreamUses *uses, uint32_t op)
{
  return uses->tick ? uses->tick[op]
                    : (tn_tick)tn_stream_clock_position(uses->clock, op) * uses->ticks_per_op;
}

static inline uint32_t
tn_stream_uses_stream(const TnStreamUses *uses, uint32_t buffer)
{
  return tn_stream_clock_stream(uses->clock, uses->writer[buffer]);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC(TnStreamUses, tn_stream_uses_free)
