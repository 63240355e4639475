/* SPDX-License-Identifier: MIT */
/* What a plan costs beside its bytes: places taken over, waits added, holes, compaction. */
#include "config.h"

#include "analysis/plan/occupancy.h"
#include "analysis/plan/reuse.h"

/* a [0, 6) 100 B at 0; b [0, 3) 60 B at 100; c [3, 9) 40 B at 100; d [6, 9) 80 B at 0;
 * e [6, 9) 30 B at 140, over 20 B of b's place. */
static TnBuffers *
five(tn_bytes *offset)
{
  static const tn_tick start[] = {0, 0, 3, 6, 6}, end[] = {6, 3, 9, 9, 9};
  static const tn_bytes bytes[] = {100, 60, 40, 80, 30}, places[] = {0, 100, 100, 0, 140};
  TnBuffers *b = tn_buffers_new();
  for (int i = 0; i < 5; i++) {
    tn_buffers_add(b, start[i], end[i], bytes[i], TN_KIND_ACTIVATION);
    offset[i] = places[i];
  }
  return b;
}

static bool
has_pair(const GArray *pairs, tn_index earlier, tn_index later)
{
  for (guint i = 0; i < pairs->len; i++) {
    const TnReusePair *pair = &g_array_index(pairs, TnReusePair, i);
    if (pair->earlier == earlier && pair->later == later)
      return true;
  }
  return false;
}

static void
test_pairs(void)
{
  tn_bytes offset[5];
  g_autoptr(TnBuffers) b = five(offset);
  g_autoptr(GArray) pairs = tn_reuse_pairs_new(b, offset, NULL);
  g_assert_cmpuint(pairs->len, ==, 3);
  g_assert_true(has_pair(pairs, 1, 2));
  g_assert_true(has_pair(pairs, 0, 3));
  g_assert_true(has_pair(pairs, 1, 4));
}

/* Against every pair: `earlier` is a direct one where some byte of it has no tenant between. */
static bool
is_direct(const TnBuffers *b, const tn_bytes *offset, tn_index x, tn_index y)
{
  if (b->end[x] > b->start[y])
    return false;
  for (tn_bytes at = MAX(offset[x], offset[y]);
       at < MIN(offset[x] + b->bytes[x], offset[y] + b->bytes[y]); at++) {
    bool is_taken = false;
    for (tn_index z = 0; z < b->n && !is_taken; z++)
      is_taken = z != x && z != y && b->start[z] >= b->end[x] && b->end[z] <= b->start[y] &&
                 offset[z] <= at && at < offset[z] + b->bytes[z];
    if (!is_taken)
      return true;
  }
  return false;
}

static void
test_pairs_random(void)
{
  g_autoptr(GRand) rand = g_rand_new_with_seed(7);
  for (int round = 0; round < 300; round++) {
    tn_bytes offset[14];
    g_autoptr(TnBuffers) b = tn_buffers_new();
    for (int lane = 0; lane < 3; lane++)
      for (tn_tick t = 0, k = 0; k < 4; k++) {
        tn_tick start = t + g_rand_int_range(rand, 0, 3), end = start + g_rand_int_range(rand, 1, 4);
        offset[b->n] = lane * 8 + g_rand_int_range(rand, 0, 4);
        tn_buffers_add(b, start, end, g_rand_int_range(rand, 1, 5), TN_KIND_ACTIVATION);
        t = end;
      }
    g_autoptr(GArray) pairs = tn_reuse_pairs_new(b, offset, NULL);
    guint n = 0;
    for (tn_index x = 0; x < b->n; x++)
      for (tn_index y = 0; y < b->n; y++)
        if (x != y && is_direct(b, offset, x, y)) {
          g_assert_true(has_pair(pairs, x, y));
          n++;
        }
    g_assert_cmpuint(pairs->len, ==, n);
  }
}

static void
set_batches(TnBuffers *b, const uint32_t *batch)
{
  b->batch = g_memdup2(batch, b->n * sizeof *batch);
}

/* a [0, 9) with a gap [3, 6), b in it, c [9, 12): c takes over from both. */
static void
test_pairs_gap(void)
{
  g_autoptr(TnBuffers) b = tn_buffers_new();
  static const tn_tick start[] = {0, 3, 9}, end[] = {9, 6, 12};
  static const uint32_t owner[] = {0};
  static const TnGap gap[] = {{.start = 3, .end = 6}};
  static const tn_bytes offset[] = {0, 0, 0};
  for (int i = 0; i < 3; i++)
    tn_buffers_add(b, start[i], end[i], 10, TN_KIND_ACTIVATION);
  tn_buffers_set_gaps(b, gap, owner, 1);
  g_autoptr(GArray) pairs = tn_reuse_pairs_new(b, offset, NULL);
  g_assert_true(has_pair(pairs, 0, 2));
  g_assert_true(has_pair(pairs, 1, 2));
  g_assert_cmpuint(pairs->len, ==, 2);
}

/* In one place: a of x, b of y, c of x, d of y.  Who never runs together takes nothing over. */
static void
test_pairs_batches(void)
{
  static const uint32_t batch[] = {1, 2, 1, 2};
  static const tn_bytes offset[] = {0, 2, 1, 0};
  for (tn_tick length = 3; length < 9; length += 3) {
    g_autoptr(TnBuffers) b = tn_buffers_new();
    for (tn_tick i = 0; i < 4; i++)
      tn_buffers_add(b, 3 * i, 3 * i + length, 6, TN_KIND_ACTIVATION);
    set_batches(b, batch);
    g_autoptr(GArray) pairs = tn_reuse_pairs_new(b, offset, NULL);
    g_assert_true(has_pair(pairs, 0, 2));
    g_assert_true(has_pair(pairs, 1, 3));
    g_assert_cmpuint(pairs->len, ==, 2);
  }
}

/* Against every pair of rows that are not of two batches: whoever has a byte of another's place. */
static void
test_sharers(void)
{
  for (int round = 0; round < 300; round++) {
    g_autoptr(TnBuffers) b = tn_buffers_new();
    static const tn_index owner[] = {0, 2};
    TnGap gaps[2] = {{0}};
    tn_bytes offset[9];
    uint32_t batch[9];
    uint8_t shares[9] = {0};
    for (int i = 0; i < 9; i++) {
      tn_tick start = g_test_rand_int_range(0, 20);
      offset[i] = g_test_rand_int_range(0, 30);
      batch[i] = (uint32_t)g_test_rand_int_range(1, 3);
      tn_buffers_add(b, start, start + 5, g_test_rand_int_range(0, 5), TN_KIND_ACTIVATION);
    }
    for (int k = 0; k < 2; k++)
      gaps[k] = (TnGap){.start = b->start[owner[k]] + 1, .end = b->start[owner[k]] + 3};
    tn_buffers_set_gaps(b, gaps, owner, 2);
    if (round % 2)
      set_batches(b, batch);
    tn_reuse_mark_sharers(b, offset, shares);
    for (int i = 0; i < 9; i++) {
      bool is_sharer = false;
      for (int k = 0; k < 9; k++)
        is_sharer |= i != k && b->bytes[i] && b->bytes[k] && offset[i] < offset[k] + b->bytes[k] &&
                     offset[k] < offset[i] + b->bytes[i] && !(round % 2 && batch[i] != batch[k]);
      g_assert_cmpint(shares[i], ==, is_sharer);
    }
  }
}

/* Two chains from one input: x → p → q and x → r → s.  What r writes takes p's place once q has
 * read it: r waits for q, which nothing asked for.  What s writes takes r's input's place: no. */
static void
test_waits(void)
{
  g_autoptr(TnGraph) graph = tn_graph_new();
  static const uint32_t input_of[] = {TN_NONE, 0, 1, 0, 3}; /* ops: x, p, q, r, s */
  uint32_t order[5];
  for (uint32_t i = 0; i < 5; i++) {
    order[i] = i;
    tn_graph_add_tensor(graph, 0, 0);
  }
  for (uint32_t i = 0; i < 5; i++) {
    tn_graph_add_op(graph, 0, 0);
    if (input_of[i] != TN_NONE)
      tn_graph_op_add_input(graph, input_of[i]);
    tn_graph_op_add_output(graph, i);
  }
  g_autoptr(TnBuffers) b = tn_buffers_new();
  tn_buffers_add(b, 0, 12, 10, TN_KIND_ACTIVATION);  /* x, read last by r */
  tn_buffers_add(b, 3, 9, 10, TN_KIND_ACTIVATION);   /* p, read by q */
  tn_buffers_add(b, 9, 15, 10, TN_KIND_ACTIVATION);  /* r, in p's place */
  tn_buffers_add(b, 12, 15, 10, TN_KIND_ACTIVATION); /* s, in x's place */
  tn_bytes offset[] = {0, 10, 10, 0};
  g_autoptr(GArray) pairs = tn_reuse_pairs_new(b, offset, NULL);
  g_assert_cmpuint(pairs->len, ==, 2);
  g_assert_cmpint(tn_reuse_count_waits(graph, order, b, pairs), ==, 1);
}

/* Aligned to 3 and, as all, to 4: from 24 down to 12, and not to 8. */
static void
test_occupancy_alignments(void)
{
  static const tn_bytes offset[] = {0, 24};
  g_autoptr(TnBuffers) b = tn_buffers_new();
  tn_buffers_need(b, TN_COLUMN_ALIGNMENT);
  for (int i = 0; i < 2; i++) {
    tn_buffers_add(b, 0, 2, 5, TN_KIND_ACTIVATION);
    b->alignment[i] = 3;
  }
  TnOccupancy at = tn_occupancy_at(b, offset, 4, 1);
  g_assert_cmpint(at.won_bytes, ==, 12);
}

static void
test_occupancy(void)
{
  tn_bytes offset[5];
  g_autoptr(TnBuffers) b = five(offset);
  /* At 3: a 0–100, c 100–140. */
  TnOccupancy at = tn_occupancy_at(b, offset, 1, 3);
  g_assert_cmpint(at.used_bytes, ==, 140);
  g_assert_cmpint(at.extent_bytes, ==, 140);
  g_assert_cmpint(at.hole_bytes, ==, 0);
  g_assert_cmpint(at.won_bytes, ==, 0);
  /* At 6: d 0–80, hole of 20, c 100–140, e 140–170: both move down by 20. */
  at = tn_occupancy_at(b, offset, 1, 6);
  g_assert_cmpint(at.used_bytes, ==, 150);
  g_assert_cmpint(at.extent_bytes, ==, 170);
  g_assert_cmpint(at.hole_bytes, ==, 20);
  g_assert_cmpint(at.largest_hole_bytes, ==, 20);
  g_assert_cmpint(at.moved_bytes, ==, 70);
  g_assert_cmpint(at.won_bytes, ==, 20);
  /* Aligned to 32: c to 96, e to 160 is no lower than 140. */
  at = tn_occupancy_at(b, offset, 32, 6);
  g_assert_cmpint(at.moved_bytes, ==, 40);
  g_assert_cmpint(at.won_bytes, ==, 0);
  /* A fixed one stays, and what is above it. */
  b->flags[2] |= TN_BUFFER_FIXED;
  at = tn_occupancy_at(b, offset, 1, 6);
  g_assert_cmpint(at.moved_bytes, ==, 0);
  g_assert_cmpint(tn_occupancy_high_water(b, offset), ==, 6);
  g_autoptr(GArray) curve = tn_occupancy_curve_new(b, offset, 1, 100);
  g_assert_cmpuint(curve->len, ==, 3);
  g_assert_cmpint(g_array_index(curve, TnOccupancy, 1).tick, ==, 3);
}

/* b in a's gap, but for the window [0, 4) that a keeps; x and y, of batches, in one place. */
static void
test_occupancy_shared(void)
{
  g_autoptr(TnBuffers) b = tn_buffers_new();
  static const tn_tick start[] = {0, 3, 0, 0}, end[] = {9, 6, 9, 9};
  static const tn_bytes bytes[] = {10, 5, 20, 30}, offset[] = {0, 4, 10, 10};
  static const uint32_t batch[] = {0, 0, 1, 2};
  static const tn_index owner[] = {0};
  static const TnGap gap[] = {{.start = 3, .end = 6, .low = 0, .high = 4}};
  for (int i = 0; i < 4; i++)
    tn_buffers_add(b, start[i], end[i], bytes[i], TN_KIND_ACTIVATION);
  tn_buffers_set_gaps(b, gap, owner, 1);
  set_batches(b, batch);
  for (tn_tick tick = 0; tick < 9; tick++) {
    TnOccupancy at = tn_occupancy_at(b, offset, 1, tick);
    bool is_in_gap = tick >= 3 && tick < 6;
    g_assert_cmpint(at.extent_bytes, ==, 40);
    g_assert_cmpint(at.used_bytes, ==, is_in_gap ? 39 : 40);
    g_assert_cmpint(at.hole_bytes, ==, is_in_gap ? 1 : 0);
  }
}

static void
test_fragmentation(void)
{
  TnOccupancy at = {.hole_bytes = 40, .largest_hole_bytes = 30};
  g_assert_cmpfloat(tn_occupancy_fragmentation(&at), ==, 0.25);
  at = (TnOccupancy){0};
  g_assert_cmpfloat(tn_occupancy_fragmentation(&at), ==, 0.0);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/plan-cost/pairs", test_pairs);
  g_test_add_func("/plan-cost/pairs-random", test_pairs_random);
  g_test_add_func("/plan-cost/pairs-gap", test_pairs_gap);
  g_test_add_func("/plan-cost/pairs-batches", test_pairs_batches);
  g_test_add_func("/plan-cost/sharers", test_sharers);
  g_test_add_func("/plan-cost/waits", test_waits);
  g_test_add_func("/plan-cost/occupancy", test_occupancy);
  g_test_add_func("/plan-cost/occupancy-alignments", test_occupancy_alignments);
  g_test_add_func("/plan-cost/occupancy-shared", test_occupancy_shared);
  g_test_add_func("/plan-cost/fragmentation", test_fragmentation);
  return g_test_run();
}
