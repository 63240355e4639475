/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/plan/answer.h"
#include "analysis/plan/colour.h"
#include "analysis/plan/greedy.h"
#include "analysis/plan/pack.h"
#include "analysis/plan/strategies.h"

#include <string.h>

/* The free block to take, TN_NONE where all are taken. */
static uint32_t
choose_block(
    const tn_bytes *size, const uint32_t *taken_by, uint32_t n_blocks, uint32_t b, tn_bytes wanted)
{
  uint32_t fits = TN_NONE, largest = TN_NONE;
  for (uint32_t k = 0; k < n_blocks; k++) {
    if (taken_by[k] == b)
      continue;
    if (size[k] >= wanted && (fits == TN_NONE || size[k] < size[fits]))
      fits = k;
    if (largest == TN_NONE || size[k] > size[largest])
      largest = k;
  }
  return fits != TN_NONE ? fits : largest;
}

uint32_t
tn_colour(TnNeighbours *neighbours,
          const TnBodies *bodies,
          const uint32_t *order,
          uint32_t n,
          TnProgress *progress,
          uint32_t *block)
{
  uint32_t n_blocks = 0;
  g_autofree tn_bytes *size = g_new(tn_bytes, MAX(n, 1u));
  g_autofree uint32_t *taken_by = g_new(uint32_t, MAX(n, 1u));
  memset(block, 0xff, bodies->n * sizeof *block);
  for (uint32_t i = 0; i < n; i++) {
    uint32_t b = order[i], n_found;
    if (tn_bodies_is_fixed(bodies, b))
      continue;
    if (i % 256 == 0 && tn_progress_is_cancelled(progress))
      return TN_NONE;
    const uint32_t *found = tn_neighbours_bodies(neighbours, b, &n_found);
    for (uint32_t k = 0; k < n_found; k++)
      taken_by[block[found[k]]] = b;
    uint32_t chosen = choose_block(size, taken_by, n_blocks, b, bodies->size[b]);
    if (chosen == TN_NONE) {
      chosen = n_blocks++;
      taken_by[chosen] = TN_NONE;
      size[chosen] = 0;
    }
    size[chosen] = MAX(size[chosen], bodies->size[b]);
    block[b] = chosen;
    tn_neighbours_place(neighbours, b, 0);
  }
  return n_blocks;
}

/* A block's tenants may need different alignments and residues (groups): each begins at the first
 * offset from the block's bottom that suits it, and the block reaches to the highest top. */
tn_bytes
tn_colour_stack(const TnBodies *bodies,
                const uint32_t *block,
                uint32_t n_blocks,
                tn_bytes base,
                tn_bytes *offset)
{
  g_autofree tn_bytes *bottom = g_new(tn_bytes, MAX(n_blocks, 1u));
  g_autofree uint32_t *first = g_new(uint32_t, (gsize)n_blocks + 1);
  g_autofree uint32_t *next = g_new(uint32_t, MAX(bodies->n, 1u));
  tn_bytes top = base;
  memset(first, 0xff, (n_blocks + 1) * sizeof *first);
  for (uint32_t b = bodies->n; b-- > 0;)
    if (block[b] != TN_NONE) {
      next[b] = first[block[b]];
      first[block[b]] = b;
    }
  for (uint32_t k = 0; k < n_blocks; k++) {
    bottom[k] = top;
    for (uint32_t b = first[k]; b != TN_NONE; b = next[b]) {
      offset[b] = tn_bodies_align(bodies, b, bottom[k]);
      if (offset[b] < 0 || !tn_add(offset[b], bodies->size[b], &offset[b]))
        return -1;
      top = MAX(top, offset[b]);
      offset[b] -= bodies->size[b];
    }
  }
  return top;
}

static tn_bytes
top_of_fixed(const TnBodies *bodies)
{
  tn_bytes top = 0;
  for (uint32_t b = 0; bodies->fixed && b < bodies->n; b++)
    if (tn_bodies_is_fixed(bodies, b))
      top = MAX(top, bodies->fixed[b] + bodies->size[b]);
  return top;
}

/* Fixed bodies keep their places, the blocks lie above them. */
static tn_bytes
colour(TnNeighbours *neighbours,
       const TnBodies *bodies,
       TnGreedy by,
       TnProgress *progress,
       tn_bytes *offset)
{
  g_autofree uint32_t *order = g_new(uint32_t, MAX(bodies->n, 1u));
  g_autofree uint32_t *block = g_new(uint32_t, MAX(bodies->n, 1u));
  tn_greedy_order(bodies, by, order);
  tn_neighbours_reset(neighbours);
  uint32_t n_blocks = tn_colour(neighbours, bodies, order, bodies->n, progress, block);
  if (n_blocks == TN_NONE)
    return -1;
  return tn_colour_stack(bodies, block, n_blocks, top_of_fixed(bodies), offset);
}

/* By start (the fewest blocks) and by size (no block ever grows): the smaller arena of the two. */
static tn_bytes
colour_twice(TnNeighbours *neighbours,
             const TnBodies *bodies,
             TnProgress *progress,
             tn_bytes *offset,
             char **out_message)
{
  g_autofree tn_bytes *other = g_memdup2(offset, sizeof *offset * MAX(bodies->n, 1u));
  if (!tn_pack_fixed(neighbours, bodies, progress, offset, out_message))
    return -1;
  memcpy(other, offset, sizeof *offset * bodies->n);
  tn_bytes by_size = colour(neighbours, bodies, TN_GREEDY_SIZE, progress, offset);
  tn_bytes by_start = colour(neighbours, bodies, TN_GREEDY_START, progress, other);
  if (by_start < 0 || (by_size >= 0 && by_size <= by_start))
    return by_size;
  memcpy(offset, other, sizeof *offset * bodies->n);
  return by_start;
}

static void
plan(const TnPlanProblem *problem, const TnPlanParams *params, TnPlanAnswer *answer)
{
  gint64 begun = g_get_monotonic_time();
  g_autoptr(TnBodies) bodies = tn_answer_begin(problem, answer);
  if (!bodies)
    return;
  char *message = NULL;
  g_autoptr(TnNeighbours) neighbours = tn_neighbours_new(bodies);
  g_autofree tn_bytes *offset = g_new0(tn_bytes, MAX(bodies->n, 1u));
  tn_bytes arena = colour_twice(neighbours, bodies, params->progress, offset, &message);
  tn_answer_finish(answer, bodies, params, offset, arena, 0, message, begun);
}

const TnStrategy tn_strategy_colour = {
    "colour", "blocks shared whole, each as large as its largest tenant", plan, 0};
