/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/stream-clock.h"

#include <string.h>

#define MOST_ENTRIES ((gsize)1 << 27)

struct TnStreamClock {
  uint32_t n, n_streams;
  uint32_t *stream, *rank, *position; /* by op */
  uint32_t *by_stream, *stream_first; /* ops as they run, stream after stream; n_streams + 1 */
  uint32_t *row;                      /* by op: its clock */
  GArray *ended;                      /* uint32_t: rows of n_streams counts */
};

/* Edges turned round: who op i waits for. */
typedef struct {
  uint32_t *first, *from;
} Waits;

static void
number_streams(TnStreamClock *clock, const TnStreamGraph *graph)
{
  g_autoptr(GHashTable) known = g_hash_table_new(NULL, NULL); /* stream → number + 1 */
  for (uint32_t i = 0; i < clock->n; i++) {
    uint32_t op = graph->order ? graph->order[i] : i;
    gpointer key = GUINT_TO_POINTER(graph->stream[op]);
    uint32_t number = GPOINTER_TO_UINT(g_hash_table_lookup(known, key));
    if (!number) {
      number = ++clock->n_streams;
      g_hash_table_insert(known, key, GUINT_TO_POINTER(number));
    }
    clock->stream[op] = number - 1;
    clock->position[op] = i;
  }
}

static void
list_streams(TnStreamClock *clock, const TnStreamGraph *graph)
{
  clock->stream_first = g_new0(uint32_t, (gsize)clock->n_streams + 1);
  for (uint32_t op = 0; op < clock->n; op++)
    clock->stream_first[clock->stream[op] + 1]++;
  for (uint32_t s = 0; s < clock->n_streams; s++)
    clock->stream_first[s + 1] += clock->stream_first[s];
  g_autofree uint32_t *at = g_new0(uint32_t, MAX(clock->n_streams, 1u));
  for (uint32_t i = 0; i < clock->n; i++) {
    uint32_t op = graph->order ? graph->order[i] : i, s = clock->stream[op];
    clock->rank[op] = at[s]++;
    clock->by_stream[clock->stream_first[s] + clock->rank[op]] = op;
  }
}

static Waits
waits_new(const TnStreamClock *clock, const TnStreamGraph *graph)
{
  uint32_t n = clock->n, n_edges = n && graph->first ? graph->first[n] : 0;
  Waits waits = {g_new0(uint32_t, (gsize)n + 2), g_new(uint32_t, MAX(n_edges, 1u))};
  for (uint32_t e = 0; e < n_edges; e++)
    waits.first[graph->next[e] + 2]++;
  for (uint32_t i = 0; i < n; i++)
    waits.first[i + 2] += waits.first[i + 1];
  for (uint32_t i = 0; n_edges && i < n; i++)
    for (uint32_t e = graph->first[i]; e < graph->first[i + 1]; e++)
      waits.from[waits.first[graph->next[e] + 1]++] = i;
  return waits;
}

static uint32_t *
row_at(const TnStreamClock *clock, uint32_t row)
{
  return &g_array_index(clock->ended, uint32_t, (gsize)row * clock->n_streams);
}

static uint32_t
add_row(TnStreamClock *clock, uint32_t like)
{
  uint32_t row = clock->ended->len / clock->n_streams;
  g_array_set_size(clock->ended, clock->ended->len + clock->n_streams);
  memcpy(row_at(clock, row), row_at(clock, like), clock->n_streams * sizeof(uint32_t));
  return row;
}

/* What is known when `op` begins: what the op before it on its stream knew, and what those that it
 * waits for knew, and that they have ended.  A new row only where that is news. */
static void
tick(TnStreamClock *clock, const Waits *waits, uint32_t op, uint32_t before)
{
  uint32_t row = before;
  for (uint32_t k = waits->first[op]; k < waits->first[op + 1]; k++) {
    uint32_t from = waits->from[k], s = clock->stream[from];
    if (s == clock->stream[op] || clock->position[from] >= clock->position[op] ||
        row_at(clock, row)[s] > clock->rank[from])
      continue;
    if (row == before)
      row = add_row(clock, before);
    uint32_t *own = row_at(clock, row);
    const uint32_t *other = row_at(clock, clock->row[from]);
    for (uint32_t i = 0; i < clock->n_streams; i++)
      own[i] = MAX(own[i], other[i]);
    own[s] = clock->rank[from] + 1;
  }
  clock->row[op] = row;
}

static bool
run_clocks(TnStreamClock *clock, const TnStreamGraph *graph)
{
  Waits waits = waits_new(clock, graph);
  g_autofree uint32_t *last = g_new0(uint32_t, MAX(clock->n_streams, 1u)); /* row, by stream */
  bool is_small = clock->n_streams <= MOST_ENTRIES;
  if (is_small)
    g_array_set_size(clock->ended, clock->n_streams);
  for (uint32_t i = 0; i < clock->n && is_small; i++) {
    uint32_t op = graph->order ? graph->order[i] : i, s = clock->stream[op];
    tick(clock, &waits, op, last[s]);
    last[s] = clock->row[op];
    is_small = clock->ended->len + clock->n_streams <= MOST_ENTRIES;
  }
  g_free(waits.first);
  g_free(waits.from);
  return is_small;
}

TnStreamClock *
tn_stream_clock_new(const TnStreamGraph *graph)
{
  uint32_t n = MAX(graph->n, 1u);
  g_autoptr(TnStreamClock) clock = g_new0(TnStreamClock, 1);
  clock->n = graph->n;
  clock->stream = g_new(uint32_t, n);
  clock->rank = g_new(uint32_t, n);
  clock->position = g_new(uint32_t, n);
  clock->by_stream = g_new(uint32_t, n);
  clock->row = g_new0(uint32_t, n);
  clock->ended = g_array_new(FALSE, TRUE, sizeof(uint32_t));
  number_streams(clock, graph);
  list_streams(clock, graph);
  return run_clocks(clock, graph) ? g_steal_pointer(&clock) : NULL;
}

void
tn_stream_clock_free(TnStreamClock *clock)
{
  if (!clock)
    return;
  g_free(clock->stream);
  g_free(clock->rank);
  g_free(clock->position);
  g_free(clock->by_stream);
  g_free(clock->stream_first);
  g_free(clock->row);
  g_array_unref(clock->ended);
  g_free(clock);
}

uint32_t
tn_stream_clock_n_streams(const TnStreamClock *clock)
{
  return clock->n_streams;
}

uint32_t
tn_stream_clock_stream(const TnStreamClock *clock, uint32_t op)
{
  return clock->stream[op];
}

uint32_t
tn_stream_clock_rank(const TnStreamClock *clock, uint32_t op)
{
  return clock->rank[op];
}

uint32_t
tn_stream_clock_position(const TnStreamClock *clock, uint32_t op)
{
  return clock->position[op];
}

const uint32_t *
tn_stream_clock_ops(const TnStreamClock *clock, uint32_t stream, uint32_t *out_n)
{
  *out_n = clock->stream_first[stream + 1] - clock->stream_first[stream];
  return clock->by_stream + clock->stream_first[stream];
}

bool
tn_stream_clock_is_after(const TnStreamClock *clock, uint32_t from, uint32_t to)
{
  uint32_t s = clock->stream[from];
  if (s == clock->stream[to])
    return clock->rank[from] <= clock->rank[to];
  return row_at(clock, clock->row[to])[s] > clock->rank[from];
}

uint32_t
tn_stream_clock_first_after(const TnStreamClock *clock,
                            const uint32_t *ops,
                            uint32_t n,
                            uint32_t stream)
{
  uint32_t n_here, low = 0;
  const uint32_t *here = tn_stream_clock_ops(clock, stream, &n_here);
  for (uint32_t i = 0; i < n; i++) {
    if (clock->stream[ops[i]] == stream) { /* after itself is not after it has ended */
      low = MAX(low, clock->rank[ops[i]] + 1);
      continue;
    }
    for (uint32_t high = n_here; low < high;) {
      uint32_t middle = low + (high - low) / 2;
      if (tn_stream_clock_is_after(clock, ops[i], here[middle]))
        high = middle;
      else
        low = middle + 1;
      if (low == high)
        break;
    }
  }
  return low;
}
