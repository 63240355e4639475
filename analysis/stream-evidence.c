/* SPDX-License-Identifier: MIT */
/* What a plan shows of its streams: a moment of a stream for each begin and each end of a buffer, and
 * a wait for each place that one stream has from another. */
#include "config.h"

#include "analysis/plan/reuse.h"
#include "analysis/stream-uses.h"

#include <stdlib.h>

typedef struct {
  tn_tick tick;
  uint32_t stream, id; /* id: 2 × buffer for its begin, + 1 for its end */
} Moment;

static int
compare_moments(const void *a, const void *b)
{
  const Moment *x = a, *y = b;
  if (x->tick != y->tick)
    return x->tick < y->tick ? -1 : 1;
  if (x->stream != y->stream)
    return x->stream < y->stream ? -1 : 1;
  return x->id < y->id ? -1 : x->id > y->id;
}

/* Moments of one stream at one tick are one op; `op` by id. */
static uint32_t
number_moments(const TnBuffers *b, uint32_t *op, uint32_t *stream, tn_tick *tick)
{
  g_autofree Moment *moments = g_new(Moment, (gsize)b->n * 2 + 1);
  uint32_t n_ops = 0;
  for (uint32_t i = 0; i < b->n; i++) {
    moments[2 * i] = (Moment){b->start[i], b->stream[i], 2 * i};
    moments[2 * i + 1] = (Moment){b->end[i] - 1, b->stream[i], 2 * i + 1};
  }
  qsort(moments, (gsize)b->n * 2, sizeof *moments, compare_moments);
  for (uint32_t k = 0; k < 2 * b->n; k++) {
    bool is_new = k == 0 || moments[k].tick != moments[k - 1].tick ||
                  moments[k].stream != moments[k - 1].stream;
    if (is_new) {
      tick[n_ops] = moments[k].tick;
      stream[n_ops++] = moments[k].stream;
    }
    op[moments[k].id] = n_ops - 1;
  }
  return n_ops;
}

static TnStreamClock *
clock_new(const TnBuffers *b, const GArray *pairs, const uint32_t *op, const uint32_t *stream, uint32_t n)
{
  g_autofree uint32_t *first = g_new0(uint32_t, (gsize)n + 2);
  g_autofree uint32_t *next = g_new(uint32_t, MAX(pairs->len, 1u));
  for (int pass = 0; pass < 2; pass++) {
    for (guint k = 0; k < pairs->len; k++) {
      const TnReusePair *pair = &g_array_index(pairs, TnReusePair, k);
      uint32_t from = op[2 * pair->earlier + 1], to = op[2 * pair->later];
      if (b->stream[pair->earlier] == b->stream[pair->later])
        continue;
      if (pass == 0)
        first[from + 2]++;
      else
        next[first[from + 1]++] = to;
    }
    for (uint32_t i = 0; pass == 0 && i < n; i++)
      first[i + 2] += first[i + 1];
  }
  return tn_stream_clock_new(&(TnStreamGraph){n, stream, NULL, first, next});
}

TnStreamUses *
tn_stream_uses_new_from_plan(const TnBuffers *b, const tn_bytes *offset)
{
  bool has_many = false;
  for (uint32_t i = 1; b->stream && i < b->n; i++)
    has_many |= b->stream[i] != b->stream[0];
  if (!has_many)
    return NULL;
  g_autofree uint32_t *op = g_new(uint32_t, (gsize)b->n * 2);
  g_autofree uint32_t *stream = g_new(uint32_t, (gsize)b->n * 2);
  g_autoptr(GArray) pairs = tn_reuse_pairs_new(b, offset, NULL);
  g_autofree tn_tick *tick = g_new(tn_tick, (gsize)b->n * 2);
  uint32_t n_ops = number_moments(b, op, stream, tick);
  TnStreamClock *clock = clock_new(b, pairs, op, stream, n_ops);
  if (!clock)
    return NULL;
  TnStreamUses *uses = g_new0(TnStreamUses, 1);
  uses->clock = clock;
  uses->tick = g_steal_pointer(&tick);
  uses->ticks_per_op = 1;
  uses->n = b->n;
  uses->writer = g_new(uint32_t, b->n);
  uses->last = g_new(uint32_t, b->n);
  uses->last_first = g_new(uint32_t, (gsize)b->n + 1);
  for (uint32_t i = 0; i < b->n; i++) {
    uses->writer[i] = op[2 * i];
    uses->last[i] = op[2 * i + 1];
    uses->last_first[i] = i;
  }
  uses->last_first[b->n] = b->n;
  return uses;
}
