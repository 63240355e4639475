/* SPDX-License-Identifier: MIT */
/* Reuse across streams: the clocks against a search, plans by hand, and on random graphs no place that
 * two buffers share without the later having waited for all users of the earlier. */
#include "config.h"

#include "analysis/check.h"
#include "analysis/plan/exact.h"
#include "analysis/stream-order.h"
#include "analysis/stream-uses.h"
#include "plan-support.h"

#include "data/document.h"

#define K 1024

/* ---- a plan document on streams ------------------------------------------------------------------------ */

typedef struct {
  uint32_t writer, last[4]; /* ops; last: TN_NONE ends the list */
  tn_bytes size;
  tn_bytes offset; /* expected */
} Buffer;

typedef struct {
  uint32_t from, to;
} Edge;

static TnDocument *
document_new(const uint32_t *stream, uint32_t n_ops, const Edge *edges, uint32_t n_edges)
{
  TnDocument *document = tn_document_new("made");
  document->kind = TN_DOCUMENT_PLAN;
  document->ticks_per_op = 1;
  document->op_names = g_array_new(FALSE, TRUE, sizeof(uint32_t));
  document->op_streams = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  document->waits = g_array_new(FALSE, FALSE, sizeof(TnWait));
  g_array_set_size(document->op_names, n_ops);
  g_array_append_vals(document->op_streams, stream, n_ops);
  for (uint32_t i = 0; i < n_edges; i++) {
    TnWait wait = {edges[i].from, edges[i].to};
    g_array_append_val(document->waits, wait);
  }
  TnDevice *device = tn_document_device(document, 0);
  device->axis_end = n_ops;
  device->buffers = tn_buffers_new();
  device->last_uses = g_array_new(FALSE, FALSE, sizeof(TnLastUse));
  tn_buffers_need(device->buffers, TN_COLUMN_OP | TN_COLUMN_STREAM | TN_COLUMN_TRAITS |
                                       TN_COLUMN_BATCH | TN_COLUMN_GROUP | TN_COLUMN_REQUESTED);
  return document;
}

static void
add_buffer(TnDocument *document, uint32_t writer, const uint32_t *last, uint32_t n_last, tn_bytes size)
{
  TnDevice *device = tn_document_device(document, 0);
  tn_tick end = writer + 1;
  for (uint32_t i = 0; i < n_last; i++) {
    TnLastUse use = {device->buffers->n, last[i]};
    g_array_append_val(device->last_uses, use);
    end = MAX(end, (tn_tick)last[i] + 1);
  }
  tn_index row = tn_buffers_add(device->buffers, writer, end, size, TN_KIND_ACTIVATION);
  device->buffers->op[row] = writer;
  device->buffers->stream[row] = g_array_index(document->op_streams, uint32_t, writer);
}

static TnPlan *
plan_of(const TnDocument *document, const char *strategy, unsigned options)
{
  const TnDevice *device = tn_document_get_device(document, 0);
  g_autoptr(TnStreamUses) uses = tn_stream_uses_new(document, device, device->buffers, NULL, NULL, NULL);
  TnPlanParams params = {.uses = uses, .ge_options = options, .time_limit = 0.2};
  return tn_plan_new_for_buffers(device->buffers, tn_strategies_find(strategy), 0, &params);
}

/* ---- by hand --------------------------------------------------------------------------------------------- */

static void
assert_shared(const uint32_t *stream, uint32_t n_ops, const Edge *edges, uint32_t n_edges,
              const Buffer *buffers, uint32_t n, tn_bytes arena)
{
  g_autoptr(TnDocument) document = document_new(stream, n_ops, edges, n_edges);
  for (uint32_t i = 0; i < n; i++) {
    uint32_t n_last = 0;
    while (n_last < 4 && buffers[i].last[n_last] != TN_NONE)
      n_last++;
    add_buffer(document, buffers[i].writer, buffers[i].last, n_last, buffers[i].size);
  }
  g_autoptr(TnPlan) plan = plan_of(document, "ge", 0);
  g_assert_cmpint(plan->status, ==, TN_PLAN_FOUND);
  for (uint32_t i = 0; i < n; i++)
    g_assert_cmpint(plan->offset[i], ==, buffers[i].offset);
  g_assert_cmpint(plan->arena_bytes, ==, arena);
}

/* a is written at op 0 and read last at op 1, both on stream 0; b is of op 2 on stream 1. */
static void
test_edge(void)
{
  static const uint32_t stream[] = {0, 0, 1, 2, 1};
  static const Edge none[] = {{0, 0}}, early[] = {{0, 2}}, edge[] = {{1, 2}}, third[] = {{1, 3}, {3, 4}};
  const Buffer apart[] = {{0, {1, TN_NONE}, 2 * K, 0}, {2, {TN_NONE}, 2 * K, 2 * K}};
  const Buffer shared[] = {{0, {1, TN_NONE}, 2 * K, 0}, {2, {TN_NONE}, 2 * K, 0}};
  const Buffer through[] = {{0, {1, TN_NONE}, 2 * K, 0}, {4, {TN_NONE}, 2 * K, 0}};
  assert_shared(stream, 5, none, 0, apart, 2, 4 * K);
  assert_shared(stream, 5, early, 1, apart, 2, 4 * K); /* waits for the writer, not for the reader */
  assert_shared(stream, 5, edge, 1, shared, 2, 2 * K);
  assert_shared(stream, 5, third, 2, through, 2, 2 * K); /* 0 → 2 → 1 */
}

/* a is read on stream 1 at op 1: its own stream has its place only once it has waited for that. */
static void
test_own_stream(void)
{
  static const uint32_t stream[] = {0, 1, 0, 0};
  static const Edge read[] = {{0, 1}}, back[] = {{0, 1}, {1, 3}};
  const Buffer apart[] = {{0, {1, TN_NONE}, K, 0}, {2, {TN_NONE}, K, K}};
  const Buffer later[] = {{0, {1, TN_NONE}, K, 0}, {2, {3, TN_NONE}, K, K}, {3, {TN_NONE}, K, 0}};
  assert_shared(stream, 4, read, 1, apart, 2, 2 * K);
  assert_shared(stream, 4, back, 2, later, 3, 2 * K); /* op 3 has waited for it */
}

/* What two other streams use serves nobody, even where all wait. */
static void
test_two_readers(void)
{
  static const uint32_t stream[] = {0, 1, 2, 0};
  static const Edge edges[] = {{0, 1}, {0, 2}, {1, 3}, {2, 3}};
  const Buffer buffers[] = {{0, {1, 2, TN_NONE}, K, 0}, {3, {TN_NONE}, K, K}};
  assert_shared(stream, 4, edges, 4, buffers, 2, 2 * K);
}

/* Between streams whole blocks only: c would fit between a and a2, which share a block, but comes
 * after a and before a2 only. */
static void
test_whole_blocks(void)
{
  static const uint32_t stream[] = {0, 1, 0};
  static const Edge edges[] = {{0, 1}, {1, 2}};
  const Buffer buffers[] = {{0, {TN_NONE}, 2 * K, 0}, {1, {TN_NONE}, K, 2 * K}, {2, {TN_NONE}, 2 * K, 0}};
  assert_shared(stream, 3, edges, 2, buffers, 3, 3 * K);
}

/* ---- clocks ------------------------------------------------------------------------------------------------- */

typedef struct {
  uint32_t n, n_edges;
  uint32_t stream[40];
  Edge edges[160];
  bool reaches[40][40]; /* brute force: `to` begins after `from` has ended */
} Random;

static void
random_graph(Random *r, uint32_t n, uint32_t n_streams, uint64_t *state)
{
  memset(r, 0, sizeof *r);
  r->n = n;
  for (uint32_t i = 0; i < n; i++)
    r->stream[i] = below(state, n_streams);
  for (uint32_t k = below(state, 2 * n); k > 0; k--) {
    uint32_t to = 1 + below(state, n - 1);
    r->edges[r->n_edges++] = (Edge){below(state, to), to};
  }
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t k = i + 1; k < n; k++)
      r->reaches[i][k] = r->stream[i] == r->stream[k];
  for (uint32_t e = 0; e < r->n_edges; e++)
    r->reaches[r->edges[e].from][r->edges[e].to] = true;
  for (uint32_t m = 0; m < n; m++)
    for (uint32_t i = 0; i < n; i++)
      for (uint32_t k = 0; k < n; k++)
        r->reaches[i][k] |= r->reaches[i][m] && r->reaches[m][k];
}

static TnStreamClock *
clock_of(const Random *r)
{
  g_autofree uint32_t *first = g_new0(uint32_t, r->n + 2), *next = g_new(uint32_t, r->n_edges + 1);
  for (uint32_t i = 0; i < r->n; i++) {
    first[i + 1] = first[i];
    for (uint32_t e = 0; e < r->n_edges; e++)
      if (r->edges[e].from == i)
        next[first[i + 1]++] = r->edges[e].to;
  }
  return tn_stream_clock_new(&(TnStreamGraph){r->n, r->stream, NULL, first, next});
}

static void
test_clocks(void)
{
  uint64_t state = 3;
  Random r;
  for (int round = 0; round < 400; round++) {
    random_graph(&r, 2 + below(&state, 38), 1 + below(&state, 6), &state);
    g_autoptr(TnStreamClock) clock = clock_of(&r);
    for (uint32_t i = 0; i < r.n; i++)
      for (uint32_t k = 0; k < r.n; k++)
        g_assert_true(tn_stream_clock_is_after(clock, i, k) == (i == k || r.reaches[i][k]));
    for (int tries = 0; tries < 20; tries++) {
      uint32_t ops[] = {below(&state, r.n), below(&state, r.n)}, n_here;
      uint32_t s = below(&state, tn_stream_clock_n_streams(clock));
      const uint32_t *here = tn_stream_clock_ops(clock, s, &n_here);
      uint32_t rank = 0;
      while (rank < n_here && !(r.reaches[ops[0]][here[rank]] && r.reaches[ops[1]][here[rank]]))
        rank++;
      g_assert_cmpuint(tn_stream_clock_first_after(clock, ops, 2, s), ==, rank);
    }
  }
}

/* ---- random plans ---------------------------------------------------------------------------------------------- */

/* One buffer of each op, read by ops that wait for it; with labels, groups, marks and kinds. */
static TnDocument *
random_document(Random *r, uint64_t *state, bool has_kinds)
{
  TnDocument *document = document_new(r->stream, r->n, r->edges, r->n_edges);
  TnBuffers *b = tn_document_device(document, 0)->buffers;
  uint32_t group = 0;
  for (uint32_t op = 0; op < r->n; op++) {
    uint32_t last[4], n_last = 0;
    for (uint32_t to = op + 1; to < r->n && to < op + 8 && n_last < 3; to++)
      if (r->reaches[op][to] && below(state, 3) == 0) {
        bool is_new = true;
        for (uint32_t i = 0; i < n_last; i++)
          if (r->stream[last[i]] == r->stream[to]) {
            last[i] = to;
            is_new = false;
          }
        if (is_new)
          last[n_last++] = to;
      }
    add_buffer(document, op, last, n_last, 512 * (1 + (tn_bytes)below(state, 12)));
    uint32_t row = b->n - 1;
    b->requested[row] = b->bytes[row] - 32 - below(state, 400);
    if (!has_kinds)
      continue;
    b->flags[row] |= below(state, 12) ? 0 : TN_BUFFER_NO_REUSE;
    b->batch[row] = below(state, 4) ? 0 : 7 + below(state, 2);
    b->traits[row] = (unsigned[]){0, 0, 0, 0, TN_TRAIT_ZERO_COPY, TN_TRAIT_DATA, TN_TRAIT_CLEANED,
                                  TN_TRAIT_FIXED_ADDRESS}[below(state, 8)];
    if (op > 1 && below(state, 6) == 0 && !b->group[row - 1] && b->batch[row] == b->batch[row - 1]) {
      b->group[row] = b->group[row - 1] = ++group;
      b->traits[row] = b->traits[row - 1] = TN_TRAIT_CONTINUOUS;
    }
  }
  return document;
}

/* Whether rows i and k may have the same bytes, straight from the rules. */
static bool
may_share(const Random *r, const TnDocument *document, uint32_t i, uint32_t k)
{
  const TnDevice *device = tn_document_get_device(document, 0);
  const TnBuffers *b = device->buffers;
  uint32_t a = b->start[i] <= b->start[k] ? i : k, later = a == i ? k : i;
  bool is_exclusive = b->batch[i] && b->batch[k] && b->batch[i] != b->batch[k];
  unsigned both = b->traits[i] | b->traits[k];
  if ((b->flags[i] | b->flags[k]) & TN_BUFFER_NO_REUSE || (b->batch[i] != 0) != (b->batch[k] != 0))
    return false;
  if (is_exclusive)
    return true;
  if ((b->traits[i] & b->traits[k] & TN_TRAIT_ZERO_COPY) ||
      (both & TN_TRAIT_ZERO_COPY && both & TN_TRAIT_CONTINUOUS) ||
      (both & TN_TRAIT_CLEANED && both & TN_TRAIT_DATA) || b->end[a] > b->start[later])
    return false;
  if (!r->reaches[b->op[a]][b->op[later]])
    return false;
  for (guint u = 0; u < device->last_uses->len; u++) {
    const TnLastUse *use = &g_array_index(device->last_uses, TnLastUse, u);
    if (use->buffer == a && !r->reaches[use->op][b->op[later]])
      return false;
  }
  return true;
}

/* Checks all pairs that share bytes; returns how many of them are of two streams. */
static uint32_t
assert_legal(const Random *r, const TnDocument *document, const TnPlan *plan)
{
  uint32_t n_across = 0;
  const TnBuffers *b = tn_document_get_device(document, 0)->buffers;
  g_autofree char *error = tn_check_dup_plan_error(document, b, plan->offset, 0, plan->space_arena,
                                                   plan->n_spaces);
  g_assert_cmpstr(error, ==, NULL);
  g_assert_cmpint(plan->arena_bytes, >=, plan->lower_bound_bytes);
  for (uint32_t i = 0; i < b->n; i++)
    for (uint32_t k = i + 1; k < b->n; k++)
      if (plan->offset[i] < plan->offset[k] + b->bytes[k] &&
          plan->offset[k] < plan->offset[i] + b->bytes[i]) {
        if (!may_share(r, document, i, k))
          g_error("%s: buffers %u [%d, %d) and %u [%d, %d) of streams %u and %u share %d", plan->strategy,
                  i, (int)b->start[i], (int)b->end[i], k, (int)b->start[k], (int)b->end[k],
                  b->stream[i], b->stream[k], (int)MAX(plan->offset[i], plan->offset[k]));
        n_across += b->stream[i] != b->stream[k];
      }
  return n_across;
}

static void
test_random(void)
{
  static const unsigned options[] = {0, TN_GE_MEMORY_PRIORITY, TN_GE_RANGE | TN_GE_ASCENDING,
                                     TN_GE_FIRST_RELEASE | TN_GE_EXTEND_SIZE | TN_GE_BASE_REFRESH};
  uint64_t state = 11;
  Random r;
  uint32_t n_across = 0;
  for (int round = 0; round < 600; round++) {
    random_graph(&r, 5 + below(&state, 35), 2 + below(&state, 3), &state);
    g_autoptr(TnDocument) document = random_document(&r, &state, round % 2);
    g_autoptr(TnPlan) plan = plan_of(document, "ge", options[round % G_N_ELEMENTS(options)]);
    g_assert_cmpint(plan->status, ==, TN_PLAN_FOUND);
    n_across += assert_legal(&r, document, plan);
  }
  g_assert_cmpuint(n_across, >, 0); /* edges are worth something */
}

/* All other planners keep the same rules. */
static void
test_other_planners(void)
{
  uint64_t state = 12;
  Random r;
  for (int round = 0; round < 25; round++) {
    random_graph(&r, 5 + below(&state, 15), 2 + below(&state, 3), &state);
    g_autoptr(TnDocument) document = random_document(&r, &state, true);
    for (guint k = 0; tn_strategies()[k]; k++) {
      g_autoptr(TnPlan) plan = plan_of(document, tn_strategies()[k]->name, 0);
      g_assert_cmpint(plan->status, ==, TN_PLAN_FOUND);
      assert_legal(&r, document, plan);
    }
  }
}

/* ---- the optimum, by brute force --------------------------------------------------------------------------------- */

typedef struct {
  const Random *r;
  const TnDocument *document;
  tn_bytes offset[8], best;
} Brute;

/* Each next buffer at 0 or on top of one that is placed: some order of these gives an optimum. */
static void
try_rest(Brute *brute, uint32_t placed, tn_bytes arena)
{
  const TnBuffers *b = tn_document_get_device(brute->document, 0)->buffers;
  if (arena >= brute->best)
    return;
  if (placed == (1u << b->n) - 1) {
    brute->best = arena;
    return;
  }
  for (uint32_t i = 0; i < b->n; i++) {
    if (placed & 1u << i)
      continue;
    tn_bytes lowest = 0;
    for (bool is_free = false; !is_free;) { /* the lowest that is free */
      is_free = true;
      for (uint32_t k = 0; k < b->n; k++)
        if (placed & 1u << k && !may_share(brute->r, brute->document, i, k) &&
            lowest < brute->offset[k] + b->bytes[k] && brute->offset[k] < lowest + b->bytes[i]) {
          lowest = brute->offset[k] + b->bytes[k];
          is_free = false;
        }
    }
    brute->offset[i] = lowest;
    try_rest(brute, placed | 1u << i, MAX(arena, lowest + b->bytes[i]));
  }
}

static void
test_optimum(void)
{
  uint64_t state = 13;
  Random r;
  for (int round = 0; round < 60; round++) {
    random_graph(&r, 4 + below(&state, 3), 2 + below(&state, 2), &state);
    g_autoptr(TnDocument) document = random_document(&r, &state, false);
    Brute brute = {.r = &r, .document = document, .best = INT64_MAX};
    try_rest(&brute, 0, 0);
    g_autoptr(TnPlan) exact = plan_of(document, "exact", 0);
    g_autoptr(TnPlan) ge = plan_of(document, "ge", TN_GE_MEMORY_PRIORITY);
    g_assert_true(exact->is_optimal);
    g_assert_cmpint(exact->arena_bytes, ==, brute.best);
    g_assert_cmpint(ge->arena_bytes, >=, brute.best);
  }
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/ge-streams/edge", test_edge);
  g_test_add_func("/ge-streams/own-stream", test_own_stream);
  g_test_add_func("/ge-streams/two-readers", test_two_readers);
  g_test_add_func("/ge-streams/whole-blocks", test_whole_blocks);
  g_test_add_func("/ge-streams/clocks", test_clocks);
  g_test_add_func("/ge-streams/random", test_random);
  g_test_add_func("/ge-streams/other-planners", test_other_planners);
  g_test_add_func("/ge-streams/optimum", test_optimum);
  return g_test_run();
}
